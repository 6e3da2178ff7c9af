// FTTI: from a fault to the safe state, and whether that is soon enough.
//
// Used by `pianola size --ftti-us`. Times come from the formulas of session_cost.h and from what an integrator
// says of an ECU; nothing is measured here. docs/guide/timing.md explains each addend.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture_host/timeline/cost/session_facts.h"

namespace pianola::timeline {

// What the integrator says.
struct EcuTiming {
    std::uint64_t clock_hz{0U};
    double cycles_per_instruction{0.0};
    std::uint64_t port_instructions{0U};  // of one method of the port: Device, Platform, CommandSet
    std::uint64_t period_us{0U};          // from one submit() to the next
    std::uint64_t poll_us{0U};            // from one poll() to the next
    std::uint64_t jitter_us{0U};          // that a poll() comes late
    std::uint64_t deadline_us{0U};        // of a step
    std::uint64_t step_us{0U};            // of the device's own work in it
    std::uint64_t reset_us{0U};           // that one device's reset() takes at most
    std::uint64_t safe_state_us{0U};      // of enter_safe_state() and what follows until the vehicle is safe
    std::uint64_t ftti_us{0U};
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
    bool deadline_suffices{false};
    bool fits{false};

    [[nodiscard]] std::uint64_t handling_us() const noexcept { return detection_us + reaction_us; }
};

// Each addend is rounded up to a microsecond.
[[nodiscard]] FttiAnswer answer(const SessionFacts& facts, const EcuTiming& ecu);

}  // namespace pianola::timeline
