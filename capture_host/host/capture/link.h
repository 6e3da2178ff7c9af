// From scripts to a trace binary's manifest and segments.
//
// The last stage of a capture before the runtime's own proofs.
#pragma once

#include "capture_host/capture/link.h"
#include "capture_host/host/capture/scripts.h"

namespace pianola::host {

// The bytes that a device's scripts use. Throws API-CAPTURE-CONTENT if bytes are read that nothing writes, or if
// bytes of the set-up are overwritten later.
[[nodiscard]] RangeSet used_bytes(const CommandSet& command_set, const Scripts& scripts,
                                  const Declarations& declarations);

// `others`: the bytes that other devices of the binary use, because all have the same regions. Throws API-CAPTURE-*.
[[nodiscard]] capture::LinkedBinary link_capture(const Target& target, const DeviceDescription& spec,
                                                 const Scripts& scripts, const Declarations& declarations,
                                                 const CaptureOptions& options, std::uint32_t steps_in_flight,
                                                 const RangeSet& others = {});

}  // namespace pianola::host
