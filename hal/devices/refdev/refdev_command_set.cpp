#include "hal/devices/refdev/refdev_command_set.h"

#include "hal/devices/refdev/kernels/kernel.h"
#include "hal/devices/refdev/kernels/kernel_library.h"
#include "hal/devices/refdev/queue_command.h"
#include "pianola/config.h"

namespace pianola::refdev {
namespace {

Status refuse_word(DecodeError& error, const char* field, std::uint32_t word) noexcept {
    error.field = field;
    error.word = word;
    return Status::kRefused;
}

Status refuse_unknown(DecodeError& error, const char* field, std::uint32_t word) noexcept {
    error.unknown_command = true;
    return refuse_word(error, field, word);
}

// words must be exactly the command: the head, which ends with the kernel's id and its cost, then the arguments.
// `in_order`: an output may overlap an input.
Status decode_kernel(const CostModel& costs, bool in_order, WordSpan words, std::uint32_t head_words,
                     DecodedCommand& command, DecodeError& error) noexcept {
    if (words.size() < head_words) {
        return refuse_unknown(error, "header", 0U);
    }
    const std::uint32_t kernel_word = head_words - 2U;
    const std::uint32_t cost_word = head_words - 1U;
    const Kernel* const kernel = find_kernel(words[kernel_word]);
    if (kernel == nullptr) {
        error.unknown_kernel = true;
        return refuse_word(error, "kernel", kernel_word);
    }
    const WordSpan arguments = words.subspan(head_words, words.size() - head_words);
    if (arguments.size() != kernel->argument_words) {
        return refuse_unknown(error, "header", 0U);
    }
    ArgumentError argument_error;
    const Status described = kernel->describe(arguments, command.extents, argument_error);
    if (!is_ok(described) || (!in_order && (*argument_error.field != '\0'))) {
        return refuse_word(error, argument_error.field, head_words + argument_error.word);
    }
    command.cost_cycles = launch_cost(costs, *kernel, arguments, command.extents);
    if (words[cost_word] != command.cost_cycles) {
        return refuse_word(error, "cost_cycles", cost_word);
    }
    command.kernel_id = words[kernel_word];
    return Status::kOk;
}

Status decode_launch(const CostModel& costs, bool in_order, WordSpan words, DecodedCommand& command,
                     DecodeError& error) noexcept {
    const Status decoded = decode_kernel(costs, in_order, words, kLaunchHeadWords, command, error);
    command.kind = CommandKind::kLaunch;
    command.cost_cycles += costs.commands.launch;
    return decoded;
}

Status decode_dispatch(const CostModel& costs, WordSpan words, DecodedCommand& command, DecodeError& error) noexcept {
    const Status decoded = decode_kernel(costs, false, words, kDispatchHeadWords, command, error);
    if (is_ok(decoded) && (words[1] >= kMaxCores)) {
        return refuse_word(error, "core", 1U);
    }
    command.kind = CommandKind::kDispatch;
    command.core = is_ok(decoded) ? words[1] : 0U;
    if (costs.commands.cores_are_parallel) {
        command.core_cycles = command.cost_cycles;
        command.cost_cycles = 0U;
    }
    command.cost_cycles += std::uint64_t{costs.commands.launch} + costs.commands.dispatch;
    return decoded;
}

// `argument` is huge for words of the head.
[[nodiscard]] PatchKind kernel_patch_kind(std::uint32_t kernel_id, std::uint32_t argument) noexcept {
    const Kernel* const kernel = find_kernel(kernel_id);
    if ((kernel == nullptr) || (argument >= kernel->argument_words)) {
        return PatchKind::kNone;
    }
    if (((kernel->address_words >> argument) & 1U) != 0U) {
        return PatchKind::kAddress;
    }
    return (((kernel->value_words >> argument) & 1U) != 0U) ? PatchKind::kValue : PatchKind::kNone;
}

[[nodiscard]] constexpr bool overlap(std::uint32_t left, std::uint32_t right, std::uint32_t size_bytes) noexcept {
    return (left < right) ? ((right - left) < size_bytes) : ((left - right) < size_bytes);
}

Status decode_copy(const CommandCosts& costs, WordSpan words, DecodedCommand& command, DecodeError& error) noexcept {
    if (words.size() != kCopyWords) {
        return refuse_unknown(error, "header", 0U);
    }
    const std::uint32_t destination = words[1];
    const std::uint32_t source = words[2];
    const std::uint32_t size_bytes = words[3];
    if (!command.extents.add(source, size_bytes, Access::kRead, "source") ||
        !command.extents.add(destination, size_bytes, Access::kWrite, "destination")) {
        return refuse_word(error, "size_bytes", 3U);
    }
    if (overlap(destination, source, size_bytes)) {
        return refuse_word(error, "destination", 1U);
    }
    command.kind = CommandKind::kCopy;
    command.cost_cycles = move_cost(costs.copy, size_bytes);
    return Status::kOk;
}

Status decode_fill(const CommandCosts& costs, WordSpan words, DecodedCommand& command, DecodeError& error) noexcept {
    if (words.size() != kFillWords) {
        return refuse_unknown(error, "header", 0U);
    }
    if (!command.extents.add(words[1], words[2], Access::kWrite, "destination")) {
        return refuse_word(error, "size_bytes", 2U);
    }
    if (words[3] > UINT8_MAX) {
        return refuse_word(error, "value", 3U);
    }
    command.kind = CommandKind::kFill;
    command.cost_cycles = move_cost(costs.fill, words[2]);
    return Status::kOk;
}

Status decode_bare(WordSpan words, CommandKind kind, std::uint32_t cost_cycles, DecodedCommand& command,
                   DecodeError& error) noexcept {
    if (words.size() != 1U) {
        return refuse_unknown(error, "header", 0U);
    }
    command.kind = kind;
    command.cost_cycles = cost_cycles;
    return Status::kOk;
}

}  // namespace

Status RefdevCommandSet::decode(WordSpan words, DecodeState& /*state*/, DecodedCommand& command,
                                DecodeError& error) const noexcept {
    command.clear();
    error = DecodeError{};
    if (words.empty()) {
        return refuse_unknown(error, "header", 0U);
    }
    const std::uint32_t length_words = length_words_of(words[0]);
    if (((words[0] & kReservedMask) != 0U) || (length_words == 0U) || (length_words > kMaxCommandWords) ||
        (length_words > words.size())) {
        return refuse_unknown(error, "header", 0U);
    }
    command.length_words = length_words;
    const WordSpan exact = words.subspan(0U, length_words);
    switch (static_cast<Opcode>(words[0] & kOpcodeMask)) {
        case Opcode::kLaunch:
            return decode_launch(costs_, in_order_, exact, command, error);
        case Opcode::kDispatch:
            return decode_dispatch(costs_, exact, command, error);
        case Opcode::kCopy:
            return decode_copy(costs_.commands, exact, command, error);
        case Opcode::kFill:
            return decode_fill(costs_.commands, exact, command, error);
        case Opcode::kBarrier:
            return decode_bare(exact, CommandKind::kBarrier, costs_.commands.barrier, command, error);
        case Opcode::kEnd:
            return decode_bare(exact, CommandKind::kEnd, costs_.commands.end, command, error);
        case Opcode::kInvalid:
        case Opcode::kWrite:
        case Opcode::kRead:
        case Opcode::kReplay:
        case Opcode::kRecordEvent:
        case Opcode::kWaitEvent:
        case Opcode::kNotify:
        default:
            return refuse_unknown(error, "header", 0U);  // queue commands do not belong in traces
    }
}

KernelIdentity RefdevCommandSet::kernel(std::uint32_t id) const noexcept {
    const Kernel* const kernel = find_kernel(id);
    return (kernel != nullptr) ? KernelIdentity{kernel->version, kernel->argument_words, cost_version(costs_, *kernel)}
                               : KernelIdentity{};
}

PatchKind RefdevCommandSet::patch_kind(WordSpan words, std::uint32_t word) const noexcept {
    switch (static_cast<Opcode>(words[0] & kOpcodeMask)) {
        case Opcode::kLaunch:
            return kernel_patch_kind(words[1], word - kLaunchHeadWords);
        case Opcode::kDispatch:
            return kernel_patch_kind(words[2], word - kDispatchHeadWords);
        case Opcode::kCopy:
            return ((word == 1U) || (word == 2U)) ? PatchKind::kAddress : PatchKind::kNone;
        case Opcode::kFill:
            return (word == 1U) ? PatchKind::kAddress : ((word == 3U) ? PatchKind::kValue : PatchKind::kNone);
        case Opcode::kInvalid:
        case Opcode::kBarrier:
        case Opcode::kEnd:
        case Opcode::kWrite:
        case Opcode::kRead:
        case Opcode::kReplay:
        case Opcode::kRecordEvent:
        case Opcode::kWaitEvent:
        case Opcode::kNotify:
        default:
            return PatchKind::kNone;
    }
}

std::uint32_t RefdevCommandSet::queue_words(const QueueCommand& command) const noexcept {
    return word_count(command.kind);
}

std::uint64_t RefdevCommandSet::queue_cycles(const QueueCommand& command) const noexcept {
    return queue_cost(costs_.commands, command.kind, command.size_bytes);
}

std::uint64_t RefdevCommandSet::seal(std::uint64_t digest, std::uint32_t number, std::uint64_t trace_digest,
                                     QueueCommand& command) const noexcept {
    CommandSums sums{first_term(number), digest};
    give_words(command, sums);
    command.check = check_bits_of(sums.check);
    return (command.kind == QueueCommandKind::kReplay) ? chain_wide(sums.digest, trace_digest) : sums.digest;
}

// The header; for kernels the id, and the core if there is one.
std::uint64_t RefdevCommandSet::trace_digest(std::uint64_t digest, WordSpan words) const noexcept {
    const std::uint64_t with_header = chain(digest, words[0]);
    const auto opcode = static_cast<Opcode>(words[0] & kOpcodeMask);
    if (opcode == Opcode::kLaunch) {
        return chain(with_header, words[1]);
    }
    return (opcode == Opcode::kDispatch) ? chain(chain(with_header, words[2]), words[1]) : with_header;
}

}  // namespace pianola::refdev
