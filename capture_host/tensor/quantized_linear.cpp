#include <fmt/format.h>

#include "capture_host/tensor/channel_parameters.h"
#include "capture_host/tensor/each_device.h"
#include "capture_host/tensor/row_work.h"
#include "capture_host/tensor/tensor_error.h"
#include "hal/kernels/launch_check.h"

namespace pianola::tensor {
namespace {

using refdev::KernelId;

constexpr std::uint32_t kColumnsOfAProgram = 256U;  // so that its commands fit the dispatch area

// [n, k] of [k, n], column by column.
[[nodiscard]] Tensor transposed_copy(const Tensor& matrix, std::uint32_t queue) {
    const std::uint32_t rows = matrix.shape().front();
    const std::uint32_t columns = matrix.shape().back();
    const Tensor source = in_one_run(matrix, queue);
    Tensor result =
        Tensor::on_device({{columns, rows}, matrix.type(), kDramInterleaved}, matrix.device(), {queue, true});
    for (std::uint32_t first = 0U; first < columns; first += kColumnsOfAProgram) {
        Launches launches{*result.device()};
        for (std::uint32_t column = first; column < std::min(columns, first + kColumnsOfAProgram); ++column) {
            launches.add(KernelId::kGather, std::nullopt,
                         {address_in(result.buffer(), run_address(result) + (column * rows)), rows, 1U,
                          address_in(source.buffer(), run_address(source) + column), columns, 1U, 0U, 0U, 0U, 0U, 0U,
                          0U, 0U, 0U, 0U});
        }
        enqueue(result, launches, "transpose", queue);
    }
    return result;
}

struct FullyConnectedLaunch {
    static constexpr KernelId kKernel = KernelId::kFullyConnected;
    const Tensor& weight;
    const Tensor& table;
    refdev::FullyConnectedArguments arguments;

    host::Arguments operator()(const host::Argument& from, const host::Argument& to, std::uint32_t rows) const {
        using Arguments = refdev::FullyConnectedArguments;
        Arguments launch = arguments;
        launch.batches = rows;
        host::Arguments words = words_of(launch);
        words[refdev::word_of(offsetof(Arguments, input))] = from;
        words[refdev::word_of(offsetof(Arguments, output))] = to;
        set_address(words, offsetof(Arguments, filter), weight, run_address(weight));
        set_address(words, offsetof(Arguments, channel_parameters), table, run_address(table));
        return words;
    }
};

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

}  // namespace

Tensor quantized_linear(const Tensor& input, const Tensor& weight, bool transposed, const std::optional<Tensor>& bias,
                        const LayerQuantization& quantization, const OperationOptions& options) {
    if (is_distributed(input, weight, bias, options)) {
        return for_each_device(
            "quantized_linear", [](const auto&... each) { return quantized_linear(each...); }, input, weight,
            transposed, bias, quantization, options);
    }
    const char* const name = "linear";
    require_int8(name, "input_tensor", input);
    require_int8(name, "weight", weight);
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
    TensorSpec spec{input.shape(), ElementType::kInt8, memory_for_columns(input, channels), input.layout()};
    spec.shape.back() = channels;
    const Tensor result = result_for(name, spec, options, input.device());
    require_apart(name, result, input);
    require_apart(name, result, weight);
    refdev::FullyConnectedArguments arguments{};
    arguments.input_depth = depth;
    arguments.output_depth = channels;
    arguments.input_offset = -quantization.input_zero_point;
    arguments.filter_offset = -quantization.weight_zero_point;
    arguments.output_offset = quantization.output_zero_point;
    arguments.activation_min = quantization.clamp.minimum;
    arguments.activation_max = quantization.clamp.maximum;
    return through_whole_rows(result, options.queue, [&](const Tensor& whole) {
        const Tensor rows = in_whole_rows(input, options.queue);
        const Tensor matrix = transposed ? in_one_run(weight, options.queue) : transposed_copy(weight, options.queue);
        const Tensor table = table_of(checked, channels, result.device(), options.queue);
        row_by_row(rows, whole, name, options.queue, FullyConnectedLaunch{matrix, table, arguments});
    });
}

}  // namespace pianola::tensor
