#include "capture_host/host/tensor/views.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture_host/host/tensor/operands.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

// The outermost axis that has more than one index.
[[nodiscard]] std::size_t shared_axis(const operators::StridedView& view) {
    std::size_t axis = 0U;
    while (((axis + 1U) < view.rank()) && (view.size(axis) == 1U)) {
        axis += 1U;
    }
    return axis;
}

}  // namespace

void copy_view(const Tensor& destination, const Tensor& source, const operators::StridedView& view,
               const std::string& name, std::uint32_t queue) {
    Launches launches{*destination.device()};
    const std::size_t axis = shared_axis(view);
    const std::uint32_t size = view.size(axis);
    const std::uint32_t share = word((size + (launches.core_count() - 1U)) / launches.core_count());
    const std::uint32_t index_bytes = word(size_bytes(destination.spec()) / size);
    std::size_t left = kLaunchesOfAProgram;
    for (std::uint32_t first = 0U; first < size; first += share) {
        operators::StridedView part = view;
        part.slice(axis, first, 1, std::min(share, size - first));
        const std::vector<operators::ViewLaunch> launches_of_part = operators::view_launches(part, left);
        if (launches_of_part.empty()) {
            throw TensorError{TensorRule::kShape,
                              fmt::format("{}: {} to {} has too many dimensions that do not lie together", name,
                                          to_string(source.shape()), to_string(destination.shape()))};
        }
        left -= launches_of_part.size();
        for (const operators::ViewLaunch& launch : launches_of_part) {
            launches.add(refdev::KernelId::kView, std::nullopt,
                         words_of(launch.arguments,
                                  {argument_at(source, launch.input_offset_bytes),
                                   argument_at(destination, (first * index_bytes) + launch.output_offset_bytes)}));
        }
    }
    enqueue(destination, launches, name, queue);
}

Tensor view_result(const char* name, const Tensor& operand, const operators::StridedView& view, const Shape& shape,
                   const OperationOptions& options) {
    const TensorSpec spec = spec_of_shape(operand, shape, operand.type());
    check_spec(spec);
    const Tensor result = result_for(name, spec, options, operand.device());
    require_apart(name, result, operand);
    return into_contiguous(result, options.queue, [&](const Tensor& run) {
        copy_view(run, as_contiguous(operand, options.queue), view, name, options.queue);
    });
}

operators::StridedView view_of(const Tensor& operand) {
    return operators::StridedView{operand.shape(), bytes_per_element(operand.type())};
}

namespace {

// The shape with leading ones.
[[nodiscard]] Shape aligned(const Shape& shape, std::size_t rank) {
    Shape result(rank - shape.size(), 1U);
    result.insert(result.end(), shape.begin(), shape.end());
    return result;
}

}  // namespace

Shape broadcast_shape(const char* operation, const Shape& left, const Shape& right) {
    const std::size_t rank = std::max(left.size(), right.size());
    const Shape first = aligned(left, rank);
    const Shape second = aligned(right, rank);
    Shape shape;
    for (std::size_t i = 0U; i < rank; ++i) {
        if ((first[i] != second[i]) && (first[i] != 1U) && (second[i] != 1U)) {
            throw TensorError{TensorRule::kShape,
                              fmt::format("{}: operands of {} and {}; dimensions, counted from the last, must be equal "
                                          "or 1",
                                          operation, to_string(left), to_string(right))};
        }
        shape.push_back(std::max(first[i], second[i]));
    }
    return shape;
}

TensorSpec spec_of_broadcast(const Tensor& operand, const Shape& shape) {
    return (operand.shape() == shape) ? operand.spec() : spec_of_shape(operand, shape, operand.type());
}

Tensor broadcast_to(const Tensor& operand, const Shape& shape, std::uint32_t queue) {
    if (operand.shape() == shape) {
        return operand;
    }
    const Shape from = aligned(operand.shape(), shape.size());
    if (from == shape) {
        return operand.viewed_as(shape);
    }
    operators::StridedView view{from, bytes_per_element(operand.type())};
    for (std::size_t axis = 0U; axis < shape.size(); ++axis) {
        if (from[axis] != shape[axis]) {
            view.repeat(axis, shape[axis]);
        }
    }
    const Tensor result = Tensor::on_device({shape, operand.type(), kDramInterleaved}, operand.device(), {queue, true});
    copy_view(result, as_contiguous(operand, queue), view, "broadcast", queue);
    return result;
}

}  // namespace pianola::tensor
