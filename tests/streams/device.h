// Programs on the simulated device.
//
// What the model is held against (tests/streams).
#pragma once

#include <map>

#include "pianola_host/workload_capture.h"
#include "tests/streams/program.h"

namespace pianola::streams {

struct Ran {
    std::vector<Bytes> results;
    host::CapturedWorkload workload;
    std::string refusal;  // of the capture; empty where it has a workload
};

// With `is_captured`, while the whole of it is captured. Throws HostError where the device refuses a call.
[[nodiscard]] Ran run(const Program& program, const std::vector<Bytes>& data, bool is_captured);
// A capture's refusal says what to do about it.
[[nodiscard]] bool has_remedy(const std::string& refusal);
[[nodiscard]] host::Program program_of(const Launch& launch, const std::map<std::uint32_t, host::BufferPtr>& buffers);
[[nodiscard]] host::DeviceOptions options_of(const Program& program);

}  // namespace pianola::streams
