#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {
namespace {

constexpr std::size_t kBeginPosition = 1U;
constexpr std::size_t kEndPosition = 2U;
constexpr std::size_t kStridePosition = 3U;
constexpr std::uint32_t kMaxEntries = 32U;  // as many as a mask has bits

bool has_bit(std::int32_t mask, std::size_t bit) {
    return ((static_cast<std::uint32_t>(mask) >> static_cast<std::uint32_t>(bit)) & 1U) != 0U;
}

// One entry of begin, end and strides.
struct Entry {
    std::int64_t begin{0};
    std::int64_t end{0};
    std::int64_t stride{1};
    bool begins_anywhere{false};
    bool ends_anywhere{false};
    bool shrinks{false};
    bool is_offset{false};  // `end` counts from `begin`
};

struct AxisRange {
    std::int64_t first{0};
    std::int64_t count{0};
};

AxisRange resolve(const Entry& entry, std::int64_t size) {
    const std::int64_t lowest = (entry.stride > 0) ? 0 : -1;
    const std::int64_t highest = (entry.stride > 0) ? size : (size - 1);
    const auto inside = [&](std::int64_t position) {
        return std::clamp((position < 0) ? (position + size) : position, lowest, highest);
    };
    std::int64_t first = inside(entry.begin);
    if (entry.begins_anywhere) {
        first = (entry.stride > 0) ? lowest : highest;
    }
    if (entry.shrinks) {
        return AxisRange{first, ((first >= 0) && (first < size)) ? 1 : 0};
    }
    std::int64_t last = inside(entry.is_offset ? (first + entry.end) : entry.end);
    if (entry.ends_anywhere) {
        last = (entry.stride > 0) ? highest : lowest;
    }
    const std::int64_t magnitude = (entry.stride > 0) ? entry.stride : -entry.stride;
    const std::int64_t distance = (entry.stride > 0) ? (last - first) : (first - last);
    return AxisRange{first, std::max<std::int64_t>((distance + magnitude - 1) / magnitude, 0)};
}

std::vector<Entry> entries_of(const OperatorContext& context, const format::StridedSliceOptions& options) {
    const std::vector<std::int32_t> begin = context.int32_constant(kBeginPosition, "begin", kMaxEntries);
    const std::vector<std::int32_t> end = context.int32_constant(kEndPosition, "end", kMaxEntries);
    const std::vector<std::int32_t> strides = context.int32_constant(kStridePosition, "list of strides", kMaxEntries);
    context.require((begin.size() == end.size()) && (begin.size() == strides.size()),
                    "its begin, end and strides differ in size");
    const std::array<std::pair<const char*, std::int32_t>, 3> masks{{{"begin_mask", options.begin_mask()},
                                                                     {"end_mask", options.end_mask()},
                                                                     {"shrink_axis_mask", options.shrink_axis_mask()}}};
    for (const auto& [name, mask] : masks) {
        if ((std::uint64_t{static_cast<std::uint32_t>(mask)} >> begin.size()) != 0U) {
            context.refuse(std::string{"its "} + name + " " + std::to_string(mask) + " names an axis without a begin");
        }
    }
    std::vector<Entry> entries;
    for (std::size_t i = 0U; i < begin.size(); ++i) {
        context.require(strides[i] != 0, "a stride of 0 is not supported");
        context.require((strides[i] > 0) || !has_bit(options.shrink_axis_mask(), i),
                        "a negative stride of an axis that goes away is not supported");
        entries.push_back(Entry{begin[i], end[i], strides[i], has_bit(options.begin_mask(), i),
                                has_bit(options.end_mask(), i), has_bit(options.shrink_axis_mask(), i),
                                options.offset()});
    }
    return entries;
}

}  // namespace

void lower_strided_slice(OperatorContext& context) {
    context.require_operands(4U, 4U);
    const auto& options = context.options_or_defaults<format::StridedSliceOptions>();
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor output = context.any_output(0U);
    context.require_same_elements(input, output);
    const std::vector<Entry> entries = entries_of(context, options);
    context.require(options.ellipsis_mask() == 0, "an ellipsis is not supported");
    context.require(options.new_axis_mask() == 0, "a new axis is not supported");
    context.require(entries.size() <= input.tensor->shape.size(), "it slices more dimensions than its input has");

    StridedView view = view_of(input);
    Shape expected;
    for (std::size_t axis = 0U; axis < view.rank(); ++axis) {
        if (axis >= entries.size()) {
            expected.push_back(view.size(axis));
            continue;
        }
        const AxisRange range = resolve(entries[axis], view.size(axis));
        context.require(range.count > 0, "an empty output is not supported");
        view.slice(axis, range.first, entries[axis].stride, static_cast<std::uint32_t>(range.count));
        if (!entries[axis].shrinks) {
            expected.push_back(view.size(axis));
        }
    }
    require_shape(context, output, expected);
    record_view(context, view, context.buffer(input), context.buffer(output));
}

