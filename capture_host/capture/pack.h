// Packing: the weights of a recorded workload in the layout that a target's kernels read fastest.
//
// The linker's first step. A layer is packed if its weights are constants and can_pack()
// (hal/devices/refdev/kernels/packed_weights.h) proves that the result stays the same; all others stay plain.
#pragma once

#include "capture_host/capture/recorder.h"
#include "hal/devices/refdev/kernels/packed_weights.h"

namespace pianola::capture {

// Returns the number of packed layers; constants that nothing reads any more become empty.
std::uint32_t pack_layers(refdev::WeightsLayout layout, Recorder& recorder);

}  // namespace pianola::capture
