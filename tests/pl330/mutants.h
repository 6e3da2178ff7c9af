// Mutants of the exchange: one thing wrong in each, and the rule that it breaks.
#pragma once

#include <functional>
#include <vector>

#include "capture_host/capture/lowering/pl330.h"
#include "tests/pl330/workloads.h"

namespace pianola::test {

struct Mutant {
    const char* rule;
    const char* what;
    std::function<void(pl330::Lowered& lowered)> edit;
};
[[nodiscard]] std::vector<Mutant> all_mutants();

}  // namespace pianola::test
