// A command set of registers: what a command touches, those before it have said.
//
// Like streams for Arm's Ethos-U and programs of its PL330: five units of 18 registers each, of which a unit's start
// reads two operands and writes one, every one of them strided twice. A register that the trace has not set has no
// value.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pianola/command_set.h"

namespace pianola::test {

inline constexpr std::uint32_t kUnits = 5U;
inline constexpr std::uint32_t kOperandRegisters = 6U;  // address, bytes, then count and stride, twice
inline constexpr std::uint32_t kOperands = 3U;          // two that are read, one that is written
inline constexpr std::uint32_t kUnitRegisters = kOperandRegisters * kOperands;
inline constexpr std::uint32_t kRegisters = kUnitRegisters * kUnits;  // 90

inline constexpr std::uint32_t kSetCode = 0x5E00'0000U;    // and the register; its value follows
inline constexpr std::uint32_t kStartCode = 0xAC00'0000U;  // and the unit
inline constexpr std::uint32_t kEndCode = 0xED00'0000U;
inline constexpr std::uint32_t kCodeMask = 0xFF00'0000U;

class RegisterCommandSet final : public CommandSet {
  public:
    Status decode(WordSpan words, DecodeState& state, DecodedCommand& command,
                  DecodeError& error) const noexcept override;
    [[nodiscard]] KernelIdentity kernel(std::uint32_t /*id*/) const noexcept override { return {}; }
    // The value of a register, wrongly so: it changes what later commands touch.
    [[nodiscard]] PatchKind patch_kind(WordSpan words, std::uint32_t word) const noexcept override;
    [[nodiscard]] std::uint32_t queue_words(const QueueCommand& /*command*/) const noexcept override { return 1U; }
    [[nodiscard]] std::uint64_t queue_cycles(const QueueCommand& /*command*/) const noexcept override { return 0U; }
    [[nodiscard]] std::uint64_t seal(std::uint64_t /*digest*/, std::uint32_t /*number*/, std::uint64_t /*trace_digest*/,
                                     QueueCommand& /*command*/) const noexcept override {
        return 0U;
    }
    [[nodiscard]] std::uint64_t trace_digest(std::uint64_t /*digest*/, WordSpan /*words*/) const noexcept override {
        return 0U;
    }
};

// What happens to one byte.
struct ByteAccess {
    std::uint32_t address{0U};
    bool writes{false};
};
// Every byte that a stream touches, in order, found by running it: register by register, run by run, byte by byte,
// without the command set. Of one command all reads come first. `is_whole` where it runs to an end command that is its
// last word, and no unit starts with a register that nobody has set, or with an operand that has no bytes or wraps.
struct Accesses {
    std::vector<ByteAccess> bytes;
    bool is_whole{false};
};
[[nodiscard]] Accesses run_registers(const std::vector<std::uint32_t>& words);

}  // namespace pianola::test
