// The command set's opcodes are far apart, so that a few flipped bits do not make one command another.
#include <gtest/gtest.h>

#include <array>
#include <bitset>

#include "hal/devices/refdev/command_encoding.h"

namespace pianola::refdev {
namespace {

constexpr std::array kOpcodes{Opcode::kInvalid, Opcode::kLaunch,      Opcode::kCopy,      Opcode::kFill,
                              Opcode::kBarrier, Opcode::kEnd,         Opcode::kWrite,     Opcode::kRead,
                              Opcode::kReplay,  Opcode::kRecordEvent, Opcode::kWaitEvent, Opcode::kNotify,
                              Opcode::kDispatch};
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

}  // namespace
}  // namespace pianola::refdev
