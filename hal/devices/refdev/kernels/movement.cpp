// Kernels that move elements without computing.
#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "hal/devices/refdev/kernels/library_turns.h"

namespace pianola::refdev {
Status describe_copy(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<CopyArguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const CopyArguments a = arguments_from_words<CopyArguments>(arguments);
    const bool accepted =
        check.operand(word_of(offsetof(CopyArguments, source)), a.size_bytes, Access::kRead) &&
        check.operand(word_of(offsetof(CopyArguments, destination)), a.size_bytes, Access::kWrite) &&
        check.output_placed(word_of(offsetof(CopyArguments, destination)), LaunchCheck::Placement::kApart);
    return check.finish(accepted);
}

void work_copy(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const CopyArguments a = arguments_from_words<CopyArguments>(arguments);
    work.operations = 0U;
    CopyTurns copies;
    copies.add(1U, a.size_bytes);
    work.turns = {1U, copies.short_bytes, copies.large, copies.blocks, copies.words, copies.later_bytes};
}

Status compute_copy(WordSpan arguments, const BoundOperands& bound) noexcept {
    const CopyArguments a = arguments_from_words<CopyArguments>(arguments);
    std::memcpy(bound.output, bound.inputs[0], a.size_bytes);
    return Status::kOk;
}

namespace {

constexpr std::uint32_t kPatternBytes = sizeof(FillArguments::pattern);

}  // namespace

Status describe_fill(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<FillArguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const FillArguments a = arguments_from_words<FillArguments>(arguments);
    const bool accepted =
        check.require((a.size_bytes % kPatternBytes) == 0U, word_of(offsetof(FillArguments, size_bytes))) &&
        check.require((a.destination % kPatternBytes) == 0U, word_of(offsetof(FillArguments, destination))) &&
        check.operand(word_of(offsetof(FillArguments, destination)), a.size_bytes, Access::kWrite);
    return check.finish(accepted);
}

void work_fill(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const FillArguments a = arguments_from_words<FillArguments>(arguments);
    work.operations = 0U;
    work.turns = {1U, a.size_bytes / kPatternBytes};
}

Status compute_fill(WordSpan arguments, const BoundOperands& bound) noexcept {
    const FillArguments a = arguments_from_words<FillArguments>(arguments);
    for (std::uint32_t at = 0U; at < a.size_bytes; at += kPatternBytes) {
        std::memcpy(bound.output + at, &a.pattern, kPatternBytes);
    }
    return Status::kOk;
}

namespace {

constexpr std::uint32_t kSegmentWords = kArgumentWords<GatherSegment>;

[[nodiscard]] constexpr std::uint32_t first_word_of(std::uint32_t segment) noexcept {
    return word_of(offsetof(GatherArguments, segments)) + (segment * kSegmentWords);
}

// From the first byte of the first row to the last byte of the last. Fits 64 bits: rows and bytes are below 2^31.
[[nodiscard]] std::uint64_t segment_bytes(const GatherSegment& segment, std::uint32_t rows) noexcept {
    return (static_cast<std::uint64_t>(rows - 1U) * segment.stride_bytes) + segment.bytes;
}

[[nodiscard]] bool is_segment_accepted(LaunchCheck& check, const GatherArguments& a, std::uint32_t index) noexcept {
    const GatherSegment& segment = a.segments[index];
    const std::uint32_t word = first_word_of(index);
    if (index < a.segment_count) {
        return check.require(segment.bytes != 0U, word + word_of(offsetof(GatherSegment, bytes))) &&
               check.operand(word + word_of(offsetof(GatherSegment, address)), segment_bytes(segment, a.rows),
                             Access::kRead);
    }
    return check.require(segment.address == 0U, word + word_of(offsetof(GatherSegment, address))) &&
           check.require(segment.stride_bytes == 0U, word + word_of(offsetof(GatherSegment, stride_bytes))) &&
           check.require(segment.bytes == 0U, word + word_of(offsetof(GatherSegment, bytes)));
}

}  // namespace

Status describe_gather(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<GatherArguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const GatherArguments a = arguments_from_words<GatherArguments>(arguments);
    bool segments_accepted = true;
    std::uint64_t row_bytes = 0U;
    for (std::uint32_t i = 0U; segments_accepted && (i < kMaxGatherSegments); ++i) {
        segments_accepted = is_segment_accepted(check, a, i);
        row_bytes += a.segments[i].bytes;
    }
    const bool accepted =
        segments_accepted &&
        check.operand(word_of(offsetof(GatherArguments, destination)), bounded_product(row_bytes, a.rows),
                      Access::kWrite) &&
        check.output_placed(word_of(offsetof(GatherArguments, destination)), LaunchCheck::Placement::kApart);
    return check.finish(accepted);
}

void work_gather(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const GatherArguments a = arguments_from_words<GatherArguments>(arguments);
    work.operations = std::uint64_t{a.rows} * a.segment_count;
    CopyTurns copies;
    for (std::uint32_t i = 0U; i < a.segment_count; ++i) {
        copies.add(a.rows, a.segments[i].bytes);
    }
    work.turns = {1U,           a.segment_count, a.rows,        copies.short_calls, copies.short_bytes,
                  copies.calls, copies.large,    copies.blocks, copies.words,       copies.later_bytes};
}

Status compute_gather(WordSpan arguments, const BoundOperands& bound) noexcept {
    const GatherArguments a = arguments_from_words<GatherArguments>(arguments);
    std::int8_t* destination = bound.output;
    for (std::size_t row = 0U; row < a.rows; ++row) {
        for (std::uint32_t i = 0U; i < a.segment_count; ++i) {
            const GatherSegment& segment = a.segments[i];
            std::memcpy(destination, bound.inputs[i] + (row * segment.stride_bytes), segment.bytes);
            destination += segment.bytes;
        }
    }
    return Status::kOk;
}

namespace {

constexpr std::uint32_t kPadRank = 4U;

// memset() is counted as memcpy(): it sets words and blocks of them, and bytes before and after these.
void add_pads(CopyTurns& turns, std::uint64_t count, std::uint64_t before, std::uint64_t after) noexcept {
    for (const std::uint64_t size_bytes : {before, after}) {
        if (size_bytes != 0U) {
            turns.add(count, size_bytes);
        }
    }
}

[[nodiscard]] std::uint32_t padded_size(const PadArguments& a, std::uint32_t axis) noexcept {
    return a.before[axis] + a.dims[axis] + a.after[axis];
}

[[nodiscard]] std::uint64_t unpadded_bytes(const PadArguments& a) noexcept {
    return bounded_product(a.dims[0], a.dims[1], a.dims[2], a.dims[3], a.element_bytes);
}
[[nodiscard]] std::uint64_t padded_bytes(const PadArguments& a) noexcept {
    return bounded_product(padded_size(a, 0U), padded_size(a, 1U), padded_size(a, 2U), padded_size(a, 3U),
                           a.element_bytes);
}

// All padding may come before the input's last row, and no row is copied over itself.
[[nodiscard, gnu::noinline]] Lead lead_of_pad(const PadArguments& a) noexcept {
    return {(padded_bytes(a) - unpadded_bytes(a)) + (std::uint64_t{a.dims[3]} * a.element_bytes), 1U};
}

// Writes the output from its first byte to its last.
class PadWriter {
  public:
    PadWriter(const PadArguments& arguments, const BoundOperands& bound) noexcept
        : arguments_{arguments}, input_{bound.inputs[0]}, output_{bound.output} {}

