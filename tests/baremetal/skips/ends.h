// Where the host stops a run: the functions of ends.cpp, which lie in a page of their own. The emulator runs every page
// with a breakpoint one instruction at a time, and nothing that takes long may share it.
#pragma once

#include "hal/arch/core_fault.h"
#include "hal/devices/refdev/execution_log.h"

extern "C" {
void pianola_skip_begin() noexcept;
void pianola_skip_end() noexcept;
// Instead of pianola_stop_on_fault() (option --wrap): an exception that no handler returns from, or main() that
// returned.
// NOLINTBEGIN(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032
[[noreturn]] void __wrap_pianola_stop_on_fault(const pianola::CoreFault& fault) noexcept;
// ExecutionLog::append(), which the device's firmware calls for each command: counts them.
void __wrap__ZN7pianola6refdev12ExecutionLog6appendERKNS0_15ExecutedCommandE(
    pianola::refdev::ExecutionLog* log, const pianola::refdev::ExecutedCommand& executed) noexcept;
void __real__ZN7pianola6refdev12ExecutionLog6appendERKNS0_15ExecutedCommandE(
    pianola::refdev::ExecutionLog* log, const pianola::refdev::ExecutedCommand& executed) noexcept;
// NOLINTEND(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032
}
