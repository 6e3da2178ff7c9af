// A port with one thing wrong in it, and the check that must name it.
#pragma once

#include <array>

#include "hal/port_kit/port.h"

namespace pianola::port {

struct WrongPort {
    const char* name;
    const char* check;
    PortUnderTest (*make)() noexcept;
};

// The example port's, written by wrong_ports.py.
[[nodiscard]] Span<const WrongPort* const> wrong_examples() noexcept;
// The simulator's, in wrong_sim.cpp.
[[nodiscard]] Span<const WrongPort> wrong_simulators() noexcept;
// The same with a digest engine, in wrong_engines.cpp.
[[nodiscard]] Span<const WrongPort> wrong_engines() noexcept;

}  // namespace pianola::port
