// Outputs that overlap their input, of kernels that are the same on every core. tests/kernels/overlapping_layers.cpp
// has those with inner loops of their own.
#include <gtest/gtest.h>

#include "tests/kernels/launch.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kOverlapBytes = 0x2'0000U;
constexpr std::uint32_t kOverlapFilter = kBase + 0xC000U;
constexpr std::uint32_t kOverlapParameters = kBase + 0xE000U;
constexpr std::uint32_t kOverlapOutput = kBase + 0x1'0000U;
constexpr std::uint32_t kOverlapRounds = 3000U;

class Overlap : public testing::Test {
  protected:
    std::uint32_t pick(std::uint32_t lowest, std::uint32_t highest) {
        return lowest + static_cast<std::uint32_t>(random_() % (highest - lowest + 1U));
    }

    template <typename Arguments>
    void set_window(Arguments& a) {
        a.input = kBase;
        a.output = kOverlapOutput;
        a.batches = pick(1U, 3U);
        a.input_height = pick(1U, 9U);
        a.input_width = pick(1U, 9U);
        a.output_height = pick(1U, 9U);
        a.output_width = pick(1U, 9U);
        a.filter_height = pick(1U, 4U);
        a.filter_width = pick(1U, 4U);
        a.stride_height = pick(1U, 3U);
        a.stride_width = pick(1U, 3U);
        a.pad_top = pick(0U, 3U);
        a.pad_left = pick(0U, 3U);
        a.activation_min = -20'000;
        a.activation_max = 20'000;
    }
    template <typename Layer>
    void set_layer(Int16Layer<Layer>& a) {
        set_window(a.layer);
        a.layer.filter = kOverlapFilter;
        a.layer.channel_parameters = kOverlapParameters;
        a.layer.dilation_height = pick(1U, 2U);
        a.layer.dilation_width = pick(1U, 2U);
        a.sum_bytes = 4U;
    }
    bool accepts(KernelId id, const Words& words, ExtentList& extents) {
        ArgumentError error;
        return is_ok(kernel(id).describe(span_of(words), extents, error));
    }

    // Runs the launch with its operands apart, then at the least distance that is accepted, a multiple of the unit, and
    // at the next smaller one, without a check. Nothing if the launch is not one that the kernel accepts.
    void expect_over_input(KernelId id, Words words, std::uint32_t output_word, std::uint32_t unit,
                           std::uint32_t channels = 0U) {
        ExtentList extents;
        if (!accepts(id, words, extents)) {
            return;
        }
        const std::uint32_t input_bytes = extents.view()[0].size_bytes;
        const std::uint32_t output_bytes = extents.view()[extents.view().size() - 1U].size_bytes;
        ASSERT_LE(input_bytes, kOverlapFilter - kBase);
        device_.randomise(random_);
        for (std::uint32_t channel = 0U; channel < channels; ++channel) {
            device_.store_channel(kOverlapParameters + (channel * kChannelParametersBytes),
                                  {static_cast<std::int32_t>(random_() % 2000U), 1 << 30, -4});
        }
        std::vector<std::uint8_t>& bytes = device_.bytes();
        const std::vector<std::uint8_t> input{bytes.begin(), bytes.begin() + input_bytes};
        ASSERT_EQ(device_.run(id, words), Status::kOk);
        const auto at_output = bytes.begin() + (kOverlapOutput - kBase);
        const std::vector<std::uint8_t> expected{at_output, at_output + output_bytes};
        std::uint32_t distance = 0U;
        words.at(0U) = kOverlapOutput;
        while (!accepts(id, words, extents)) {
            distance += unit;
            words.at(0U) = kOverlapOutput + distance;
        }
        if (distance >= output_bytes) {
            return;
        }
        launches_ += 1U;
        std::copy(input.begin(), input.end(), at_output + distance);
        ASSERT_EQ(device_.run(id, words), Status::kOk);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), at_output)) << kernel(id).name << " " << distance;
        Words over_filter = words;
        over_filter.at(output_word) = kOverlapFilter;
        EXPECT_TRUE((channels == 0U) || !accepts(id, over_filter, extents));
        // Nor above the input.
        Words wrong = words;
        wrong.at(output_word) = wrong.at(0U) + unit;
        EXPECT_TRUE((input_bytes <= unit) || !accepts(id, wrong, extents));
        if ((distance == 0U) || (id == KernelId::kPad)) {  // a row nearer, a row would be copied over itself
            return;
        }
        std::copy(input.begin(), input.end(), at_output + (distance - unit));
        BoundOperands bound{};
        bound.inputs = {tensor_of(&device_.at(kOverlapOutput + distance - unit)),
                        tensor_of(&device_.at(kOverlapFilter)), tensor_of(&device_.at(kOverlapParameters)), nullptr};
        bound.output = tensor_of(&device_.at(kOverlapOutput));
        ASSERT_EQ(kernel(id).compute(span_of(words), bound), Status::kOk);
        wrong_when_nearer_ += std::equal(expected.begin(), expected.end(), at_output) ? 0U : 1U;
    }
    // Of the launches above, how many overlap, and how many have another result at the next smaller distance.
    void expect_many(std::uint32_t overlapping, std::uint32_t wrong_when_nearer) const {
        EXPECT_GT(launches_, overlapping);
        EXPECT_GE(wrong_when_nearer_, wrong_when_nearer);
    }

    SmallDevice device_{kOverlapBytes};
    std::mt19937 random_{11U};
    std::uint32_t launches_{0U};
    std::uint32_t wrong_when_nearer_{0U};
};

