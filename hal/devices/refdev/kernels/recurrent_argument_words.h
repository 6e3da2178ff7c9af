// Argument words of the kernels of recurrent_arguments.h: the name, the accepted range and the role of each.
#pragma once

#include "hal/devices/refdev/kernels/argument_rules.h"

namespace pianola::refdev {

inline constexpr std::int32_t kMaxCellMultiplier = 0xC000;  // times a number of 16 bits, it fits in 32
inline constexpr std::int32_t kMaxCellShift = 15;

template <>
inline constexpr ArgumentWords<SvdfFeatureArguments> kWords<SvdfFeatureArguments>{{
    address("input"),
    address("features"),
    address("memory"),
    count_rule("batches"),
    in_range("input_depth", 1, static_cast<std::int32_t>(kMaxTaps)),
    count_rule("filters"),
    count_rule("length"),
    type_rule(),
    value(negated_int8_rule("input_offset")),
    value(in_range("multiplier", 0, INT32_MAX)),
    value(in_range("shift", kMinShift, kMaxShift)),
    value(int8_rule("memory_zero_point")),
}};

template <>
inline constexpr ArgumentWords<SvdfTimeArguments> kWords<SvdfTimeArguments>{{
    address("memory"),
    address("weights"),
    address("bias"),
    address("output"),
    count_rule("batches"),
    count_rule("units"),
    count_rule("rank"),
    count_rule("length"),
    type_rule(),
    value(negated_int8_rule("memory_offset")),
    value(in_range("multiplier", 0, INT32_MAX)),
    value(in_range("shift", kMinShift, kMaxShift)),
    value(int8_rule("output_offset")),
}};

template <>
inline constexpr ArgumentWords<LstmArguments> kWords<LstmArguments>{{
    address("input"),
    address("weights"),
    address("parameters"),
    address("state"),
    address("output"),
    count_rule("batches"),
    count_rule("steps"),
    in_range("input_depth", 1, static_cast<std::int32_t>(kMaxTaps)),
    in_range("units", 1, static_cast<std::int32_t>(kMaxTaps)),
    in_range("time_major", 0, 1),
    value(negated_int8_rule("input_offset")),
    value(negated_int8_rule("hidden_offset")),
    value(in_range("gates.input_multiplier", 0, INT32_MAX)),
    value(in_range("gates.input_shift", kMinShift, kMaxShift)),
    value(in_range("gates.hidden_multiplier", 0, INT32_MAX)),
    value(in_range("gates.hidden_shift", kMinShift, kMaxShift)),
    value(in_range("gates.input_multiplier", 0, INT32_MAX)),
    value(in_range("gates.input_shift", kMinShift, kMaxShift)),
    value(in_range("gates.hidden_multiplier", 0, INT32_MAX)),
    value(in_range("gates.hidden_shift", kMinShift, kMaxShift)),
    value(in_range("gates.input_multiplier", 0, INT32_MAX)),
    value(in_range("gates.input_shift", kMinShift, kMaxShift)),
    value(in_range("gates.hidden_multiplier", 0, INT32_MAX)),
    value(in_range("gates.hidden_shift", kMinShift, kMaxShift)),
    value(in_range("gates.input_multiplier", 0, INT32_MAX)),
    value(in_range("gates.input_shift", kMinShift, kMaxShift)),
    value(in_range("gates.hidden_multiplier", 0, INT32_MAX)),
    value(in_range("gates.hidden_shift", kMinShift, kMaxShift)),
    value(in_range("forget_multiplier", 0, INT32_MAX)),
    value(in_range("forget_shift", kMinShift, kMaxShift)),
    value(in_range("admit_multiplier", 0, INT32_MAX)),
    value(in_range("admit_shift", kMinShift, kMaxShift)),
    value(in_range("emit_multiplier", 0, INT32_MAX)),
    value(in_range("emit_shift", kMinShift, kMaxShift)),
    value(in_range("cell_multiplier", 1, kMaxCellMultiplier)),
    value(in_range("cell_shift", 0, kMaxCellShift)),
    value(in_range("cell_clip", 0, kLstmUnclipped)),
    type_rule(),
}};

}  // namespace pianola::refdev
