// Argument words of the kernels of int16_arguments.h: the name, the accepted range and the role of each.
//
// Layers have the words of their int8 form, with offsets of 0, plain weights and activations in the range of int16.
#pragma once

#include <type_traits>

#include "hal/devices/refdev/kernels/argument_rules.h"
#include "hal/devices/refdev/kernels/int16_arguments.h"

namespace pianola::refdev {

inline constexpr std::int32_t kMaxSoftmaxInt16Depth = 65535;  // terms below 1 that cannot overflow the row's sum
inline constexpr std::int32_t kMaxSigmoidShift = 31;

template <typename Layer>
[[nodiscard]] constexpr ArgumentWords<Int16Layer<Layer>> int16_words() noexcept {
    ArgumentWords<Int16Layer<Layer>> words{};
    for (std::size_t i = 0U; i < kWords<Layer>.size(); ++i) {
        words[i] = kWords<Layer>[i];
    }
    words[word_of(offsetof(Layer, input_offset))] = in_range("input_offset", 0, 0);
    words[word_of(offsetof(Layer, output_offset))] = in_range("output_offset", 0, 0);
    if constexpr (std::is_same_v<Layer, FullyConnectedArguments>) {
        words[word_of(offsetof(Layer, filter_offset))] = in_range("filter_offset", 0, 0);
    }
    if constexpr (!std::is_same_v<Layer, DepthwiseConv2dArguments>) {
        words[word_of(offsetof(Layer, weights_layout))] = in_range("weights_layout", 0, 0);
    }
    words[word_of(offsetof(Layer, activation_min))] = int16_rule("activation_min");
    words[word_of(offsetof(Layer, activation_max))] = value(int16_rule("activation_max"));
    words[words.size() - 1U] =
        in_range("sum_bytes", static_cast<std::int32_t>(kNarrowSumBytes), static_cast<std::int32_t>(kWideSumBytes));
    return words;
}

template <typename Layer>
inline constexpr ArgumentWords<Int16Layer<Layer>> kWords<Int16Layer<Layer>> = int16_words<Layer>();

template <>
inline constexpr ArgumentWords<SoftmaxInt16Arguments> kWords<SoftmaxInt16Arguments>{{
    address("input"),
    address("tables"),
    address("output"),
    count_rule("rows"),
    in_range("depth", 1, kMaxSoftmaxInt16Depth),
    value(in_range("multiplier", 0, INT32_MAX)),
    value(in_range("shift", kMinShift, kMaxShift)),
}};

template <>
inline constexpr ArgumentWords<SigmoidInt16Arguments> kWords<SigmoidInt16Arguments>{{
    address("input"),
    address("table"),
    address("output"),
    count_rule("count"),
    op_rule(SigmoidOp::kLogistic, SigmoidOp::kTanh),
    value(in_range("multiplier", 0, INT16_MAX)),
    value(in_range("shift", 0, kMaxSigmoidShift)),
}};

template <>
inline constexpr ArgumentWords<MatmulInt16Arguments> kWords<MatmulInt16Arguments>{{
    address("left"),
    address("right"),
    address("output"),
    count_rule("rows"),
    in_range("depth", 1, static_cast<std::int32_t>(kMaxTaps)),
    count_rule("columns"),
    value(in_range("multiplier", 0, INT32_MAX)),
    value(in_range("shift", kMinShift, kMaxWideShift)),
}};

}  // namespace pianola::refdev