    void pad(std::size_t elements) noexcept {
        if (arguments_.element_bytes == 1U) {
            std::memset(output_, arguments_.value, elements);
            output_ += elements;
            return;
        }
        for (std::size_t i = 0U; i < elements; ++i) {
            std::memcpy(output_, &arguments_.value, arguments_.element_bytes);
            output_ += arguments_.element_bytes;
        }
    }
    void copy(std::size_t elements) noexcept {
        const std::size_t size_bytes = elements * arguments_.element_bytes;
        std::memcpy(output_, input_, size_bytes);
        input_ += size_bytes;
        output_ += size_bytes;
    }

  private:
    const PadArguments& arguments_;
    const std::int8_t* input_;
    std::int8_t* output_;
};

}  // namespace

Status describe_pad(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<PadArguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const PadArguments a = arguments_from_words<PadArguments>(arguments);
    const bool accepted =
        check.operand(word_of(offsetof(PadArguments, input)), unpadded_bytes(a), Access::kRead) &&
        check.operand(word_of(offsetof(PadArguments, output)), padded_bytes(a), Access::kWrite) &&
        (check.output_placed(word_of(offsetof(PadArguments, output)), LaunchCheck::Placement::kApart) ||
         check.output_follows(lead_of_pad(a)));
    return check.finish(accepted);
}

void work_pad(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const PadArguments a = arguments_from_words<PadArguments>(arguments);
    work.operations = 0U;
    // Elements of one step along each axis of the output, as below.
    const std::uint64_t line = padded_size(a, 3U);
    const std::uint64_t plane = bounded_product(line, padded_size(a, 2U));
    const std::uint64_t volume = bounded_product(plane, padded_size(a, 1U));
    const std::uint64_t planes = bounded_product(a.dims[0], a.dims[1]);
    const std::uint64_t rows = bounded_product(planes, a.dims[2]);
    CopyTurns copies;
    copies.add(rows, std::uint64_t{a.dims[3]} * a.element_bytes);
    const bool is_bytes = a.element_bytes == 1U;
    CopyTurns pads;
    if (is_bytes) {
        add_pads(pads, 1U, a.before[0] * volume, a.after[0] * volume);
        add_pads(pads, a.dims[0], a.before[1] * plane, a.after[1] * plane);
        add_pads(pads, planes, a.before[2] * line, a.after[2] * line);
        add_pads(pads, rows, a.before[3], a.after[3]);
    }
    const std::uint64_t elements =
        is_bytes ? 0U : (bounded_product(volume, padded_size(a, 0U)) - bounded_product(rows, a.dims[3]));
    const std::uint64_t nests = a.dims[0] + planes;
    work.turns = {1U,
                  is_bytes ? nests : 0U,
                  is_bytes ? 0U : nests,
                  is_bytes ? rows : 0U,
                  is_bytes ? 0U : rows,
                  copies.short_bytes,
                  copies.later_bytes,
                  copies.large,
                  copies.blocks,
                  copies.words,
                  pads.short_calls,
                  pads.short_bytes,
                  pads.calls,
                  (pads.large * (CopyTurns::kLargeBytes / CopyTurns::kBlockBytes)) + pads.blocks,
                  pads.words,
                  elements,
                  elements * a.element_bytes};
}

Status compute_pad(WordSpan arguments, const BoundOperands& bound) noexcept {
    const PadArguments a = arguments_from_words<PadArguments>(arguments);
    // Elements of one step along each axis of the output.
    std::array<std::size_t, kPadRank> step{};
    step[3] = 1U;
    step[2] = padded_size(a, 3U);
    step[1] = step[2] * padded_size(a, 2U);
    step[0] = step[1] * padded_size(a, 1U);
    PadWriter writer{a, bound};
    writer.pad(a.before[0] * step[0]);
    for (std::uint32_t i = 0U; i < a.dims[0]; ++i) {
        writer.pad(a.before[1] * step[1]);
        for (std::uint32_t j = 0U; j < a.dims[1]; ++j) {
            writer.pad(a.before[2] * step[2]);
            for (std::uint32_t k = 0U; k < a.dims[2]; ++k) {
                writer.pad(a.before[3]);
                writer.copy(a.dims[3]);
                writer.pad(a.after[3]);
            }
            writer.pad(a.after[2] * step[2]);
        }
        writer.pad(a.after[1] * step[1]);
    }
    writer.pad(a.after[0] * step[0]);
    return Status::kOk;
}

namespace {

// Memory may hold any index: the nearest existing entry replaces a missing one.
[[nodiscard]] std::size_t entry_of(const std::int8_t* indices, std::size_t position, std::uint32_t entries) noexcept {
    std::int32_t index = 0;
    std::memcpy(&index, indices + (position * sizeof(index)), sizeof(index));
    if (index < 0) {
        return 0U;
    }
    const auto entry = static_cast<std::uint32_t>(index);
    return (entry < entries) ? entry : (entries - 1U);
}

}  // namespace

Status describe_take(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<TakeArguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const TakeArguments a = arguments_from_words<TakeArguments>(arguments);
    const std::uint64_t pieces = bounded_product(a.batches, a.outer, a.count);
    const bool accepted =
        check.require((a.indices % sizeof(std::int32_t)) == 0U, word_of(offsetof(TakeArguments, indices))) &&
        check.operand(word_of(offsetof(TakeArguments, input)),
                      bounded_product(a.batches, a.outer, a.entries, a.entry_bytes), Access::kRead) &&
        check.operand(word_of(offsetof(TakeArguments, indices)),
                      bounded_product(a.batches, a.count, sizeof(std::int32_t)), Access::kRead) &&
        check.operand(word_of(offsetof(TakeArguments, output)), bounded_product(pieces, a.entry_bytes),
                      Access::kWrite) &&
        check.output_placed(word_of(offsetof(TakeArguments, output)), LaunchCheck::Placement::kApart);
    return check.finish(accepted);
}

void work_take(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const TakeArguments a = arguments_from_words<TakeArguments>(arguments);
    work.operations = bounded_product(a.batches, a.outer, a.count);
    CopyTurns copies;
    copies.add(work.operations, a.entry_bytes);
    work.turns = {1U,
                  a.batches,
                  bounded_product(a.batches, a.outer),
                  copies.short_calls,
                  copies.short_bytes,
                  copies.calls,
                  copies.large,
                  copies.blocks,
                  copies.words,
                  copies.later_bytes};
}

Status compute_take(WordSpan arguments, const BoundOperands& bound) noexcept {
    const TakeArguments a = arguments_from_words<TakeArguments>(arguments);
    const std::int8_t* input = bound.inputs[0];
    const std::int8_t* indices = bound.inputs[1];
    std::int8_t* output = bound.output;
    const std::size_t table_bytes = static_cast<std::size_t>(a.entries) * a.entry_bytes;
    for (std::uint32_t batch = 0U; batch < a.batches; ++batch) {
        for (std::uint32_t i = 0U; i < a.outer; ++i) {
            for (std::uint32_t position = 0U; position < a.count; ++position) {
                const std::size_t entry = entry_of(indices, position, a.entries);
                std::memcpy(output, input + (entry * a.entry_bytes), a.entry_bytes);
                output += a.entry_bytes;
            }
            input += table_bytes;
        }
        indices += static_cast<std::size_t>(a.count) * sizeof(std::int32_t);
    }
    return Status::kOk;
}

namespace {

constexpr std::size_t kInnermost = kViewRank - 1U;

[[nodiscard]] std::uint32_t magnitude(std::int32_t stride) noexcept {
    const auto word = static_cast<std::uint32_t>(stride);
    return (stride < 0) ? (0U - word) : word;
}

// Distance of the first and the last element along `axis`, or a number above kMaxOperandBytes if it is larger.
[[nodiscard]] std::uint64_t reach_bytes(const ViewArguments& a, std::size_t axis) noexcept {
    return bounded_product(a.dims[axis] - 1U, magnitude(a.strides[axis]));
}

[[nodiscard]] std::uint64_t hull_bytes(const ViewArguments& a) noexcept {
    std::uint64_t bytes = a.element_bytes;
    for (std::size_t axis = 0U; axis < kViewRank; ++axis) {
        bytes += reach_bytes(a, axis);
    }
    return bytes;
}

// Offset of the element of index 0 in the hull.
[[nodiscard]] std::size_t first_element(const ViewArguments& a) noexcept {
    std::uint64_t offset = 0U;
    for (std::size_t axis = 0U; axis < kViewRank; ++axis) {
        offset += (a.strides[axis] < 0) ? reach_bytes(a, axis) : 0U;
    }
    return static_cast<std::size_t>(offset);
}

// A stride to add to an offset; a negative one wraps, as the sum then does.
[[nodiscard]] std::size_t step_of(const ViewArguments& a, std::size_t axis) noexcept {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(a.strides[axis]));
}

// Offsets of the rows of innermost elements, in the order of the output.
class Rows {
  public:
    explicit Rows(const ViewArguments& arguments) noexcept : arguments_{arguments}, offset_{first_element(arguments)} {}

