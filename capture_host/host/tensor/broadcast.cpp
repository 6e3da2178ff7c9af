#include "capture_host/host/tensor/broadcast.h"

#include <fmt/format.h>

#include "capture_host/host/tensor/row_work.h"
#include "capture_host/host/tensor/view_work.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

// A shape with ones in front.
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
    run_view(result, in_one_run(operand, queue), view, "broadcast", queue);
    return result;
}

}  // namespace pianola::tensor
