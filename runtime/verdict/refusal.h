// What a check answers that has refused. Here, so that compilers know it, and leave out what follows a check that has
// passed. A file of its own, because the tests of mutants (tests/mutate/lenient) have another: there, a rule can be
// passed over, to see whether any other refuses the file.
#pragma once

#include "pianola/status.h"

namespace pianola {

// Never.
[[nodiscard]] constexpr bool is_passed_over(Status /*refusal*/) noexcept {
    return false;
}

}  // namespace pianola
