// Every shader against the kernel whose results it claims: random and extreme launches, byte for byte, on all of a
// small memory.
#include <gtest/gtest.h>

#include <memory>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/vulkan/programs.h"
#include "tests/kernels/launch.h"
#include "tests/vulkan/kernel_rig.h"

namespace pianola::vulkan {
namespace {

using refdev::kBase;
using refdev::kernel;
using refdev::KernelId;
using refdev::Opcode;
using refdev::Sample;
using refdev::SmallDevice;
using refdev::Words;

constexpr std::uint32_t kMemoryBytes = 16384U;
constexpr std::uint64_t kMostCycles = 20'000U;  // of a launch: a bound for the test's time

Words launch_command(KernelId id, const Words& arguments) {
    Words command{refdev::header_word(Opcode::kLaunch, static_cast<std::uint32_t>(arguments.size()) + 3U),
                  static_cast<std::uint32_t>(id), 0U};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

class Launches {
  public:
    explicit Launches(const Sample& sample, std::uint32_t seed)
        : kernel_{kernel(sample.id)}, sample_{sample}, random_{seed} {}

    // The sample, with some of its words changed as the kernel accepts them.
    Words next() {
        Words words = sample_.words;
        for (std::uint32_t attempt = random_word() % 24U; attempt > 0U; --attempt) {
            Words changed = words;
            const std::size_t word = random_() % words.size();
            if (((kernel_.address_words >> word) & 1U) != 0U) {
                changed.at(word) += random_word() % 96U;
            } else {
                changed.at(word) = ((random_() % 2U) == 0U) ? random_value() : (random_word() % 9U);
            }
            words = accepted(changed) ? changed : words;
        }
        return words;
    }
    // Bytes of which many are extremes of some type.
    void fill(SmallDevice& device) {
        switch (random_() % 3U) {
            case 0U:
                device.randomise(random_);
                break;
            case 1U:
                device.randomise_with_extremes(random_, refdev::kTypeInt8);
                break;
            default:
                device.randomise_with_extremes(random_, refdev::kTypeInt32);
                break;
        }
    }

  private:
    [[nodiscard]] bool accepted(const Words& words) const {
        refdev::Footprint footprint;
        refdev::ArgumentError error;
        bool fits =
            is_ok(kernel_.describe(refdev::span_of(words), footprint, error)) && (footprint.cost_cycles <= kMostCycles);
        for (const Extent& extent : footprint.extents.view()) {
            const std::uint64_t end = std::uint64_t{extent.address} + extent.size_bytes;
            fits = fits && (extent.address >= kBase) && (end <= (std::uint64_t{kBase} + kMemoryBytes));
        }
        return fits;
    }
    std::uint32_t random_word() { return static_cast<std::uint32_t>(random_()); }
    std::uint32_t random_value() {
        constexpr std::array<std::uint32_t, 9> kEdges{0U,           1U,           30U,          127U,        128U,
                                                      0x7FFF'FFFFU, 0x8000'0000U, 0xFFFF'FF80U, 0xFFFF'FFE1U};
        if ((random_() % 3U) == 0U) {
            return kEdges.at(random_() % kEdges.size()) + (random_word() % 3U) - 1U;
        }
        const std::uint32_t magnitude = random_word() >> (random_() % 32U);
        return ((random_() % 2U) == 0U) ? magnitude : (0U - magnitude);
    }

    const refdev::Kernel& kernel_;
    const Sample& sample_;
    std::mt19937 random_;
};

void expect_same(KernelRig& rig, const Sample& sample, const Words& words, SmallDevice& device) {
    const std::vector<std::uint8_t> before = device.bytes();
    const Status status = device.run(sample.id, words);
    const Ran ran = rig.run(launch_command(sample.id, words), before);
    ASSERT_TRUE(is_ok(ran.status));
    // What fails while it runs leaves no mark.
    EXPECT_EQ(ran.mark, is_ok(status) ? static_cast<std::uint32_t>(sample.id) : 0U);
    for (std::size_t i = 0U; i < before.size(); ++i) {
        ASSERT_EQ(ran.bytes.at(i), device.bytes().at(i)) << "byte " << i << ", before " << int{before.at(i)};
    }
}

class VulkanKernels : public testing::TestWithParam<Sample> {
  protected:
    void SetUp() override {
        if (!KernelRig::has_device()) {
            GTEST_SKIP() << "no Vulkan device";
        }
    }
};

TEST_P(VulkanKernels, GiveTheBytesThatTheLibraryGives) {
    constexpr std::uint32_t kLaunches = 300U;
    KernelRig rig{kBase, kMemoryBytes};
    Launches launches{GetParam(), 47U};
    SmallDevice device{kMemoryBytes};
    for (std::uint32_t i = 0U; i < kLaunches; ++i) {
        const Words words = (i == 0U) ? GetParam().words : launches.next();
        launches.fill(device);
        expect_same(rig, GetParam(), words, device);
        if (HasFatalFailure()) {
            std::string text;
            for (const std::uint32_t word : words) {
                text += " " + std::to_string(static_cast<std::int32_t>(word));
            }
            FAIL() << "launch " << i << ":" << text;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Rom, VulkanKernels, testing::ValuesIn(refdev::sample_launches()),
                         [](const testing::TestParamInfo<Sample>& sample) {
                             return refdev::sample_name(sample.param);
                         });

TEST(VulkanShaders, EveryKernelOfTheLibraryHasOne) {
    EXPECT_EQ(KernelPipelines::first_without_shader(), nullptr) << KernelPipelines::first_without_shader();
    EXPECT_EQ(KernelPipelines::count(), kHelpers + refdev::kernel_rom().size());
}

}  // namespace
}  // namespace pianola::vulkan
