#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

constexpr std::uint32_t kWordBytes = 4U;

[[nodiscard]] Place trace_place(std::uint32_t index, const TraceView& trace) noexcept {
    return Place{"traces", index, trace.file_offset};
}

// Refuses a field of a command, which lies in that word of it. `place` is the command's, at its first word.
Status refuse_word(const Context& context, const Place& place, std::uint32_t word, Rule rule, const char* field,
                   std::uint32_t actual, std::uint32_t limit) noexcept {
    Place exact = place;
    exact.file_offset += word * kWordBytes;
    return refuse_at(context, exact, rule, field, actual, limit);
}

// The word of a command that holds an extent's address; its header where none does.
[[nodiscard]] std::uint32_t word_holding(WordSpan words, std::uint32_t length_words, std::uint32_t address) noexcept {
    for (std::uint32_t i = 1U; i < length_words; ++i) {
        if (words[i] == address) {
            return i;
        }
    }
    return 0U;
}

Status check_extent(const Context& context, const Place& place, const Extent& extent, std::uint32_t word) noexcept {
    const std::uint32_t region = find_region(context.plan, extent.address, extent.size_bytes);
    const bool writes = extent.access == Access::kWrite;
    Rule rule = Rule::kTrcUnwritten;
    if (region >= context.plan.region_count) {
        rule = Rule::kTrcBounds;
    } else if (writes ? !context.plan.regions[region].kernels_write : !context.plan.regions[region].kernels_read) {
        rule = Rule::kTrcPermission;
    } else if (writes || context.workspace.weights.contains(extent.address, extent.size_bytes) ||
               context.workspace.written.contains(extent.address, extent.size_bytes)) {
        return Status::kOk;
    } else {
        // It reads what nobody has written.
    }
    return refuse_word(context, place, word, rule, extent.field, extent.address, extent.size_bytes);
}

// All reads of a command happen before its writes become readable.
Status check_extents(Context& context, const Place& place, WordSpan words, const DecodedCommand& command) noexcept {
    for (const Extent& extent : command.extents.view()) {
        const std::uint32_t word = word_holding(words, command.length_words, extent.address);
        const Status status = check_extent(context, place, extent, word);
        if (!is_ok(status)) {
            return status;
        }
    }
    for (const Extent& extent : command.extents.view()) {
        if ((extent.access == Access::kWrite) &&
            !is_ok(context.workspace.written.add(extent.address, extent.size_bytes))) {
            return refuse_at(context, place, Rule::kCapIntervals, extent.field, kMaxIntervals, kMaxIntervals);
        }
    }
    return Status::kOk;
}

Status decode(const Context& context, const Place& place, WordSpan words, DecodedCommand& command) noexcept {
    DecodeError error;
    const Status status = context.command_set.decode(words, command, error);
    if (!is_ok(status)) {
        const std::uint32_t word = (error.word < words.size()) ? error.word : 0U;
        const Rule rule =
            error.unknown_command ? Rule::kTrcCommand : (error.unknown_kernel ? Rule::kTrcKernel : Rule::kTrcArgument);
        return refuse_word(context, place, word, rule, error.field, words[word], 0U);
    }
    // A command set that breaks its own contract must not make the proof run on, or wrap.
    if ((command.length_words == 0U) || (command.length_words > words.size())) {
        return refuse_at(context, place, Rule::kTrcCommand, "header", command.length_words,
                         static_cast<std::uint32_t>(words.size()));
    }
    if (command.cost_cycles > kMaxStepCycles) {
        return refuse_wide_at(context, place, Rule::kBudCeiling, "header", command.cost_cycles, kMaxStepCycles);
    }
    return Status::kOk;
}

// Programs follow each other without gap, and end where the commands before the end command do.
Status check_programs(const Context& context, std::uint32_t index, const TraceView& trace) noexcept {
    std::uint64_t covered = 0U;  // at most kMaxPrograms terms of 32 bits
    for (std::uint32_t i = 0U; i < trace.program_count; ++i) {
        const ProgramView program = context.image.program(index, i);
        if (program.command_count == 0U) {
            return refuse_at(context, Place{"traces", index, program.file_offset, "programs", i}, Rule::kTrcPrograms,
                             "command_count", 0U, 1U);
        }
        covered += program.command_count;
    }
    if ((covered + 1U) != trace.command_count) {
        return refuse_wide_at(context, trace_place(index, trace), Rule::kTrcPrograms, "programs", covered,
                              trace.command_count - 1U);
    }
    return Status::kOk;
}

