// What poll() executes of a binary where the core that runs the session is also the device's core: read from workloads.
#pragma once

#include <vector>

#include "capture_host/timeline/cost/ftti.h"
#include "capture_host/timeline/workload.h"

namespace pianola::timeline {

// The workloads are those of one binary.
[[nodiscard]] DeviceWork device_work(const std::vector<Workload>& devices);

}  // namespace pianola::timeline
