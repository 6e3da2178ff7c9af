// The on-target test application with a probe on the device's cores: for tests that do something to them.
#include <array>

#include "tests/baremetal/board_tests/bench.h"

namespace {

using pianola::baremetal::Test;

constexpr std::array<Test, 3U> kTests{{
    {"bit_flips", pianola::baremetal::test_bit_flips},
    {"faults", pianola::baremetal::test_faults},
    {"interleave", pianola::baremetal::test_interleave},
}};

}  // namespace

int main() {
    pianola::baremetal::run_application(kTests);
}
