// Fully connected and convolution kernels against the defining sums, for random geometries.
#include <gtest/gtest.h>

#include "tests/kernels/windows.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kInput = kBase;
constexpr std::uint32_t kFilter = kBase + 0x4000U;
constexpr std::uint32_t kParameters = kBase + 0x8000U;
constexpr std::uint32_t kOutput = kBase + 0xA000U;
constexpr std::uint32_t kMemoryBytes = 0xE000U;
constexpr int kRounds = 300;

class Layers : public testing::Test {
  protected:
    SmallDevice device_{kMemoryBytes};
    std::mt19937 random_{11U};

    std::uint32_t pick(std::uint32_t lowest, std::uint32_t highest) { return refdev::pick(random_, lowest, highest); }
    std::int32_t offset() { return static_cast<std::int32_t>(pick(0U, 255U)) - 127; }
    void fill(std::uint32_t channels) {
        device_.randomise(random_);
        for (std::uint32_t i = 0U; i < channels; ++i) {
            const auto bias = static_cast<std::int32_t>(pick(0U, 20000U)) - 10000;
            const auto multiplier = static_cast<std::int32_t>(pick(1U << 30U, INT32_MAX));
            const std::int32_t shift = static_cast<std::int32_t>(pick(0U, 12U)) - 11;
            device_.store_channel(kParameters + (12U * i), ChannelParameters{bias, multiplier, shift});
        }
    }
    ChannelParameters channel(std::uint32_t index) { return device_.channel(kParameters + (12U * index)); }
    template <typename Layer>
    void place(Layer& a) {
        a.input = kInput;
        a.filter = kFilter;
        a.channel_parameters = kParameters;
        a.output = kOutput;
        a.input_offset = offset();
        a.output_offset = offset() - 1;
        a.activation_min = -128;
        a.activation_max = 127;
    }
    template <typename Layer>
    void expect_output(const Layer& a, std::uint32_t at, std::uint32_t in_channel, std::int32_t sum) {
        ASSERT_EQ(device_.element(kOutput + at),
                  published_output(sum, channel(in_channel), a.output_offset, a.activation_min, a.activation_max));
    }
};

TEST_F(Layers, FullyConnected) {
    for (int round = 0; round < kRounds; ++round) {
        FullyConnectedArguments a{};
        place(a);
        a.batches = pick(1U, 3U);
        a.input_depth = pick(1U, (round % 4 == 0) ? 400U : 40U);
        a.output_depth = pick(1U, 40U);
        a.filter_offset = (round % 2 == 0) ? 0 : offset();
        a.activation_min = -128 + static_cast<std::int32_t>(pick(0U, 20U));
        a.activation_max = 127 - static_cast<std::int32_t>(pick(0U, 20U));
        fill(a.output_depth);
        ASSERT_EQ(device_.run(KernelId::kFullyConnected, words_of(a)), Status::kOk);
        for (std::uint32_t b = 0U; b < a.batches; ++b) {
            for (std::uint32_t o = 0U; o < a.output_depth; ++o) {
                std::int32_t sum = 0;
                for (std::uint32_t i = 0U; i < a.input_depth; ++i) {
                    sum += (device_.element(kInput + (b * a.input_depth) + i) + a.input_offset) *
                           (device_.element(kFilter + (o * a.input_depth) + i) + a.filter_offset);
                }
                ASSERT_NO_FATAL_FAILURE(expect_output(a, (b * a.output_depth) + o, o, sum)) << round;
            }
        }
    }
}

