// Traces: descriptions of traces, and the blob that carries one to another process.
//
// Used by the trace calls of Device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pianola_host/buffer.h"
#include "pianola_host/ids.h"
#include "pianola_host/program.h"

namespace pianola::host {

struct TraceInfo {
    TraceId id;
    std::uint32_t queue{0U};
    std::uint32_t address{0U};        // in the trace region
    std::uint32_t bytes{0U};          // of its words
    std::uint32_t command_count{0U};  // the end command included
    std::uint64_t cost_cycles{0U};    // of one replay, by the device's cost model; without the queue's own
    std::vector<TraceProgramInfo> programs;
    std::vector<AddressRange> reads;   // bytes that it reads, merged and sorted
    std::vector<AddressRange> writes;  // bytes that it writes
};

// A trace outside a device: a header with its device, its command set, the memory that it touches and its cost; its
// words; and a SHA-256 over all of it. docs/guide/host_api.md gives the format.
struct TraceBlob {
    std::vector<std::uint8_t> bytes;
    TraceInfo info;
};

enum class TraceParameterKind : std::uint8_t { kRuntimeArgument, kBufferAddress };

// A value that words of a trace take, and that may change between executions. Admitted: the multiples of `alignment`
// from minimum to maximum.
struct TraceParameter {
    std::string name;
    TraceParameterKind kind{TraceParameterKind::kRuntimeArgument};
    std::uint32_t minimum{0U};
    std::uint32_t maximum{0U};
    std::uint32_t alignment{1U};
    std::vector<std::uint32_t> words;  // indices in the trace
};

}  // namespace pianola::host
