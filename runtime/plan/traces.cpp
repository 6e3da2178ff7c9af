#include "runtime/plan/cores.h"

namespace pianola::proof {
namespace {

// The command set gives this number; it may be wrong.
[[nodiscard]] std::uint32_t used_words(const DecodeState& state) noexcept {
    return (state.used < kMaxDecodeStateWords) ? state.used : kMaxDecodeStateWords;
}

}  // namespace

void clear_state(DecodeState& state) noexcept {
    for (std::uint32_t i = 0U; i < used_words(state); ++i) {
        state.words[i] = 0U;
    }
    state.used = 0U;
}

void copy_state(const DecodeState& other, DecodeState& state) noexcept {
    clear_state(state);
    state.used = used_words(other);
    for (std::uint32_t i = 0U; i < state.used; ++i) {
        state.words[i] = other.words[i];
    }
}

bool is_same_state(const DecodeState& state, const DecodeState& other) noexcept {
    bool is_same = used_words(state) == used_words(other);
    for (std::uint32_t i = 0U; is_same && (i < used_words(state)); ++i) {
        is_same = state.words[i] == other.words[i];
    }
    return is_same;
}

namespace {

constexpr std::uint32_t kWordBytes = 4U;

// The word of a command that holds an extent's address; its header if none does.
[[nodiscard]] std::uint32_t word_holding(WordSpan words, std::uint32_t length_words, std::uint32_t address) noexcept {
    for (std::uint32_t i = 1U; i < length_words; ++i) {
        if (words[i] == address) {
            return i;
        }
    }
    return 0U;
}

}  // namespace

bool refuse_word(Context& context, std::uint32_t word, Rule rule, const char* field, std::uint32_t actual,
                 std::uint32_t limit) noexcept {
    context.place.file_offset += word * kWordBytes;
    return is_passed_over(note_named_refusal(context, rule, field, actual, limit));
}

bool refuse_run(Context& context, const ExtentCheck& check, const ByteRun& run, Rule rule) noexcept {
    const std::uint32_t word = word_holding(check.words, check.command.decoded.length_words, run.address);
    return refuse_word(context, word, rule, run.field, run.address, run.size_bytes);
}

namespace {

// One run, or the hull of many.
bool check_run(Context& context, const ExtentCheck& check, const ByteRun& run) noexcept {
    const PlanWorkspace& workspace = context.workspace;
    const std::uint32_t region = find_region(context.plan, run.address, run.size_bytes);
    const bool writes = run.access == Access::kWrite;
    Rule rule = Rule::kTrcUnwritten;
    if (region >= context.plan.region_count) {
        rule = Rule::kTrcBounds;
    } else if (writes ? (!context.plan.regions[region].kernels_write ||
                         (workspace.weights.largest_tag(run.address, run.size_bytes, 0U) != 0U))
                      : !context.plan.regions[region].kernels_read) {
        rule = Rule::kTrcPermission;
    } else if (writes || reads_weights(context, run) || workspace.written.contains(run.address, run.size_bytes)) {
        return true;
    } else {
        // It reads bytes that were never written.
    }
    return refuse_run(context, check, run, rule);
}

// All reads of a command happen before its writes become readable. Bytes that it certainly writes count as written from
// here on, but not the gaps of runs that are represented by their hull.
bool check_extents(Context& context, const ExtentCheck& check) noexcept {
    Runs touched{check.command};
    while (touched.next()) {
        note_use(context, touched.run(), check.use);
        if (!take_work(context, kWorkPerExtent) || !check_run(context, check, touched.run())) {
            return false;
        }
    }
    Runs written{check.command};
    while (written.next()) {
        if (written.run().access != Access::kWrite) {
            continue;
        }
        const ByteRun run = written.certain();
        if ((run.size_bytes != 0U) && !assign(context, context.workspace.written, run, kWrittenTag)) {
            return false;
        }
    }
    return true;
}

bool decode(Context& context, WordSpan words, DecodedCommand& command) noexcept {
    DecodeError error;
    if (!is_ok(context.command_set.decode(words, context.workspace.state, command, error))) {
        const std::uint32_t word = (error.word < words.size()) ? error.word : 0U;
        const Rule rule =
            error.unknown_command ? Rule::kTrcCommand : (error.unknown_kernel ? Rule::kTrcKernel : Rule::kTrcArgument);
        return refuse_word(context, word, rule, error.field, words[word], 0U);
    }
    // A command set that breaks its contract must not make the proof run past the end, or wrap.
    if ((command.length_words == 0U) || (command.length_words > words.size()) ||
        (command.kind == CommandKind::kUnspecified) || (command.kind > CommandKind::kDispatch)) {
        return refuse_at(context, Rule::kTrcCommand, Field::kHeader, command.length_words,
                         static_cast<std::uint32_t>(words.size()));
    }
    return ((command.cost_cycles <= kMaxScriptCycles) &&
            (command.core_cycles <= (kMaxScriptCycles - command.cost_cycles)))
               ? true
               : refuse_wide_at(context, Rule::kBudCeiling, Field::kHeader, command.cost_cycles, kMaxScriptCycles);
}

// What a command launches has been compared with the command set's: the binary names it.
bool check_kernel(Context& context, const DecodedCommand& command) noexcept {
    const bool launches = (command.kind == CommandKind::kLaunch) || (command.kind == CommandKind::kDispatch);
    return (!launches || context.image.names_kernel(command.kernel_id))
               ? true
               : refuse_at(context, Rule::kTrcKernelNamed, Field::kKernel, command.kernel_id);
}

// Programs follow each other without gap, and end where the commands before the end command do.
bool check_programs(Context& context, std::uint32_t index, const TraceView& trace) noexcept {
    std::uint64_t covered = 0U;  // at most kMaxPrograms terms of 32 bits
    for (std::uint32_t i = 0U; i < trace.program_count; ++i) {
        const ProgramView program = context.image.program(index, i);
        if (program.command_count == 0U) {
            enter_inner(context, Field::kPrograms, i, program.file_offset);
            return refuse_at(context, Rule::kTrcPrograms, Field::kCommandCount, 0U, 1U);
        }
        covered += program.command_count;
    }
    return ((covered + 1U) == trace.command_count)
               ? true
               : refuse_wide_at(context, Rule::kTrcPrograms, Field::kPrograms, covered, trace.command_count - 1U);
}

// A trace begins where the previous one ends, after zeros up to the alignment. end_bytes moves to its end.
bool check_trace_bytes(Context& context, std::uint32_t index, std::uint32_t& end_bytes) noexcept {
    const TraceView trace = context.image.trace(index);
    const ByteSpan bytes = context.image.trace_segment();
    const std::uint32_t expected =
        (end_bytes + (kFileAlignmentBytes - 1U)) & ~(kFileAlignmentBytes - 1U);  // bounded by the segment's size
    enter(context, Field::kTraces, index, trace.file_offset);
    if (trace.offset_bytes != expected) {
        return refuse_at(context, Rule::kTrcSegment, Field::kOffsetBytes, trace.offset_bytes, expected);
    }
    const bool counts = (trace.word_count >= 1U) && (trace.word_count <= kMaxTraceWords);
    if (!counts || !bytes.contains(expected, std::size_t{trace.word_count} * kWordBytes)) {
        return refuse_at(context, Rule::kTrcSegment, Field::kWordCount, trace.word_count,
                         static_cast<std::uint32_t>(bytes.size()));
    }
    for (const std::uint8_t gap : bytes.subspan(end_bytes, expected - end_bytes)) {
        if (gap != 0U) {
            return refuse_at(context, Rule::kTrcSegment, Field::kOffsetBytes, gap);
        }
    }
    end_bytes = expected + (trace.word_count * kWordBytes);
    return true;
}

}  // namespace

TracePosition first_of(Context& context, std::uint32_t index, const TraceView& trace) noexcept {
    clear_state(context.workspace.state);
    return TracePosition{context.image.trace_words().subspan(trace.offset_bytes / kWordBytes, trace.word_count),
                         trace.offset_bytes, index, 0U,
                         first_point(context, context.plan.trace_region_base + trace.offset_bytes)};
}

bool decode_at(Context& context, const TracePosition& position, TraceCommand& command) noexcept {
    enter_command(context, Field::kTraces, position.trace, position.command,
                  context.image.envelope().traces.offset + position.offset_bytes);
    if (context.plan.parameter_count != 0U) {
        keep_state(context);
    }
    command.decoded.extents.clear();  // what an earlier command has written must not count as this one's
    return decode(context, position.words, command.decoded) &&
           take_work(context, kWorkPerCommand + command.decoded.length_words) &&
           ((context.plan.parameter_count == 0U) || widen_command(context, position, command));
}

void advance(TracePosition& position, const TraceCommand& command) noexcept {
    const std::uint32_t length_words = command.decoded.length_words;
    position.words = position.words.subspan(length_words, position.words.size() - length_words);
    position.offset_bytes += length_words * kWordBytes;
    position.command += 1U;
    position.point += command.patched;
}

bool check_trace_segment(Context& context) noexcept {
    std::uint32_t end_bytes = 0U;
    const std::uint32_t count = context.image.trace_count();
    for (std::uint32_t i = 0U; i < count; ++i) {
        if (!check_trace_bytes(context, i, end_bytes)) {
            return false;
        }
    }
    const Segment& segment = context.image.envelope().traces;
    enter(context, Field::kTraces, segment.offset);
    if (end_bytes != segment.size_bytes) {
        return refuse_at(context, Rule::kTrcSegment, Field::kNone, segment.size_bytes, end_bytes);
    }
    return (end_bytes <= context.device.trace_region_bytes)
               ? true
               : refuse_at(context, Rule::kTrcRegion, Field::kNone, end_bytes, context.device.trace_region_bytes);
}

bool prove_trace(Context& context, std::uint32_t index) noexcept {
    const TraceView trace = context.image.trace(index);
    TracePosition position = first_of(context, index, trace);
    Cores cores{context};
    std::uint64_t digest = 0U;
    std::uint64_t cycles = 0U;  // at most kMaxTraceWords commands of at most kMaxScriptCycles
    bool ended = false;
    TraceCommand command;
    while (!position.words.empty() && !ended) {  // every command is at least one word long
        const ExtentCheck check{position.words, command, context.workspace.uses[index]};
        if (!decode_at(context, position, command) || !check_kernel(context, command.decoded) ||
            !check_extents(context, check)) {
            return false;
        }
        const bool dispatches = command.decoded.kind == CommandKind::kDispatch;
        if (!dispatches) {
            cores.join(cycles);
        }
        cycles += command.decoded.cost_cycles;
        if (dispatches && !cores.dispatch(check, cycles)) {
            return false;
        }
        ended = command.decoded.kind == CommandKind::kEnd;
        digest = context.command_set.trace_digest(digest, position.words.subspan(0U, command.decoded.length_words));
        advance(position, command);
    }
    context.plan.trace_digests[index] = digest;
    enter(context, Field::kTraces, index, trace.file_offset);
    if (!ended || !position.words.empty()) {
        return refuse_at(context, Rule::kTrcEnd, Field::kWordCount, trace.word_count,
                         trace.word_count - static_cast<std::uint32_t>(position.words.size()));
    }
    if (position.command != trace.command_count) {
        return refuse_at(context, Rule::kTrcCount, Field::kCommandCount, trace.command_count, position.command);
    }
    if (cycles != trace.cost_cycles) {
        return refuse_wide_at(context, Rule::kTrcCost, Field::kCostCycles, trace.cost_cycles, cycles);
    }
    return check_programs(context, index, trace);
}

}  // namespace pianola::proof
