// For which kind of core the weights of a launch are packed.
//
// Place in the whole: what Target::packed_for() says of the reference device. Host only.
#pragma once

#include <string>

#include "pianola/span.h"

namespace pianola::refdev {

// "dsp" or "mve"; empty of plain weights, which every core reads, and of a command without weights.
[[nodiscard]] std::string packed_for(WordSpan command);

}  // namespace pianola::refdev
