// Broadcasting: operands of different shapes, as NumPy does it.
//
// An operand is broadcast by copying it, because the kernels read operands element by element.
#pragma once

#include <cstdint>

#include "pianola_host/tensor.h"

namespace pianola::tensor {

// Shapes are aligned at their last dimensions, and a dimension of 1 takes the other's size. Throws TENSOR-SHAPE.
[[nodiscard]] Shape broadcast_shape(const char* operation, const Shape& left, const Shape& right);

// The result of an operation on elements whose first operand this is.
[[nodiscard]] TensorSpec spec_of_broadcast(const Tensor& operand, const Shape& shape);

// The operand where it has the shape already, else a temporary copy in DRAM that has it. The shape is one of
// broadcast_shape().
[[nodiscard]] Tensor broadcast_to(const Tensor& operand, const Shape& shape, std::uint32_t queue);

}  // namespace pianola::tensor
