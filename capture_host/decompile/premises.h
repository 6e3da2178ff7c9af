// Premises: what must hold of a model before its operators say anything of bytes.
//
// Decompile asks it of the graph once and of each operator before that is evaluated. A model that contradicts itself is
// not computed by any binary: a tensor that is written twice, numbers that change their meaning where bytes are moved,
// a curve whose results another scale would need, a shape that does not follow from the operands that say it. What is
// demanded is the quantisation specification's and the operators' own.
#pragma once

#include <optional>

#include "capture_host/decompile/operation.h"

namespace pianola::decompile {

// All throw Mismatch; the first also tflite::ImportError, of operands that do not exist.
void check_graph(const tflite::Model& model);
void check_premises(const Operation& op);
void check_shape(const Operation& op);  // of outputs whose shape operands or options say

using Sizes = std::vector<std::int64_t>;  // as operands say them, which may be anything
[[nodiscard]] Sizes input_shape(const Operation& op, std::size_t input = 0U);
// Of the one output, where an operator has no other; empty where nothing says it.
[[nodiscard]] std::optional<Sizes> shape_of(const Operation& op);
void require_shape(const Operation& op, const Sizes& wanted, std::size_t output = 0U);

}  // namespace pianola::decompile
