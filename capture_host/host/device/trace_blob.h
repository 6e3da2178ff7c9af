// The blob that carries a trace from one process to another.
//
// Behind Device::collect_trace() and load_trace(); docs/guide/host_api.md gives the layout. All input is hostile.
#pragma once

#include "capture_host/host/device/device_state.h"

namespace pianola::host {

[[nodiscard]] std::vector<std::uint8_t> write_blob(const DeviceDescription& spec, const TraceState& trace);
// Throws API-BLOB-*. Every command has been decoded, and the footprint and costs that the blob states are those of its
// words.
[[nodiscard]] TraceState read_blob(const DeviceDescription& spec, ByteSpan blob);

}  // namespace pianola::host
