// Steps 2 and 4 of docs/guide/porting.md: decode, attest.
#include "npu.h"

namespace npu {
namespace {

using pianola::Access;
using pianola::CommandKind;
using pianola::DecodedCommand;
using pianola::DecodeError;
using pianola::PatchKind;
using pianola::QueueCommand;
using pianola::QueueCommandKind;

constexpr std::uint32_t kCommandCycles = 16U;
constexpr std::uint32_t kBytesPerCycle = 8U;

// One step of FNV-1a with 64 bits, over words instead of bytes.
[[nodiscard]] std::uint64_t chain(std::uint64_t digest, std::uint32_t word) noexcept {
    constexpr std::uint64_t kPrime = 0x0000'0100'0000'01B3U;
    constexpr std::uint32_t kHalf = 32U;
    const std::uint64_t product = (digest ^ word) * kPrime;
    return product ^ (product >> kHalf);  // else the upper half of a digest would never reach the lower one
}

[[nodiscard]] std::uint64_t chain_command(std::uint64_t digest, const QueueCommand& command) noexcept {
    std::uint64_t sum = chain(digest, static_cast<std::uint32_t>(command.kind));
    sum = chain(sum, command.address);
    sum = chain(sum, command.size_bytes);
    sum = chain(sum, command.slot);
    sum = chain(sum, command.slot_offset);
    sum = chain(sum, command.event);
    return chain(sum, command.value);
}

Status refuse(DecodeError& error, const char* field, std::uint32_t word, bool is_unknown) noexcept {
    error = DecodeError{field, word, is_unknown, false};
    return Status::kRefused;
}

[[nodiscard]] bool overlap(std::uint32_t one, std::uint32_t other, std::uint32_t bytes) noexcept {
    return (one < other) ? ((other - one) < bytes) : ((one - other) < bytes);
}

// What lies between two rows is neither read nor written: extents have gaps.
Status decode_rows(WordSpan words, DecodedCommand& command, DecodeError& error) noexcept {
    if (words.size() < kRowsWords) {
        return refuse(error, "header", 0U, true);
    }
    const std::uint32_t row_bytes = words[3];
    const std::uint32_t rows = words[4];
    const std::uint32_t stride_bytes = words[5];
    if ((rows == 0U) || (rows > kMaxRows)) {
        return refuse(error, "rows", 4U, false);
    }
    if (stride_bytes < row_bytes) {
        return refuse(error, "stride_bytes", 5U, false);
    }
    const pianola::Extent source{words[2], row_bytes, Access::kRead, "source", {rows, stride_bytes}, {}};
    const pianola::Extent destination{words[1], row_bytes, Access::kWrite, "destination", {rows, stride_bytes}, {}};
    if (!command.extents.add(source) || !command.extents.add(destination)) {
        return refuse(error, "row_bytes", 3U, false);
    }
    if (overlap(words[1], words[2], static_cast<std::uint32_t>(hull_bytes(source)))) {
        return refuse(error, "destination", 1U, false);
    }
    command.length_words = kRowsWords;
    command.kind = CommandKind::kCopy;
    command.cost_cycles = rows_cycles(row_bytes, rows);
    return Status::kOk;
}

}  // namespace

std::uint64_t rows_cycles(std::uint32_t row_bytes, std::uint32_t rows) noexcept {
    return kCommandCycles + (rows * ((std::uint64_t{row_bytes} + kBytesPerCycle - 1U) / kBytesPerCycle));
}

std::uint64_t move_cycles(std::uint32_t size_bytes) noexcept {
    return std::uint64_t{kCommandCycles} + ((std::uint64_t{size_bytes} + kBytesPerCycle - 1U) / kBytesPerCycle);
}

// A command says everything in its own words: there is no state.
Status CommandSet::decode(WordSpan words, pianola::DecodeState& /*state*/, DecodedCommand& command,
                          DecodeError& error) const noexcept {
    command = DecodedCommand{};
    error = DecodeError{};
    if (words.empty()) {
        return refuse(error, "header", 0U, true);
    }
    if (words[0] == kEnd) {
        command.kind = CommandKind::kEnd;
        command.length_words = 1U;
        command.cost_cycles = kCommandCycles;
        return Status::kOk;
    }
    if (words[0] == kCopyRows) {
        return decode_rows(words, command, error);
    }
    if (((words[0] != kCopy) && (words[0] != kFill)) || (words.size() < kWords)) {
        return refuse(error, "header", 0U, true);
    }
    command.length_words = kWords;
    if (words[0] == kFill) {
        if (!command.extents.add(words[1], words[2], Access::kWrite, "destination")) {
            return refuse(error, "size_bytes", 2U, false);
        }
        if (words[3] > UINT8_MAX) {
            return refuse(error, "value", 3U, false);
        }
        command.kind = CommandKind::kFill;
        command.cost_cycles = move_cycles(words[2]);
        return Status::kOk;
    }
    if (!command.extents.add(words[2], words[3], Access::kRead, "source") ||
        !command.extents.add(words[1], words[3], Access::kWrite, "destination")) {
        return refuse(error, "size_bytes", 3U, false);
    }
    if (overlap(words[1], words[2], words[3])) {
        return refuse(error, "destination", 1U, false);
    }
    command.kind = CommandKind::kCopy;
    command.cost_cycles = move_cycles(words[3]);
    return Status::kOk;
}

// The NPU copies and fills by commands: it has no kernels.
pianola::KernelIdentity CommandSet::kernel(std::uint32_t /*id*/) const noexcept {
    return {};
}

// Addresses, and what a fill fills with.
PatchKind CommandSet::patch_kind(WordSpan words, std::uint32_t word) const noexcept {
    if ((words[0] == kCopy) || (words[0] == kCopyRows)) {
        return ((word == 1U) || (word == 2U)) ? PatchKind::kAddress : PatchKind::kNone;
    }
    if (words[0] == kFill) {
        return (word == 1U) ? PatchKind::kAddress : ((word == 3U) ? PatchKind::kValue : PatchKind::kNone);
    }
    return PatchKind::kNone;
}

std::uint32_t CommandSet::queue_words(const QueueCommand& /*command*/) const noexcept {
    return kWordsPerCommand;
}

std::uint64_t CommandSet::queue_cycles(const QueueCommand& command) const noexcept {
    return pianola::is_transfer(command.kind) ? move_cycles(command.size_bytes) : std::uint64_t{kCommandCycles};
}

// The device computes both in the same way, from what has arrived in its ring.
std::uint64_t CommandSet::seal(std::uint64_t digest, std::uint32_t number, std::uint64_t trace_digest,
                               QueueCommand& command) const noexcept {
    constexpr std::uint32_t kHalf = 32U;
    const std::uint64_t sum = chain_command(chain(0U, number), command);
    command.check = static_cast<std::uint32_t>(sum ^ (sum >> kHalf));
    const std::uint64_t executed = chain_command(digest, command);
    return (command.kind == QueueCommandKind::kReplay)
               ? chain(chain(executed, static_cast<std::uint32_t>(trace_digest)),
                       static_cast<std::uint32_t>(trace_digest >> kHalf))
               : executed;
}

// Every word that may not be patched.
std::uint64_t CommandSet::trace_digest(std::uint64_t digest, WordSpan words) const noexcept {
    std::uint64_t sum = digest;
    for (std::uint32_t word = 0U; word < words.size(); ++word) {
        if (patch_kind(words, word) == PatchKind::kNone) {
            sum = chain(sum, words[word]);
        }
    }
    return sum;
}

}  // namespace npu
