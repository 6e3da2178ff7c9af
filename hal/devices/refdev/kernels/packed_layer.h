// A layer with packed weights: the loop over its channels and rows, common to all cores.
//
// Used by the convolution and fully connected kernels for launches with packed weights. A row is an output pixel, or a
// batch.
#pragma once

#include "hal/devices/refdev/kernels/inner_loops.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "hal/devices/refdev/kernels/window.h"

namespace pianola::refdev {

[[nodiscard]] inline bool reads_layout(WeightsLayout layout) noexcept {
    return (layout == WeightsLayout::kPlain) ||
           (((kPackedLoops.layouts >> (static_cast<std::uint32_t>(layout) % 32U)) & 1U) != 0U);
}

// All rows of a layer: `accumulate(block, row, rows, sums)` adds up the products of that many rows from `row` on.
template <typename Accumulate>
[[gnu::noinline]] void run_packed_layer(const PackedBlock& layer, const Requantisation& requantisation,
                                        std::uint32_t rows, std::int8_t* output,
                                        const Accumulate& accumulate) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init, pianola-misra-11.6.1): DEV-039
    PackedSums sums;
    const auto row_bytes = static_cast<std::size_t>(packed_row_bytes(layer.layout, layer.taps));
    PackedBlock block = layer;
    std::uint32_t done = 0U;
    while (done < layer.channels) {
        block.channels = smaller_count(kPackedChannels, layer.channels - done);
        std::int8_t* to = output + done;
        std::uint32_t next = 0U;
        while (next < rows) {
            const std::uint32_t at_once = smaller_count(kPackedLoops.rows, rows - next);
            accumulate(block, next, at_once, sums);
            store_packed(block, sums, requantisation, OutputRows{to, layer.channels, at_once});
            to += std::size_t{at_once} * layer.channels;
            next += at_once;
        }
        block.weights += row_bytes * block.channels;
        block.parameters += std::size_t{block.channels} * kChannelParametersBytes;
        done += block.channels;
    }
}

}  // namespace pianola::refdev
