// The on-target test application in which each device core is a device.
#include <array>

#include "tests/baremetal/board_tests/bench.h"

namespace {

using pianola::baremetal::Test;

constexpr std::array<Test, 2U> kTests{{
    {"failure", pianola::baremetal::test_mesh_failure},
    {"replay", pianola::baremetal::test_mesh},
}};

}  // namespace

int main() {
    pianola::baremetal::run_application(kTests);
}
