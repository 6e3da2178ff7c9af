// Argument words of every kernel: the name, the accepted range and the role of each.
//
// The only list of the words' names, one row per word in the order of the structures in arguments.h. From it come the
// ranges that a kernel's describe() checks, the names in its refusals, and Kernel::address_words and
// Kernel::value_words of the ROM (kernel.h defines these). Roles do not affect launches; the tests check them for every
// kernel.
#pragma once

#include "hal/devices/refdev/kernels/argument_rules.h"
#include "hal/devices/refdev/kernels/int16_argument_words.h"
#include "hal/devices/refdev/kernels/recurrent_argument_words.h"
#include "hal/devices/refdev/kernels/rescaling_argument_words.h"

namespace pianola::refdev {

template <>
inline constexpr ArgumentWords<FullyConnectedArguments> kWords<FullyConnectedArguments>{{
    address("input"),
    address("filter"),
    address("channel_parameters"),
    address("output"),
    count_rule("batches"),
    in_range("input_depth", 1, static_cast<std::int32_t>(kMaxTaps)),
    count_rule("output_depth"),
    value(negated_int8_rule("input_offset")),
    value(negated_int8_rule("filter_offset")),
    value(int8_rule("output_offset")),
    int8_rule("activation_min"),
    value(int8_rule("activation_max")),
    layout_rule(),
}};

template <>
inline constexpr ArgumentWords<Conv2dArguments> kWords<Conv2dArguments>{{
    address("input"),
    address("filter"),
    address("channel_parameters"),
    address("output"),
    count_rule("batches"),
    spatial_rule("input_height"),
    spatial_rule("input_width"),
    count_rule("input_channels"),
    spatial_rule("output_height"),
    spatial_rule("output_width"),
    count_rule("output_channels"),
    spatial_rule("filter_height"),
    spatial_rule("filter_width"),
    in_range("filter_channels", 1, static_cast<std::int32_t>(kMaxTaps)),
    spatial_rule("stride_height"),
    spatial_rule("stride_width"),
    spatial_rule("dilation_height"),
    spatial_rule("dilation_width"),
    padding_rule("pad_top"),
    padding_rule("pad_left"),
    value(negated_int8_rule("input_offset")),
    value(int8_rule("output_offset")),
    int8_rule("activation_min"),
    value(int8_rule("activation_max")),
    layout_rule(),
}};

template <>
inline constexpr ArgumentWords<DepthwiseConv2dArguments> kWords<DepthwiseConv2dArguments>{{
    address("input"),
    address("filter"),
    address("channel_parameters"),
    address("output"),
    count_rule("batches"),
    spatial_rule("input_height"),
    spatial_rule("input_width"),
    count_rule("input_channels"),
    spatial_rule("output_height"),
    spatial_rule("output_width"),
    count_rule("depth_multiplier"),
    spatial_rule("filter_height"),
    spatial_rule("filter_width"),
    spatial_rule("stride_height"),
    spatial_rule("stride_width"),
    spatial_rule("dilation_height"),
    spatial_rule("dilation_width"),
    padding_rule("pad_top"),
    padding_rule("pad_left"),
    value(negated_int8_rule("input_offset")),
    value(int8_rule("output_offset")),
    int8_rule("activation_min"),
    value(int8_rule("activation_max")),
}};

template <>
inline constexpr ArgumentWords<Pool2dArguments> kWords<Pool2dArguments>{{
    address("input"),
    address("output"),
    count_rule("batches"),
    spatial_rule("input_height"),
    spatial_rule("input_width"),
    count_rule("channels"),
    spatial_rule("output_height"),
    spatial_rule("output_width"),
    spatial_rule("filter_height"),
    spatial_rule("filter_width"),
    spatial_rule("stride_height"),
    spatial_rule("stride_width"),
    padding_rule("pad_top"),
    padding_rule("pad_left"),
    int16_rule("activation_min"),
    value(int16_rule("activation_max")),
    type_rule(),
}};

template <>
inline constexpr ArgumentWords<MeanArguments> kWords<MeanArguments>{{
    address("input"),
    address("output"),
    count_rule("dims"),
    count_rule("dims"),
    count_rule("dims"),
    count_rule("dims"),
    in_range("reduced_axes", 1, 15),
    value(int8_rule("input_zero_point")),
    value(int8_rule("output_zero_point")),
    value(in_range("multiplier", 0, INT32_MAX)),
    value(in_range("shift", kMinShift, kMaxShift)),
    type_rule(),
}};

template <>
inline constexpr ArgumentWords<AddArguments> kWords<AddArguments>{{
    address("input1"),
    address("input2"),
    address("output"),
    count_rule("dims"),
    count_rule("dims"),
    count_rule("dims"),
    count_rule("dims"),
    any_value("strides1"),
    any_value("strides1"),
    any_value("strides1"),
    any_value("strides1"),
    any_value("strides2"),
    any_value("strides2"),
    any_value("strides2"),
    any_value("strides2"),
    value(negated_int8_rule("input1_offset")),
    value(in_range("input1_multiplier", 0, INT32_MAX)),
    value(in_range("input1_shift", kMinShift, 0)),
    value(negated_int8_rule("input2_offset")),
    value(in_range("input2_multiplier", 0, INT32_MAX)),
    value(in_range("input2_shift", kMinShift, 0)),
    value(in_range("left_shift", 0, kMaxLeftShift)),
    value(int8_rule("output_offset")),
    value(in_range("output_multiplier", 0, INT32_MAX)),
    value(in_range("output_shift", kMinShift, 0)),
    int8_rule("activation_min"),
    value(int8_rule("activation_max")),
}};

template <>
inline constexpr ArgumentWords<SoftmaxArguments> kWords<SoftmaxArguments>{{
    address("input"),
    address("output"),
    count_rule("rows"),
    in_range("depth", 1, kMaxSoftmaxDepth),
    value(in_range("input_multiplier", 0, INT32_MAX)),
    value(in_range("input_left_shift", 0, kMaxInputShift)),
    value(in_range("diff_min", INT32_MIN, 0)),
    type_rule("output_type"),
}};

template <>
inline constexpr ArgumentWords<L2NormalizationArguments> kWords<L2NormalizationArguments>{{
    address("input"),
    address("output"),
    count_rule("rows"),
    in_range("depth", 1, kMaxNormalizedDepth),
    value(int8_rule("input_zero_point")),
}};

template <>
inline constexpr ArgumentWords<LogSoftmaxArguments> kWords<LogSoftmaxArguments>{{
    address("input"),
    address("output"),
    count_rule("rows"),
    in_range("depth", 1, kMaxSoftmaxDepth),
    value(in_range("input_multiplier", 0, INT32_MAX)),
    value(in_range("input_left_shift", 0, kMaxInputShift)),
    value(in_range("diff_min", INT32_MIN, 0)),
    value(in_range("reverse_multiplier", 0, INT32_MAX)),
    value(in_range("reverse_shift", kMinShift, 0)),
}};

template <>
inline constexpr ArgumentWords<RequantizeArguments> kWords<RequantizeArguments>{{
    address("input"),
    address("output"),
    count_rule("count"),
    value(int8_rule("input_zero_point")),
    value(in_range("multiplier", 0, INT32_MAX)),
    value(in_range("shift", kMinShift, kMaxShift)),
    value(int8_rule("output_zero_point")),
}};

template <>
inline constexpr ArgumentWords<PadArguments> kWords<PadArguments>{{
    address("input"),
    address("output"),
    in_range("dims", 1, kMaxPadded),
    in_range("dims", 1, kMaxPadded),
    in_range("dims", 1, kMaxPadded),
    in_range("dims", 1, kMaxPadded),
    in_range("before", 0, kMaxPadded),
    in_range("before", 0, kMaxPadded),
    in_range("before", 0, kMaxPadded),
    in_range("before", 0, kMaxPadded),
    in_range("after", 0, kMaxPadded),
    in_range("after", 0, kMaxPadded),
    in_range("after", 0, kMaxPadded),
    in_range("after", 0, kMaxPadded),
    in_range("element_bytes", 1, kMaxPadElement),
    value(any_value("value")),
}};

template <>
inline constexpr ArgumentWords<CopyArguments> kWords<CopyArguments>{{
    address("source"),
    address("destination"),
    count_rule("size_bytes"),
}};

template <>
inline constexpr ArgumentWords<FillArguments> kWords<FillArguments>{{
    address("destination"),
    count_rule("size_bytes"),
    value(any_value("pattern")),
}};

template <>
inline constexpr ArgumentWords<GatherArguments> kWords<GatherArguments>{{
    address("destination"),
    count_rule("rows"),
    in_range("segment_count", 1, static_cast<std::int32_t>(kMaxGatherSegments)),
    address("segments.address"),
    any_value("segments.stride_bytes"),
    size_rule("segments.bytes"),
    address("segments.address"),
    any_value("segments.stride_bytes"),
    size_rule("segments.bytes"),
    address("segments.address"),
    any_value("segments.stride_bytes"),
    size_rule("segments.bytes"),
    address("segments.address"),
    any_value("segments.stride_bytes"),
    size_rule("segments.bytes"),
}};

template <>
inline constexpr ArgumentWords<UnaryArguments> kWords<UnaryArguments>{{
    address("input"),
    address("output"),
    count_rule("count"),
    type_rule(),
    op_rule(UnaryOp::kCopy, UnaryOp::kSquare),
    value(any_value("scalar")),
}};

template <>
inline constexpr ArgumentWords<BinaryArguments> kWords<BinaryArguments>{{
    address("input1"),
    address("input2"),
    address("output"),
    count_rule("count"),
    type_rule(),
    op_rule(BinaryOp::kAdd, BinaryOp::kEqual),
}};

template <>
inline constexpr ArgumentWords<MatmulArguments> kWords<MatmulArguments>{{
    address("a"),
    address("b"),
    address("c"),
    count_rule("m"),
    count_rule("k"),
    count_rule("n"),
    type_rule(),
    in_range("accumulate", 0, 1),
}};

template <>
inline constexpr ArgumentWords<ReduceArguments> kWords<ReduceArguments>{{
    address("input"),
    address("output"),
    count_rule("rows"),
    count_rule("columns"),
    type_rule(),
    op_rule(ReduceOp::kSum, ReduceOp::kArgMinimum),
    in_range("axis", 0, 1),
}};

template <>
inline constexpr ArgumentWords<SemaphoreArguments> kWords<SemaphoreArguments>{{
    address("address"),
    op_rule(SemaphoreOp::kSet, SemaphoreOp::kWait),
    value(any_value("value")),
}};

template <>
inline constexpr ArgumentWords<ViewArguments> kWords<ViewArguments>{{
    address("input"),
    address("output"),
    count_rule("element_bytes"),
    count_rule("dims"),
    count_rule("dims"),
    count_rule("dims"),
    count_rule("dims"),
    count_rule("dims"),
    count_rule("dims"),
    any_value("strides"),
    any_value("strides"),
    any_value("strides"),
    any_value("strides"),
    any_value("strides"),
    any_value("strides"),
}};

template <>
inline constexpr ArgumentWords<TakeArguments> kWords<TakeArguments>{{
    address("input"),
    address("indices"),
    address("output"),
    count_rule("batches"),
    count_rule("outer"),
    count_rule("entries"),
    count_rule("count"),
    count_rule("entry_bytes"),
}};

}  // namespace pianola::refdev
