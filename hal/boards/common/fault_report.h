// A latched fault in words, on the host's console: for the safe state of examples and tests.
#pragma once

#include "pianola/fault.h"

namespace pianola::board {

// One line: status, stage, queue, and of a script with a deadline that and the time that it took.
void print_fault(const FaultRecord& fault) noexcept;

}  // namespace pianola::board
