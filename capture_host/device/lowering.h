// Lowering: from a binary for the usual device to one for another family.
//
// Models and host programs are captured, and run, on the usual device with the other device's memories. A Lowering
// makes the binary of its family from that; capture_host/capture/lowering lists them.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "pianola/device.h"
#include "pianola/span.h"

namespace pianola::targets {

// what() names the trace, the command, and the feature that the device lacks.
class LoweringError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct LoweredBinary {
    std::vector<std::uint8_t> file;  // accepted by the device's own validator
    std::uint32_t commands{0U};      // of all traces
    std::uint32_t trace_bytes{0U};   // of the trace region
};

class Lowering {
  public:
    Lowering() = default;
    virtual ~Lowering() = default;
    Lowering(const Lowering&) = delete;
    Lowering& operator=(const Lowering&) = delete;

    [[nodiscard]] virtual const char* family() const noexcept = 0;
    // The usual device that a workload for `device` is captured on.
    [[nodiscard]] virtual DeviceDescription captured_on(const DeviceDescription& device) const = 0;
    // `file` is for captured_on(device), with any alignment. Throws LoweringError.
    [[nodiscard]] virtual LoweredBinary lower(ByteSpan file, const DeviceDescription& device) const = 0;
};

}  // namespace pianola::targets
