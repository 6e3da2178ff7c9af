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

// What a proof asks of one extent of a command.
struct ExtentCheck {
    const Place& place;
    WordSpan words;
    const TraceCommand& command;
};

Status refuse_extent(const Context& context, const ExtentCheck& check, const Extent& extent, Rule rule) noexcept {
    const std::uint32_t word = word_holding(check.words, check.command.decoded.length_words, extent.address);
    return refuse_word(context, check.place, word, rule, extent.field, extent.address, extent.size_bytes);
}

Status check_extent(const Context& context, const ExtentCheck& check, const Extent& extent) noexcept {
    const PlanWorkspace& workspace = context.workspace;
    const std::uint32_t region = find_region(context.plan, extent.address, extent.size_bytes);
    const bool writes = extent.access == Access::kWrite;
    Rule rule = Rule::kTrcUnwritten;
    if (region >= context.plan.region_count) {
        rule = Rule::kTrcBounds;
    } else if (writes ? (!context.plan.regions[region].kernels_write ||
                         (workspace.weights.largest_tag(extent.address, extent.size_bytes, 0U) != 0U))
                      : !context.plan.regions[region].kernels_read) {
        rule = Rule::kTrcPermission;
    } else if (writes || workspace.weights.contains(extent.address, extent.size_bytes) ||
               workspace.written.contains(extent.address, extent.size_bytes)) {
        return Status::kOk;
    } else {
        // It reads what nobody has written.
    }
    return refuse_extent(context, check, extent, rule);
}

// All reads of a command happen before its writes become readable.
Status check_extents(Context& context, const ExtentCheck& check) noexcept {
    const Span<const Extent> extents = check.command.decoded.extents.view();
    for (const Extent& extent : extents) {
        const Status status = check_extent(context, check, extent);
        if (!is_ok(status)) {
            return status;
        }
    }
    for (std::uint32_t i = 0U; i < extents.size(); ++i) {
        const bool varies = i == check.command.varying;
        const std::uint32_t address = varies ? check.command.certain_address : extents[i].address;
        const std::uint32_t size_bytes = varies ? check.command.certain_bytes : extents[i].size_bytes;
        if ((extents[i].access == Access::kWrite) && (size_bytes != 0U) &&
            !is_ok(context.workspace.written.assign(address, size_bytes, kWrittenTag))) {
            return refuse_at(context, check.place, Rule::kCapIntervals, extents[i].field, kMaxIntervals, kMaxIntervals);
        }
    }
    return Status::kOk;
}

// Cores of the grid inside one trace: which bytes they have touched since the last barrier, and when they are free again.
class Cores {
  public:
    explicit Cores(Context& context) noexcept
        : context_{context}, reads_{context.workspace.touched[0].reads}, writes_{context.workspace.touched[0].writes} {}

    // A command that is no dispatch starts when all cores are done.
    void join(std::uint64_t& cycles) noexcept {
        if (!idle_) {
            cycles = (last_cycles_ > cycles) ? last_cycles_ : cycles;
            idle_ = true;
        }
    }

    Status dispatch(const ExtentCheck& check, std::uint64_t cycles) noexcept {
        const DecodedCommand& command = check.command.decoded;
        const std::uint32_t cores = core_count(context_.device);
        if (command.core >= cores) {
            return refuse_word(context_, check.place, 1U, Rule::kTrcArgument, "core", command.core, cores);
        }
        if (idle_) {
            idle_ = false;
            reads_.clear();
            writes_.clear();
            context_.workspace.core_cycles.fill(0U);
        }
        std::uint64_t& free_cycles = context_.workspace.core_cycles[command.core];
        free_cycles = ((cycles > free_cycles) ? cycles : free_cycles) + command.core_cycles;
        last_cycles_ = (free_cycles > last_cycles_) ? free_cycles : last_cycles_;
        for (const Extent& extent : command.extents.view()) {
            const Status status = touch(check, extent, command.core + 1U);
            if (!is_ok(status)) {
                return status;
            }
        }
        return Status::kOk;
    }

  private:
    static constexpr std::uint32_t kSeveral = kMaxCores + 1U;  // tag of what more than one core has read

