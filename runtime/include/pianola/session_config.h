// The configuration of a session: whose binaries it loads, what a device must attest, and when results are released.
#pragma once

#include <cstdint>

#include "pianola/device.h"
#include "pianola/trust.h"

namespace pianola {

// When a step's outputs are released. Wide patterns; any other value is treated as kVerified.
enum class Release : std::uint32_t {
    // Once traces, weights and the session's own state have been found unchanged after the step: poll() goes on
    // returning kPending for as many calls as that takes, kScrubSliceBytes each. A bit that flipped in any of them
    // before it was used is detected before the release.
    kVerified = 0x4DB2'B24DU,
    // As soon as the device has completed: for memories that correct themselves (ECC). scrub() still finds what has
    // changed, later.
    kAtCompletion = 0xB24D'4DB2U,
};

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
};

// Whether a device that attests this may be driven.
[[nodiscard]] bool is_enough(Attestation attestation, Evidence least) noexcept;

}  // namespace pianola
