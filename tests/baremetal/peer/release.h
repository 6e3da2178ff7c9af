// One inference's work of the ECU with a release that verifies, for the instruction counter.
#pragma once

#include "tests/baremetal/board_tests/bench.h"

namespace pianola::baremetal {

// Loads the binary, for a policy of release, and counts input_view() with submit(), and wait() with output_view(), as
// count_test.cpp does: two sections. Returns an exit code.
[[nodiscard]] std::int32_t count_release(const Arguments& arguments, Release release) noexcept;

}  // namespace pianola::baremetal
