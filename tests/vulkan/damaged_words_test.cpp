// Argument words that are damaged after the proof: a shader reads them from the trace region, and may come to sizes
// that nobody has proved. What it writes stays inside of the operands' buffers, whichever word it is.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/vulkan/same_bytes.h"

namespace pianola::vulkan {
namespace {

using refdev::kBase;
using refdev::kernel;
using refdev::KernelId;
using refdev::Sample;
using refdev::SmallDevice;
using refdev::Words;

constexpr std::uint32_t kFirstArgument = 3U;  // in a launch: after header, kernel and cost

// Bytes that have changed, and that no buffer of an operand has which the command writes.
std::uint32_t strays(const KernelRig& rig, const Program& program, const std::vector<std::uint8_t>& before,
                     const std::vector<std::uint8_t>& after) {
    std::vector<bool> is_permitted(before.size(), false);
    for (std::uint32_t i = 0U; i < program.operand_count; ++i) {
        const Operand& operand = program.operands.at(i);
        if (operand.is_written) {
            // A buffer may begin in front of its operand; where an access goes astray, a driver may write there.
            const std::uint32_t at = operand.address - kBase;
            const auto end = is_permitted.begin() + at + operand.size_bytes;
            std::fill(is_permitted.begin() + (at - (at % rig.alignment())), end, true);
        }
    }
    std::uint32_t count = 0U;
    for (std::size_t i = 0U; i < before.size(); ++i) {
        count += (!is_permitted[i] && (before[i] != after[i])) ? 1U : 0U;
    }
    return count;
}

class VulkanDamagedWords : public testing::Test {
  protected:
    void SetUp() override {
        if (!KernelRig::has_device()) {
            GTEST_SKIP() << "no Vulkan device";
        }
        std::mt19937 random{83U};
        device_.randomise(random);
    }
    // The launch with that word of its arguments damaged.
    std::uint32_t strays_with(KernelRig& rig, const Sample& sample, std::uint32_t word, std::uint32_t value,
                              std::uint32_t more_bytes) {
        const Words command = launch_command(sample.id, sample.words);
        Program program;
        EXPECT_TRUE(is_ok(program_of(WordSpan{command.data(), command.size()}, program)));
        Bend bend;
        bend.more_bytes = more_bytes;
        bend.damaged = command;
        bend.damaged.at(kFirstArgument + word) = value;
        const Ran ran = rig.run(command, device_.bytes(), bend);
        EXPECT_TRUE(is_ok(ran.status));
        return strays(rig, program, device_.bytes(), ran.bytes);
    }
    SmallDevice device_{kMemoryBytes};
};

// Values somewhat too large: what is much too large would run for minutes, which a deadline has to notice.
TEST_F(VulkanDamagedWords, WriteNothingOutsideOfTheirOperands) {
    KernelRig rig{kBase, kMemoryBytes};
    std::uint32_t runs = 0U;
    for (const Sample& sample : refdev::sample_launches()) {
        for (std::uint32_t word = 0U; word < sample.words.size(); ++word) {
            for (const std::uint32_t value : {sample.words.at(word) + 1U, (sample.words.at(word) * 2U) + 5U}) {
                if (((kernel(sample.id).address_words >> word) & 1U) == 0U) {
                    EXPECT_EQ(strays_with(rig, sample, word, value, 0U), 0U)
                        << refdev::sample_name(sample) << " word " << word << " is " << value;
                    runs += 1U;
                }
            }
        }
    }
    EXPECT_GT(runs, 500U);
}

// The check can fail: with buffers that reach beyond their operands, the same damage does.
TEST_F(VulkanDamagedWords, AreSeenWhereBuffersAreTooLong) {
    KernelRig rig{kBase, kMemoryBytes};
    const Sample copy{KernelId::kCopy, refdev::words_of(refdev::CopyArguments{kBase + 4096U, kBase, 100U})};
    constexpr std::uint32_t kSizeWord = 2U;
    EXPECT_EQ(strays_with(rig, copy, kSizeWord, 101U, 0U), 0U);
    EXPECT_EQ(strays_with(rig, copy, kSizeWord, 164U, 0U), 0U);
    EXPECT_GT(strays_with(rig, copy, kSizeWord, 164U, 64U), 0U);
}

}  // namespace
}  // namespace pianola::vulkan
