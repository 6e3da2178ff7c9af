#include <fmt/format.h>

#include "capture_host/host/tensor/channel_parameters.h"
#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/row_work.h"
#include "hal/devices/refdev/kernels/arguments.h"
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
            launches.add(KernelId::kGather, std::nullopt,
                         {address_in(result.buffer(), run_address(result) + (element * column * rows)), rows, 1U,
                          address_in(source.buffer(), run_address(source) + (element * column)), element * columns,
                          element, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 0U});
        }
        enqueue(result, launches, "transpose", queue);
    }
    return result;
}

template <KernelId kId>
struct FullyConnectedLaunch {
    static constexpr KernelId kKernel = kId;
    const Tensor& weight;
    const Tensor& table;
    refdev::FullyConnectedArguments arguments{};
    ElementType type{ElementType::kInt8};
    std::uint32_t sum_bytes{0U};

    host::Arguments operator()(const host::Argument& from, const host::Argument& to, std::uint32_t rows) const {
        using Arguments = refdev::FullyConnectedArguments;
        Arguments launch = arguments;
        launch.batches = rows;
        host::Arguments words = layer_words(launch, type, sum_bytes);
        words[refdev::word_of(offsetof(Arguments, input))] = from;
        words[refdev::word_of(offsetof(Arguments, output))] = to;
        set_address(words, offsetof(Arguments, filter), weight, run_address(weight));
        set_address(words, offsetof(Arguments, channel_parameters), table, run_address(table));
        return words;
    }
};

struct MatmulInt16Launch {
    static constexpr KernelId kKernel = KernelId::kMatmulInt16;
    const Tensor& weight;
    refdev::MatmulInt16Arguments arguments{};

    host::Arguments operator()(const host::Argument& from, const host::Argument& to, std::uint32_t rows) const {
        using Arguments = refdev::MatmulInt16Arguments;
        Arguments launch = arguments;
        launch.rows = rows;
        host::Arguments words = words_of(launch);
        words[refdev::word_of(offsetof(Arguments, left))] = from;
        words[refdev::word_of(offsetof(Arguments, output))] = to;
        set_address(words, offsetof(Arguments, right), weight, run_address(weight));
        return words;
    }
};

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
    refdev::MatmulInt16Arguments arguments{};
    arguments.depth = columns_of(rows.shape());
    arguments.columns = columns_of(result.shape());
    arguments.multiplier = checked.common.scale.multiplier;
    arguments.shift = checked.common.scale.shift;
    row_by_row(rows, result, kName, queue, MatmulInt16Launch{matrix, arguments});
}

void launch_layer(const Tensor& rows, const Tensor& matrix, const Tensor& result, const CheckedBias& checked,
                  const LayerQuantization& quantization, std::uint32_t queue) {
    refdev::FullyConnectedArguments arguments{};
    arguments.input_depth = columns_of(rows.shape());
    arguments.output_depth = columns_of(result.shape());
    arguments.input_offset = -quantization.input_zero_point;
    arguments.filter_offset = -quantization.weight_zero_point;
    arguments.output_offset = quantization.output_zero_point;
    arguments.activation_min = checked.range.min;
    arguments.activation_max = checked.range.max;
    const Tensor table = table_of(checked, arguments.output_depth, result.device(), queue);
    if (rows.type() == ElementType::kInt16) {
        using Launch = FullyConnectedLaunch<KernelId::kFullyConnectedInt16>;
        row_by_row(rows, result, kName, queue, Launch{matrix, table, arguments, rows.type(), checked.sum_bytes});
    } else {
        using Launch = FullyConnectedLaunch<KernelId::kFullyConnected>;
        row_by_row(rows, result, kName, queue, Launch{matrix, table, arguments, rows.type(), checked.sum_bytes});
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
