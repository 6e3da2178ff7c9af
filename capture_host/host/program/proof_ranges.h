// Proof ranges: whether the proof of the device's profile holds what the cores of one program touch.
//
// Asked by Device::fits(). From one barrier to the next, the runtime's proof keeps which core has touched which bytes,
// in as many disjoint ranges as the profile has (runtime/plan/cores.cpp; rule CAP-INTERVALS). This is the same
// bookkeeping ahead of the capture.
#pragma once

#include "capture_host/host/program/compile.h"
#include "pianola/device.h"

namespace pianola::host {

// True where a program of so few kernels fits the proof and that many bytes of commands whatever its operands are:
// there is no need to assemble it and look.
[[nodiscard]] bool surely_fits(const DeviceDescription& spec, const Program::State& program, std::uint64_t bytes);

// `assembled` is of this program, whose operands lie in the buffers that its arguments name. The answer does not depend
// on where these buffers lie: ranges of two buffers are never taken for one, though the proof joins those that touch.
[[nodiscard]] bool fits_proof(const DeviceDescription& spec, const Program::State& program, const Assembled& assembled);

}  // namespace pianola::host
