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

}  // namespace pianola::tflite