TEST_F(Overlap, OfPooling) {
    for (std::uint32_t round = 0U; round < kOverlapRounds; ++round) {
        Pool2dArguments a{};
        set_window(a);
        a.channels = pick(1U, 40U);
        a.type = (pick(0U, 1U) == 0U) ? kTypeInt8 : kTypeInt16;
        a.activation_min = (a.type == kTypeInt8) ? -128 : a.activation_min;
        a.activation_max = (a.type == kTypeInt8) ? 127 : a.activation_max;
        const KernelId id = (pick(0U, 1U) == 0U) ? KernelId::kAveragePool2d : KernelId::kMaxPool2d;
        expect_over_input(id, words_of(a), 1U, (a.type == kTypeInt8) ? 1U : 2U);
    }
    expect_many(kOverlapRounds / 20U, kOverlapRounds / 50U);
}

TEST_F(Overlap, OfPadding) {
    for (std::uint32_t round = 0U; round < kOverlapRounds; ++round) {
        PadArguments a{};
        a.input = kBase;
        a.output = kOverlapOutput;
        a.element_bytes = 1U << pick(0U, 2U);
        a.value = 0x01020304;
        for (std::uint32_t i = 0U; i < 4U; ++i) {
            a.dims.at(i) = pick(1U, 6U);
            a.before.at(i) = (pick(0U, 1U) == 0U) ? pick(0U, 2U) : 0U;
            a.after.at(i) = (pick(0U, 1U) == 0U) ? pick(0U, 2U) : 0U;
        }
        a.value = (a.element_bytes == 1U) ? 4 : ((a.element_bytes == 2U) ? 0x0304 : a.value);
        expect_over_input(KernelId::kPad, words_of(a), 1U, 1U);
    }
    expect_many(kOverlapRounds / 2U, 0U);
}

TEST_F(Overlap, OfInt16Convolutions) {
    for (std::uint32_t round = 0U; round < kOverlapRounds; ++round) {
        Conv2dInt16Arguments a{};
        set_layer(a);
        const std::uint32_t groups = pick(1U, 2U);
        a.layer.filter_channels = pick(1U, 10U);
        a.layer.input_channels = groups * a.layer.filter_channels;
        a.layer.output_channels = groups * pick(1U, 20U);
        expect_over_input(KernelId::kConv2dInt16, words_of(a), 3U, 2U, a.layer.output_channels);
    }
    expect_many(kOverlapRounds / 20U, kOverlapRounds / 50U);
}

TEST_F(Overlap, OfInt16DepthwiseConvolutions) {
    for (std::uint32_t round = 0U; round < kOverlapRounds; ++round) {
        DepthwiseConv2dInt16Arguments a{};
        set_layer(a);
        a.layer.input_channels = pick(1U, 10U);
        a.layer.depth_multiplier = pick(1U, 3U);
        expect_over_input(KernelId::kDepthwiseConv2dInt16, words_of(a), 3U, 2U,
                          a.layer.input_channels * a.layer.depth_multiplier);
    }
    expect_many(kOverlapRounds / 20U, kOverlapRounds / 50U);
}

}  // namespace
}  // namespace pianola::refdev
