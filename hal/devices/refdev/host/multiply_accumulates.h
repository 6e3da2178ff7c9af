// Multiply-accumulate operations of a launch, for reports.
#pragma once

#include <cstdint>

#include "pianola/span.h"

namespace pianola::refdev {

// Target::multiply_accumulates().
[[nodiscard]] std::uint64_t multiply_accumulates(WordSpan command) noexcept;

}  // namespace pianola::refdev
