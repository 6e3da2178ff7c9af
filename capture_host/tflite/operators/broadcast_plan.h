// BroadcastPlan: operands' shapes as the dimensions and strides of kernels that broadcast.
//
// Any number of dimensions becomes at most four: dimensions along which the same operands are repeated are joined.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {

struct BroadcastPlan {
    std::array<std::uint32_t, 4> dims{1U, 1U, 1U, 1U};
    std::vector<std::array<std::uint32_t, 4>> strides;  // of each operand, in elements
};

// Refuses shapes that do not broadcast to the output's, or that need more than four dimensions.
[[nodiscard]] BroadcastPlan plan_broadcast(const OperatorContext& context, const std::vector<const Tensor*>& operands,
                                           const Tensor& output);

}  // namespace pianola::tflite
