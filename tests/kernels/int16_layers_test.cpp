// The layers with int16 activations against the defining sums, for random geometries, and their rescaling at exact
// halves.
#include <gtest/gtest.h>

#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "tests/kernels/refusals.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kInput = kBase;
constexpr std::uint32_t kFilter = kBase + 0x4000U;
constexpr std::uint32_t kParameters = kBase + 0x8000U;
constexpr std::uint32_t kOutput = kBase + 0xA000U;
constexpr std::uint32_t kMemoryBytes = 0xE000U;
constexpr int kRounds = 200;

// The largest of each number of a window. The least is 1, or 0 for padding.
struct WindowLimits {
    std::uint32_t input;
    std::uint32_t output;
    std::uint32_t filter_height;
    std::uint32_t filter_width;
    std::uint32_t stride;
    std::uint32_t dilation_height;
    std::uint32_t dilation_width;
    std::uint32_t pad;
};

// One axis of a window: the input position of a tap, or -1 outside.
std::int64_t position(std::uint32_t output, std::uint32_t stride, std::uint32_t tap, std::uint32_t dilation,
                      std::uint32_t pad, std::uint32_t size) {
    const std::int64_t at = (std::int64_t{output} * stride) + (std::int64_t{tap} * dilation) - pad;
    return (at < size) ? std::max<std::int64_t>(at, -1) : -1;
}

// Calls visit(tap, first) for each tap of an output pixel that lies inside the input; `first` is the index of the
// first channel of the input pixel, `pixel` counts over batches, rows and columns of the output.
template <typename Window, typename Visit>
void each_tap(const Window& a, std::uint32_t pixel, const Visit& visit) {
    const std::uint32_t column = pixel % a.output_width;
    const std::uint32_t row = (pixel / a.output_width) % a.output_height;
    const std::uint32_t batch = pixel / (a.output_width * a.output_height);
    for (std::uint32_t tap = 0U; tap < (a.filter_height * a.filter_width); ++tap) {
        const std::int64_t y =
            position(row, a.stride_height, tap / a.filter_width, a.dilation_height, a.pad_top, a.input_height);
        const std::int64_t x =
            position(column, a.stride_width, tap % a.filter_width, a.dilation_width, a.pad_left, a.input_width);
        if ((y >= 0) && (x >= 0)) {
            const std::uint32_t input_row = (batch * a.input_height) + static_cast<std::uint32_t>(y);
            visit(tap, ((input_row * a.input_width) + static_cast<std::uint32_t>(x)) * a.input_channels);
        }
    }
}

template <typename Window>
std::uint32_t output_pixels(const Window& a) {
    return a.batches * a.output_height * a.output_width;
}

class Int16Layers : public testing::Test {
  protected:
    SmallDevice device_{kMemoryBytes};
    std::mt19937 random_{16U};

    std::uint32_t pick(std::uint32_t lowest, std::uint32_t highest) {
        return lowest + static_cast<std::uint32_t>(random_() % (highest - lowest + 1U));
    }
    // All of a convolution's geometry but its channels.
    template <typename Window>
    void pick_window(Window& a, const WindowLimits& most) {
        a.batches = pick(1U, 2U);
        a.input_height = pick(1U, most.input);
        a.input_width = pick(1U, most.input);
        a.output_height = pick(1U, most.output);
        a.output_width = pick(1U, most.output);
        a.filter_height = pick(1U, most.filter_height);
        a.filter_width = pick(1U, most.filter_width);
        a.stride_height = pick(1U, most.stride);
        a.stride_width = pick(1U, most.stride);
        a.dilation_height = pick(1U, most.dilation_height);
        a.dilation_width = pick(1U, most.dilation_width);
        a.pad_top = pick(0U, most.pad);
        a.pad_left = pick(0U, most.pad);
    }
    std::int32_t pick_signed(std::uint32_t magnitude) {
        return static_cast<std::int32_t>(pick(0U, 2U * magnitude)) - static_cast<std::int32_t>(magnitude);
    }
    template <typename Value>
    Value load(std::uint32_t address) {
        Value value{};
        std::memcpy(&value, &device_.at(address), sizeof(value));
        return value;
    }
    template <typename Value>
    void store(std::uint32_t address, Value value) {
        std::memcpy(&device_.at(address), &value, sizeof(value));
    }
    std::int64_t input(std::uint32_t index) { return load<std::int16_t>(kInput + (2U * index)); }
    std::int64_t output(std::uint32_t index) { return load<std::int16_t>(kOutput + (2U * index)); }

