#include "tests/baremetal/skips/ends.h"

#include "tests/baremetal/skips/order.h"

extern "C" [[gnu::aligned(1024)]] void pianola_skip_begin() noexcept {}
extern "C" void pianola_skip_end() noexcept {}
// NOLINTBEGIN(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032
extern "C" [[noreturn]] void __wrap_pianola_stop_on_fault(const pianola::CoreFault& /*fault*/) noexcept {
    for (;;) {
    }
}

extern "C" void __wrap__ZN7pianola6refdev12ExecutionLog6appendERKNS0_15ExecutedCommandE(
    pianola::refdev::ExecutionLog* log, const pianola::refdev::ExecutedCommand& executed) noexcept {
    pianola_skip_evidence.executed += 1U;
    __real__ZN7pianola6refdev12ExecutionLog6appendERKNS0_15ExecutedCommandE(log, executed);
}
// NOLINTEND(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032
