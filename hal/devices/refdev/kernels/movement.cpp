// Kernels that move elements without computing.
#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {
Status describe_copy(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<CopyArguments>, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const CopyArguments a = arguments_from_words<CopyArguments>(arguments);
    const bool accepted =
        check.operand(word_of(offsetof(CopyArguments, source)), a.size_bytes, Access::kRead) &&
        check.operand(word_of(offsetof(CopyArguments, destination)), a.size_bytes, Access::kWrite) &&
        check.output_placed(word_of(offsetof(CopyArguments, destination)), LaunchCheck::Placement::kApart);
    return check.finish(accepted, 0U);
}

Status compute_copy(WordSpan arguments, const BoundOperands& bound) noexcept {
    const CopyArguments a = arguments_from_words<CopyArguments>(arguments);
    std::memcpy(bound.output, bound.inputs[0], a.size_bytes);
    return Status::kOk;
}

namespace {

constexpr std::uint32_t kPatternBytes = sizeof(FillArguments::pattern);

}  // namespace

Status describe_fill(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<FillArguments>, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const FillArguments a = arguments_from_words<FillArguments>(arguments);
    const bool accepted =
        check.require((a.size_bytes % kPatternBytes) == 0U, word_of(offsetof(FillArguments, size_bytes))) &&
        check.require((a.destination % kPatternBytes) == 0U, word_of(offsetof(FillArguments, destination))) &&
        check.operand(word_of(offsetof(FillArguments, destination)), a.size_bytes, Access::kWrite);
    return check.finish(accepted, 0U);
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

Status describe_gather(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<GatherArguments>, footprint, error};
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
    return check.finish(accepted, static_cast<std::uint64_t>(a.rows) * a.segment_count);
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

[[nodiscard]] std::uint32_t padded_size(const PadArguments& a, std::uint32_t axis) noexcept {
    return a.before[axis] + a.dims[axis] + a.after[axis];
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

Status describe_pad(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<PadArguments>, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const PadArguments a = arguments_from_words<PadArguments>(arguments);
    const bool accepted =
        check.operand(word_of(offsetof(PadArguments, input)),
                      bounded_product(a.dims[0], a.dims[1], a.dims[2], a.dims[3], a.element_bytes), Access::kRead) &&
        check.operand(word_of(offsetof(PadArguments, output)),
                      bounded_product(padded_size(a, 0U), padded_size(a, 1U), padded_size(a, 2U), padded_size(a, 3U),
                                      a.element_bytes),
                      Access::kWrite) &&
        check.output_placed(word_of(offsetof(PadArguments, output)), LaunchCheck::Placement::kApart);
    return check.finish(accepted, 0U);
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

Status describe_take(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<TakeArguments>, footprint, error};
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
    return check.finish(accepted, pieces);
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

Status describe_view(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<ViewArguments>, footprint, error};
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
    return check.finish(accepted, elements);
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
