// A queue command's words, and what device and session add up over them.
//
// Place in the whole: the driver writes the words into a ring; the command processor executes them, and chains a digest over what it has
// executed; the command set tells the session what that digest must be. docs/DEVICE.md specifies both.
#pragma once

#include <array>
#include <cstdint>

#include "hal/refdev/command_encoding.h"
#include "runtime/core/span.h"

namespace pianola::refdev {

// One step of FNV-1a with 64 bits, over words instead of bytes (G. Fowler, L. C. Noll, K.-P. Vo; RFC 9923).
[[nodiscard]] constexpr std::uint64_t chain(std::uint64_t digest, std::uint32_t word) noexcept {
    constexpr std::uint64_t kPrime = 0x0000'0100'0000'01B3U;
    return (digest ^ word) * kPrime;
}
[[nodiscard]] constexpr std::uint64_t chain_wide(std::uint64_t digest, std::uint64_t value) noexcept {
    return chain(chain(digest, static_cast<std::uint32_t>(value)), static_cast<std::uint32_t>(value >> 32U));
}

// The words of a queue command; count 0 where the command is of no kind.
struct EncodedCommand {
    std::array<std::uint32_t, kMaxQueueCommandWords> words{};
    std::uint32_t count{0U};
};

[[nodiscard]] inline EncodedCommand encode(const QueueCommand& command) noexcept {
    const std::uint32_t count = queue_command_words(command.kind);
    switch (command.kind) {
        case QueueCommandKind::kWrite:
            return {{header_word(Opcode::kWrite, count), command.address, command.size_bytes, command.slot,
                     command.slot_offset},
                    count};
        case QueueCommandKind::kRead:
            return {{header_word(Opcode::kRead, count), command.address, command.size_bytes, command.slot,
                     command.slot_offset},
                    count};
        case QueueCommandKind::kReplay:
            return {{header_word(Opcode::kReplay, count), command.address, command.size_bytes}, count};
        case QueueCommandKind::kRecordEvent:
            return {{header_word(Opcode::kRecordEvent, count), command.event, command.value}, count};
        case QueueCommandKind::kWaitEvent:
            return {{header_word(Opcode::kWaitEvent, count), command.event, command.value}, count};
        case QueueCommandKind::kNotify:
            return {{header_word(Opcode::kNotify, count), command.value}, count};
        case QueueCommandKind::kUnspecified:
        default:
            return {};
    }
}

}  // namespace pianola::refdev
