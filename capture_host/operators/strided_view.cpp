#include "capture_host/operators/strided_view.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace pianola::operators {
namespace {

// The axes without those of one element; consecutive axes that continue each other are joined.
std::vector<StridedAxis> joined(const std::vector<StridedAxis>& axes) {
    std::vector<StridedAxis> result;
    for (const StridedAxis& axis : axes) {
        if (axis.size == 1U) {
            continue;
        }
        const bool continues =
            !result.empty() && (result.back().stride_bytes == (axis.stride_bytes * std::int64_t{axis.size}));
        if (continues) {
            result.back() = StridedAxis{result.back().size * axis.size, axis.stride_bytes};
        } else {
            result.push_back(axis);
        }
    }
    return result;
}

// The offset of every index of the axes, in order; empty if there are more than `most`.
std::vector<std::int64_t> offsets_of(const std::vector<StridedAxis>& axes, std::size_t most) {
    std::vector<std::int64_t> offsets{0};
    for (const StridedAxis& axis : axes) {
        if (axis.size > (most / std::max<std::size_t>(offsets.size(), 1U))) {
            return {};
        }
        std::vector<std::int64_t> next;
        for (const std::int64_t offset : offsets) {
            for (std::uint32_t i = 0U; i < axis.size; ++i) {
                next.push_back(offset + (std::int64_t{i} * axis.stride_bytes));
            }
        }
        offsets = std::move(next);
    }
    return offsets;
}

std::ptrdiff_t at(std::size_t axis) {
    return static_cast<std::ptrdiff_t>(axis);
}

}  // namespace

StridedView::StridedView(const std::vector<std::uint32_t>& shape, std::uint32_t element_bytes,
                         std::int64_t offset_bytes)
    : element_bytes_{element_bytes}, offset_bytes_{offset_bytes}, axes_(shape.size()) {
    std::int64_t stride = element_bytes;
    for (std::size_t i = shape.size(); i > 0U; --i) {
        axes_[i - 1U] = StridedAxis{shape[i - 1U], stride};
        stride *= shape[i - 1U];
    }
}

void StridedView::slice(std::size_t axis, std::int64_t first, std::int64_t step, std::uint32_t count) {
    StridedAxis& sliced = axes_.at(axis);
    offset_bytes_ += first * sliced.stride_bytes;
    sliced = StridedAxis{count, sliced.stride_bytes * step};
}

void StridedView::reverse(std::size_t axis) {
    const std::uint32_t count = size(axis);
    slice(axis, std::int64_t{count} - 1, -1, count);
}

void StridedView::permute(const std::vector<std::size_t>& order) {
    std::vector<StridedAxis> axes;
    axes.reserve(order.size());
    for (const std::size_t axis : order) {
        axes.push_back(axes_.at(axis));
    }
    axes_ = std::move(axes);
}

void StridedView::repeat(std::size_t axis, std::uint32_t count) {
    axes_.at(axis) = StridedAxis{count, 0};
}

void StridedView::split(std::size_t axis, std::uint32_t size) {
    const StridedAxis whole = axes_.at(axis);
    axes_.at(axis) = StridedAxis{whole.size / size, whole.stride_bytes * std::int64_t{size}};
    axes_.insert(axes_.begin() + at(axis) + 1, StridedAxis{size, whole.stride_bytes});
}

void StridedView::insert(std::size_t axis) {
    axes_.insert(axes_.begin() + at(axis), StridedAxis{});
}

std::vector<ViewLaunch> view_launches(const StridedView& view, std::size_t most) {
    std::vector<StridedAxis> axes = joined(view.axes());
    if (std::any_of(axes.begin(), axes.end(), [](const StridedAxis& axis) {
            return (axis.stride_bytes < INT32_MIN) || (axis.stride_bytes > INT32_MAX);
        })) {
        return {};
    }
    ViewLaunch launch;
    launch.arguments.element_bytes = view.element_bytes();
    if (!axes.empty() && (axes.back().stride_bytes == std::int64_t{view.element_bytes()})) {
        launch.arguments.element_bytes *= axes.back().size;
        axes.pop_back();
    }
    const std::size_t outer = (axes.size() > refdev::kViewRank) ? (axes.size() - refdev::kViewRank) : 0U;
    const std::size_t front = refdev::kViewRank - (axes.size() - outer);
    launch.arguments.dims.fill(1U);
    std::int64_t lowest = view.offset_bytes();
    std::uint32_t output_bytes = launch.arguments.element_bytes;
    for (std::size_t i = outer; i < axes.size(); ++i) {
        const StridedAxis& axis = axes[i];
        launch.arguments.dims.at(front + (i - outer)) = axis.size;
        launch.arguments.strides.at(front + (i - outer)) = static_cast<std::int32_t>(axis.stride_bytes);
        lowest += std::min<std::int64_t>(axis.stride_bytes, 0) * (std::int64_t{axis.size} - 1);
        output_bytes *= axis.size;
    }
    axes.resize(outer);
    std::vector<ViewLaunch> launches;
    for (const std::int64_t offset : offsets_of(axes, most)) {
        launch.input_offset_bytes = static_cast<std::uint32_t>(lowest + offset);
        launch.output_offset_bytes = static_cast<std::uint32_t>(launches.size()) * output_bytes;
        launches.push_back(launch);
    }
    return launches;
}

}  // namespace pianola::operators
