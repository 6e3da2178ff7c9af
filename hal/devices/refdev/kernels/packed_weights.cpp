#include "hal/devices/refdev/kernels/packed_weights.h"

#include <cstring>

#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/requantisation.h"

namespace pianola::refdev {
namespace {

// Conditions for the short form in the loops of a core: see requantisation.h and the variants.
struct Conditions {
    std::int32_t lowest_shift;
    std::int32_t highest_shift;
    std::uint64_t sums;
};

[[nodiscard]] constexpr Conditions conditions_of(WeightsLayout layout) noexcept {
    constexpr Conditions kOfDsp{-22, -1, 0x4000'0000U};
    constexpr Conditions kOfMve{kMinShift, -1, UINT64_MAX};
    return (layout == WeightsLayout::kDsp) ? kOfDsp : kOfMve;
}

[[nodiscard]] std::int32_t doubled(std::int32_t value) noexcept {
    return wrapping_add(value, value);
}

[[nodiscard]] std::int32_t folded_offset(const LayerShape& shape, const std::int8_t* weights) noexcept {
    std::uint32_t sum = 0U;
    for (std::uint32_t tap = 0U; tap < shape.taps; ++tap) {
        sum += static_cast<std::uint32_t>(std::int32_t{weights[tap]});
    }
    return static_cast<std::int32_t>(sum * static_cast<std::uint32_t>(shape.input_offset));
}

void store_word(std::int8_t* to, std::int32_t word) noexcept {
    std::memcpy(to, &word, sizeof(word));
}

[[nodiscard]] std::int32_t load_word(const std::int8_t* from) noexcept {
    std::int32_t word = 0;
    std::memcpy(&word, from, sizeof(word));
    return word;
}

// Whether the loops of the layout's cores are exact, for sums of any taps.
[[nodiscard]] bool fits(WeightsLayout layout, const LayerShape& shape, const ChannelParameters& parameters) noexcept {
    const Conditions conditions = conditions_of(layout);
    const std::int64_t bias = parameters.bias;
    const auto magnitude = static_cast<std::uint64_t>((bias < 0) ? -bias : bias);
    return (parameters.shift >= conditions.lowest_shift) && (parameters.shift <= conditions.highest_shift) &&
           (parameters.multiplier >= 0) && ((magnitude + (shape.taps * kLargestProduct)) < conditions.sums);
}

// A channel with the same output for all inputs; training produces many of them.
struct Constant {
    bool is_constant;
    std::int32_t value;  // without the output's zero point
};

[[nodiscard]] Constant constant_of(const LayerShape& shape, const std::int8_t* weights,
                                   const ChannelParameters& parameters) noexcept {
    if (parameters.multiplier == 0) {
        return Constant{true, 0};
    }
    constexpr std::int32_t kBeyond = 2 * (INT8_MAX - INT8_MIN);  // every output is clamped
    std::int64_t least = parameters.bias;
    std::int64_t most = parameters.bias;
    for (std::uint32_t tap = 0U; tap < shape.taps; ++tap) {
        const std::int32_t weight = weights[tap];
        const std::int32_t of_least = (shape.input_offset + INT8_MIN) * weight;
        const std::int32_t of_most = (shape.input_offset + INT8_MAX) * weight;
        least += smaller_of(of_least, of_most);
        most += larger_of(of_least, of_most);
    }
    // Scaling is then monotonic.
    const bool is_monotone =
        (least >= INT32_MIN) && (most <= INT32_MAX) && (parameters.multiplier >= 0) && (parameters.shift < 0);
    if (!is_monotone) {
        return Constant{false, 0};
    }
    const Scale scale{parameters.multiplier, parameters.shift};
    const std::int32_t value = scale.apply(static_cast<std::int32_t>(least));
    return Constant{value == scale.apply(static_cast<std::int32_t>(most)), clamp_to(value, -kBeyond, kBeyond)};
}

// Its parameters with weights of 0: a quarter of the bias.
[[nodiscard]] ChannelParameters parameters_of(const Constant& constant) noexcept {
    constexpr std::int32_t kFour = 4;
    constexpr std::int32_t kHalf = 0x4000'0000;
    return ChannelParameters{kFour * constant.value, kHalf, -1};
}

[[nodiscard]] ChannelParameters plain_parameters(const std::int8_t* parameters, std::uint32_t channel) noexcept {
    return ChannelParameters{bias_of(parameters, channel), multiplier_of(parameters, channel),
                             shift_of(parameters, channel)};
}

void store_weight(WeightsLayout layout, std::int8_t weight, std::int8_t* to) noexcept {
    const auto wide = static_cast<std::int16_t>(2 * weight);
    if (layout == WeightsLayout::kDsp) {
        std::memcpy(to, &wide, sizeof(wide));
    } else {
        *to = weight;
    }
}

void store_packed_channel(std::uint32_t channel, const ChannelParameters& parameters, std::int8_t* packed) noexcept {
    store_word(packed + packed_parameter(channel, offsetof(ChannelParameters, bias)), parameters.bias);
    store_word(packed + packed_parameter(channel, offsetof(ChannelParameters, multiplier)), parameters.multiplier);
    store_word(packed + packed_parameter(channel, offsetof(ChannelParameters, shift)), parameters.shift);
}

}  // namespace

bool can_pack(WeightsLayout layout, const LayerShape& shape, const LayerWeights& plain) noexcept {
    bool is_exact = true;
    for (std::uint32_t channel = 0U; channel < shape.channels; ++channel) {
        const std::int8_t* const weights = plain.filter + (std::size_t{channel} * shape.taps);
        const ChannelParameters parameters = plain_parameters(plain.parameters, channel);
        is_exact = is_exact && (fits(layout, shape, parameters) || constant_of(shape, weights, parameters).is_constant);
    }
    return is_exact;
}

void pack_weights(WeightsLayout layout, const LayerShape& shape, const LayerWeights& plain,
                  const WritableWeights& packed) noexcept {
    const auto channels = static_cast<std::uint32_t>(packed_channels(layout, shape.channels));
    std::memset(packed.filter, 0, static_cast<std::size_t>(packed_row_bytes(layout, shape.taps)) * channels);
    for (std::uint32_t channel = 0U; channel < channels; ++channel) {
        ChannelParameters parameters{0, 0, -1};
        if (channel < shape.channels) {
            const std::int8_t* const weights = plain.filter + (std::size_t{channel} * shape.taps);
            parameters = plain_parameters(plain.parameters, channel);
            if (fits(layout, shape, parameters)) {
                for (std::uint32_t tap = 0U; tap < shape.taps; ++tap) {
                    store_weight(layout, weights[tap],
                                 packed.filter + packed_position(layout, shape.taps, channel, tap));
                }
                parameters.bias = (layout == WeightsLayout::kMve)
                                      ? wrapping_add(parameters.bias, folded_offset(shape, weights))
                                      : parameters.bias;
            } else {
                parameters = parameters_of(constant_of(shape, weights, parameters));
            }
        }
        parameters.bias = (layout == WeightsLayout::kDsp) ? doubled(parameters.bias) : parameters.bias;
        store_packed_channel(channel, parameters, packed.parameters);
    }
}

void unpack_weights(WeightsLayout layout, const LayerShape& shape, const LayerWeights& packed,
                    const WritableWeights& plain) noexcept {
    for (std::uint32_t channel = 0U; channel < shape.channels; ++channel) {
        std::int8_t* const weights = plain.filter + (std::size_t{channel} * shape.taps);
        for (std::uint32_t tap = 0U; tap < shape.taps; ++tap) {
            const std::int8_t* const from = packed.filter + packed_position(layout, shape.taps, channel, tap);
            std::int16_t wide = 0;
            std::memcpy(&wide, from, (layout == WeightsLayout::kDsp) ? sizeof(wide) : 0U);
            weights[tap] = (layout == WeightsLayout::kDsp) ? static_cast<std::int8_t>(wide / 2) : *from;
        }
        const auto word = [&packed, channel](std::size_t member) {
            return load_word(packed.parameters + packed_parameter(channel, member));
        };
        const std::int32_t bias = word(offsetof(ChannelParameters, bias));
        const ChannelParameters parameters{
            (layout == WeightsLayout::kDsp) ? floor_shift_right(bias, 1U)
                                            : wrapping_subtract(bias, folded_offset(shape, weights)),
            word(offsetof(ChannelParameters, multiplier)), word(offsetof(ChannelParameters, shift))};
        std::memcpy(plain.parameters + (std::size_t{channel} * kChannelParametersBytes), &parameters,
                    sizeof(parameters));
    }
}

}  // namespace pianola::refdev
