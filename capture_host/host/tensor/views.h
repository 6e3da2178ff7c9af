// Results whose elements are those of one operand in another order, by launches of the view kernel.
#pragma once

#include <string>

#include "capture_host/host/tensor/operands.h"
#include "capture_host/operators/strided_view.h"

namespace pianola::tensor {

// Writes the elements of `view`, a view of `source`, to `destination`; both tensors are contiguous. Each core takes a
// share of the outermost axis. Throws TENSOR-SHAPE if that takes too many launches.
void copy_view(const Tensor& destination, const Tensor& source, const operators::StridedView& view,
               const std::string& name, std::uint32_t queue);

// The result of an operation that is a view of its operand; both may have any placement.
[[nodiscard]] Tensor view_result(const char* name, const Tensor& operand, const operators::StridedView& view,
                                 const Shape& shape, const OperationOptions& options);

// The operand's elements in its own order.
[[nodiscard]] operators::StridedView view_of(const Tensor& operand);

// An operand is broadcast by copying it, because the kernels read operands element by element.

// Shapes are aligned at their last dimensions, and a dimension of 1 takes the other's size. Throws TENSOR-SHAPE.
[[nodiscard]] Shape broadcast_shape(const char* operation, const Shape& left, const Shape& right);

// The result of an element-wise operation with this first operand.
[[nodiscard]] TensorSpec spec_of_broadcast(const Tensor& operand, const Shape& shape);

// The operand itself if it has the shape, else a temporary copy in DRAM that has it. The shape is a result of
// broadcast_shape().
[[nodiscard]] Tensor broadcast_to(const Tensor& operand, const Shape& shape, std::uint32_t queue);

}  // namespace pianola::tensor
