// The smallest memories that a workload needs.
#pragma once

#include "capture_host/capture/link.h"

namespace pianola::capture {

// `options.spec` with memories as small as the workload permits, and at most as large as they are: L1 holds the
// activations if they fit there, else nothing. Throws LinkError.
[[nodiscard]] DeviceDescription fit_memories(const Recorder& recorded, LinkOptions options);

}  // namespace pianola::capture
