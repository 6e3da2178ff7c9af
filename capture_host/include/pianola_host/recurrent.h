// Layers that keep memory from one call to the next.
//
// The rules of quantized.h hold here too. A layer's memory is a tensor of the caller, which each call reads and changes
// in place; the caller resets it by writing that tensor. Results are those of TensorFlow Lite Micro's reference
// kernels, bit for bit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "pianola_host/quantized.h"

namespace pianola::tensor {

// An SVDF layer: `features` of the input, [filters, input depth] of int8, join a memory of the last `length` of each
// filter, which `time_weights`, [filters, length], then weigh; each unit of the result sums `rank` filters and a bias.
struct SvdfQuantization {
    Quantization input;
    float feature_scale{1.0F};
    Quantization memory;
    float time_scale{1.0F};
    Quantization output;
};
// The input is int8 [batches, input depth], the memory int8 or int16 [batches, filters, length], of the type of the
// time weights and in one piece of memory, the oldest first; a layer begins with the memory's zero point everywhere.
// The bias is int32 [units]. The result is int8 [batches, units].
[[nodiscard]] Tensor svdf(const Tensor& input, const Tensor& features, const Tensor& time_weights,
                          const std::optional<Tensor>& bias, const Tensor& memory, std::uint32_t rank,
                          const SvdfQuantization& quantization, const OperationOptions& options = {});

// A long short-term memory layer, whose gates come in this order: input, forget, candidate, output.
inline constexpr std::size_t kLstmGateCount = 4U;
struct LstmGateWeights {
    std::vector<std::int8_t> input;   // [units][input depth]
    std::vector<std::int8_t> hidden;  // [units][units]
    std::vector<std::int64_t> bias;   // [units]; of int32 where activations are int8
};
// A layer's tensors, made on the host: move all three to one device.
struct LstmTensors {
    Tensor weights;     // int8 [gates, units, input depth + units]
    Tensor parameters;  // biases and a table
    Tensor state;       // int8, as bytes: cells of 16 bits, then hidden values of the activations' type
};
// `type` is that of the activations, int8 or int16; `state` is the initial state of a layer of that many batches.
[[nodiscard]] LstmTensors prepare_lstm(const std::array<LstmGateWeights, kLstmGateCount>& gates, ElementType type,
                                       std::uint32_t batches, std::int32_t hidden_zero_point);

struct LstmQuantization {
    Quantization input;
    Quantization hidden;  // and of the result
    float cell_scale{1.0F};
    float cell_clip{0.0F};  // 0: none
    std::array<float, kLstmGateCount> input_weight_scales{};
    std::array<float, kLstmGateCount> hidden_weight_scales{};
};
// The input is [batches, steps, input depth], or [steps, batches, input depth] if `time_major`; the result has the same
// form, with units instead of the input's depth.
[[nodiscard]] Tensor lstm(const Tensor& input, const LstmTensors& layer, const LstmQuantization& quantization,
                          bool time_major, const OperationOptions& options = {});

}  // namespace pianola::tensor
