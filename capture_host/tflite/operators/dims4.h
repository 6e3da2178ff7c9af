// Dims4: a shape of rank 4 or less, with ones put in front.
//
// Place in the whole: shared by the operators whose kernels take four dimensions of any meaning. Host only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {

using Dims4 = std::array<std::uint32_t, 4>;

[[nodiscard]] inline Dims4 dims4(const OperatorContext& context, const Tensor& tensor) {
    Dims4 dims{1U, 1U, 1U, 1U};
    if (tensor.shape.size() > dims.size()) {
        context.refuse("rank " + std::to_string(tensor.shape.size()) + " is not supported; 4 is");
    }
    const std::size_t front = dims.size() - tensor.shape.size();
    for (std::size_t i = 0U; i < tensor.shape.size(); ++i) {
        dims.at(front + i) = tensor.shape[i];
    }
    return dims;
}

}  // namespace pianola::tflite
