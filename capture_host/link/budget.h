// What every binary says of its device and its deadlines.
//
// Place in the whole: shared by the linker and the host API's capture. Host only.
#pragma once

#include <cstdint>

#include "capture_host/writer/manifest.h"
#include "pianola/device.h"

namespace pianola::capture {

[[nodiscard]] ManifestTarget make_target(const DeviceDescription& device);

// In microseconds, for what takes that many cycles. wanted_us is 0 for the default: four times that, and no less than
// 10 ms. Throws DeadlineError where the wish is too short; `script` is kStep or kSetup.
[[nodiscard]] std::uint32_t deadline_us(ScriptKind script, std::uint64_t cycles, std::uint32_t clock_khz,
                                        std::uint32_t wanted_us);

}  // namespace pianola::capture
