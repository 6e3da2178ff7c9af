// Packed forms: the same layer with weights in other layouts.
//
// What `capture --pack` makes of a layer computes what the model's does. Layouts are the device's
// (hal/devices/refdev/kernels/packed_weights.h).
#pragma once

#include <vector>

#include "capture_host/decompile/expressions.h"

namespace pianola::decompile {

// None where the computation is no layer of constant weights, or no layout has it.
[[nodiscard]] std::vector<Computation> packed_forms(const Computation& plain);

}  // namespace pianola::decompile
