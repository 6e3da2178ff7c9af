// The bytes that a capture uses, and those that the set-up must write.
#pragma once

#include "capture_host/host/capture/scripts.h"

namespace pianola::host {

struct CaptureMemory {
    RangeSet used;                             // device addresses
    std::vector<AddressRange> setup;           // written once
    std::vector<std::uint8_t> setup_contents;  // concatenated
};

// Throws API-CAPTURE-CONTENT if bytes are read that nothing writes, or if the set-up's bytes are overwritten later.
[[nodiscard]] CaptureMemory capture_memory(const CommandSet& command_set, const Scripts& scripts,
                                           const Declarations& declarations);

}  // namespace pianola::host