void lower_slice(OperatorContext& context) {
    context.require_operands(3U, 3U);
    const AnyTensor input = context.any_input(0U, "input");
    const AnyTensor output = context.any_output(0U);
    context.require_same_elements(input, output);
    StridedView view = view_of(input);
    const auto rank = static_cast<std::uint32_t>(view.rank());
    const std::vector<std::int32_t> begin = context.int32_constant(kBeginPosition, "begin", rank);
    const std::vector<std::int32_t> sizes = context.int32_constant(kEndPosition, "size", rank);
    context.require((begin.size() == rank) && (sizes.size() == rank), "its begin and size do not fit its rank");
    Shape expected;
    for (std::size_t axis = 0U; axis < rank; ++axis) {
        const std::int64_t size = view.size(axis);
        const std::int64_t first = begin[axis];
        const std::int64_t count = (sizes[axis] == -1) ? (size - first) : sizes[axis];
        context.require((first >= 0) && (count > 0) && (first + count <= size), "it slices what its input lacks");
        view.slice(axis, first, 1, static_cast<std::uint32_t>(count));
        expected.push_back(view.size(axis));
    }
    require_shape(context, output, expected);
    record_view(context, view, context.buffer(input), context.buffer(output));
}

namespace {

// The outputs, one after the other along `axis`; `sizes` add up to its size. With `drops_axis`, outputs do not have it.
void record_split(OperatorContext& context, const AnyTensor& input, std::size_t axis,
                  const std::vector<std::int64_t>& sizes, bool drops_axis) {
    context.require_outputs(sizes.size());
    std::int64_t first = 0;
    for (std::size_t i = 0U; i < sizes.size(); ++i) {
        const AnyTensor output = context.any_output(i);
        context.require_same_elements(input, output);
        StridedView view = view_of(input);
        view.slice(axis, first, 1, static_cast<std::uint32_t>(sizes[i]));
        first += sizes[i];
        Shape expected = input.tensor->shape;
        expected[axis] = view.size(axis);
        if (drops_axis) {
            expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(axis));
        }
        require_shape(context, output, expected);
        record_view(context, view, context.buffer(input), context.buffer(output));
    }
}

std::size_t axis_operand(const OperatorContext& context, std::size_t position, const AnyTensor& input) {
    const std::vector<std::int32_t> axis = context.int32_constant(position, "axis", 1U);
    return axis_of(context, axis.front(), input.tensor->shape.size());
}

}  // namespace

void lower_split(OperatorContext& context) {
    context.require_inputs(2U, 2U);
    const AnyTensor input = context.any_input(1U, "input");
    const std::size_t axis = axis_operand(context, 0U, input);
    const std::size_t parts = context.output_count();
    const std::uint32_t size = input.tensor->shape[axis];
    const auto* const options = context.options_if_any<format::SplitOptions>();
    if (options != nullptr) {
        context.require_count("num_splits", options->num_splits(), parts, "outputs");
    }
    context.require((parts > 0U) && ((size % parts) == 0U), "its outputs do not divide its input");
    record_split(context, input, axis, std::vector<std::int64_t>(parts, size / static_cast<std::uint32_t>(parts)),
                 false);
}

void lower_split_v(OperatorContext& context) {
    constexpr std::size_t kAxisPosition = 2U;
    context.require_inputs(3U, 3U);
    const AnyTensor input = context.any_input(0U, "input");
    const std::size_t axis = axis_operand(context, kAxisPosition, input);
    std::vector<std::int64_t> sizes;
    std::int64_t rest = input.tensor->shape[axis];
    std::size_t unknown = 0U;
    for (const std::int32_t size : context.int32_constant(1U, "list of sizes", kMaxOperands)) {
        context.require((size > 0) || (size == -1), "an empty output is not supported");
        sizes.push_back(size);
        unknown += (size == -1) ? 1U : 0U;
        rest -= (size == -1) ? 0 : size;
    }
    const auto* const options = context.options_if_any<format::SplitVOptions>();
    if (options != nullptr) {
        context.require_count("num_splits", options->num_splits(), context.output_count(), "outputs");
    }
    context.require((unknown <= 1U) && ((unknown == 0U) ? (rest == 0) : (rest > 0)),
                    "its sizes do not add up to its input");
    for (std::int64_t& size : sizes) {
        size = (size == -1) ? rest : size;
    }
    record_split(context, input, axis, sizes, false);
}

void lower_unpack(OperatorContext& context) {
    context.require_inputs(1U, 1U);
    const AnyTensor input = context.any_input(0U, "input");
    const auto& options = context.options_or_defaults<format::UnpackOptions>();
    const std::size_t axis = axis_of(context, options.axis(), input.tensor->shape.size());
    if (context.options_if_any<format::UnpackOptions>() != nullptr) {
        context.require_count("num", options.num(), context.output_count(), "outputs");
    }
    context.require_outputs(input.tensor->shape[axis]);
    record_split(context, input, axis, std::vector<std::int64_t>(input.tensor->shape[axis], 1), true);
}

