// From scripts to a trace binary's manifest and segments.
//
// Place in the whole: the last stage of a capture before the runtime's own proofs. Internal to the host API.
#pragma once

#include "capture_host/workload/capture_scripts.h"

namespace pianola::host {

struct LinkedCapture {
    capture::Manifest manifest;
    capture::Segments segments;
};

// Throws API-CAPTURE-*.
[[nodiscard]] LinkedCapture link_capture(const Target& target, const DeviceDescription& spec, const Scripts& scripts,
                                         const Declarations& declarations, const CaptureOptions& options,
                                         std::uint32_t steps_in_flight);

}  // namespace pianola::host
