// Platform: the ECU around the session.
//
// One of the three interfaces that a port implements (with Device and CommandSet). Called by the core that owns the
// session.
#pragma once

#include <cstdint>

#include "pianola/status.h"

namespace pianola {

struct FaultRecord;

class Platform {
  public:
    Platform(const Platform&) = delete;
    Platform(Platform&&) = delete;
    Platform& operator=(const Platform&) = delete;
    Platform& operator=(Platform&&) = delete;

    // Monotonic time in microseconds since any fixed moment. Must advance while the session waits.
    [[nodiscard]] virtual std::uint64_t now_us() noexcept = 0;

    // Called by blocking calls while there is nothing to do: sleep until something may have changed (WFI, WFE, yield).
    // May return early; must return before a deadline can be missed.
    virtual void idle() noexcept = 0;

    // Called when a step, prologue or epilogue has completed within its deadline, with the evidence that the device
    // attests. load() does not call it: during loading no watchdog may be running, or its time must be longer.
    virtual void serve_watchdog() noexcept = 0;

    // The lowest security version that may be loaded: a monotonic counter in memory that survives power cycles and that
    // only secure code writes. Read twice at every load, once for each validation. If the result is not kOk, nothing is
    // loaded; if `version` is not written, only a binary of version 2^32 - 1 is accepted, which `pianola sign` does not
    // make.
    virtual Status lowest_security_version(std::uint32_t& version) noexcept = 0;

    // Raises the counter to `version`. Called by Session::confirm_start() only, with a version higher than the
    // counter's. After kOk the counter is `version`, even if power is lost; otherwise it is unchanged.
    virtual Status raise_security_version(std::uint32_t version) noexcept = 0;

    // A fault has latched. Called once per fault, before any call of the session reports it.
    virtual void enter_safe_state(const FaultRecord& fault) noexcept = 0;

  protected:
    Platform() = default;
    ~Platform() = default;
};

}  // namespace pianola
