// One inference's work of the ECU with verified release, for the instruction counter.
#pragma once

#include "tests/baremetal/board_tests/bench.h"

namespace pianola::baremetal {

// Loads the binary and counts input_view() with submit(), and the polls that end with output_view(), as count_test.cpp
// does: two sections. Returns an exit code.
[[nodiscard]] std::int32_t count_release(const Arguments& arguments) noexcept;

}  // namespace pianola::baremetal
