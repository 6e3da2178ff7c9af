#include "tests/proofs/register_set.h"

#include <optional>

namespace pianola::test {
namespace {

constexpr std::uint32_t kWordBits = 32U;
// Behind the registers: a bit for each that is set.
constexpr std::uint32_t kSetWords = (kRegisters + (kWordBits - 1U)) / kWordBits;
static_assert((kRegisters + kSetWords) <= kMaxDecodeStateWords);

bool is_set(const DecodeState& state, std::uint32_t index) noexcept {
    return ((state.words[kRegisters + (index / kWordBits)] >> (index % kWordBits)) & 1U) != 0U;
}

Status refuse(DecodeError& error, const char* field) noexcept {
    error = DecodeError{};
    error.field = field;
    return Status::kRefused;
}

Status decode_start(std::uint32_t unit, const DecodeState& state, DecodedCommand& command,
                    DecodeError& error) noexcept {
    constexpr std::array<const char*, kOperands> kNames{"first", "second", "result"};
    command.kind = CommandKind::kCopy;
    command.length_words = 1U;
    for (std::uint32_t operand = 0U; operand < kOperands; ++operand) {
        const std::uint32_t first = (unit * kUnitRegisters) + (operand * kOperandRegisters);
        for (std::uint32_t i = first; i < (first + kOperandRegisters); ++i) {
            if (!is_set(state, i)) {
                return refuse(error, kNames[operand]);
            }
        }
        const auto& words = state.words;
        if (!command.extents.add(Extent{words[first], words[first + 1U],
                                        (operand == (kOperands - 1U)) ? Access::kWrite : Access::kRead, kNames[operand],
                                        Repeat{words[first + 2U], words[first + 3U]},
                                        Repeat{words[first + 4U], words[first + 5U]}})) {
            return refuse(error, kNames[operand]);
        }
    }
    return Status::kOk;
}

// Bytes of one operand; false where there are none, or one lies behind the address space.
bool touch(const std::array<std::uint32_t, kOperandRegisters>& operand, bool writes, std::vector<ByteAccess>& bytes) {
    const auto [address, size, inner_count, inner_stride, outer_count, outer_stride] = operand;
    if ((size == 0U) || (inner_count == 0U) || (outer_count == 0U)) {
        return false;
    }
    // The same bytes again are the same bytes. Others are more than any memory of these tests holds.
    const std::uint64_t inner = (inner_stride == 0U) ? 1U : inner_count;
    const std::uint64_t outer = (outer_stride == 0U) ? 1U : outer_count;
    constexpr std::uint64_t kMost = 1U << 22U;
    if ((size > kMost) || (inner > (kMost / size)) || (outer > (kMost / (size * inner)))) {
        return false;
    }
    for (std::uint64_t o = 0U; o < outer; ++o) {
        for (std::uint64_t i = 0U; i < inner; ++i) {
            for (std::uint64_t b = 0U; b < size; ++b) {
                const std::uint64_t at = address + (o * outer_stride) + (i * inner_stride) + b;
                if (at > UINT32_MAX) {
                    return false;
                }
                bytes.push_back({static_cast<std::uint32_t>(at), writes});
            }
        }
    }
    return true;
}

}  // namespace

Status RegisterCommandSet::decode(WordSpan words, DecodeState& state, DecodedCommand& command,
                                  DecodeError& error) const noexcept {
    command = DecodedCommand{};
    const std::uint32_t number = words[0] & ~kCodeMask;
    switch (words[0] & kCodeMask) {
        case kSetCode:
            if ((number >= kRegisters) || (words.size() < 2U)) {
                return refuse(error, "register");
            }
            state.used = kRegisters + kSetWords;
            state.words[number] = words[1];
            state.words[kRegisters + (number / kWordBits)] |= 1U << (number % kWordBits);
            command.kind = CommandKind::kBarrier;
            command.length_words = 2U;
            return Status::kOk;
        case kStartCode:
            return (number < kUnits) ? decode_start(number, state, command, error) : refuse(error, "unit");
        case kEndCode:
            command.kind = CommandKind::kEnd;
            command.length_words = 1U;
            return Status::kOk;
        default:
            error = DecodeError{"header", 0U, true, false};
            return Status::kRefused;
    }
}

PatchKind RegisterCommandSet::patch_kind(WordSpan words, std::uint32_t word) const noexcept {
    return (((words[0] & kCodeMask) == kSetCode) && (word == 1U)) ? PatchKind::kValue : PatchKind::kNone;
}

Accesses run_registers(const std::vector<std::uint32_t>& words) {
    Accesses accesses;
    std::array<std::optional<std::uint32_t>, kRegisters> registers;
    std::size_t at = 0U;
    while (at < words.size()) {
        const std::uint32_t code = words[at] & kCodeMask;
        const std::uint32_t number = words[at] & ~kCodeMask;
        at += 1U;
        if (code == kEndCode) {
            accesses.is_whole = at == words.size();
            return accesses;
        }
        if ((code == kSetCode) && (number < kRegisters) && (at < words.size())) {
            registers.at(number) = words[at];
            at += 1U;
        } else if ((code == kStartCode) && (number < kUnits)) {
            for (std::uint32_t operand = 0U; operand < kOperands; ++operand) {
                std::array<std::uint32_t, kOperandRegisters> values{};
                for (std::uint32_t i = 0U; i < kOperandRegisters; ++i) {
                    const auto& value = registers.at((number * kUnitRegisters) + (operand * kOperandRegisters) + i);
                    if (!value.has_value()) {
                        return accesses;
                    }
                    values.at(i) = *value;
                }
                if (!touch(values, operand == (kOperands - 1U), accesses.bytes)) {
                    return accesses;
                }
            }
        } else {
            return accesses;
        }
    }
    return accesses;
}

}  // namespace pianola::test
