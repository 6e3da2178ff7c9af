// Tiles of depthwise convolutions: none on any core.
#include "hal/devices/refdev/kernels/inner_loops.h"

namespace pianola::refdev {

const DepthwiseTiles kDepthwiseTiles{0U, 0U};

void prepare_depthwise(const std::int8_t* /*weights*/, std::size_t /*stride*/, const std::int8_t* /*parameters*/,
                       const Requantisation& /*requantisation*/, const DepthwiseTile& /*tile*/,
                       DepthwiseGroup& /*group*/) noexcept {}

void depthwise_tile(const DepthwiseTile& /*tile*/, const DepthwiseGroup& /*group*/,
                    const Requantisation& /*requantisation*/) noexcept {}

}  // namespace pianola::refdev
