// Maker: random programs, most of them right, the same for the same seed.
#pragma once

#include "tests/random/program.h"
#include "tests/support/random.h"

namespace pianola::programs {

[[nodiscard]] Program make_program(test::Random& random);

// Device cycles of a step, by docs/reference/device.md.
[[nodiscard]] std::uint64_t step_cycles(const Program& program);

}  // namespace pianola::programs
