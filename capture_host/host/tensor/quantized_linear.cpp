#include <fmt/format.h>

#include "capture_host/host/tensor/channel_parameters.h"
#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/gather_rows.h"
#include "capture_host/host/tensor/row_work.h"
#include "capture_host/operators/kernel_arguments.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

using refdev::KernelId;

constexpr const char* kName = "linear";
constexpr std::uint32_t kColumnsOfAProgram = 256U;  // so that its commands fit the dispatch area

// [n, k] of [k, n], column by column.
[[nodiscard]] Tensor transposed_copy(const Tensor& matrix, std::uint32_t queue) {
    const std::uint32_t rows = matrix.shape().front();
    const std::uint32_t columns = matrix.shape().back();
    const std::uint32_t element = bytes_per_element(matrix.type());
    const Tensor source = in_one_run(matrix, queue);
    Tensor result =
        Tensor::on_device({{columns, rows}, matrix.type(), kDramInterleaved}, matrix.device(), {queue, true});
    for (std::uint32_t first = 0U; first < columns; first += kColumnsOfAProgram) {
        Launches launches{*result.device()};
        for (std::uint32_t column = first; column < std::min(columns, first + kColumnsOfAProgram); ++column) {
            add_gather(launches, std::nullopt, run_argument(result, element * column * rows),
                       RowBand{rows, {{source, run_address(source) + (element * column), element * columns, element}}});
        }
        enqueue(result, launches, "transpose", queue);
    }
    return result;
}

// A weight of int16 is for an input of int16, and a product of matrices: without a bias.
void check_types(const char* name, const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                 const Clamp& clamp) {
    require_activations(name, "input_tensor", input);
    if (weight.type() != ElementType::kInt16) {
        require_int8(name, "weight", weight);
        return;
    }
    if ((input.type() != ElementType::kInt16) || bias.has_value()) {
        throw TensorError{TensorRule::kType,
                          fmt::format("{}: weight is of int16; it may be where input_tensor is, without a bias", name)};
    }
    if (clamp.minimum.has_value() || clamp.maximum.has_value()) {
        throw TensorError{TensorRule::kArgument, fmt::format("{}: a product of int16 has no activation_min and "
                                                             "activation_max",
                                                             name)};
    }
}

void check_shapes(const char* name, const Tensor& input, const Tensor& weight, bool transposed) {
    const bool is_matrix = weight.shape().size() == 2U;
    const std::uint32_t depth = columns_of(input.shape());
    if (!is_matrix || ((transposed ? weight.shape().back() : weight.shape().front()) != depth)) {
        throw TensorError{
            TensorRule::kShape,
            fmt::format("{}: {} times {}; weight is {}, with k the last dimension of the first", name,
                        to_string(input.shape()), to_string(weight.shape()), transposed ? "[n, k]" : "[k, n]")};
    }
    // Without a zero point of the weights, a product is half as large.
    if (depth > refdev::kMaxTaps) {
        throw TensorError{TensorRule::kShape,
                          fmt::format("{}: the last dimension is {}; it is at most {}", name, depth, refdev::kMaxTaps)};
    }
}

void launch_matmul(const Tensor& rows, const Tensor& matrix, const Tensor& result, const CheckedBias& checked,
                   std::uint32_t queue) {
    const operators::FixedPoint& scale = checked.common.scale;
    row_by_row(rows, result, kName, queue, KernelId::kMatmulInt16,
               [&](const host::Argument& from, const host::Argument& to, std::uint32_t count) {
                   return words_of(
                       refdev::MatmulInt16Arguments{0U, 0U, 0U, count, columns_of(rows.shape()),
                                                    columns_of(result.shape()), scale.multiplier, scale.shift},
                       {from, run_argument(matrix), to});
               });
}

void launch_layer(const Tensor& rows, const Tensor& matrix, const Tensor& result, const CheckedBias& checked,
                  const LayerQuantization& quantization, std::uint32_t queue) {
    const std::uint32_t channels = columns_of(result.shape());
    const operators::LayerNumbers numbers{quantization.input_zero_point, quantization.weight_zero_point,
                                          quantization.output_zero_point, checked.range};
    const Tensor table = table_of(checked, channels, result.device(), queue);
    const bool is_int16 = rows.type() == ElementType::kInt16;
    row_by_row(rows, result, kName, queue, is_int16 ? KernelId::kFullyConnectedInt16 : KernelId::kFullyConnected,
               [&](const host::Argument& from, const host::Argument& to, std::uint32_t count) {
                   return layer_words(
                       operators::fully_connected_arguments({count, columns_of(rows.shape()), channels}, numbers),
                       rows.type(), checked.sum_bytes, {from, run_argument(matrix), run_argument(table), to});
               });
}

}  // namespace

Tensor quantized_linear(const Tensor& input, const Tensor& weight, bool transposed, const std::optional<Tensor>& bias,
                        const LayerQuantization& quantization, const OperationOptions& options) {
    if (is_distributed(input, weight, bias, options)) {
        return for_each_device(
            "quantized_linear", [](const auto&... each) { return quantized_linear(each...); }, input, weight,
            transposed, bias, quantization, options);
    }
    const char* const name = kName;
    check_types(name, input, weight, bias, quantization.clamp);
    require_same_device(name, input, weight);
    check_shapes(name, input, weight, transposed);
    const std::uint32_t depth = columns_of(input.shape());
    const std::uint32_t channels = transposed ? weight.shape().front() : weight.shape().back();
    if ((quantization.weight_zero_point != 0) && (depth > refdev::kMaxSpatial)) {
        throw TensorError{TensorRule::kShape,
                          fmt::format("{}: the last dimension is {}; with a weight_zero_point it is "
                                      "at most {}",
                                      name, depth, refdev::kMaxSpatial)};
    }
    const CheckedBias checked = checked_bias(name, input, bias, channels, quantization, true);
    TensorSpec spec{input.shape(), input.type(), memory_for_columns(input, channels), input.layout()};
    spec.shape.back() = channels;
    const Tensor result = result_for(name, spec, options, input.device());
    require_apart(name, result, input);
    require_apart(name, result, weight);
    return through_whole_rows(result, options.queue, [&](const Tensor& whole) {
        const Tensor rows = in_whole_rows(input, options.queue);
        const Tensor matrix = transposed ? in_one_run(weight, options.queue) : transposed_copy(weight, options.queue);
        if (weight.type() == ElementType::kInt16) {
            launch_matmul(rows, matrix, whole, checked, options.queue);
        } else {
            launch_layer(rows, matrix, whole, checked, quantization, options.queue);
        }
    });
}

}  // namespace pianola::tensor
