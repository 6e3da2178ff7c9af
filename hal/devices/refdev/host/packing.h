// For which kind of core the weights of a launch are packed.
//
// Implements Target::packed_for() of the reference device.
#pragma once

#include <string>

#include "pianola/span.h"

namespace pianola::refdev {

// "dsp" or "mve"; empty for plain weights, which every core reads, and for a command without weights.
[[nodiscard]] std::string packed_for(WordSpan command);

}  // namespace pianola::refdev
