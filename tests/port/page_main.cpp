// Prints docs/evidence/port_checks.md.
#include <iostream>

#include "hal/port_kit/conformance.h"

int main() {
    std::cout
        << "# Checks of the conformance kit\n\n"
           "Every check of `hal/port_kit`, in the order in which they run. Made from the checks' tables; do not edit.\n"
           "A check passes, fails, or is not offered; then the integrator has to show the assumption of use by other "
           "means. Checks\n"
           "without one cannot be left out. [porting.md](../guide/porting.md) says how to run them.\n\n"
           "| check | passes where | assumption of use where it is not offered |\n|---|---|---|\n";
    for (std::uint32_t area = 0U; area < pianola::port::kAreas; ++area) {
        for (const pianola::port::Check& check : pianola::port::checks_of(area)) {
            std::cout << "| `" << check.name << "` | " << check.statement << " | "
                      << ((check.assumption != nullptr) ? check.assumption : "") << " |\n";
        }
    }
    return 0;
}
