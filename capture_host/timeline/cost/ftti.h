// FTTI: from a fault to the safe state, and whether that is soon enough.
//
// Used by `pianola size --ftti-us`. Times come from the formulas of session_cost.h and from what an integrator
// says of an ECU; nothing is measured here. docs/guide/timing.md explains each addend.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "capture_host/timeline/cost/session_facts.h"

namespace pianola::timeline {

// The work of a device whose core is the one that runs the session: service() executes at most one command of each
// queue (hal/boards/common/board_link.cpp), and poll() calls it once for each device. In device cycles.
struct DeviceWork {
    std::uint32_t clock_khz{0U};
    std::string costs;                          // whose cycles they are, for people
    std::uint64_t poll_cycles{0U};              // that one poll() executes at most: of prologue, steps and epilogue
    std::vector<std::uint64_t> command_cycles;  // of a step: every command of every queue and device
};

// What the integrator says.
struct EcuTiming {
    std::uint64_t clock_hz{0U};
    double cycles_per_instruction{0.0};
    // Of one method of the port (Device, Platform, CommandSet), without commands that service() executes.
    std::uint64_t port_instructions{0U};
    std::uint64_t period_us{0U};      // from one submit() to the next
    std::uint64_t poll_us{0U};        // from one poll() to the next
    std::uint64_t jitter_us{0U};      // that a poll() comes late
    std::uint64_t release_steps{1U};  // that share a verification: Session::release_steps()
    std::uint64_t deadline_us{0U};    // of a step
    std::uint64_t step_us{0U};        // of the device's own work in it
    std::uint64_t reset_us{0U};       // that one device's reset() takes at most
    std::uint64_t safe_state_us{0U};  // of enter_safe_state() and what follows until the vehicle is safe
    std::uint64_t ftti_us{0U};
    const DeviceWork* work{nullptr};  // that poll() does; nullptr: the device has its own cores
};

enum class Interval : std::uint8_t { kDetection, kReaction };

struct Addend {
    Interval interval{Interval::kDetection};
    const char* name{""};
    std::string formula;  // with its numbers
    std::uint64_t time_us{0U};
};

struct FttiAnswer {
    std::vector<Addend> addends;
    std::uint64_t detection_us{0U};
    std::uint64_t reaction_us{0U};
    std::uint64_t least_deadline_us{0U};  // with which a step without a fault is in time
    // Where poll() does the device's work: calls that a step needs at most until its commands are executed, the time
    // of these calls by the task that polls, and that of wait(), which calls without a pause and verifies the release.
    std::uint64_t step_polls{0U};
    std::uint64_t polled_us{0U};
    std::uint64_t waited_us{0U};
    bool deadline_suffices{false};
    bool fits{false};

    [[nodiscard]] std::uint64_t handling_us() const noexcept { return detection_us + reaction_us; }
};

// A call takes longer than kLongestWorkUs: the ECU's numbers are no core's.
class TooSlow : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};
inline constexpr std::uint64_t kLongestWorkUs = 1'000'000'000'000U;  // eleven days

// Each addend is rounded up to a microsecond. Throws TooSlow.
[[nodiscard]] FttiAnswer answer(const SessionFacts& facts, const EcuTiming& ecu);

}  // namespace pianola::timeline