TEST_F(Layers, Conv2d) {
    for (int round = 0; round < kRounds; ++round) {
        const std::uint32_t groups = (round % 3 == 0) ? pick(1U, 3U) : 1U;
        Conv2dArguments a{};
        place(a);
        pick_window(a, random_, {8U, 6U, 4U, 4U, 3U, 2U, 3U, 4U});
        a.filter_channels = pick(1U, (round % 5 == 0) ? 40U : 6U);
        a.input_channels = a.filter_channels * groups;
        a.output_channels = groups * pick(1U, 13U);
        fill(a.output_channels);
        ASSERT_EQ(device_.run(KernelId::kConv2d, words_of(a)), Status::kOk);
        const std::uint32_t taps = a.filter_height * a.filter_width;
        for (std::uint32_t at = 0U; at < (output_pixels(a) * a.output_channels); ++at) {
            const std::uint32_t o = at % a.output_channels;
            const std::uint32_t group = o / (a.output_channels / groups);
            std::int32_t sum = 0;
            each_tap(a, at / a.output_channels, [&](std::uint32_t tap, std::uint32_t first) {
                for (std::uint32_t c = 0U; c < a.filter_channels; ++c) {
                    sum += (device_.element(kInput + first + (group * a.filter_channels) + c) + a.input_offset) *
                           device_.element(kFilter + (((o * taps) + tap) * a.filter_channels) + c);
                }
            });
            ASSERT_NO_FATAL_FAILURE(expect_output(a, at, o, sum)) << round;
        }
    }
}

TEST_F(Layers, DepthwiseConv2d) {
    for (int round = 0; round < kRounds; ++round) {
        DepthwiseConv2dArguments a{};
        place(a);
        pick_window(a, random_, {8U, 6U, 4U, 4U, 3U, 3U, 3U, 4U});
        a.input_channels = pick(1U, 45U);
        a.depth_multiplier = (round % 2 == 0) ? 1U : pick(1U, 3U);
        const std::uint32_t channels = a.input_channels * a.depth_multiplier;
        fill(channels);
        ASSERT_EQ(device_.run(KernelId::kDepthwiseConv2d, words_of(a)), Status::kOk);
        for (std::uint32_t at = 0U; at < (output_pixels(a) * channels); ++at) {
            const std::uint32_t o = at % channels;
            std::int32_t sum = 0;
            each_tap(a, at / channels, [&](std::uint32_t tap, std::uint32_t first) {
                sum += (device_.element(kInput + first + (o / a.depth_multiplier)) + a.input_offset) *
                       device_.element(kFilter + (tap * channels) + o);
            });
            ASSERT_NO_FATAL_FAILURE(expect_output(a, at, o, sum)) << round;
        }
    }
}

// 65536 products of the largest magnitude: the sum is exactly -2^31.
TEST_F(Layers, DeepestSumIsExact) {
    constexpr std::uint32_t kDepth = 65536U;
    SmallDevice device{(2U * kDepth) + 64U};
    std::fill_n(device.bytes().begin(), kDepth, std::uint8_t{0x7FU});           // 127 + 128 = 255 below
    std::fill_n(device.bytes().begin() + kDepth, kDepth, std::uint8_t{0x80U});  // -128
    FullyConnectedArguments a{};
    a.input = kBase;
    a.filter = kBase + kDepth;
    a.channel_parameters = kBase + (2U * kDepth);
    a.output = kBase + (2U * kDepth) + 32U;
    a.batches = 1U;
    a.input_depth = kDepth;
    a.output_depth = 1U;
    a.input_offset = 128;
    a.activation_min = -128;
    a.activation_max = 127;
    device.store_channel(a.channel_parameters, ChannelParameters{0, INT32_MAX, -25});
    ASSERT_EQ(device.run(KernelId::kFullyConnected, words_of(a)), Status::kOk);
    EXPECT_EQ(device.element(a.output), -64);  // -255 * 2^23 / 2^25, rounded
    a.input_depth = kDepth + 1U;
    Footprint footprint;
    ArgumentError error;
    EXPECT_EQ(kernel(KernelId::kFullyConnected).describe(span_of(words_of(a)), footprint, error), Status::kRefused);
    EXPECT_STREQ(error.field, "input_depth");
}

}  // namespace
}  // namespace pianola::refdev
