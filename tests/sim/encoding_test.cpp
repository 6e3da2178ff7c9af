// The command set's opcodes are far apart, so that a few flipped bits do not make one command another.
#include <gtest/gtest.h>

#include <array>
#include <bitset>

#include "hal/refdev/command_encoding.h"

namespace pianola::refdev {
namespace {

constexpr std::array kOpcodes{Opcode::kInvalid, Opcode::kLaunch,      Opcode::kCopy,      Opcode::kFill,
                              Opcode::kBarrier, Opcode::kEnd,         Opcode::kWrite,     Opcode::kRead,
                              Opcode::kReplay,  Opcode::kRecordEvent, Opcode::kWaitEvent, Opcode::kNotify};
constexpr std::size_t kOpcodeBits = 8U;
constexpr std::size_t kLeastDistance = 4U;

std::size_t distance(Opcode left, Opcode right) {
    return std::bitset<kOpcodeBits>(static_cast<unsigned>(left) ^ static_cast<unsigned>(right)).count();
}

TEST(Encoding, AnyTwoOpcodesDifferInAtLeastFourBits) {
    for (std::size_t i = 0U; i < kOpcodes.size(); ++i) {
        for (std::size_t k = i + 1U; k < kOpcodes.size(); ++k) {
            EXPECT_GE(distance(kOpcodes.at(i), kOpcodes.at(k)), kLeastDistance) << i << " and " << k;
        }
    }
}

// The list above is complete: every other value of the byte is refused by this switch, which the compiler
// checks for missing enumerators.
bool is_opcode(Opcode opcode) {
    switch (opcode) {
        case Opcode::kInvalid:
        case Opcode::kLaunch:
        case Opcode::kCopy:
        case Opcode::kFill:
        case Opcode::kBarrier:
        case Opcode::kEnd:
        case Opcode::kWrite:
        case Opcode::kRead:
        case Opcode::kReplay:
        case Opcode::kRecordEvent:
        case Opcode::kWaitEvent:
        case Opcode::kNotify:
            return true;
    }
    return false;
}

TEST(Encoding, TheListOfOpcodesIsComplete) {
    std::size_t count = 0U;
    for (unsigned value = 0U; value < (1U << kOpcodeBits); ++value) {
        count += is_opcode(static_cast<Opcode>(value)) ? 1U : 0U;
    }
    EXPECT_EQ(count, kOpcodes.size());
}

}  // namespace
}  // namespace pianola::refdev
