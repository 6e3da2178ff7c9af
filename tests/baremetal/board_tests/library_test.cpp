// library: what the image links of the C library and of the compiler's own, against plain loops.
#include "tests/baremetal/board_tests/bench.h"
#include "tests/library/library_checks.h"

namespace pianola::baremetal {

std::int32_t test_library(const Arguments& /*arguments*/) noexcept {
    LoadArea area;
    const MutableByteSpan memory = area.allocate(library::kMemoryBytes);
    if (memory.empty()) {
        return kWrongUsage;
    }
    const library::Result result = library::check_all(library::linked_functions(), memory.data());
    report("calls", result.calls);
    report("differences", result.differences);
    return (result.differences == 0U) ? kPassed : kFailed;
}

}  // namespace pianola::baremetal
