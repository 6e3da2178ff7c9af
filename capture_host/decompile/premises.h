// Premises: what must hold of a model before its operators say anything about bytes.
//
// Decompile checks the graph once and each operator before it is evaluated. A model that contradicts itself is computed
// by no binary: a tensor that is written twice, numbers that change their meaning where bytes are moved, a curve whose
// results need another scale. The demands are those of the quantisation specification and of the operators.
#pragma once

#include "capture_host/decompile/operation.h"

namespace pianola::decompile {

// Both throw Mismatch; the first also tflite::ImportError, for operands that do not exist.
void check_graph(const tflite::Model& model);
void check_premises(const Operation& op, const Entry& entry);

}  // namespace pianola::decompile
