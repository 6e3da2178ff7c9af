// An image of its own: what the checks of libraries link must not count as the engine's (facts_test.py).
#include <array>

#include "tests/baremetal/board_tests/bench.h"

namespace {

using pianola::baremetal::Test;

constexpr std::array<Test, 1U> kTests{{{"library", pianola::baremetal::test_library}}};

}  // namespace

int main() {
    pianola::baremetal::run_application(kTests);
}
