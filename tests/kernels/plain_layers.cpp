#include "tests/kernels/plain_layers.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "tests/kernels/plain_layers_cases.h"

namespace pianola::refdev {
namespace {

// One axis of a window: the input position of a tap, or -1 outside.
std::int64_t position(std::uint32_t output, std::uint32_t stride, std::uint32_t tap, std::uint32_t dilation,
                      std::uint32_t pad, std::uint32_t size) {
    const std::int64_t at =
        (static_cast<std::int64_t>(output) * stride) + (static_cast<std::int64_t>(tap) * dilation) - pad;
    return ((at >= 0) && (at < size)) ? at : -1;
}

template <typename Arguments>
void place(Arguments& a) {
    a.input = kBaseAddress + kInputAt;
    a.filter = kBaseAddress + kFilterAt;
    a.channel_parameters = kBaseAddress + kParametersAt;
    a.output = kBaseAddress + kOutputAt;
}

}  // namespace

PlainLayers::PlainLayers(std::uint8_t* memory, std::uint32_t seed) noexcept : memory_{memory}, state_{seed} {
    device_.clear();
    if (!is_ok(device_.program(MemoryRegion{kBaseAddress, kPlainLayersBytes, memory, true, true}))) {
        result_.differences += 1U;
    }
}

std::uint32_t PlainLayers::random() noexcept {  // xorshift
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 17U;
    state_ ^= state_ << 5U;
    return state_;
}

std::uint32_t PlainLayers::pick(std::uint32_t lowest, std::uint32_t highest) noexcept {
    return lowest + ((random() >> 8U) % (highest - lowest + 1U));
}

// Of an operand that is read.
std::int32_t PlainLayers::offset() noexcept {
    return static_cast<std::int32_t>(pick(0U, 255U)) - 127;
}

std::int32_t PlainLayers::element(std::uint32_t address) const noexcept {
    return static_cast<std::int8_t>(memory_[address]);
}

ChannelParameters PlainLayers::parameters(std::uint32_t channel) const noexcept {
    ChannelParameters result{};
    std::memcpy(&result, memory_ + kParametersAt + (std::size_t{channel} * kChannelParametersBytes), sizeof(result));
    return result;
}

void PlainLayers::store_parameters(std::uint32_t channel, const ChannelParameters& parameters) noexcept {
    std::memcpy(memory_ + kParametersAt + (std::size_t{channel} * kChannelParametersBytes), &parameters,
                sizeof(parameters));
}

// Any shift that is not to the left; biases at the ends of their type, or anywhere.
ChannelParameters PlainLayers::far_parameters() noexcept {
    ChannelParameters p{static_cast<std::int32_t>(random()), INT32_MAX, -static_cast<std::int32_t>(pick(0U, 31U))};
    const std::uint32_t kind = pick(0U, 5U);
    p.multiplier = ((kind % 2U) == 0U) ? static_cast<std::int32_t>(pick(1U << 30U, INT32_MAX)) : p.multiplier;
    p.shift = (kind < 3U) ? p.shift : 0;
    if (pick(0U, 2U) == 0U) {
        p.bias = INT32_MAX - static_cast<std::int32_t>(pick(0U, 200U));
    } else if (pick(0U, 1U) == 0U) {
        p.bias = INT32_MIN + static_cast<std::int32_t>(pick(0U, 200U));
    }
    return p;
}

// Most launches have parameters as models have them. Of the others' channels each has something else, or all are far
// from what models have, half of them with weights that add nothing to a bias.
void PlainLayers::fill(std::uint32_t channels) noexcept {
    for (std::uint32_t at = 0U; at < kParametersAt; ++at) {
        memory_[at] = static_cast<std::uint8_t>(random() >> 11U);
    }
    const std::uint32_t launch = pick(0U, 5U);
    const bool is_wild = launch < 2U;
    const bool is_far = (launch == 2U) || (launch == 3U);
    if (launch == 3U) {
        std::memset(memory_ + kFilterAt, 0, kParametersAt - kFilterAt);
    }
    for (std::uint32_t channel = 0U; channel < channels; ++channel) {
        ChannelParameters p{static_cast<std::int32_t>(pick(0U, 20000U)) - 10000,
                            static_cast<std::int32_t>(pick(1U << 30U, INT32_MAX)),
                            -static_cast<std::int32_t>(pick(1U, 16U))};
        const std::uint32_t kind = is_wild ? pick(0U, 5U) : 5U;
        if (kind == 0U) {
            p.shift = static_cast<std::int32_t>(pick(0U, 61U)) - 31;
        } else if (kind == 1U) {
            p.multiplier = static_cast<std::int32_t>(random());
        } else if (kind == 2U) {
            p.bias = static_cast<std::int32_t>(random());
        } else if (kind == 3U) {
            p = ChannelParameters{static_cast<std::int32_t>(random()), 0, 0};
        } else if (kind == 4U) {
            p = ChannelParameters{static_cast<std::int32_t>(random()), static_cast<std::int32_t>(random()),
                                  static_cast<std::int32_t>(pick(0U, 61U)) - 31};
        } else if (is_far) {
            p = far_parameters();
        } else {
            p.shift = -static_cast<std::int32_t>(pick(5U, 12U));
        }
        store_parameters(channel, p);
    }
}

void PlainLayers::expect_end(std::uint32_t output_bytes) noexcept {
    const std::uint8_t* const end = memory_ + kOutputAt + output_bytes;
    const bool is_whole = std::all_of(end, end + kGuardBytes, [](std::uint8_t byte) { return byte == kGuard; });
    result_.differences += is_whole ? 0U : 1U;
}

std::int32_t PlainLayers::sum_of(const FullyConnectedArguments& a, std::uint32_t batch,
                                 std::uint32_t channel) const noexcept {
    std::int32_t sum = 0;
    for (std::uint32_t i = 0U; i < a.input_depth; ++i) {
        sum += (element(kInputAt + (batch * a.input_depth) + i) + a.input_offset) *
               (element(kFilterAt + (channel * a.input_depth) + i) + a.filter_offset);
    }
    return sum;
}

std::int32_t PlainLayers::sum_of(const Conv2dArguments& a, std::uint32_t batch, std::uint32_t pixel,
                                 std::uint32_t channel) const noexcept {
    const std::uint32_t groups = a.input_channels / a.filter_channels;
    const std::uint32_t first = (channel / (a.output_channels / groups)) * a.filter_channels;
    std::int32_t sum = 0;
    for (std::uint32_t tap = 0U; tap < (a.filter_height * a.filter_width); ++tap) {
        const std::int64_t y = position(pixel / a.output_width, a.stride_height, tap / a.filter_width,
                                        a.dilation_height, a.pad_top, a.input_height);
        const std::int64_t x = position(pixel % a.output_width, a.stride_width, tap % a.filter_width, a.dilation_width,
                                        a.pad_left, a.input_width);
        for (std::uint32_t c = 0U; (x >= 0) && (y >= 0) && (c < a.filter_channels); ++c) {
            const std::uint32_t at = ((((batch * a.input_height) + static_cast<std::uint32_t>(y)) * a.input_width) +
                                      static_cast<std::uint32_t>(x)) *
                                     a.input_channels;
            const std::uint32_t weight = (((channel * a.filter_height * a.filter_width) + tap) * a.filter_channels) + c;
            sum += (element(kInputAt + at + first + c) + a.input_offset) * element(kFilterAt + weight);
        }
    }
    return sum;
}

std::int32_t PlainLayers::sum_of(const DepthwiseConv2dArguments& a, std::uint32_t batch, std::uint32_t pixel,
                                 std::uint32_t channel) const noexcept {
    const std::uint32_t channels = a.input_channels * a.depth_multiplier;
    std::int32_t sum = 0;
    for (std::uint32_t tap = 0U; tap < (a.filter_height * a.filter_width); ++tap) {
        const std::int64_t y = position(pixel / a.output_width, a.stride_height, tap / a.filter_width,
                                        a.dilation_height, a.pad_top, a.input_height);
        const std::int64_t x = position(pixel % a.output_width, a.stride_width, tap % a.filter_width, a.dilation_width,
                                        a.pad_left, a.input_width);
        if ((x >= 0) && (y >= 0)) {
            const std::uint32_t at = ((((batch * a.input_height) + static_cast<std::uint32_t>(y)) * a.input_width) +
                                      static_cast<std::uint32_t>(x)) *
                                     a.input_channels;
            sum += (element(kInputAt + at + (channel / a.depth_multiplier)) + a.input_offset) *
                   element(kFilterAt + (tap * channels) + channel);
        }
    }
    return sum;
}

FullyConnectedArguments PlainLayers::random_fully_connected() noexcept {
    FullyConnectedArguments a{};
    place(a);
    a.batches = pick(1U, 3U);
    a.input_depth = pick(1U, (pick(0U, 3U) == 0U) ? 400U : 40U);
    a.output_depth = pick(1U, 40U);
    a.input_offset = offset();
    a.filter_offset = (pick(0U, 2U) == 0U) ? offset() : 0;
    a.output_offset = offset() - 1;
    a.activation_min = -128 + static_cast<std::int32_t>((pick(0U, 1U) == 0U) ? 0U : pick(0U, 100U));
    a.activation_max = 127 - static_cast<std::int32_t>((pick(0U, 1U) == 0U) ? 0U : pick(0U, 100U));
    return a;
}

template <typename Arguments>
static void set_window(Arguments& a, const std::array<std::uint32_t, 12U>& sizes) {
    a.batches = sizes[0U];
    a.input_height = sizes[1U];
    a.input_width = sizes[2U];
    a.output_height = sizes[3U];
    a.output_width = sizes[4U];
    a.filter_height = sizes[5U];
    a.filter_width = sizes[6U];
    a.stride_height = sizes[7U];
    a.stride_width = sizes[8U];
    a.dilation_height = sizes[9U];
    a.dilation_width = sizes[10U];
    a.pad_top = sizes[11U] % 5U;
    a.pad_left = sizes[11U] / 5U;
}

Conv2dArguments PlainLayers::random_conv2d() noexcept {
    Conv2dArguments a{};
    place(a);
    set_window(a, {pick(1U, 2U), pick(1U, 8U), pick(1U, 8U), pick(1U, 6U), pick(1U, 6U), pick(1U, 4U), pick(1U, 4U),
                   pick(1U, 3U), pick(1U, 3U), pick(1U, 2U), pick(1U, 3U), pick(0U, 24U)});
    const std::uint32_t groups = (pick(0U, 2U) == 0U) ? pick(1U, 3U) : 1U;
    a.filter_channels = pick(1U, (pick(0U, 3U) == 0U) ? 40U : 6U);
    a.input_channels = a.filter_channels * groups;
    a.output_channels = groups * pick(1U, 21U);
    if (pick(0U, 3U) == 0U) {  // without patches
        a.filter_height = 1U;
        a.filter_width = 1U;
        a.pad_top = 0U;
        a.pad_left = 0U;
        a.input_height = ((a.output_height - 1U) * a.stride_height) + 1U;
        a.input_width = ((a.output_width - 1U) * a.stride_width) + 1U;
    }
    a.input_offset = offset();
    a.output_offset = offset() - 1;
    a.activation_min = -128 + static_cast<std::int32_t>((pick(0U, 1U) == 0U) ? 0U : pick(0U, 100U));
    a.activation_max = 127 - static_cast<std::int32_t>((pick(0U, 1U) == 0U) ? 0U : pick(0U, 100U));
    return a;
}

DepthwiseConv2dArguments PlainLayers::random_depthwise_conv2d() noexcept {
    DepthwiseConv2dArguments a{};
    place(a);
    set_window(a, {pick(1U, 2U), pick(1U, 8U), pick(1U, 8U), pick(1U, 6U), pick(1U, 6U), pick(1U, 4U), pick(1U, 4U),
                   pick(1U, 3U), pick(1U, 3U), pick(1U, 3U), pick(1U, 3U), pick(0U, 24U)});
    // With vectors of eight channels that share an input channel, and every rest of them.
    constexpr std::uint32_t kMostChannels = 135U;
    constexpr std::uint32_t kMostInputs = 45U;
    a.depth_multiplier = (pick(0U, 2U) == 0U) ? pick(1U, 21U) : 1U;
    a.input_channels = pick(1U, std::min(kMostInputs, kMostChannels / a.depth_multiplier));
    if (pick(0U, 1U) == 0U) {  // as most layers are, and wider than what is taken at once
        a.input_width = pick(1U, 12U);
        a.output_width = pick(1U, (a.input_channels < 10U) ? 50U : 14U);
        a.filter_height = 3U;
        a.filter_width = 3U;
        a.stride_height = 1U;
        a.stride_width = 1U;
        a.dilation_height = 1U;
        a.dilation_width = 1U;
        a.depth_multiplier = 1U;
    }
    a.input_offset = offset();
    a.output_offset = offset() - 1;
    a.activation_min = -128 + static_cast<std::int32_t>((pick(0U, 1U) == 0U) ? 0U : pick(0U, 100U));
    a.activation_max = 127 - static_cast<std::int32_t>((pick(0U, 1U) == 0U) ? 0U : pick(0U, 100U));
    return a;
}

void PlainLayers::fully_connected() noexcept {
    const FullyConnectedArguments a = random_fully_connected();
    fill(a.output_depth);
    if (!run(KernelId::kFullyConnected, a)) {
        return;
    }
    for (std::uint32_t index = 0U; index < (a.batches * a.output_depth); ++index) {
        const std::uint32_t channel = index % a.output_depth;
        expect(a, index, channel, sum_of(a, index / a.output_depth, channel));
    }
    expect_end(a.batches * a.output_depth);
}

void PlainLayers::conv2d() noexcept {
    const Conv2dArguments a = random_conv2d();
    const std::uint32_t pixels = a.output_height * a.output_width;
    fill(a.output_channels);
    if (!run(KernelId::kConv2d, a)) {
        return;
    }
    for (std::uint32_t index = 0U; index < (a.batches * pixels * a.output_channels); ++index) {
        const std::uint32_t pixel = index / a.output_channels;
        const std::uint32_t channel = index % a.output_channels;
        expect(a, index, channel, sum_of(a, pixel / pixels, pixel % pixels, channel));
    }
    expect_end(a.batches * pixels * a.output_channels);
    expect_over_input(KernelId::kConv2d, a, a.batches * pixels * a.output_channels, 1U);
}

void PlainLayers::depthwise_conv2d() noexcept {
    const DepthwiseConv2dArguments a = random_depthwise_conv2d();
    const std::uint32_t pixels = a.output_height * a.output_width;
    const std::uint32_t channels = a.input_channels * a.depth_multiplier;
    fill(channels);
    if (!run(KernelId::kDepthwiseConv2d, a)) {
        return;
    }
    for (std::uint32_t index = 0U; index < (a.batches * pixels * channels); ++index) {
        const std::uint32_t pixel = index / channels;
        const std::uint32_t channel = index % channels;
        expect(a, index, channel, sum_of(a, pixel / pixels, pixel % pixels, channel));
    }
    expect_end(a.batches * pixels * channels);
    // Tiles of some of the channels are accepted at multiples of a pixel alone.
    const bool has_tiles = (a.depth_multiplier == 1U) && (a.input_channels > 4U) && (a.filter_height == 3U) &&
                           (a.filter_width == 3U) && (a.stride_height == 1U) && (a.stride_width == 1U) &&
                           (a.dilation_height == 1U) && (a.dilation_width == 1U);
    expect_over_input(KernelId::kDepthwiseConv2d, a, a.batches * pixels * channels, has_tiles ? a.input_channels : 1U);
}

void PlainLayers::ties() noexcept {
    FullyConnectedArguments dense = random_fully_connected();
    dense.batches = 1U;
    fill(dense.output_depth);
    for (std::uint32_t channel = 0U; channel < dense.output_depth; ++channel) {
        aim_at_halves(dense, channel, sum_of(dense, 0U, channel));
    }
    for (std::uint32_t channel = 0U; run(KernelId::kFullyConnected, dense) && (channel < dense.output_depth);
         ++channel) {
        expect(dense, channel, channel, sum_of(dense, 0U, channel));
    }
    Conv2dArguments conv = random_conv2d();
    conv.batches = 1U;
    conv.output_height = 1U;
    conv.output_width = 2U;
    fill(conv.output_channels);
    for (std::uint32_t channel = 0U; channel < conv.output_channels; ++channel) {
        aim_at_halves(conv, channel, sum_of(conv, 0U, channel % 2U, channel));
    }
    const bool is_run = run(KernelId::kConv2d, conv);
    for (std::uint32_t index = 0U; is_run && (index < (2U * conv.output_channels)); ++index) {
        const std::uint32_t channel = index % conv.output_channels;
        expect(conv, index, channel, sum_of(conv, 0U, index / conv.output_channels, channel));
    }
    DepthwiseConv2dArguments depthwise = random_depthwise_conv2d();
    depthwise.batches = 1U;
    depthwise.output_height = 1U;
    depthwise.output_width = 1U;
    const std::uint32_t channels = depthwise.input_channels * depthwise.depth_multiplier;
    fill(channels);
    for (std::uint32_t channel = 0U; channel < channels; ++channel) {
        aim_at_halves(depthwise, channel, sum_of(depthwise, 0U, 0U, channel));
    }
    const bool is_depthwise_run = run(KernelId::kDepthwiseConv2d, depthwise);
    for (std::uint32_t channel = 0U; is_depthwise_run && (channel < channels); ++channel) {
        expect(depthwise, channel, channel, sum_of(depthwise, 0U, 0U, channel));
    }
}

}  // namespace pianola::refdev
