// The places of all recorded buffers: regions, addresses, and the buffers of the manifest.
#pragma once

#include <cstdint>
#include <vector>

#include "capture_host/capture/link.h"

namespace pianola::capture {

struct Layout {
    std::vector<ManifestRegion> regions;
    std::vector<ManifestBuffer> buffers;
    std::vector<std::uint32_t> addresses;         // of each recorded buffer, by id
    std::vector<std::uint32_t> manifest_buffers;  // index in `buffers` of each recorded input and output, by id
    std::vector<std::uint8_t> weights;            // contents of the weights region; empty if there is none
};

// Fills in the memory figures of `summary`. Throws LinkError.
[[nodiscard]] Layout lay_out(const Recorder& recorder, const DeviceDescription& spec, LinkSummary& summary);

}  // namespace pianola::capture