// One trace lies where the one before it ends, behind zeros up to the alignment. end_bytes moves to its end.
Status check_trace_bytes(const Context& context, std::uint32_t index, std::uint32_t& end_bytes) noexcept {
    const TraceView trace = context.image.trace(index);
    const Place place = trace_place(index, trace);
    const ByteSpan bytes = context.image.trace_segment();
    const std::uint32_t expected =
        (end_bytes + (kFileAlignmentBytes - 1U)) & ~(kFileAlignmentBytes - 1U);  // bounded by the segment's size
    if (trace.offset_bytes != expected) {
        return refuse_at(context, place, Rule::kTrcSegment, "offset_bytes", trace.offset_bytes, expected);
    }
    const bool counts = (trace.word_count >= 1U) && (trace.word_count <= kMaxTraceWords);
    if (!counts || !bytes.contains(expected, std::size_t{trace.word_count} * kWordBytes)) {
        return refuse_at(context, place, Rule::kTrcSegment, "word_count", trace.word_count,
                         static_cast<std::uint32_t>(bytes.size()));
    }
    for (const std::uint8_t gap : bytes.subspan(end_bytes, expected - end_bytes)) {
        if (gap != 0U) {
            return refuse_at(context, place, Rule::kTrcSegment, "offset_bytes", gap);
        }
    }
    end_bytes = expected + (trace.word_count * kWordBytes);
    return Status::kOk;
}

}  // namespace

WordSpan words_of(const Context& context, const TraceView& trace) noexcept {
    return context.image.trace_words().subspan(trace.offset_bytes / kWordBytes, trace.word_count);
}

Status check_trace_segment(Context& context) noexcept {
    std::uint32_t end_bytes = 0U;
    const std::uint32_t count = context.image.trace_count();
    for (std::uint32_t i = 0U; i < count; ++i) {
        const Status status = check_trace_bytes(context, i, end_bytes);
        if (!is_ok(status)) {
            return status;
        }
    }
    const Segment& segment = context.image.envelope().traces;
    const Place all{"traces", FieldPath::kNoIndex, segment.offset};
    if (end_bytes != segment.size_bytes) {
        return refuse_at(context, all, Rule::kTrcSegment, nullptr, segment.size_bytes, end_bytes);
    }
    if (end_bytes > context.device.trace_region_bytes) {
        return refuse_at(context, all, Rule::kTrcRegion, nullptr, end_bytes, context.device.trace_region_bytes);
    }
    return Status::kOk;
}

Status prove_trace(Context& context, std::uint32_t index) noexcept {
    const TraceView trace = context.image.trace(index);
    const WordSpan words = words_of(context, trace);
    Place place{"traces", index, context.image.envelope().traces.offset + trace.offset_bytes, "commands", 0U};
    std::uint32_t word = 0U;
    std::uint64_t cost_cycles = 0U;  // at most 2^20 commands of at most kMaxStepCycles
    bool ended = false;
    while ((word < trace.word_count) && !ended) {  // every command is at least one word long
        const WordSpan rest = words.subspan(word, trace.word_count - word);
        DecodedCommand command;
        const Status decoded = decode(context, place, rest, command);
        if (!is_ok(decoded)) {
            return decoded;
        }
        const Status extents = check_extents(context, place, rest, command);
        if (!is_ok(extents)) {
            return extents;
        }
        ended = command.kind == CommandKind::kEnd;
        word += command.length_words;
        place.file_offset += command.length_words * kWordBytes;
        place.inner_index += 1U;
        cost_cycles += command.cost_cycles;
    }
    const Place whole = trace_place(index, trace);
    const std::uint32_t commands = place.inner_index;
    if (!ended || (word != trace.word_count)) {
        return refuse_at(context, whole, Rule::kTrcEnd, "word_count", trace.word_count, word);
    }
    if (commands != trace.command_count) {
        return refuse_at(context, whole, Rule::kTrcCount, "command_count", trace.command_count, commands);
    }
    if (cost_cycles != trace.cost_cycles) {
        return refuse_wide_at(context, whole, Rule::kTrcCost, "cost_cycles", trace.cost_cycles, cost_cycles);
    }
    return check_programs(context, index, trace);
}

}  // namespace pianola::proof
