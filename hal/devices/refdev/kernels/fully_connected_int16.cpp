#include "hal/devices/refdev/kernels/int16_layers.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/window.h"

namespace pianola::refdev {

Status compute_fully_connected_int16(WordSpan arguments, const BoundOperands& bound) noexcept {
    const auto [a, sum_bytes] = arguments_from_words<FullyConnectedInt16Arguments>(arguments);
    const Int16Output result{a.activation_min, a.activation_max, sum_bytes};
    const std::size_t row_bytes = std::size_t{a.input_depth} * sizeof(std::int16_t);
    const std::int8_t* input = bound.inputs[0];
    std::int8_t* output = bound.output;
    for (std::uint32_t batch = 0U; batch < a.batches; ++batch) {
        std::uint32_t channel = 0U;
        while (channel < a.output_depth) {
            const FilterRows filter{bound.inputs[1] + (std::size_t{channel} * a.input_depth), a.input_depth,
                                    smaller_count(kChannelBlock, a.output_depth - channel)};
            WideSums sums{};
            add_products(input, a.input_depth, filter, sums);
            result.store(sums, bound.inputs[2] + (std::size_t{channel} * result.parameters_bytes()), filter.channels,
                         output);
            output += std::size_t{filter.channels} * sizeof(std::int16_t);
            channel += filter.channels;
        }
        input += row_bytes;
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
