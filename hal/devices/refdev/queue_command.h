// A queue command's words, and the sums that device and session compute over them.
//
// The driver writes the words into a ring; the command processor executes them, and chains a digest over what it has
// executed; the command set tells the session what that digest must be. docs/reference/device.md specifies both.
#pragma once

#include <array>
#include <cstdint>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/device_spec.h"
#include "pianola/span.h"

namespace pianola::refdev {

// One step of FNV-1a with 64 bits, over words instead of bytes (G. Fowler, L. C. Noll, K.-P. Vo; RFC 9923).
[[nodiscard]] constexpr std::uint64_t chain(std::uint64_t digest, std::uint32_t word) noexcept {
    constexpr std::uint64_t kPrime = 0x0000'0100'0000'01B3U;
    return (digest ^ word) * kPrime;
}
[[nodiscard]] constexpr std::uint64_t chain_wide(std::uint64_t digest, std::uint64_t value) noexcept {
    return chain(chain(digest, static_cast<std::uint32_t>(value)), static_cast<std::uint32_t>(value >> 32U));
}

// A queue command's check: 24 bits over its number in the queue and all its words, of which the first is header_word().
// A multilinear sum (J. L. Carter, M. N. Wegman, "Universal classes of hash functions", 1979). One changed bit always
// changes the check, and so does a number that is wrong by no more than a ring's capacity: a stale or duplicated
// command, or one after a lost command. Any other error passes with a probability of 2^-24.
inline constexpr std::uint32_t kCheckBits = 24U;
inline constexpr std::uint32_t kCheckShift = 8U;  // of the check in the first word in the ring
inline constexpr std::array<std::uint32_t, kMaxQueueCommandWords + 1U> kCheckKeys{
    0x9E37'79B1U, 0x85EB'CA77U, 0xC2B2'AE3DU, 0xD3A2'646DU, 0xB55A'4F09U, 0xA3CC'7D55U};

// The sum's bits that every bit of a word affects.
[[nodiscard]] constexpr std::uint32_t check_bits_of(std::uint64_t sum) noexcept {
    constexpr std::uint32_t kFirstBit = 16U;
    return static_cast<std::uint32_t>(sum >> kFirstBit) & ((1U << kCheckBits) - 1U);
}
// The sum's terms: of the command's number, and of its word i.
[[nodiscard]] constexpr std::uint64_t first_term(std::uint32_t number) noexcept {
    return std::uint64_t{number} * kCheckKeys[0];
}
[[nodiscard]] constexpr std::uint64_t term(std::uint32_t i, std::uint32_t word) noexcept {
    return std::uint64_t{word} * kCheckKeys[i + 1U];
}
// Both sums over a command, in one pass: this runs for every command of every step, on both sides.
struct CommandSums {
    std::uint64_t check{0U};  // from first_term() on; check_bits_of() converts it to the check
    std::uint64_t digest{0U};

    constexpr void add(std::uint32_t i, std::uint32_t word) noexcept {
        check += term(i, word);
        digest = chain(digest, word);
    }
};

// Whether the check changes for every sum that changes by `difference`.
[[nodiscard]] constexpr bool is_always_seen(std::uint64_t difference) noexcept {
    const std::uint32_t bits = check_bits_of(difference);
    return (bits != 0U) && (bits != ((1U << kCheckBits) - 1U));  // with a carry the latter is 0
}
[[nodiscard]] constexpr bool every_bit_is_seen() noexcept {
    constexpr std::uint32_t kWordBits = 32U;
    bool seen = true;
    for (const std::uint32_t key : kCheckKeys) {
        for (std::uint32_t bit = 0U; bit < kWordBits; ++bit) {
            seen = is_always_seen(std::uint64_t{key} << bit) && seen;
        }
    }
    return seen;
}
[[nodiscard]] constexpr bool every_number_is_seen() noexcept {
    bool seen = true;
    for (std::uint32_t commands = 1U; commands <= kRingWords; ++commands) {
        seen = is_always_seen(std::uint64_t{commands} * kCheckKeys[0]) && seen;
    }
    return seen;
}
static_assert(every_bit_is_seen() && every_number_is_seen());

// Number of words of a queue command; 0 for an unknown kind.
[[nodiscard]] constexpr std::uint32_t word_count(QueueCommandKind kind) noexcept {
    switch (kind) {
        case QueueCommandKind::kWrite:
        case QueueCommandKind::kRead:
            return kTransferWords;
        case QueueCommandKind::kReplay:
            return kReplayWords;
        case QueueCommandKind::kRecordEvent:
        case QueueCommandKind::kWaitEvent:
            return kEventWords;
        case QueueCommandKind::kNotify:
            return kNotifyWords;
        case QueueCommandKind::kUnspecified:
        default:
            return 0U;
    }
}

// Gives `taker` each word of a queue command, in order, by add(number, word). Without an array, because this runs twice
// for every command of every step.
template <typename Taker>
constexpr void give_words(const QueueCommand& command, Taker& taker) noexcept {
    switch (command.kind) {
        case QueueCommandKind::kWrite:
        case QueueCommandKind::kRead:
            taker.add(0U, header_word((command.kind == QueueCommandKind::kWrite) ? Opcode::kWrite : Opcode::kRead,
                                      kTransferWords));
            taker.add(1U, command.address);
            taker.add(2U, command.size_bytes);
            taker.add(3U, command.slot);
            taker.add(4U, command.slot_offset);
            break;
        case QueueCommandKind::kReplay:
            taker.add(0U, header_word(Opcode::kReplay, kReplayWords));
            taker.add(1U, command.address);
            taker.add(2U, command.size_bytes);
            break;
        case QueueCommandKind::kRecordEvent:
        case QueueCommandKind::kWaitEvent:
            taker.add(0U, header_word((command.kind == QueueCommandKind::kRecordEvent) ? Opcode::kRecordEvent
                                                                                       : Opcode::kWaitEvent,
                                      kEventWords));
            taker.add(1U, command.event);
            taker.add(2U, command.value);
            break;
        case QueueCommandKind::kNotify:
            taker.add(0U, header_word(Opcode::kNotify, kNotifyWords));
            taker.add(1U, command.value);
            break;
        case QueueCommandKind::kUnspecified:
        default:
            break;
    }
}

// The first word of a command in a ring; `header` is its header_word().
[[nodiscard]] constexpr std::uint32_t ring_header(std::uint32_t header, std::uint32_t check) noexcept {
    return (header & kOpcodeMask) | (check << kCheckShift);
}

}  // namespace pianola::refdev
