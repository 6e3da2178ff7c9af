// The result of a check that has refused. Visible here, so that compilers can optimise the code after a check. A
// separate file, because the tests of mutants (tests/mutate/lenient) replace it: there, a rule can be skipped, to test
// whether another rule refuses the file.
#pragma once

#include "pianola/status.h"

namespace pianola {

// Never.
[[nodiscard]] constexpr bool is_passed_over(Status /*refusal*/) noexcept {
    return false;
}

}  // namespace pianola
