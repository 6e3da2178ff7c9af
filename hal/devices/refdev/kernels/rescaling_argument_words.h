// Argument words of the kernels of rescaling_arguments.h: the name, the accepted range and the role of each.
#pragma once

#include "hal/devices/refdev/kernels/argument_rules.h"

namespace pianola::refdev {

template <>
inline constexpr ArgumentWords<LookupArguments> kWords<LookupArguments>{{
    address("input"),
    address("table"),
    address("output"),
    count_rule("count"),
    in_range("element_bytes", 1, kMaxElementBytes),
}};

template <>
inline constexpr ArgumentWords<QuantizedBinaryArguments> kWords<QuantizedBinaryArguments>{{
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
    type_rule(),
    op_rule(QuantizedBinaryOp::kAdd, QuantizedBinaryOp::kPrelu),
    value(negated_int16_rule("input1_offset")),
    value(in_range("input1_multiplier", 0, INT32_MAX)),
    value(in_range("input1_shift", kMinShift, kMaxShift)),
    value(negated_int16_rule("input2_offset")),
    value(in_range("input2_multiplier", 0, INT32_MAX)),
    value(in_range("input2_shift", kMinShift, kMaxShift)),
    value(in_range("left_shift", 0, kMaxLeftShift)),
    value(int16_rule("output_offset")),
    value(in_range("output_multiplier", 0, INT32_MAX)),
    value(in_range("output_shift", kMinShift, kMaxShift)),
    int16_rule("activation_min"),
    value(int16_rule("activation_max")),
}};

template <>
inline constexpr ArgumentWords<SelectArguments> kWords<SelectArguments>{{
    address("condition"),
    address("input1"),
    address("input2"),
    address("output"),
    count_rule("dims"),
    count_rule("dims"),
    count_rule("dims"),
    count_rule("dims"),
    any_value("condition_strides"),
    any_value("condition_strides"),
    any_value("condition_strides"),
    any_value("condition_strides"),
    any_value("strides1"),
    any_value("strides1"),
    any_value("strides1"),
    any_value("strides1"),
    any_value("strides2"),
    any_value("strides2"),
    any_value("strides2"),
    any_value("strides2"),
    in_range("element_bytes", 1, kMaxElementBytes),
}};

template <>
inline constexpr ArgumentWords<QuantizeArguments> kWords<QuantizeArguments>{{
    address("input"),
    address("output"),
    count_rule("count"),
    type_rule(),
    value(in_range("scale", kLeastScaleBits, kLargestScaleBits)),
    value(int16_rule("zero_point")),
}};

template <>
inline constexpr ArgumentWords<DequantizeArguments> kWords<DequantizeArguments>{{
    address("input"),
    address("output"),
    count_rule("count"),
    type_rule(),
    value(in_range("scale", kLeastScaleBits, kLargestScaleBits)),
    value(int16_rule("zero_point")),
}};

template <>
inline constexpr ArgumentWords<RescaleArguments> kWords<RescaleArguments>{{
    address("input"),
    address("output"),
    count_rule("count"),
    type_rule("input_type"),
    type_rule("output_type"),
    value(int16_rule("input_zero_point")),
    value(in_range("multiplier", 0, INT32_MAX)),
    value(in_range("shift", kMinShift, kMaxShift)),
    value(any_value("negative_multiplier")),
    value(in_range("negative_shift", kMinShift, kMaxShift)),
    value(int16_rule("output_zero_point")),
    any_value("activation_min"),
    value(any_value("activation_max")),
}};

}  // namespace pianola::refdev