    template <typename Layer>
    void place(Layer& a) {
        a.input = kInput;
        a.filter = kFilter;
        a.channel_parameters = kParameters;
        a.output = kOutput;
        a.activation_min = -32768 + static_cast<std::int32_t>(pick(0U, 3000U));
        a.activation_max = 32767 - static_cast<std::int32_t>(pick(0U, 3000U));
    }
    // Whole words of everything, then parameters whose results lie about the range of int16.
    void fill(std::uint32_t channels, std::uint32_t sum_bytes) {
        device_.randomise(random_);
        for (std::uint32_t i = 0U; i < channels; ++i) {
            const std::uint32_t at = kParameters + (i * (8U + sum_bytes));
            const bool is_wide = sum_bytes == kWideSumBytes;
            if (is_wide) {
                store<std::int64_t>(at, std::int64_t{pick_signed(1U << 30U)} * ((i % 3U == 0U) ? 4096 : 1));
            } else {
                store<std::int32_t>(at, pick_signed(1U << 30U));
            }
            store<std::int32_t>(at + sum_bytes, static_cast<std::int32_t>(pick(1U << 30U, INT32_MAX)));
            store<std::int32_t>(at + sum_bytes + 4U, -static_cast<std::int32_t>(pick(0U, 18U)));
        }
    }
    void expect_element(std::uint32_t index, std::uint32_t channel, std::int64_t sum, std::int32_t lowest,
                        std::int32_t highest, std::uint32_t sum_bytes) {
        const std::uint32_t at = kParameters + (channel * (8U + sum_bytes));
        const auto multiplier = load<std::int32_t>(at + sum_bytes);
        const auto shift = load<std::int32_t>(at + sum_bytes + 4U);
        const std::int64_t scaled =
            (sum_bytes == kWideSumBytes)
                ? published_wide_rescale(sum + load<std::int64_t>(at), multiplier, shift)
                : published_rescale(static_cast<std::int32_t>(sum + load<std::int32_t>(at)), multiplier, shift);
        ASSERT_EQ(output(index), std::clamp<std::int64_t>(static_cast<std::int32_t>(scaled), lowest, highest));
    }
    std::uint32_t pick_sum_bytes() { return (pick(0U, 2U) == 0U) ? kNarrowSumBytes : kWideSumBytes; }
};

TEST_F(Int16Layers, FullyConnected) {
    for (int round = 0; round < kRounds; ++round) {
        FullyConnectedArguments a{};
        place(a);
        a.batches = pick(1U, 3U);
        a.input_depth = pick(1U, (round % 4 == 0) ? 800U : 40U);
        a.output_depth = pick(1U, 18U);
        const std::uint32_t sum_bytes = pick_sum_bytes();
        fill(a.output_depth, sum_bytes);
        ASSERT_EQ(device_.run(KernelId::kFullyConnectedInt16, words_of(FullyConnectedInt16Arguments{a, sum_bytes})),
                  Status::kOk);
        for (std::uint32_t at = 0U; at < (a.batches * a.output_depth); ++at) {
            const std::uint32_t channel = at % a.output_depth;
            std::int64_t sum = 0;
            for (std::uint32_t i = 0U; i < a.input_depth; ++i) {
                sum += input(((at / a.output_depth) * a.input_depth) + i) *
                       device_.element(kFilter + (channel * a.input_depth) + i);
            }
            ASSERT_NO_FATAL_FAILURE(expect_element(at, channel, sum, a.activation_min, a.activation_max, sum_bytes));
        }
    }
}

TEST_F(Int16Layers, Conv2d) {
    for (int round = 0; round < kRounds; ++round) {
        const std::uint32_t groups = pick(1U, 3U);
        Conv2dArguments a{};
        place(a);
        pick_window(a, {7U, 4U, 3U, 4U, 2U, 2U, 2U, 2U});
        a.filter_channels = pick(1U, (round % 5 == 0) ? 30U : 5U);
        a.input_channels = groups * a.filter_channels;
        a.output_channels = groups * pick(1U, 19U);
        const std::uint32_t sum_bytes = pick_sum_bytes();
        fill(a.output_channels, sum_bytes);
        ASSERT_EQ(device_.run(KernelId::kConv2dInt16, words_of(Conv2dInt16Arguments{a, sum_bytes})), Status::kOk);
        const std::uint32_t taps = a.filter_height * a.filter_width;
        for (std::uint32_t at = 0U; at < (output_pixels(a) * a.output_channels); ++at) {
            const std::uint32_t channel = at % a.output_channels;
            const std::uint32_t group = channel / (a.output_channels / groups);
            std::int64_t sum = 0;
            each_tap(a, at / a.output_channels, [&](std::uint32_t tap, std::uint32_t first) {
                for (std::uint32_t i = 0U; i < a.filter_channels; ++i) {
                    sum += input(first + (group * a.filter_channels) + i) *
                           device_.element(kFilter + (((channel * taps) + tap) * a.filter_channels) + i);
                }
            });
            ASSERT_NO_FATAL_FAILURE(expect_element(at, channel, sum, a.activation_min, a.activation_max, sum_bytes));
        }
    }
}

