#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

constexpr std::uint32_t kWordBytes = 4U;

// Where a word of a trace lies in the file.
[[nodiscard]] std::uint32_t word_offset(const Context& context, const TraceView& trace, std::uint32_t word) noexcept {
    return context.image.envelope().traces.offset + trace.offset_bytes + (word * kWordBytes);
}

Status refuse_trace(Context& context, std::uint32_t index, const TraceView& trace, Rule rule, const char* field,
                    std::uint64_t actual, std::uint64_t limit) noexcept {
    context.verdict.path.enter("traces", index);
    context.verdict.path.enter(field);
    return refuse(context.verdict, rule, trace.file_offset, actual, limit);
}

// One command under proof.
struct CommandPlace {
    std::uint32_t trace;
    std::uint32_t command;  // counts from the trace's start
    std::uint32_t word;     // first word
};

Status refuse_command(Context& context, const CommandPlace& place, std::uint32_t word_in_command, Rule rule,
                      const char* field, std::uint64_t actual, std::uint64_t limit) noexcept {
    context.verdict.path.enter("traces", place.trace);
    context.verdict.path.enter("commands", place.command);
    context.verdict.path.enter(field);
    return refuse(context.verdict, rule,
                  word_offset(context, context.image.trace(place.trace), place.word + word_in_command), actual, limit);
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

Status check_extent(Context& context, const CommandPlace& place, const Extent& extent, std::uint32_t word) noexcept {
    const std::uint32_t region = find_region(context.plan, extent.address, extent.size_bytes);
    if (region >= context.plan.region_count) {
        return refuse_command(context, place, word, Rule::kTrcBounds, extent.field, extent.address, extent.size_bytes);
    }
    const RegionConfig& config = context.plan.regions[region];
    const bool writes = extent.access == Access::kWrite;
    if ((writes && !config.kernels_write) || (!writes && !config.kernels_read)) {
        return refuse_command(context, place, word, Rule::kTrcPermission, extent.field, extent.address,
                              extent.size_bytes);
    }
    if (!writes && !context.workspace.weights.contains(extent.address, extent.size_bytes) &&
        !context.workspace.written.contains(extent.address, extent.size_bytes)) {
        return refuse_command(context, place, word, Rule::kTrcUnwritten, extent.field, extent.address,
                              extent.size_bytes);
    }
    return Status::kOk;
}

// All reads of a command happen before its writes become readable.
Status check_extents(Context& context, const CommandPlace& place, WordSpan words,
                     const DecodedCommand& command) noexcept {
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
            return refuse_command(context, place, 0U, Rule::kCapIntervals, extent.field, kMaxIntervals, kMaxIntervals);
        }
    }
    return Status::kOk;
}

Status decode(Context& context, const CommandPlace& place, WordSpan words, DecodedCommand& command) noexcept {
    DecodeError error;
    const Status status = context.command_set.decode(words, command, error);
    if (is_ok(status)) {
        // A command set that breaks its own contract must not make the proof run on, or wrap.
        if ((command.length_words == 0U) || (command.length_words > words.size())) {
            return refuse_command(context, place, 0U, Rule::kTrcCommand, "header", command.length_words, words.size());
        }
        if (command.cost_cycles > kMaxStepCycles) {
            return refuse_command(context, place, 0U, Rule::kBudCeiling, "header", command.cost_cycles, kMaxStepCycles);
        }
        return Status::kOk;
    }
    const std::uint32_t word = (error.word < words.size()) ? error.word : 0U;
    const Rule rule =
        error.unknown_command ? Rule::kTrcCommand : (error.unknown_kernel ? Rule::kTrcKernel : Rule::kTrcArgument);
    return refuse_command(context, place, word, rule, error.field, words[word], 0U);
}

