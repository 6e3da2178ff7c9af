// What holds commands to their extents: when it finds a byte that changed elsewhere.
#include "hal/devices/refdev/sim/access_checker.h"

#include <gtest/gtest.h>

#include "hal/devices/refdev/command_encoding.h"

namespace pianola::sim {
namespace {

using refdev::header_word;
using refdev::Opcode;

constexpr std::uint32_t kBase = 0x1000U;
constexpr std::uint32_t kBytes = 1024U;
constexpr std::uint32_t kPart = 64U;
using Words = std::vector<std::uint32_t>;

class AccessCheckers : public testing::Test {
  protected:
    // Write a value over a part of memory, and do what the command does not say, if anything.
    void fill(std::uint32_t offset, std::uint32_t stray = kBytes) {
        const Words words{header_word(Opcode::kFill, 4U), kBase + offset, kPart, 0x07U};
        checker_.begin_command(WordSpan{words.data(), words.size()}, false);
        std::fill_n(memory_.begin() + offset, kPart, std::uint8_t{7U});
        if (stray < kBytes) {
            memory_[stray] ^= 0xFFU;
        }
        checker_.end_command();
    }
    void transfer(Opcode opcode, std::uint32_t offset) {
        const Words words{header_word(opcode, refdev::kTransferWords), kBase + offset, kPart, 0U, 0U};
        checker_.begin_command(WordSpan{words.data(), words.size()}, false);
        if (opcode == Opcode::kWrite) {
            std::fill_n(memory_.begin() + offset, kPart, std::uint8_t{9U});
        }
        checker_.end_command();
    }

    std::vector<std::uint8_t> memory_ = std::vector<std::uint8_t>(kBytes);
    AccessChecker checker_{{{kBase, &memory_}}, refdev::kVirtualCosts};
};

TEST_F(AccessCheckers, AreContentWithWhatCommandsSayThatTheyWrite) {
    fill(0U);
    transfer(Opcode::kWrite, 128U);
    transfer(Opcode::kRead, 0U);
    fill(kBytes - kPart);
    checker_.end_step();
    EXPECT_EQ(checker_.violations(), 0U);
}

TEST_F(AccessCheckers, FindAnotherByteAtTheEndOfTheStep) {
    fill(0U, 500U);
    fill(64U);
    EXPECT_EQ(checker_.violations(), 0U);
    checker_.end_step();
    EXPECT_EQ(checker_.violations(), 1U);
    checker_.end_step();
    EXPECT_EQ(checker_.violations(), 1U) << "once";
}

// Otherwise the write that is in order would hide the one that is not.
TEST_F(AccessCheckers, FindItBeforeACommandReadsOrWritesThere) {
    fill(0U, 200U);
    fill(192U);
    EXPECT_EQ(checker_.violations(), 1U);
    fill(0U, 300U);
    transfer(Opcode::kRead, 256U);
    EXPECT_EQ(checker_.violations(), 2U);
    fill(0U, 400U);
    transfer(Opcode::kWrite, 384U);
    EXPECT_EQ(checker_.violations(), 3U);
    checker_.end_step();
    EXPECT_EQ(checker_.violations(), 3U);
}

TEST_F(AccessCheckers, TakeWhatTheHostHasChanged) {
    checker_.end_step();
    memory_[600] = 1U;  // between two steps
    fill(0U);
    memory_[700] = 1U;
    checker_.refresh(ByteSpan{&memory_[640], 128U});
    checker_.end_step();
    EXPECT_EQ(checker_.violations(), 0U);
    fill(0U, 500U);
    memory_[700] = 2U;
    checker_.refresh(ByteSpan{&memory_[640], 128U});
    checker_.end_step();
    EXPECT_EQ(checker_.violations(), 1U) << "what it has not changed is still looked at";
    const std::vector<std::uint8_t> elsewhere(16U);
    checker_.refresh(ByteSpan{elsewhere.data(), elsewhere.size()});
    memory_[10] ^= 0xFFU;
    checker_.refresh();
    checker_.end_step();
    EXPECT_EQ(checker_.violations(), 1U);
}

// One that can not be decoded may touch nothing, and one that reaches beyond memory what of it lies inside.
TEST_F(AccessCheckers, BoundWhatIsDamaged) {
    const Words unknown{0xFFFF'FFFFU};
    checker_.begin_command(WordSpan{unknown.data(), unknown.size()}, true);
    checker_.end_command();
    const Words beyond{header_word(Opcode::kWrite, refdev::kTransferWords), kBase + 960U, 4096U, 0U, 0U};
    checker_.begin_command(WordSpan{beyond.data(), beyond.size()}, false);
    memory_[kBytes - 1U] ^= 0xFFU;
    checker_.end_command();
    checker_.end_step();
    EXPECT_EQ(checker_.violations(), 0U);
}

}  // namespace
}  // namespace pianola::sim