    [[nodiscard]] std::size_t offset() const noexcept { return offset_; }

    void next() noexcept {
        bool carries = true;
        for (std::size_t i = kInnermost; carries && (i > 0U); --i) {
            const std::size_t axis = i - 1U;
            offset_ += step_of(arguments_, axis);
            index_[axis] += 1U;
            carries = index_[axis] == arguments_.dims[axis];
            if (carries) {
                offset_ -= step_of(arguments_, axis) * arguments_.dims[axis];
                index_[axis] = 0U;
            }
        }
    }

  private:
    const ViewArguments& arguments_;
    std::array<std::uint32_t, kInnermost> index_{};
    std::size_t offset_;
};

// One row; with a constant size the compiler emits a move for each element.
template <std::size_t kBytes>
void copy_row(std::int8_t* output, const std::int8_t* input, std::size_t offset, const ViewArguments& a) noexcept {
    for (std::uint32_t i = 0U; i < a.dims[kInnermost]; ++i) {
        std::memcpy(output, input + offset, kBytes);
        output += kBytes;
        offset += step_of(a, kInnermost);
    }
}

void copy_row_of_any(std::int8_t* output, const std::int8_t* input, std::size_t offset,
                     const ViewArguments& a) noexcept {
    for (std::uint32_t i = 0U; i < a.dims[kInnermost]; ++i) {
        std::memcpy(output, input + offset, a.element_bytes);
        output += a.element_bytes;
        offset += step_of(a, kInnermost);
    }
}

void copy_row_by_size(std::int8_t* output, const std::int8_t* input, std::size_t offset,
                      const ViewArguments& a) noexcept {
    switch (a.element_bytes) {
        case sizeof(std::uint8_t):
            copy_row<sizeof(std::uint8_t)>(output, input, offset, a);
            break;
        case sizeof(std::uint16_t):
            copy_row<sizeof(std::uint16_t)>(output, input, offset, a);
            break;
        case sizeof(std::uint32_t):
            copy_row<sizeof(std::uint32_t)>(output, input, offset, a);
            break;
        default:
            copy_row_of_any(output, input, offset, a);
            break;
    }
}

}  // namespace

