// Argument words of every kernel: the name, the accepted range and the role of each.
//
// Place in the whole: the one list of the words' names, one row per word in the order of the structures in arguments.h.
// From it come the ranges that a kernel's describe() checks, the names in its refusals, and Kernel::address_words and
// Kernel::value_words of the ROM (kernel.h says what these promise). Roles affect no launch; the tests prove their
// promise for every kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hal/kernels/arguments.h"
#include "hal/kernels/fixed_point.h"
#include "hal/kernels/launch_check.h"

namespace pianola::refdev {

enum class ArgumentRole : std::uint8_t { kOther, kAddress, kValue };

struct ArgumentWord {
    ArgumentRule rule;
    ArgumentRole role;
};

template <typename Arguments>
using ArgumentWords = std::array<ArgumentWord, kArgumentWords<Arguments>>;

[[nodiscard]] constexpr ArgumentWord in_range(const char* field, std::int32_t lowest, std::int32_t highest) noexcept {
    return {{field, static_cast<std::uint32_t>(lowest),
             static_cast<std::uint32_t>(highest) - static_cast<std::uint32_t>(lowest)},
            ArgumentRole::kOther};
}
[[nodiscard]] constexpr ArgumentWord any_value(const char* field) noexcept {
    return {{field, 0U, UINT32_MAX}, ArgumentRole::kOther};
}
[[nodiscard]] constexpr ArgumentWord address(const char* field) noexcept {
    return {any_value(field).rule, ArgumentRole::kAddress};
}
[[nodiscard]] constexpr ArgumentWord value(const ArgumentWord& word) noexcept {
    return {word.rule, ArgumentRole::kValue};
}
[[nodiscard]] constexpr ArgumentWord count_rule(const char* field) noexcept {
    return in_range(field, 1, INT32_MAX);
}
[[nodiscard]] constexpr ArgumentWord size_rule(const char* field) noexcept {
    return in_range(field, 0, INT32_MAX);
}
[[nodiscard]] constexpr ArgumentWord spatial_rule(const char* field) noexcept {
    return in_range(field, 1, static_cast<std::int32_t>(kMaxSpatial));
}
[[nodiscard]] constexpr ArgumentWord padding_rule(const char* field) noexcept {
    return in_range(field, 0, static_cast<std::int32_t>(kMaxSpatial));
}
[[nodiscard]] constexpr ArgumentWord int8_rule(const char* field) noexcept {
    return in_range(field, INT8_MIN, INT8_MAX);
}
// Minus a zero point, as the offsets of operands that are read.
[[nodiscard]] constexpr ArgumentWord negated_int8_rule(const char* field) noexcept {
    return in_range(field, -INT8_MAX, -INT8_MIN);
}
// Of any type of integers up to 16 bits.
[[nodiscard]] constexpr ArgumentWord int16_rule(const char* field) noexcept {
    return in_range(field, INT16_MIN, INT16_MAX);
}
[[nodiscard]] constexpr ArgumentWord negated_int16_rule(const char* field) noexcept {
    return in_range(field, -INT16_MAX, -INT16_MIN);
}
// Goes with a check that the type is one of the kernel's.
[[nodiscard]] constexpr ArgumentWord type_rule(const char* field = "type") noexcept {
    return in_range(field, static_cast<std::int32_t>(kTypeInt8), static_cast<std::int32_t>(kTypeInt32));
}
// An operation's enumerators from the first to the last.
template <typename Op>
[[nodiscard]] constexpr ArgumentWord op_rule(Op first, Op last) noexcept {
    return in_range("op", static_cast<std::int32_t>(first), static_cast<std::int32_t>(last));
}

inline constexpr std::int32_t kMaxLeftShift = 22;          // (int8 + offset) << 22 just fits
inline constexpr std::int32_t kMaxPadded = INT32_MAX / 4;  // so that before + size + after fits
inline constexpr std::int32_t kMaxSoftmaxDepth = 4095;     // terms of at most 1 that cannot overflow the row's sum
inline constexpr std::int32_t kMaxInputShift = 30;
inline constexpr std::int32_t kMaxElementBytes = 4;
// Scales in single precision, as bits: 2^-124, so that what is not normal is no quarter of it, to the largest number.
inline constexpr std::int32_t kLeastScaleBits = 0x0180'0000;
inline constexpr std::int32_t kLargestScaleBits = 0x7F7F'FFFF;

// No structure has words by default.
template <typename Arguments>
extern const ArgumentWords<Arguments> kWords;

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
    int8_rule("activation_min"),
    value(int8_rule("activation_max")),
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
    value(int8_rule("value")),
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
    op_rule(ReduceOp::kSum, ReduceOp::kMinimum),
    in_range("axis", 0, 1),
}};

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

template <>
inline constexpr ArgumentWords<SemaphoreArguments> kWords<SemaphoreArguments>{{
    address("address"),
    op_rule(SemaphoreOp::kSet, SemaphoreOp::kWait),
    value(any_value("value")),
}};

// The ranges, as a kernel checks them.
template <typename Arguments>
[[nodiscard]] constexpr ArgumentRules<Arguments> rules_of() noexcept {
    ArgumentRules<Arguments> rules{};
    for (std::size_t i = 0U; i < rules.size(); ++i) {
        rules[i] = kWords<Arguments>[i].rule;
    }
    return rules;
}

// Bit i for argument word i, where it has the role.
template <typename Arguments>
[[nodiscard]] constexpr std::uint64_t words_of(ArgumentRole role) noexcept {
    std::uint64_t words = 0U;
    for (std::size_t i = 0U; i < kWords<Arguments>.size(); ++i) {
        words |= (kWords<Arguments>[i].role == role) ? (std::uint64_t{1} << i) : 0U;
    }
    return words;
}

}  // namespace pianola::refdev
