// Interrupt: ends a long call that the user has interrupted.
//
// Long loops of the host's libraries call check() between their parts; the Python package sets the hook that looks for
// signals. Without a hook check() does nothing: a signal ends the command line.
#pragma once

#include <atomic>

namespace pianola::interrupt {

// Returns if the call may continue, and throws to end it. Called from any thread.
using Hook = void (*)();

inline std::atomic<Hook> current_hook{nullptr};
inline thread_local unsigned holds = 0U;

// The hook of the whole process; nullptr for none.
inline void set_hook(Hook hook) noexcept {
    current_hook.store(hook);
}

// Passes on the hook's exception. Callers call it between whole parts of their work, such as a record, a vector or a
// recorded call, so that the exception leaves no part incomplete.
inline void check() {
    const Hook hook = current_hook.load(std::memory_order_relaxed);
    if ((hook != nullptr) && (holds == 0U)) {
        hook();
    }
}

// While a Hold exists, check() returns on this thread: for clean-up, which must complete.
class Hold {
  public:
    Hold() noexcept { ++holds; }
    ~Hold() { --holds; }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
};

}  // namespace pianola::interrupt