Status describe_view(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<ViewArguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const ViewArguments a = arguments_from_words<ViewArguments>(arguments);
    const std::uint64_t elements =
        bounded_product(a.dims[0], a.dims[1], a.dims[2], a.dims[3], a.dims[4], a.dims[kInnermost]);
    const bool accepted = check.operand(word_of(offsetof(ViewArguments, input)), hull_bytes(a), Access::kRead) &&
                          check.operand(word_of(offsetof(ViewArguments, output)),
                                        bounded_product(elements, a.element_bytes), Access::kWrite) &&
                          check.output_placed(word_of(offsetof(ViewArguments, output)), LaunchCheck::Placement::kApart);
    return check.finish(accepted);
}

void work_view(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const ViewArguments a = arguments_from_words<ViewArguments>(arguments);
    work.operations = bounded_product(a.dims[0], a.dims[1], a.dims[2], a.dims[3], a.dims[4], a.dims[kInnermost]);
    // Steps of each axis but the innermost.
    std::uint64_t rows = 1U;
    std::uint64_t steps = 0U;
    for (std::size_t axis = 0U; axis < kInnermost; ++axis) {
        rows = bounded_product(rows, a.dims[axis]);
        steps += rows;
    }
    work.turns = {1U, rows, steps};
    CopyTurns copies;
    switch (a.element_bytes) {
        case sizeof(std::uint8_t):
            work.turns[3] = work.operations;
            break;
        case sizeof(std::uint16_t):
            work.turns[4] = work.operations;
            break;
        case sizeof(std::uint32_t):
            work.turns[5] = work.operations;
            break;
        default:
            copies.add(work.operations, a.element_bytes);
            work.turns[12] = rows;
            break;
    }
    work.turns[6] = copies.short_calls;
    work.turns[7] = copies.short_bytes;
    work.turns[8] = copies.calls;
    work.turns[9] = copies.large;
    work.turns[10] = copies.blocks;
    work.turns[11] = copies.words;
    work.turns[13] = copies.later_bytes;
}

Status compute_view(WordSpan arguments, const BoundOperands& bound) noexcept {
    const ViewArguments a = arguments_from_words<ViewArguments>(arguments);
    const std::size_t row_count = static_cast<std::size_t>(a.dims[0]) * a.dims[1] * a.dims[2] * a.dims[3] * a.dims[4];
    const std::size_t row_bytes = static_cast<std::size_t>(a.dims[kInnermost]) * a.element_bytes;
    Rows rows{a};
    std::int8_t* output = bound.output;
    for (std::size_t row = 0U; row < row_count; ++row) {
        copy_row_by_size(output, bound.inputs[0], rows.offset(), a);
        output += row_bytes;
        rows.next();
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
