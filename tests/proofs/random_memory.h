// Random memory: tensors and traces of a small case.
//
// The generator's first half. Traces read only what is written when they run in their order.
#pragma once

#include "tests/proofs/small_case.h"
#include "tests/support/random.h"

namespace pianola::test {

// Inputs and outputs of 1 to 4 bytes, 1 to 3 traces of 1 to 4 commands. Where `roles`, only the first trace reads
// inputs, and only the last one touches outputs.
[[nodiscard]] SmallCase random_memory(Random& random, bool roles);

}  // namespace pianola::test
