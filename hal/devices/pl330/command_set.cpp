#include "hal/devices/pl330/command_set.h"

#include "hal/devices/pl330/encoding.h"

namespace pianola::pl330 {
namespace {

void reset(DecodedCommand& command) noexcept {
    command.kind = CommandKind::kUnspecified;
    command.length_words = 0U;
    command.kernel_id = 0U;
    command.core = 0U;
    command.cost_cycles = 0U;
    command.core_cycles = 0U;
    command.extents.clear();
}

Status refuse_word(DecodeError& error, const char* field, std::uint32_t word) noexcept {
    error.field = field;
    error.word = word;
    return Status::kRefused;
}

Status refuse_unknown(DecodeError& error, std::uint32_t word) noexcept {
    error.unknown_command = true;
    return refuse_word(error, "instruction", word);
}

// The burst of a control register, from the destination's half; kMaxBurstShift + 1 if the encoding is not supported.
[[nodiscard]] std::uint32_t burst_shift_of(std::uint32_t control) noexcept {
    constexpr std::uint32_t kDestinationHalf = 0x0FFF'C000U;
    for (std::uint32_t shift = 0U; shift <= kMaxBurstShift; ++shift) {
        if ((control & kDestinationHalf) == zeros_control(shift)) {
            return shift;
        }
    }
    return kMaxBurstShift + 1U;
}

[[nodiscard]] bool is_multiple(std::uint32_t address, std::uint32_t shift) noexcept {
    return (address & ((1U << shift) - 1U)) == 0U;
}

// Neither range wraps round.
[[nodiscard]] bool overlap(const Extent& one, const Extent& other) noexcept {
    return (one.address < other.address) ? ((other.address - one.address) < one.size_bytes)
                                         : ((one.address - other.address) < other.size_bytes);
}

// The words after the operands: loop counts and loop body.
Status decode_loops(WordSpan words, std::uint32_t first, std::uint32_t body, Move& move, DecodeError& error) noexcept {
    constexpr std::uint32_t kByte = 0xFFU;
    if ((words[first] & kLoopsMask) != kLoops) {
        return refuse_unknown(error, first);
    }
    if (words[first + 1U] != body) {
        return refuse_unknown(error, first + 1U);
    }
    if (words[first + 2U] != kLoopsEnd) {
        return refuse_unknown(error, first + 2U);
    }
    move.outer = ((words[first] >> kOuterShift) & kByte) + 1U;
    move.inner = ((words[first] >> kInnerShift) & kByte) + 1U;
    return Status::kOk;
}

Status decode_copy(WordSpan words, DecodedCommand& command, DecodeError& error) noexcept {
    if (words.size() < kCopyWords) {
        return refuse_unknown(error, 0U);
    }
    if (words[kCopyDestinationWord - 1U] != kMoveDestination) {
        return refuse_unknown(error, kCopyDestinationWord - 1U);
    }
    if (words[kCopyControlWord - 1U] != kMoveControl) {
        return refuse_unknown(error, kCopyControlWord - 1U);
    }
    Move move;
    const Status looped = decode_loops(words, kCopyLoopsWord, kLoadStore, move, error);
    if (!is_ok(looped)) {
        return looped;
    }
    const std::uint32_t control = words[kCopyControlWord];
    move.burst_shift = burst_shift_of(control);
    move.source_increments = (control & 1U) != 0U;
    if ((move.burst_shift > kMaxBurstShift) || (control != copy_control(move.burst_shift, move.source_increments))) {
        return refuse_word(error, "control", kCopyControlWord);
    }
    const std::uint32_t beat_shift = beat_shift_of(move.burst_shift);
    const std::uint32_t source_shift = move.source_increments ? move.burst_shift : beat_shift;
    const std::uint32_t read_bytes = move.source_increments ? moved_bytes(move) : (1U << beat_shift);
    if (!is_multiple(words[kCopySourceWord], source_shift) ||
        !command.extents.add(words[kCopySourceWord], read_bytes, Access::kRead, "source")) {
        return refuse_word(error, "source", kCopySourceWord);
    }
    if (!is_multiple(words[kCopyDestinationWord], move.burst_shift) ||
        !command.extents.add(words[kCopyDestinationWord], moved_bytes(move), Access::kWrite, "destination") ||
        overlap(command.extents.view()[0], command.extents.view()[1])) {
        return refuse_word(error, "destination", kCopyDestinationWord);
    }
    command.kind = move.source_increments ? CommandKind::kCopy : CommandKind::kFill;
    command.length_words = kCopyWords;
    return Status::kOk;
}

Status decode_zeros(WordSpan words, DecodedCommand& command, DecodeError& error) noexcept {
    if (words.size() < kZerosWords) {
        return refuse_unknown(error, 0U);
    }
    if (words[kZerosControlWord - 1U] != kMoveControl) {
        return refuse_unknown(error, kZerosControlWord - 1U);
    }
    Move move;
    const Status looped = decode_loops(words, kZerosLoopsWord, kStoreZeros, move, error);
    if (!is_ok(looped)) {
        return looped;
    }
    move.burst_shift = burst_shift_of(words[kZerosControlWord]);
    if ((move.burst_shift > kMaxBurstShift) || (words[kZerosControlWord] != zeros_control(move.burst_shift))) {
        return refuse_word(error, "control", kZerosControlWord);
    }
    if (!is_multiple(words[kZerosDestinationWord], move.burst_shift) ||
        !command.extents.add(words[kZerosDestinationWord], moved_bytes(move), Access::kWrite, "destination")) {
        return refuse_word(error, "destination", kZerosDestinationWord);
    }
    command.kind = CommandKind::kFill;
    command.length_words = kZerosWords;
    return Status::kOk;
}

Status decode_bare(CommandKind kind, DecodedCommand& command) noexcept {
    command.kind = kind;
    command.length_words = 1U;
    return Status::kOk;
}

}  // namespace

// Every group sets all registers that it uses: there is no state.
Status Pl330CommandSet::decode(WordSpan words, DecodeState& /*state*/, DecodedCommand& command,
                               DecodeError& error) const noexcept {
    reset(command);
    error = DecodeError{};
    switch (words.empty() ? 0U : words[0]) {
        case kMoveSource:
            return decode_copy(words, command, error);
        case kMoveDestination:
            return decode_zeros(words, command, error);
        case kBarrier:
            return decode_bare(CommandKind::kBarrier, command);
        case kEnd:
            return decode_bare(CommandKind::kEnd, command);
        default:
            return refuse_unknown(error, 0U);
    }
}

// There are no kernels.
KernelIdentity Pl330CommandSet::kernel(std::uint32_t /*id*/) const noexcept {
    return {};
}

PatchKind Pl330CommandSet::patch_kind(WordSpan words, std::uint32_t word) const noexcept {
    const bool is_copy = words[0] == kMoveSource;
    const bool is_address = is_copy ? ((word == kCopySourceWord) || (word == kCopyDestinationWord))
                                    : ((words[0] == kMoveDestination) && (word == kZerosDestinationWord));
    return is_address ? PatchKind::kAddress : PatchKind::kNone;
}

// The driver's rings hold commands, not words.
std::uint32_t Pl330CommandSet::queue_words(const QueueCommand& command) const noexcept {
    return (command.kind == QueueCommandKind::kUnspecified) ? 0U : 1U;
}

std::uint64_t Pl330CommandSet::queue_cycles(const QueueCommand& /*command*/) const noexcept {
    return 0U;
}

std::uint64_t Pl330CommandSet::seal(std::uint64_t /*digest*/, std::uint32_t number, std::uint64_t /*trace_digest*/,
                                    QueueCommand& command) const noexcept {
    command.check = check_of(number, command);
    return 0U;
}

std::uint64_t Pl330CommandSet::trace_digest(std::uint64_t /*digest*/, WordSpan /*words*/) const noexcept {
    return 0U;
}

std::uint32_t check_of(std::uint32_t number, const QueueCommand& command) noexcept {
    // FNV-1a over words: each step is a bijection of the state, so one changed word always changes the result.
    constexpr std::uint32_t kBasis = 0x811C'9DC5U;
    constexpr std::uint32_t kPrime = 0x0100'0193U;
    const std::array<std::uint32_t, 8U> words{number,          static_cast<std::uint32_t>(command.kind),
                                              command.address, command.size_bytes,
                                              command.slot,    command.slot_offset,
                                              command.event,   command.value};
    std::uint32_t check = kBasis;
    for (const std::uint32_t word : words) {
        check = (check ^ word) * kPrime;
    }
    return check;
}

}  // namespace pianola::pl330
