// Packed weights on any core.
#include "hal/devices/refdev/kernels/scalar_packed.h"

namespace pianola::refdev {

const PackedLoops kPackedLoops = scalar::kPackedLoops;

void accumulate_packed(const PackedBlock& block, const PackedTaps& taps, PackedSums& sums) noexcept {
    scalar::accumulate_packed(block, taps, sums);
}

void store_packed(const PackedBlock& block, const PackedSums& sums, const Requantisation& requantisation,
                  const OutputRows& output) noexcept {
    scalar::store_packed(block, sums, requantisation, output);
}

}  // namespace pianola::refdev
