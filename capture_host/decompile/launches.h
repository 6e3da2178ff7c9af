// Launches: what a device command does to symbolic memory.
//
// The binary's side of decompile. Kernels that move bytes move numbers; every other launch must be a computation that
// the model defines.
#pragma once

#include <stdexcept>
#include <string>

#include "capture_host/decompile/symbolic_memory.h"

namespace pianola::decompile {

// A command that is not what the model says, or that nothing is known of.
class Mismatch : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Throws Mismatch. `words` are the command's; it is one that the command set accepts.
void run_command(WordSpan words, const DecodedCommand& command, SymbolicMemory& memory, Expressions& expressions);

}  // namespace pianola::decompile