    Status touch(const ExtentCheck& check, const Extent& extent, std::uint32_t tag) noexcept {
        const bool writes = extent.access == Access::kWrite;
        if (!writes && context_.workspace.weights.contains(extent.address, extent.size_bytes)) {
            return Status::kOk;  // nobody writes there
        }
        const bool read_by_others = reads_.largest_tag(extent.address, extent.size_bytes, tag) != 0U;
        if ((writes_.largest_tag(extent.address, extent.size_bytes, tag) != 0U) || (writes && read_by_others)) {
            return refuse_extent(context_, check, extent, Rule::kTrcCoreRace);
        }
        IntervalMap& map = writes ? writes_ : reads_;
        if (!is_ok(map.assign(extent.address, extent.size_bytes, (!writes && read_by_others) ? kSeveral : tag))) {
            return refuse_at(context_, check.place, Rule::kCapIntervals, extent.field, kMaxIntervals, kMaxIntervals);
        }
        return Status::kOk;
    }

    Context& context_;
    IntervalMap& reads_;
    IntervalMap& writes_;
    std::uint64_t last_cycles_{0U};  // when the last core is free
    bool idle_{true};
};

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
    const std::uint64_t cycles = command.cost_cycles + command.core_cycles;
    if ((command.cost_cycles > kMaxStepCycles) || (cycles > kMaxStepCycles)) {
        return refuse_wide_at(context, place, Rule::kBudCeiling, "header", cycles, kMaxStepCycles);
    }
    return Status::kOk;
}

// Where a proof is inside a trace.
struct Position {
    WordSpan words;              // the whole trace
    std::uint32_t offset_bytes;  // of the trace in its segment, and in the trace region
    std::uint32_t trace;
    std::uint32_t word;     // first of the command
    std::uint32_t command;  // counts from 0

    [[nodiscard]] WordSpan rest() const noexcept { return words.subspan(word, words.size() - word); }
    [[nodiscard]] std::uint32_t command_offset_bytes() const noexcept { return offset_bytes + (word * kWordBytes); }
};

[[nodiscard]] Place place_of(const Context& context, const Position& position) noexcept {
    return Place{"traces", position.trace, context.image.envelope().traces.offset + position.command_offset_bytes(),
                 "commands", position.command};
}

Status decode_at(const Context& context, const Position& position, TraceCommand& command) noexcept {
    const WordSpan rest = position.rest();
    const Place place = place_of(context, position);
    const Status decoded = decode(context, place, rest, command.decoded);
    if (!is_ok(decoded) || (context.plan.parameter_count == 0U)) {
        return decoded;
    }
    return widen_command(context, place, rest.subspan(0U, command.decoded.length_words),
                         context.plan.trace_region_base + position.command_offset_bytes(), command);
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

Status decode_command(const Context& context, std::uint32_t trace, std::uint32_t word, TraceCommand& command) noexcept {
    const TraceView view = context.image.trace(trace);
    return decode_at(context, Position{words_of(context, view), view.offset_bytes, trace, word, 0U}, command);
}

Status prove_trace(Context& context, std::uint32_t index) noexcept {
    const TraceView trace = context.image.trace(index);
    Position position{words_of(context, trace), trace.offset_bytes, index, 0U, 0U};
    Cores cores{context};
    std::uint64_t cycles = 0U;  // at most 2^20 commands of at most kMaxStepCycles
    bool ended = false;
    while ((position.word < trace.word_count) && !ended) {  // every command is at least one word long
        TraceCommand command;
        const Status decoded = decode_at(context, position, command);
        if (!is_ok(decoded)) {
            return decoded;
        }
        const Place place = place_of(context, position);
        const ExtentCheck check{place, position.rest(), command};
        const Status extents = check_extents(context, check);
        if (!is_ok(extents)) {
            return extents;
        }
        const bool dispatches = command.decoded.kind == CommandKind::kDispatch;
        if (!dispatches) {
            cores.join(cycles);
        }
        cycles += command.decoded.cost_cycles;
        if (dispatches) {
            const Status dispatched = cores.dispatch(check, cycles);
            if (!is_ok(dispatched)) {
                return dispatched;
            }
        }
        ended = command.decoded.kind == CommandKind::kEnd;
        position.word += command.decoded.length_words;
        position.command += 1U;
    }
    const Place whole = trace_place(index, trace);
    if (!ended || (position.word != trace.word_count)) {
        return refuse_at(context, whole, Rule::kTrcEnd, "word_count", trace.word_count, position.word);
    }
    if (position.command != trace.command_count) {
        return refuse_at(context, whole, Rule::kTrcCount, "command_count", trace.command_count, position.command);
    }
    if (cycles != trace.cost_cycles) {
        return refuse_wide_at(context, whole, Rule::kTrcCost, "cost_cycles", trace.cost_cycles, cycles);
    }
    return check_programs(context, index, trace);
}

}  // namespace pianola::proof