namespace {

// The part of every output row that one input gives.
struct Piece {
    capture::BufferId buffer{};
    std::uint32_t bytes{0U};
};

using Pieces = std::vector<Piece>;

std::uint32_t bytes_of_pieces(const Pieces& pieces) {
    std::uint32_t bytes = 0U;  // of the output at most: no overflow
    for (const Piece& piece : pieces) {
        bytes += piece.bytes;
    }
    return bytes;
}

// At most as many pieces as the kernel has segments.
void record_gather(OperatorContext& context, std::uint32_t rows, const Pieces& pieces, capture::BufferId output,
                   std::uint32_t output_offset) {
    using Arguments = refdev::GatherArguments;
    Arguments arguments{};
    arguments.rows = rows;
    arguments.segment_count = static_cast<std::uint32_t>(pieces.size());
    std::vector<AddressWord> addresses;
    for (std::size_t i = 0U; i < pieces.size(); ++i) {
        arguments.segments.at(i) = refdev::GatherSegment{0U, pieces[i].bytes, pieces[i].bytes};
        addresses.push_back(
            {offsetof(Arguments, segments) + (i * sizeof(refdev::GatherSegment)), pieces[i].buffer, Access::kRead});
    }
    addresses.push_back({offsetof(Arguments, destination), output, Access::kWrite, output_offset});
    context.launch(refdev::KernelId::kGather, arguments, addresses);
}

std::vector<Pieces> grouped(const Pieces& pieces) {
    std::vector<Pieces> groups;
    for (const Piece& piece : pieces) {
        if (groups.empty() || (groups.back().size() == refdev::kMaxGatherSegments)) {
            groups.emplace_back();
        }
        groups.back().push_back(piece);
    }
    return groups;
}

void record_join(OperatorContext& context, std::uint32_t rows, Pieces pieces, capture::BufferId output) {
    if (rows == 1U) {
        std::uint32_t offset = 0U;
        for (const Pieces& group : grouped(pieces)) {
            record_gather(context, rows, group, output, offset);
            offset += bytes_of_pieces(group);
        }
        return;
    }
    while (pieces.size() > refdev::kMaxGatherSegments) {
        Pieces joined;
        for (const Pieces& group : grouped(pieces)) {
            if (group.size() == 1U) {
                joined.push_back(group.front());
                continue;
            }
            const std::uint32_t bytes = bytes_of_pieces(group);
            joined.push_back({context.add_temporary(rows * bytes), bytes});
            record_gather(context, rows, group, joined.back().buffer, 0U);
        }
        pieces = std::move(joined);
    }
    record_gather(context, rows, pieces, output, 0U);
}

}  // namespace

void lower_concatenation(OperatorContext& context) {
    context.require_operands(1U, kMaxOperands);
    const auto& options = context.options_or_defaults<format::ConcatenationOptions>();
    context.require(options.fused_activation_function() == 0, "a fused activation is not supported");
    const AnyTensor output = context.any_output(0U);
    const Shape& result = output.tensor->shape;
    const std::size_t axis = axis_of(context, options.axis(), result.size());
    const std::uint32_t rows = product(result, 0U, axis);
    Pieces pieces;
    std::uint64_t size = 0U;
    for (std::size_t i = 0U; i < context.input_count(); ++i) {
        const AnyTensor input = context.any_input(i, "input");
        context.require_same_elements(input, output);
        Shape expected = input.tensor->shape;
        context.require(expected.size() == result.size(), "its inputs differ in rank from its output");
        size += expected[axis];
        expected[axis] = result[axis];
        require_shape(context, output, expected);
        pieces.push_back({context.buffer(input), input.tensor->size_bytes / rows});
    }
    context.require(size == result[axis], "its output shape does not follow from its input");
    record_join(context, rows, std::move(pieces), context.buffer(output));
}

void lower_pack(OperatorContext& context) {
    context.require_operands(1U, kMaxOperands);
    const auto& options = context.options_or_defaults<format::PackOptions>();
    if (context.options_if_any<format::PackOptions>() != nullptr) {
        context.require_count("values_count", options.values_count(), context.input_count(), "inputs");
    }
    const AnyTensor output = context.any_output(0U);
    const std::size_t axis = axis_of(context, options.axis(), output.tensor->shape.size());
    const std::uint32_t rows = product(output.tensor->shape, 0U, axis);
    Pieces pieces;
    for (std::size_t i = 0U; i < context.input_count(); ++i) {
        const AnyTensor input = context.any_input(i, "input");
        context.require_same_elements(input, output);
        Shape expected = input.tensor->shape;
        context.require(axis <= expected.size(), "its inputs differ in rank from its output");
        expected.insert(expected.begin() + static_cast<std::ptrdiff_t>(axis),
                        static_cast<std::uint32_t>(context.input_count()));
        require_shape(context, output, expected);
        pieces.push_back({context.buffer(input), input.tensor->size_bytes / rows});
    }
    record_join(context, rows, std::move(pieces), context.buffer(output));
}

}  // namespace pianola::tflite
