// The on-target test application for the engine: one test per start, chosen by the command line.
#include <array>

#include "tests/baremetal/pl330/engine_bench.h"

namespace {

using pianola::baremetal::Test;

constexpr std::array<Test, 7U> kTests{{
    {"conformance", pianola::baremetal::test_engine_conformance},
    {"evidence", pianola::baremetal::test_engine_evidence},
    {"events", pianola::baremetal::test_engine_events},
    {"faults", pianola::baremetal::test_engine_faults},
    {"forced", pianola::baremetal::test_engine_forced},
    {"replay", pianola::baremetal::test_engine_replay},
    {"validate", pianola::baremetal::test_engine_validate},
}};

}  // namespace

int main() {
    pianola::baremetal::run_application(kTests);
}
