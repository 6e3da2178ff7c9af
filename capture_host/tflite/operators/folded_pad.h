// PAD operators that a convolution computes itself: its kernel takes the padding, and reads the input of the PAD.
//
// The lowering of the PAD and that of the convolution both ask here, so that they agree. A PAD that is folded records
// no launch, and its output has no buffer.
#pragma once

#include <cstdint>
#include <optional>

#include "capture_host/tflite/operators/movement.h"

namespace pianola::tflite {

struct FoldedPad {
    std::uint32_t input{0U};  // the tensor that the PAD reads
    AxisPadding height;
    AxisPadding width;
};

// The PAD that writes `tensor`, if the only reader of the tensor is a convolution that can compute the PAD: the padding
// is of height and width alone, with the element that represents 0, and within what kernels accept. Otherwise nullopt.
// The model may be a damaged one. What the lowerings of both operators require is not checked again here.
[[nodiscard]] std::optional<FoldedPad> folded_pad(const Model& model, std::uint32_t tensor);

}  // namespace pianola::tflite
