// The on-target test application: one test per start, chosen by the command line that the host gives through
// semihosting.
#include <array>

#include "tests/baremetal/board_tests/bench.h"

namespace {

using pianola::baremetal::Test;

constexpr std::array<Test, 14U> kTests{{
    {"conformance", pianola::baremetal::test_conformance},
    {"count", pianola::baremetal::test_count},
    {"device_count", pianola::baremetal::test_device_count},
    {"device_set", pianola::baremetal::test_device_set},
    {"kernels", pianola::baremetal::test_kernels},
    {"launch_counts", pianola::baremetal::test_launch_counts},
    {"library", pianola::baremetal::test_library},
    {"overlap", pianola::baremetal::test_overlap},
    {"protection", pianola::baremetal::test_protection},
    {"replay", pianola::baremetal::test_replay},
    {"signature", pianola::baremetal::test_signature},
    {"stack", pianola::baremetal::test_stack},
    {"validate", pianola::baremetal::test_validate},
    {"vectors", pianola::baremetal::test_vectors},
}};

}  // namespace

int main() {
    pianola::baremetal::run_application(kTests);
}
