#include "tests/baremetal/skips/ends.h"

extern "C" [[gnu::aligned(1024)]] void pianola_skip_begin() noexcept {}
extern "C" void pianola_skip_end() noexcept {}
// NOLINTNEXTLINE(bugprone-reserved-identifier, readability-identifier-naming): DEV-032
extern "C" [[noreturn]] void __wrap_pianola_stop_on_fault(const pianola::CoreFault& /*fault*/) noexcept {
    for (;;) {
    }
}
