// Channel parameters, which kernels read next to a filter, and checks of quantisation.
//
// The numbers come from capture_host/operators, like those of the importer.
#pragma once

#include "capture_host/host/tensor/launches.h"
#include "capture_host/operators/quantization.h"
#include "pianola_host/quantized.h"

namespace pianola::tensor {

// They throw TENSOR-QUANTIZATION with the name of the argument and the admitted values.
void require_scale(const char* operation, const char* argument, float scale);
void require_zero_point(const char* operation, const char* argument, std::int32_t zero_point);
void require_quantizations(const char* name, const Quantization& left, const Quantization& right,
                           const Quantization& to);  // for two operands, whose arguments end with _a and _b
// The range to which a result of int8 or int16 is clamped.
[[nodiscard]] operators::ActivationRange clamp_range(const char* operation, const Clamp& clamp,
                                                     ElementType type = ElementType::kInt8);
[[nodiscard]] operators::FixedPoint ratio_of(const char* operation, const Quantization& from, const Quantization& to);

// The multiplier and shift that all channels have; a program writes them to device memory.
struct CommonScale {
    operators::FixedPoint scale;
    // Words of DRAM: multiplier, shift, and a 0 of `sum_bytes`. Enqueues the program that writes them.
    [[nodiscard]] Tensor cells(const std::shared_ptr<host::Device>& device, std::uint32_t sum_bytes,
                               std::uint32_t queue) const;
};

// A layer's bias and scales, checked.
struct CheckedBias {
    std::optional<Tensor> bias;
    bool is_prepared{false};
    std::uint32_t sum_bytes{0U};
    CommonScale common;  // unset if the bias is prepared
    operators::ActivationRange range;
};
// `single_precision`: the scheme multiplies the scales as for a fully connected layer.
[[nodiscard]] CheckedBias checked_bias(const char* operation, const Tensor& input, const std::optional<Tensor>& bias,
                                       std::uint32_t channels, const LayerQuantization& quantization,
                                       bool single_precision);
// The table, contiguous in device memory. Enqueues the programs that make it, unless the bias is prepared.
[[nodiscard]] Tensor table_of(const CheckedBias& checked, std::uint32_t channels,
                              const std::shared_ptr<host::Device>& device, std::uint32_t queue);

}  // namespace pianola::tensor
