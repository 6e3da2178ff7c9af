// Lowering: a captured workload of copies and fills, for a PL330.
//
// A program is written, run and captured against the reference device, with the engine's memory map. The lowering
// rewrites its traces command by command; the result is validated like any binary. Supported are copies and fills, as
// commands or as kernels on any core; everything else is refused by name. Kernels that ran in parallel run in sequence:
// the validator has already refused programs whose result depends on that.
#pragma once

#include <cstdint>
#include <vector>

#include "capture_host/device/lowering.h"
#include "hal/devices/pl330/driver.h"
#include "pianola/device.h"
#include "pianola/span.h"
#include "pianola_host/manifest.h"

namespace pianola::pl330 {

using targets::LoweringError;

struct Lowered {
    capture::Manifest manifest;
    capture::Segments segments;

    [[nodiscard]] std::vector<std::uint8_t> file() const { return capture::write_trace_binary(manifest, segments); }
};

// `file` is a binary that the reference device `from` accepts; its memories are the engine's. Throws LoweringError.
[[nodiscard]] Lowered lower(ByteSpan file, const DeviceDescription& from, const EngineSpec& engine);

// The same for the host's tools; LoweringError also if the engine's validator refuses the binary. Static lifetime.
[[nodiscard]] const targets::Lowering& lowering();

// The manifest's description of the engine as its target.
[[nodiscard]] capture::ManifestTarget target_of(const EngineSpec& engine);

}  // namespace pianola::pl330