TEST_F(Int16Layers, DepthwiseConv2d) {
    for (int round = 0; round < kRounds; ++round) {
        DepthwiseConv2dArguments a{};
        place(a);
        pick_window(a, {8U, 6U, 4U, 4U, 2U, 2U, 2U, 3U});
        a.input_channels = pick(1U, 9U);
        a.depth_multiplier = pick(1U, 3U);
        const std::uint32_t channels = a.input_channels * a.depth_multiplier;
        const std::uint32_t sum_bytes = pick_sum_bytes();
        fill(channels, sum_bytes);
        ASSERT_EQ(device_.run(KernelId::kDepthwiseConv2dInt16, words_of(DepthwiseConv2dInt16Arguments{a, sum_bytes})),
                  Status::kOk);
        for (std::uint32_t at = 0U; at < (output_pixels(a) * channels); ++at) {
            const std::uint32_t channel = at % channels;
            std::int64_t sum = 0;
            each_tap(a, at / channels, [&](std::uint32_t tap, std::uint32_t first) {
                sum += input(first + (channel / a.depth_multiplier)) *
                       device_.element(kFilter + (tap * channels) + channel);
            });
            ASSERT_NO_FATAL_FAILURE(expect_element(at, channel, sum, a.activation_min, a.activation_max, sum_bytes));
        }
    }
}

// Products of the largest magnitude, as many as a layer may have: 32-bit sums would wrap after 511 of them.
TEST_F(Int16Layers, TheLargestSumIsExact) {
    constexpr std::uint32_t kDepth = 4096U;
    FullyConnectedArguments a{};
    place(a);
    a.batches = 1U;
    a.input_depth = kDepth;
    a.output_depth = 1U;
    a.activation_min = -32768;
    a.activation_max = 32767;
    for (std::uint32_t i = 0U; i < kDepth; ++i) {
        store<std::int16_t>(kInput + (2U * i), INT16_MIN);
        store<std::int8_t>(kFilter + i, INT8_MIN);
    }
    store<std::int64_t>(kParameters, 0);
    store<std::int32_t>(kParameters + 8U, 1 << 30);
    store<std::int32_t>(kParameters + 12U, -19);  // 2^34 / 2^20
    ASSERT_EQ(device_.run(KernelId::kFullyConnectedInt16, words_of(FullyConnectedInt16Arguments{a, kWideSumBytes})),
              Status::kOk);
    EXPECT_EQ(output(0U), 16384);
}

TEST_F(Int16Layers, MatmulOfTwoInt16Matrices) {
    for (int round = 0; round < kRounds; ++round) {
        device_.randomise(random_);
        const std::uint32_t rows = pick(1U, 9U);
        const std::uint32_t depth = pick(1U, 300U);
        const std::uint32_t columns = pick(1U, 9U);
        const MatmulInt16Arguments a{kInput,
                                     kFilter,
                                     kOutput,
                                     rows,
                                     depth,
                                     columns,
                                     static_cast<std::int32_t>(pick(1U << 30U, INT32_MAX)),
                                     -static_cast<std::int32_t>(pick(10U, 24U))};
        ASSERT_EQ(device_.run(KernelId::kMatmulInt16, words_of(a)), Status::kOk);
        for (std::uint32_t at = 0U; at < (rows * columns); ++at) {
            std::int64_t sum = 0;
            for (std::uint32_t i = 0U; i < depth; ++i) {
                sum += input(((at / columns) * depth) + i) *
                       load<std::int16_t>(kFilter + (2U * (((at % columns) * depth) + i)));
            }
            const std::int64_t scaled = published_wide_rescale(sum, a.multiplier, a.shift);
            ASSERT_EQ(output(at), std::clamp<std::int64_t>(scaled, INT16_MIN, INT16_MAX)) << round << " " << at;
        }
    }
}

// Each of the 65,536 products is 2^30: the largest sum there is, 2^46.
TEST_F(Int16Layers, TheLargestMatmulIsExact) {
    constexpr std::uint32_t kDepth = 65536U;
    SmallDevice large{(4U * kDepth) + 16U};
    for (std::uint32_t i = 0U; i < (2U * kDepth); ++i) {
        const std::int16_t least = INT16_MIN;
        std::memcpy(&large.at(kBase + (2U * i)), &least, sizeof(least));
    }
    const MatmulInt16Arguments a{kBase, kBase + (2U * kDepth), kBase + (4U * kDepth), 1U, kDepth, 1U, 1 << 30, -31};
    ASSERT_EQ(large.run(KernelId::kMatmulInt16, words_of(a)), Status::kOk);
    EXPECT_EQ(large.word(a.output) & 0xFFFF, 1 << 14);
}

