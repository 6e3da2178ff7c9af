// The on-target test application for the engine: one test per start, chosen by the command line.
#include <array>

#include "tests/baremetal/pl330/engine_bench.h"

namespace {

using pianola::baremetal::Test;

constexpr std::array<Test, 10U> kTests{{
    {"conformance", pianola::baremetal::test_engine_conformance},
    {"count", pianola::baremetal::test_engine_count},
    {"evidence", pianola::baremetal::test_engine_evidence},
    {"events", pianola::baremetal::test_engine_events},
    {"faults", pianola::baremetal::test_engine_faults},
    {"forced", pianola::baremetal::test_engine_forced},
    {"ram", pianola::baremetal::test_engine_ram},
    {"replay", pianola::baremetal::test_engine_replay},
    {"stack", pianola::baremetal::test_engine_stack},
    {"validate", pianola::baremetal::test_engine_validate},
}};

}  // namespace

int main() {
    pianola::baremetal::run_application(kTests);
}
