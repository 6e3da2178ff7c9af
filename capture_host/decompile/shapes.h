// Shapes: what operands and options say about the shapes of an operator's outputs.
#pragma once

#include "capture_host/decompile/operation.h"

namespace pianola::decompile {

using Sizes = std::vector<std::int64_t>;  // as operands give them: any number
[[nodiscard]] Sizes input_shape(const Operation& op, std::size_t input = 0U);
// Throws Mismatch.
void require_shape(const Operation& op, const Sizes& wanted, std::size_t output = 0U);

// For operators with one output: its shape. Throw Mismatch if operands contradict each other.
namespace shapes {
[[nodiscard]] Sizes kept(const Operation& op);
[[nodiscard]] Sizes padded(const Operation& op);
[[nodiscard]] Sizes tiled(const Operation& op);
[[nodiscard]] Sizes broadcast(const Operation& op);
[[nodiscard]] Sizes filled(const Operation& op);
[[nodiscard]] Sizes multiplied(const Operation& op);
[[nodiscard]] Sizes expanded(const Operation& op);
[[nodiscard]] Sizes squeezed(const Operation& op);
[[nodiscard]] Sizes sliced(const Operation& op);
[[nodiscard]] Sizes resized(const Operation& op);
[[nodiscard]] Sizes joined(const Operation& op);
[[nodiscard]] Sizes packed(const Operation& op);
[[nodiscard]] Sizes turned(const Operation& op);
[[nodiscard]] Sizes gathered(const Operation& op);
[[nodiscard]] Sizes gathered_by_places(const Operation& op);
[[nodiscard]] Sizes looked_up(const Operation& op);
[[nodiscard]] Sizes in_batches(const Operation& op);
[[nodiscard]] Sizes out_of_batches(const Operation& op);
[[nodiscard]] Sizes in_depth(const Operation& op);
[[nodiscard]] Sizes out_of_depth(const Operation& op);
// For operators with several outputs, or several inputs of which each may be repeated: throw Mismatch.
void check_split(const Operation& op);
void check_split_v(const Operation& op);
void check_unpacked(const Operation& op);
void check_broadcast(const Operation& op);
}  // namespace shapes

// Checks that the output of an operator has that shape.
template <Sizes (*kShape)(const Operation& op)>
void shaped(const Operation& op) {
    require_shape(op, kShape(op));
}

}  // namespace pianola::decompile