// Programs follow each other without gap, and end where the commands before the end command do.
Status check_programs(Context& context, std::uint32_t index, const TraceView& trace) noexcept {
    std::uint64_t covered = 0U;  // at most kMaxPrograms terms of 32 bits
    for (std::uint32_t i = 0U; i < trace.program_count; ++i) {
        const ProgramView program = context.image.program(index, i);
        if (program.command_count == 0U) {
            context.verdict.path.enter("traces", index);
            context.verdict.path.enter("programs", i);
            context.verdict.path.enter("command_count");
            return refuse(context.verdict, Rule::kTrcPrograms, program.file_offset, 0U, 1U);
        }
        covered += program.command_count;
    }
    if ((covered + 1U) != trace.command_count) {
        return refuse_trace(context, index, trace, Rule::kTrcPrograms, "programs", covered, trace.command_count - 1U);
    }
    return Status::kOk;
}

}  // namespace

Status check_trace_segment(Context& context) noexcept {
    const Segment& segment = context.image.envelope().traces;
    const ByteSpan bytes = context.image.trace_segment();
    std::uint32_t end_bytes = 0U;
    const std::uint32_t count = context.image.trace_count();
    for (std::uint32_t i = 0U; i < count; ++i) {
        const TraceView trace = context.image.trace(i);
        const std::uint32_t expected =
            (end_bytes + (kFileAlignmentBytes - 1U)) & ~(kFileAlignmentBytes - 1U);  // bounded by the segment's size
        if (trace.offset_bytes != expected) {
            return refuse_trace(context, i, trace, Rule::kTrcSegment, "offset_bytes", trace.offset_bytes, expected);
        }
        const bool counts = (trace.word_count >= 1U) && (trace.word_count <= kMaxTraceWords);
        if (!counts || !bytes.contains(expected, std::size_t{trace.word_count} * kWordBytes)) {
            return refuse_trace(context, i, trace, Rule::kTrcSegment, "word_count", trace.word_count, bytes.size());
        }
        for (std::uint32_t gap = end_bytes; gap < expected; ++gap) {
            if (bytes[gap] != 0U) {
                return refuse_trace(context, i, trace, Rule::kTrcSegment, "offset_bytes", bytes[gap], 0U);
            }
        }
        end_bytes = expected + (trace.word_count * kWordBytes);
    }
    if (end_bytes != segment.size_bytes) {
        context.verdict.path.enter("traces");
        return refuse(context.verdict, Rule::kTrcSegment, segment.offset, segment.size_bytes, end_bytes);
    }
    if (end_bytes > context.device.trace_region_bytes) {
        context.verdict.path.enter("traces");
        return refuse(context.verdict, Rule::kTrcRegion, segment.offset, end_bytes, context.device.trace_region_bytes);
    }
    return Status::kOk;
}

Status prove_trace(Context& context, std::uint32_t index) noexcept {
    const TraceView trace = context.image.trace(index);
    const WordSpan words = context.image.trace_words().subspan(trace.offset_bytes / kWordBytes, trace.word_count);
    std::uint32_t word = 0U;
    std::uint32_t commands = 0U;
    std::uint64_t cost_cycles = 0U;  // at most 2^20 commands of at most kMaxStepCycles
    bool ended = false;
    while ((word < trace.word_count) && !ended) {  // every command is at least one word long
        const CommandPlace place{index, commands, word};
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
        commands += 1U;
        cost_cycles += command.cost_cycles;
    }
    if (!ended || (word != trace.word_count)) {
        return refuse_trace(context, index, trace, Rule::kTrcEnd, "word_count", trace.word_count, word);
    }
    if (commands != trace.command_count) {
        return refuse_trace(context, index, trace, Rule::kTrcCount, "command_count", trace.command_count, commands);
    }
    if (cost_cycles != trace.cost_cycles) {
        return refuse_trace(context, index, trace, Rule::kTrcCost, "cost_cycles", trace.cost_cycles, cost_cycles);
    }
    return check_programs(context, index, trace);
}

}  // namespace pianola::proof
