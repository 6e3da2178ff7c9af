// Quantised operations: what can be computed with int8 tensors that stand for real numbers, and moves between shapes
// and element types.
//
// Models are written with these, those of recurrent.h and those of operations.h, whose rules on programs, places and
// errors hold here too. A value q of a tensor stands for scale * (q - zero_point), as in TensorFlow Lite's int8 scheme;
// tensors do not carry either, so that operations are given both. Results are those of TensorFlow Lite Micro's
// reference kernels, bit for bit. Layers take int16 activations too, with int8 weights: then all zero points are 0, and
// the result is of int16. Images are [batches, height, width, channels]. Throws TensorError and host::HostError; then
// nothing was enqueued.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "pianola_host/operations.h"

namespace pianola::tensor {

struct Quantization {
    float scale{1.0F};
    std::int32_t zero_point{0};
};

// The values to which a result is clamped, in its own numbers: a fused activation. Without them, the ends of its type.
struct Clamp {
    std::optional<std::int32_t> minimum;
    std::optional<std::int32_t> maximum;
};

// int8 to int8, or int32 with zero point 0 to int8.
[[nodiscard]] Tensor requantize(const Tensor& operand, const Quantization& from, const Quantization& to,
                                const OperationOptions& options = {});
// The sum of int8 operands, which are broadcast as those of binary() are.
[[nodiscard]] Tensor quantized_add(const Tensor& left, const Tensor& right, const Quantization& from_left,
                                   const Quantization& from_right, const Quantization& to, const Clamp& clamp = {},
                                   const OperationOptions& options = {});

// The same for other functions of two int8 operands. kPrelu is the first operand if it is not below 0, else the
// product. Comparisons, from kEqual on, give 1 and 0 and ignore `to` and `clamp`.
enum class QuantizedBinary : std::uint8_t {
    kSubtract,
    kMultiply,
    kSquaredDifference,
    kPrelu,
    kEqual,
    kNotEqual,
    kGreater,
    kGreaterEqual,
    kLess,
    kLessEqual
};
[[nodiscard]] Tensor quantized_binary(QuantizedBinary operation, const Tensor& left, const Tensor& right,
                                      const Quantization& from_left, const Quantization& from_right,
                                      const Quantization& to, const Clamp& clamp = {},
                                      const OperationOptions& options = {});

// Elements of `left` where the int8 or uint8 condition is not 0, else of `right`; all three are broadcast.
[[nodiscard]] Tensor where(const Tensor& condition, const Tensor& left, const Tensor& right,
                           const OperationOptions& options = {});

// float32 to int8 or uint8, and back.
[[nodiscard]] Tensor quantize(const Tensor& operand, const Quantization& to, ElementType type,
                              const OperationOptions& options = {});
[[nodiscard]] Tensor dequantize(const Tensor& operand, const Quantization& from, const OperationOptions& options = {});

// Any function of int8 or uint8: element i of the table, which are 256 of int8 or uint8, for the byte whose bits are
// those of i. The result has the table's type.
[[nodiscard]] Tensor lookup(const Tensor& operand, const Tensor& table, const OperationOptions& options = {});

// The same numbers in another integer type, saturated; or bfloat16 as float32.
[[nodiscard]] Tensor typecast(const Tensor& operand, ElementType type, const OperationOptions& options = {});

// The same data in another shape with the same number of elements. A view, which shares the operand's memory, if only
// dimensions before the last differ and no options are given; else a copy.
[[nodiscard]] Tensor reshape(const Tensor& operand, const Shape& shape, const OperationOptions& options = {});

// Over the last dimension, of at most 4095 elements. The result has scale 1/256 and zero point -128.
[[nodiscard]] Tensor softmax(const Tensor& operand, float input_scale, float beta,
                             const OperationOptions& options = {});

// The same for int16, at most 65535 elements per row. The result is int16 with scale 1/32768; `tables` are those of
// prepare_softmax_tables().
[[nodiscard]] Tensor softmax_int16(const Tensor& operand, const Tensor& tables, float input_scale, float beta,
                                   const OperationOptions& options = {});
// int16 [2, 513], on the host; bring it to a device.
[[nodiscard]] Tensor prepare_softmax_tables();

// The logistic function or the hyperbolic tangent of int16. The result is int16 with scale 1/32768; `table` is that of
// prepare_sigmoid_table(). For int8 use lookup().
enum class Sigmoid : std::uint8_t { kLogistic, kTanh };
[[nodiscard]] Tensor sigmoid_int16(Sigmoid operation, const Tensor& operand, const Tensor& table, float input_scale,
                                   const OperationOptions& options = {});
// uint16 [256], on the host; bring it to a device.
[[nodiscard]] Tensor prepare_sigmoid_table();

// The natural logarithm of softmax of int8. The result has scale 1/16 and zero point 127.
[[nodiscard]] Tensor log_softmax(const Tensor& operand, float input_scale, const OperationOptions& options = {});
// The last dimension's rows, of at most 32768 elements, divided by their length: the root of the sum of their squares.
// The result has scale 1/128 and zero point 0.
[[nodiscard]] Tensor l2_normalize(const Tensor& operand, std::int32_t input_zero_point,
                                  const OperationOptions& options = {});

// Over `dimensions`, which become 1 or go; those of a tensor have at most four. At most 65536 elements to a mean.
[[nodiscard]] Tensor mean(const Tensor& operand, const std::vector<std::uint32_t>& dimensions, bool keep_dimensions,
                          const Quantization& from, const Quantization& to, const OperationOptions& options = {});

// Elements before and after, for each of at most four dimensions. Any type; int32 and float32 with value 0 only.
using Padding = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
[[nodiscard]] Tensor pad(const Tensor& operand, const Padding& padding, std::int64_t value,
                         const OperationOptions& options = {});

// Windows on an image. Every window has taps inside: padding is smaller than the reach of the filter.
struct Windows {
    struct Axis {
        std::uint32_t stride{1U};
        std::uint32_t dilation{1U};
        std::uint32_t pad_before{0U};
        std::uint32_t pad_after{0U};
    };
    Axis height;
    Axis width;
    bool same{false};  // as much padding as makes ceil(size / stride) windows, the smaller half before
};

enum class Pool : std::uint8_t { kAverage, kMaximum };
[[nodiscard]] Tensor pool2d(Pool operation, const Tensor& input, std::uint32_t filter_height,
                            std::uint32_t filter_width, const Windows& windows, const Clamp& clamp = {},
                            const OperationOptions& options = {});

// Scales of a layer with a filter: all three, or none if its bias is one of prepare_bias().
struct LayerScales {
    std::optional<float> input;
    std::optional<float> weight;
    std::optional<float> output;
};
struct LayerQuantization {
    LayerScales scales;
    std::int32_t input_zero_point{0};
    std::int32_t weight_zero_point{0};  // linear only
    std::int32_t output_zero_point{0};
    Clamp clamp;
};

// A bias for layers with a scale for each output channel: int32 [channels] becomes int32 [channels, 3], which also
// holds each channel's multiplier and shift. On the host; bring it to a device.
[[nodiscard]] Tensor prepare_bias(const Tensor& bias, float input_scale, const std::vector<float>& weight_scales,
                                  float output_scale);

// The same with int64 biases, for int16 activations: int32 [channels, 4]. A bias of int32 makes 32-bit sums of int16,
// one of int64, or none, 64-bit sums: they are rounded differently, as in TensorFlow Lite Micro.
[[nodiscard]] Tensor prepare_wide_bias(const std::vector<std::int64_t>& bias, float input_scale,
                                       const std::vector<float>& weight_scales, float output_scale);

// Weights [output channels, height, width, input channels / groups]; the bias is int32 [output channels], or prepared.
[[nodiscard]] Tensor conv2d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                            const Windows& windows, std::uint32_t groups, const LayerQuantization& quantization,
                            const OperationOptions& options = {});
// Weights [1, height, width, output channels], which are a multiple of the input's.
[[nodiscard]] Tensor depthwise_conv2d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                                      const Windows& windows, const LayerQuantization& quantization,
                                      const OperationOptions& options = {});
// [..., k] times [k, n], or [n, k] if `transposed`, gives [..., n]. A weight that is not transposed is transposed in
// every call. An int16 input may also have an int16 weight and no bias.
[[nodiscard]] Tensor quantized_linear(const Tensor& input, const Tensor& weight, bool transposed,
                                      const std::optional<Tensor>& bias, const LayerQuantization& quantization,
                                      const OperationOptions& options = {});

}  // namespace pianola::tensor
