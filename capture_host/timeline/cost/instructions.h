// Instructions: what counts of session_cost.h come to on a core.
//
// One coefficient for each count, measured with callgrind and held by tests/session_cost. What the port's own methods
// take is not in them.
#pragma once

#include <cstdint>

#include "capture_host/timeline/cost/session_cost.h"

namespace pianola::timing {

// Whose coefficients: of the host, measured; of a 32-bit core, from the host's and held to what boards have measured.
enum class Core : std::uint8_t { kHost, kEcu };

// Hundredths of an instruction for one of the term; 0 where another term stands for it.
[[nodiscard]] std::uint64_t coefficient(Core core, Term term) noexcept;
// At most so many, without the port's own and without validations.
[[nodiscard]] std::uint64_t instructions(Core core, const Counts& counts) noexcept;

}  // namespace pianola::timing
