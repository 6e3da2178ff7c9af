// The configuration of a session: whose binaries it loads, what a device must attest, and when results are released.
#pragma once

#include <cstdint>

#include "pianola/device.h"
#include "pianola/trust.h"

namespace pianola {

// When a step's outputs are released. Wide patterns; any other value is treated as kVerified.
enum class Release : std::uint32_t {
    // Once traces, weights and the session's own state have been found unchanged after the step: poll() returns
    // kPending meanwhile, for kScrubSliceBytes a call. A bit that flipped in any of them before it was used is detected
    // before the release. State that outlives steps must be, before a step that starts while none is under way, what
    // it was when the last one had completed.
    kVerified = 0x4DB2'B24DU,
    // As soon as the device has completed: for memories that correct themselves (ECC). scrub() still finds what has
    // changed, later.
    kAtCompletion = 0xB24D'4DB2U,
    // Once a share of traces and weights has been found unchanged after the step, and the session's own state: in a
    // sequence of steps that complete within a period of each other, each byte is verified again within
    // FaultInterval::ftti_us - reaction_us. A step whose share begins or ends too late for that, its last poll()
    // included, is released as with kVerified: its deadline must allow for it. The next step may then be one period
    // later than others. State that outlives steps is verified as with kVerified.
    kWithinInterval = 0x17E8'E817U,
};

// What the system's safety concept gives for Release::kWithinInterval. load() refuses (TGT-INTERVAL) where ftti_us is
// not at least reaction_us and two periods, or period_us is 0.
struct FaultInterval {
    std::uint32_t ftti_us{0U};      // fault tolerant time interval: from a fault to a hazard, if nothing reacts
    std::uint32_t period_us{0U};    // the longest time from the completion of a step to that of the next one
    std::uint32_t reaction_us{0U};  // from a latched fault to the safe state of the system
};
// The number of steps that share one verification of everything; 0 if the interval does not suffice for any.
[[nodiscard]] std::uint32_t shared_steps(const FaultInterval& interval) noexcept;

// The minimum that a device must attest to be driven. Wide patterns; any other value is treated as kDigest.
// docs/DESIGN.md says what is lost with each.
enum class Evidence : std::uint32_t {
    kDigest = 0x39C6'C639U,
    kCount = 0xC639'39C6U,
    kNotification = 0x6C93'936CU,  // whatever the device attests
};

// Constant: keep it in flash.
struct SessionConfig {
    Trust trust;
    Release release{Release::kVerified};
    Evidence least_evidence{Evidence::kDigest};
    FaultInterval interval{};  // of Release::kWithinInterval; not used otherwise
};

// Whether a device that attests this may be driven.
[[nodiscard]] bool is_enough(Attestation attestation, Evidence least) noexcept;

}  // namespace pianola
