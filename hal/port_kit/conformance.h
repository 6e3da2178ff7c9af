// The conformance kit: contract tests of a port, for a host process or a bare-metal image. No heap, no exceptions.
//
// Every check has a name that stays, and ends as passed, failed, or not offered; what is not offered leaves an
// assumption of use to the integrator. docs/guide/porting.md lists the checks.
#pragma once

#include <cstdint>

#include "hal/port_kit/kit.h"
#include "hal/port_kit/port.h"
#include "pianola/span.h"

namespace pianola::port {

struct Check {
    const char* name;
    const char* statement;   // what holds where it passes
    const char* assumption;  // what must hold by other means where it is not offered; nullptr: every port offers it
    void (*run)(Kit& kit) noexcept;
};

// Where the report goes: text without line breaks.
class Sink {
  public:
    Sink(const Sink&) = delete;
    Sink(Sink&&) = delete;
    Sink& operator=(const Sink&) = delete;
    Sink& operator=(Sink&&) = delete;

    virtual void text(const char* text) noexcept = 0;
    virtual void number(std::uint64_t number) noexcept = 0;

  protected:
    Sink() = default;
    ~Sink() = default;
};

struct Summary {
    std::uint32_t passed{0U};
    std::uint32_t failed{0U};
    std::uint32_t not_offered{0U};
    // The port says that it leaves out what cannot be left out, or what is no check.
    std::uint32_t refused_exemptions{0U};

    [[nodiscard]] bool conforms() const noexcept {
        return (failed == 0U) && (refused_exemptions == 0U) && (passed != 0U);
    }
};

// Runs every check whose name begins with `prefix`, one line of the report each, and a last line with the numbers. The
// kit is memory to work in: static, because it is large.
Summary run_conformance(const PortUnderTest& port, Kit& kit, Sink& sink, const char* prefix = "") noexcept;

// All checks, in the order in which they run.
inline constexpr std::uint32_t kAreas = 15U;
[[nodiscard]] Span<const Check> checks_of(std::uint32_t area) noexcept;

// The areas.
[[nodiscard]] Span<const Check> describe_checks() noexcept;
[[nodiscard]] Span<const Check> platform_checks() noexcept;
[[nodiscard]] Span<const Check> decode_checks() noexcept;
[[nodiscard]] Span<const Check> digest_checks() noexcept;
[[nodiscard]] Span<const Check> region_checks() noexcept;
[[nodiscard]] Span<const Check> binding_checks() noexcept;
[[nodiscard]] Span<const Check> transfer_checks() noexcept;
[[nodiscard]] Span<const Check> memory_checks() noexcept;
[[nodiscard]] Span<const Check> file_window_checks() noexcept;
[[nodiscard]] Span<const Check> queue_checks() noexcept;
[[nodiscard]] Span<const Check> event_checks() noexcept;
[[nodiscard]] Span<const Check> completion_checks() noexcept;
[[nodiscard]] Span<const Check> reset_checks() noexcept;
[[nodiscard]] Span<const Check> touch_checks() noexcept;
[[nodiscard]] Span<const Check> engine_checks() noexcept;

}  // namespace pianola::port