// One half is the multiplier 2^30 with shift 0: every odd number is a tie, which goes upwards.
TEST(WideScale, ExactHalvesGoUpwards) {
    const WideScale half{1 << 30, 0};
    for (const auto& [value, expected] : std::vector<std::pair<std::int64_t, std::int32_t>>{
             {1, 1}, {-1, 0}, {3, 2}, {-3, -1}, {65535, 32768}, {-65535, -32767}, {-65537, -32768}, {2, 1}, {-2, -1}}) {
        EXPECT_EQ(half.apply(value), expected) << value;
    }
    const WideScale quarter{1 << 30, -1};
    EXPECT_EQ(quarter.apply(2), 1);
    EXPECT_EQ(quarter.apply(-2), 0);
    EXPECT_EQ(quarter.apply(-6), -1);
}

TEST(WideScale, FollowsThePublishedFormula) {
    std::mt19937_64 random{64U};
    for (int i = 0; i < 200000; ++i) {
        const std::int64_t value = static_cast<std::int64_t>(random()) >> (17U + (random() % 46U));
        const auto multiplier = static_cast<std::int32_t>(
            (random() % 8U == 0U) ? (0x7FFF'FFFFU - (random() % 0x2'0000U)) : (random() & 0x7FFF'FFFFU));
        const std::int32_t shift = static_cast<std::int32_t>(random() % 39U) - 31;
        EXPECT_EQ((WideScale{multiplier, shift}.apply(value)),
                  static_cast<std::int32_t>(published_wide_rescale(value, multiplier, shift)))
            << value << " " << multiplier << " " << shift;
    }
}

// The word that is refused, and for what.
TEST(Int16Contract, EveryWordOutOfItIsRefusedByName) {
    const std::vector<std::uint32_t> no_offset{1U, UINT32_MAX};
    const std::vector<std::uint32_t> no_sums{0U, 3U, 5U, 6U, 7U, 9U, UINT32_MAX};
    const std::vector<Refusal> refusals{
        {KernelId::kFullyConnectedInt16, "", 0U, "input", {kBase + 1U}},
        {KernelId::kFullyConnectedInt16, "", 2U, "channel_parameters", {kBase + 514U}},
        {KernelId::kFullyConnectedInt16, "", 3U, "output", {kBase + 769U}},
        {KernelId::kFullyConnectedInt16, "", 7U, "input_offset", no_offset},
        {KernelId::kFullyConnectedInt16, "", 8U, "filter_offset", no_offset},
        {KernelId::kFullyConnectedInt16, "", 9U, "output_offset", no_offset},
        {KernelId::kFullyConnectedInt16, "", 10U, "activation_min", {32768U, 0xFFFF'7FFFU}},
        {KernelId::kFullyConnectedInt16, "", 12U, "weights_layout", {1U, 2U}},
        {KernelId::kFullyConnectedInt16, "", 13U, "sum_bytes", no_sums},
        {KernelId::kConv2dInt16, "", 0U, "input", {kBase + 1U}},
        {KernelId::kConv2dInt16, "", 3U, "output", {kBase + 769U}},
        {KernelId::kConv2dInt16, "", 20U, "input_offset", no_offset},
        {KernelId::kConv2dInt16, "", 21U, "output_offset", no_offset},
        {KernelId::kConv2dInt16, "", 23U, "activation_max", {32768U, 0xFFFF'7FFFU}},
        {KernelId::kConv2dInt16, "", 24U, "weights_layout", {1U, 2U}},
        {KernelId::kConv2dInt16, "", 25U, "sum_bytes", no_sums},
        {KernelId::kDepthwiseConv2dInt16, "", 0U, "input", {kBase + 1U}},
        {KernelId::kDepthwiseConv2dInt16, "", 3U, "output", {kBase + 769U}},
        {KernelId::kDepthwiseConv2dInt16, "", 19U, "input_offset", no_offset},
        {KernelId::kDepthwiseConv2dInt16, "", 23U, "sum_bytes", no_sums},
        {KernelId::kMatmulInt16, "", 0U, "left", {kBase + 1U}},
        {KernelId::kMatmulInt16, "", 1U, "right", {kBase + 257U}},
        {KernelId::kMatmulInt16, "", 2U, "output", {kBase + 769U, kBase + 256U}},
        {KernelId::kMatmulInt16, "", 4U, "depth", {0U, 65537U}},
        {KernelId::kMatmulInt16, "", 7U, "shift", {8U, 0xFFFF'FFE0U}},
    };
    expect_refused(refusals, int16_launches());
}

}  // namespace
}  // namespace pianola::refdev
