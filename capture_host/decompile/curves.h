// Curves: the tables between whose entries kernels of int16 interpolate.
#pragma once

#include "capture_host/decompile/expressions.h"

namespace pianola::decompile {

// The logistic function, as hal/devices/refdev/kernels/arguments.h has it: kSigmoidTableEntries of uint16.
[[nodiscard]] Tokens sigmoid_table();
// The tables of softmax: exp(x), then 1 / (1 + x), in Q0.15.
[[nodiscard]] Tokens softmax_tables();

}  // namespace pianola::decompile
