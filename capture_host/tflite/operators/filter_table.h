// The tables that layers read with a filter: channel parameters, from the filter's scales and the bias.
#pragma once

#include <cstddef>
#include <cstdint>

#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {

// The operand positions of a layer's filter, and of the bias of convolutions and the fully connected layer.
inline constexpr std::size_t kFilterPosition = 1U;
inline constexpr std::size_t kBiasPosition = 2U;

// Bytes of a layer's sums (Int16Layer::sum_bytes): 4 for int8 activations. For int16 as many as the bias, or as
// `without_bias`, the type that the layer's options name for an absent bias; 8 in layers whose options name none.
[[nodiscard]] std::uint32_t sum_bytes_of(const OperatorContext& context, const QuantizedTensor& input,
                                         std::size_t bias_position, std::optional<std::int8_t> without_bias);

struct FilterRoles {
    std::uint32_t channel_dimension{0U};
    std::size_t bias_position{kBiasPosition};
    std::uint32_t sum_bytes{refdev::kNarrowSumBytes};
};

// One row per output channel. The filter has one scale, or one per channel along the channels' dimension.
[[nodiscard]] capture::BufferId add_filter_table(OperatorContext& context, const QuantizedTensor& input,
                                                 const QuantizedTensor& output, std::uint32_t channels,
                                                 const FilterRoles& roles);

// A layer's kernels, by the type of its activations.
struct LayerKernels {
    refdev::KernelId int8{refdev::KernelId::kUnspecified};
    refdev::KernelId int16{refdev::KernelId::kUnspecified};
};

// Records the launch of the matching kernel, for input, filter, table and output.
template <typename Arguments>
void launch_layer(OperatorContext& context, const LayerKernels& kernels, const Tensor& input, std::uint32_t sum_bytes,
                  const Arguments& arguments, const std::vector<LaunchOperand>& operands) {
    if (input.type == kTypeInt16) {
        context.launch(kernels.int16, refdev::Int16Layer<Arguments>{arguments, sum_bytes}, operands);
    } else {
        context.launch(kernels.int8, arguments, operands);
    }
}

}  // namespace pianola::tflite
