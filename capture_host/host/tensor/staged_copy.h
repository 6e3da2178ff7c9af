// Copies between placements that have little in common: a few launches of many rows, in stages through DRAM.
//
// What copy() does where moving row by row takes more commands than the dispatch area holds, or has the cores touch
// more separate byte ranges than the proof of a capture holds. There every core reads a part of every shard: cores x
// shards ranges. Here a shard, or all pages that a core holds of a tensor that is interleaved over L1, is one part of
// each row: at most four ranges a core, or one a shard.
#pragma once

#include "pianola_host/tensor.h"

namespace pianola::tensor {

// Tensors in rows, on one device, of one shape and type, in different buffers.
void copy_in_stages(const Tensor& source, const Tensor& destination, std::uint32_t queue);

}  // namespace pianola::tensor
