// Shaders on launches that random ones do not reach: rows longer than a workgroup, the largest sums, the largest
// scales.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "tests/vulkan/same_bytes.h"

namespace pianola::vulkan {
namespace {

using refdev::kBase;
using refdev::KernelId;
using refdev::LstmArguments;
using refdev::SmallDevice;

class VulkanExtremes : public testing::Test {
  protected:
    void SetUp() override {
        if (!KernelRig::has_device()) {
            GTEST_SKIP() << "no Vulkan device";
        }
    }
    template <typename Arguments>
    static void expect_same_launch(KernelId id, const Arguments& arguments, SmallDevice& device) {
        KernelRig rig{kBase, static_cast<std::uint32_t>(device.bytes().size())};
        const refdev::Sample sample{id, refdev::words_of(arguments)};
        expect_same(rig, sample, sample.words, device);
    }
    std::mt19937 random_{61U};
};

// More units than invocations, all of which read what the others have made in the step before.
class VulkanLstm : public VulkanExtremes, public testing::WithParamInterface<std::uint32_t> {
  protected:
    static constexpr std::uint32_t kUnits = 70U;

    // Sums and cells fill their 16 bits, and seldom saturate.
    [[nodiscard]] LstmArguments layer() const {
        constexpr std::int32_t kHalf = 1 << 30;
        const bool is_wide = GetParam() == refdev::kTypeInt16;
        LstmArguments a{};
        a.input = kBase;
        a.weights = kBase + 0x1000U;
        a.parameters = kBase + 0x8000U;
        a.state = kBase + 0xA000U;
        a.output = kBase + 0xB000U;
        a.batches = 3U;
        a.steps = 9U;
        a.input_depth = 7U;
        a.units = kUnits;
        a.input_offset = is_wide ? 0 : 5;
        a.hidden_offset = is_wide ? 0 : -3;
        for (refdev::LstmGateScales& gate : a.gates) {
            gate =
                is_wide ? refdev::LstmGateScales{kHalf, -8, kHalf, -10} : refdev::LstmGateScales{kHalf, -1, kHalf, -3};
        }
        a.forget_multiplier = kHalf;
        a.forget_shift = -14;
        a.admit_multiplier = kHalf;
        a.admit_shift = -18;
        a.emit_multiplier = kHalf;
        a.emit_shift = is_wide ? -14 : -22;
        a.cell_multiplier = 12;
        a.cell_shift = 1;
        a.cell_clip = refdev::kLstmUnclipped;
        a.type = GetParam();
        return a;
    }
    void fill(const LstmArguments& a, SmallDevice& device) {
        device.randomise(random_);
        const std::uint32_t biases = refdev::kLstmGates * kUnits;
        const std::uint32_t words_per_bias = (a.type == refdev::kTypeInt16) ? 2U : 1U;
        for (std::uint32_t i = 0U; i < biases; ++i) {
            const std::int32_t bias = static_cast<std::int32_t>(random_() % 40001U) - 20000;
            const std::uint32_t at = a.parameters + (i * words_per_bias * 4U);
            device.store_word(at + ((words_per_bias - 1U) * 4U), (bias < 0) ? -1 : 0);
            device.store_word(at, bias);
        }
        const std::uint32_t table = a.parameters + (biases * words_per_bias * 4U);
        for (std::uint32_t i = 0U; i < refdev::kSigmoidTableEntries; ++i) {
            const auto entry = static_cast<std::uint16_t>(std::lround(65535.0 / (1.0 + std::exp(i / -24.0))));
            std::memcpy(&device.at(table + (2U * i)), &entry, sizeof(entry));
        }
    }
};

TEST_P(VulkanLstm, HasUnitsThatFillMoreThanAWorkgroup) {
    for (const std::uint32_t time_major : {0U, 1U}) {
        LstmArguments a = layer();
        a.time_major = time_major;
        SmallDevice device{0xD000U};
        fill(a, device);
        expect_same_launch(KernelId::kLstm, a, device);
        // The launch is one of numbers, and not of bounds.
        const std::uint32_t value_bytes = refdev::rescaled_bytes(a.type);
        const std::uint32_t values = a.batches * a.steps * a.units;
        std::set<std::int32_t> different;
        for (std::uint32_t i = 0U; i < values; ++i) {
            different.insert(device.element(a.output + (i * value_bytes) + (value_bytes - 1U)));
        }
        EXPECT_GT(different.size(), 150U);
    }
}

INSTANTIATE_TEST_SUITE_P(Types, VulkanLstm, testing::Values(refdev::kTypeInt8, refdev::kTypeInt16));

// Each of the 65,536 products is 2^30: beyond 32 bits by 14.
TEST_F(VulkanExtremes, TheLargestMatmulOfInt16IsExact) {
    constexpr std::uint32_t kDepth = 65536U;
    SmallDevice device{(4U * kDepth) + 16U};
    for (std::uint32_t i = 0U; i < kDepth; ++i) {
        device.store_word(kBase + (4U * i), static_cast<std::int32_t>(0x8000'8000U));  // two of the least
    }
    const refdev::MatmulInt16Arguments a{kBase, kBase + (2U * kDepth), kBase + (4U * kDepth), 1U, kDepth, 1U, 1 << 30,
                                         -31};
    expect_same_launch(KernelId::kMatmulInt16, a, device);
    EXPECT_EQ(device.word(a.output) & 0xFFFF, 1 << 14);
}

// From beta * scale 16 on, what equals the row's largest shares it all.
TEST_F(VulkanExtremes, TheLargestSoftmaxScalesShareAmongTheLargest) {
    constexpr std::uint32_t kDepth = 8U;
    constexpr std::uint32_t kOutput = kBase + 512U;
    for (const std::uint32_t type : {refdev::kTypeInt8, refdev::kTypeInt16}) {
        for (const std::int32_t multiplier : {1 << 30, INT32_MAX}) {
            SmallDevice device{2048U};
            for (std::uint32_t i = 0U; i < kDepth; ++i) {
                device.at(kBase + i) = ((i % 2U) == 0U) ? 100U : 99U;
            }
            const refdev::SoftmaxArguments a{kBase, kOutput, 1U, kDepth, multiplier, 30, 0, type};
            expect_same_launch(KernelId::kSoftmax, a, device);
            if (type == refdev::kTypeInt8) {
                EXPECT_EQ(device.element(kOutput), -64);  // a quarter
                EXPECT_EQ(device.element(kOutput + 1U), -128);
            }
        }
    }
}

}  // namespace
}  // namespace pianola::vulkan
