// How much of the ECU core's stack a call really uses.
//
// The stack below the call is painted as start-up has painted it, then the call is made, then the lowest word is looked
// for that is not paint any more. The distance from there to the stack pointer at the call counts: interrupts that came
// meanwhile are in it.
#pragma once

#include <cstdint>

#include "pianola/status.h"

namespace pianola::baremetal {

// Makes the call; `used` rises to the bytes of stack that it needed.
Status call_on_paint(Status (*call)() noexcept, std::uint32_t& used) noexcept;

}  // namespace pianola::baremetal
