#include "hal/devices/refdev/kernels/layers.h"

#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/kernels.h"

namespace pianola::refdev {
namespace {

[[nodiscard]] std::int32_t sum_of_products(const std::int8_t* taps, const std::int8_t* weights,
                                           std::uint32_t count) noexcept {
    std::int32_t sum = 0;
    for (std::uint32_t i = 0U; i < count; ++i) {
        sum += load_element<std::int16_t>(taps, i) * weights[i];
    }
    return sum;
}

template <typename Parameters>
[[nodiscard]] Parameters parameters_at(const std::int8_t* parameters) noexcept {
    Parameters found{};
    std::memcpy(&found, parameters, sizeof(found));
    return found;
}

template <typename Layer>
[[nodiscard]] Status describe(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    using Arguments = Int16Layer<Layer>;
    LaunchCheck check{arguments, kRules<Arguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    if (!check.require((a.sum_bytes == kNarrowSumBytes) || (a.sum_bytes == kWideSumBytes),
                       word_of(offsetof(Arguments, sum_bytes)))) {
        return Status::kRefused;
    }
    const Int16Output output{0, 0, a.sum_bytes};
    return check_layer(a.layer, LayerElements{sizeof(std::int16_t), output.parameters_bytes()}, check);
}

}  // namespace

std::int64_t wide_sum(const std::int8_t* taps, const std::int8_t* weights, std::uint32_t count) noexcept {
    std::int64_t sum = 0;
    std::uint32_t done = 0U;
    while (done < count) {
        const std::uint32_t left = count - done;
        const std::uint32_t taken = (left < kNarrowTaps) ? left : kNarrowTaps;
        sum += sum_of_products(taps + (std::size_t{done} * sizeof(std::int16_t)), weights + done, taken);
        done += taken;
    }
    return sum;
}

void add_products(const std::int8_t* taps, std::uint32_t count, const FilterRows& filter, WideSums& sums) noexcept {
    const std::int8_t* weights = filter.weights;
    for (std::uint32_t channel = 0U; channel < filter.channels; ++channel) {
        sums[channel] += wide_sum(taps, weights, count);
        weights += filter.stride;
    }
}

std::int32_t Int16Output::element(std::int64_t sum, const std::int8_t* parameters) const noexcept {
    std::int32_t scaled = 0;
    if (sum_bytes == kWideSumBytes) {
        const auto channel = parameters_at<WideChannelParameters>(parameters);
        scaled = WideScale{channel.multiplier, channel.shift}.apply(wrapping_sum(sum, channel.bias));
    } else {
        const auto channel = parameters_at<ChannelParameters>(parameters);
        scaled =
            Scale{channel.multiplier, channel.shift}.apply(wrapping_add(static_cast<std::int32_t>(sum), channel.bias));
    }
    return clamp_to(scaled, lowest, highest);
}

void Int16Output::store(const WideSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                        std::int8_t* output) const noexcept {
    const std::size_t row_bytes = parameters_bytes();
    for (std::size_t channel = 0U; channel < channels; ++channel) {
        store_element<std::int16_t>(output, channel, element(sums[channel], parameters + (channel * row_bytes)));
    }
}

Status describe_fully_connected_int16(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    return describe<FullyConnectedArguments>(arguments, extents, error);
}

Status describe_conv2d_int16(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    return describe<Conv2dArguments>(arguments, extents, error);
}

Status describe_depthwise_conv2d_int16(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    return describe<DepthwiseConv2dArguments>(arguments, extents, error);
}

}  // namespace pianola::refdev
