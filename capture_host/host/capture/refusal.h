// Messages about a refused capture: the commands by their effect, the bytes by their buffers' names, and what would
// order them.
#pragma once

#include <string>

#include "capture_host/host/capture/link.h"
#include "capture_host/host/device/device_state.h"
#include "pianola/verdict.h"

namespace pianola::host {

[[nodiscard]] std::string explain_refusal(const LinkedCapture& linked, const Verdict& verdict,
                                          const DeviceState& device);

}  // namespace pianola::host
