// Packing: the weights of a recorded workload in the layout that a target's kernels read fastest.
//
// The linker's first step. A layer is packed where its weights are constants and can_pack()
// (hal/devices/refdev/kernels/packed_weights.h) proves that the result stays the same; every other one stays plain.
#pragma once

#include "capture_host/capture/recorder.h"
#include "hal/devices/refdev/kernels/packed_weights.h"

namespace pianola::capture {

// How many layers were packed; constants that nothing reads any more are empty behind it.
std::uint32_t pack_layers(refdev::WeightsLayout layout, Recorder& recorder);

}  // namespace pianola::capture
