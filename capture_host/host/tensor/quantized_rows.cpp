#include <fmt/format.h>

#include "capture_host/host/tensor/channel_parameters.h"
#include "capture_host/host/tensor/each_core.h"
#include "capture_host/host/tensor/each_device.h"
#include "capture_host/operators/function_tables.h"
#include "capture_host/operators/kernel_arguments.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

using refdev::KernelId;

constexpr std::uint32_t kMaxSoftmaxDepth = 4095U;
constexpr std::uint32_t kMaxNormalizedDepth = 32768U;

// The length of an int8 tensor's rows.
[[nodiscard]] std::uint32_t checked_depth(const char* name, const Tensor& operand, std::uint32_t most) {
    require_int8(name, "input_tensor", operand);
    const std::uint32_t depth = columns_of(operand.shape());
    if (depth > most) {
        throw TensorError{TensorRule::kShape,
                          fmt::format("{}: the last dimension is {}; it must be at most {}", name, depth, most)};
    }
    return depth;
}

// Launches a kernel over rows of int8.
template <typename Arguments>
[[nodiscard]] Tensor over_rows(const char* name, KernelId kernel, const Tensor& operand,
                               const OperationOptions& options, Arguments arguments) {
    const Tensor result = result_for(name, operand.spec(), options, operand.device());
    return into_whole_rows(result, options.queue, [&](const Tensor& whole) {
        row_by_row(as_whole_rows(operand, options.queue), whole, name, options.queue, kernel,
                   [&](const host::Argument& from, const host::Argument& to, std::uint32_t rows) {
                       arguments.rows = rows;
                       return words_of(arguments, {from, to});
                   });
    });
}

using Dimensions = std::array<std::uint32_t, 4>;

// The last four dimensions; missing ones are 1.
[[nodiscard]] Dimensions dimensions_of(const Shape& shape) {
    Dimensions dimensions{1U, 1U, 1U, 1U};
    std::copy(shape.begin(), shape.end(), dimensions.end() - static_cast<Dimensions::difference_type>(shape.size()));
    return dimensions;
}

// Divides a mean along the first dimension of more than one element if that is kept; else makes one launch.
void launch_mean(const Tensor& input, const Tensor& output, refdev::MeanArguments arguments, std::uint32_t queue,
                 const std::vector<host::CoreCoord>& cores) {
    std::uint32_t axis = 0U;
    while ((axis < 3U) && (arguments.dims.at(axis) == 1U)) {
        axis += 1U;
    }
    const bool is_kept = (arguments.reduced_axes & (std::uint32_t{1} << axis)) == 0U;
    const std::uint32_t size = arguments.dims.at(axis);
    const std::uint32_t part = is_kept ? word((size + (cores.size() - 1U)) / cores.size()) : size;
    const std::uint32_t input_step = word(element_count(input.shape()) / size);
    const std::uint32_t output_step = is_kept ? word(element_count(output.shape()) / size) : 0U;
    Launches launches{*output.device()};
    for (std::uint32_t begin = 0U; begin < size; begin += part) {
        arguments.dims.at(axis) = std::min(part, size - begin);
        launches.add(
            KernelId::kMean, cores[(begin / part) % cores.size()],
            words_of(arguments, {argument_at(input, begin * input_step), argument_at(output, begin * output_step)}));
    }
    enqueue(output, launches, "mean", queue);
}

// The shape without `dimensions`, or with ones there; at least one dimension.
[[nodiscard]] Shape reduced_shape(const Shape& shape, std::uint32_t mask, bool keep) {
    Shape reduced;
    for (std::size_t i = 0U; i < shape.size(); ++i) {
        const bool goes = (mask & (std::uint32_t{1} << i)) != 0U;
        if (!goes || keep) {
            reduced.push_back(goes ? 1U : shape[i]);
        }
    }
    return reduced.empty() ? Shape{1U} : reduced;
}

}  // namespace

Tensor softmax(const Tensor& operand, float input_scale, float beta, const OperationOptions& options) {
    if (is_distributed(operand, options)) {
        return for_each_device(
            "softmax", [](const auto&... each) { return softmax(each...); }, operand, input_scale, beta, options);
    }
    const char* const name = "softmax";
    const std::uint32_t depth = checked_depth(name, operand, kMaxSoftmaxDepth);
    require_scale(name, "input_scale", input_scale);
    require_scale(name, "beta", beta);
    const std::optional<refdev::SoftmaxArguments> arguments =
        operators::softmax_arguments(depth, beta, input_scale, refdev::kTypeInt8);
    if (!arguments.has_value()) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: beta times input_scale is {}; it must be above 2^-26", name,
                                      static_cast<double>(beta) * static_cast<double>(input_scale))};
    }
    return over_rows(name, KernelId::kSoftmax, operand, options, *arguments);
}

Tensor log_softmax(const Tensor& operand, float input_scale, const OperationOptions& options) {
    if (is_distributed(operand, options)) {
        return for_each_device(
            "log_softmax", [](const auto&... each) { return log_softmax(each...); }, operand, input_scale, options);
    }
    const char* const name = "log_softmax";
    const std::uint32_t depth = checked_depth(name, operand, kMaxSoftmaxDepth);
    require_scale(name, "input_scale", input_scale);
    const std::optional<refdev::LogSoftmaxArguments> arguments = operators::log_softmax_arguments(depth, input_scale);
    if (!arguments.has_value()) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: input_scale is {}; it must be above 2^-26 and below 16", name,
                                      static_cast<double>(input_scale))};
    }
    return over_rows(name, KernelId::kLogSoftmax, operand, options, *arguments);
}

Tensor l2_normalize(const Tensor& operand, std::int32_t input_zero_point, const OperationOptions& options) {
    if (is_distributed(operand, options)) {
        return for_each_device(
            "l2_normalize", [](const auto&... each) { return l2_normalize(each...); }, operand, input_zero_point,
            options);
    }
    const char* const name = "l2_normalize";
    const std::uint32_t depth = checked_depth(name, operand, kMaxNormalizedDepth);
    require_zero_point(name, "input_zero_point", input_zero_point);
    return over_rows(name, KernelId::kL2Normalization, operand, options,
                     refdev::L2NormalizationArguments{0U, 0U, 0U, depth, input_zero_point});
}

Tensor mean(const Tensor& operand, const std::vector<std::uint32_t>& dimensions, bool keep_dimensions,
            const Quantization& from, const Quantization& to, const OperationOptions& options) {
    if (is_distributed(operand, options)) {
        return for_each_device(
            "mean", [](const auto&... each) { return mean(each...); }, operand, dimensions, keep_dimensions, from, to,
            options);
    }
    const char* const name = "mean";
    require_int8(name, "input_tensor", operand);
    const Shape& shape = operand.shape();
    require_rank(name, "input_tensor", operand, std::tuple_size<Dimensions>::value);
    require_scale(name, "input_scale", from.scale);
    require_scale(name, "output_scale", to.scale);
    require_zero_point(name, "input_zero_point", from.zero_point);
    require_zero_point(name, "output_zero_point", to.zero_point);
    const operators::FixedPoint ratio = ratio_of(name, from, to);
    std::uint32_t mask = 0U;
    std::uint64_t count = 1U;
    for (const std::uint32_t dimension : dimensions) {
        const std::uint32_t bit = (dimension < shape.size()) ? (std::uint32_t{1} << dimension) : 0U;
        if ((bit == 0U) || ((mask & bit) != 0U)) {
            throw TensorError{TensorRule::kArgument,
                              fmt::format("{}: dim names {}; it must name each dimension of {} at most once", name,
                                          dimension, to_string(shape))};
        }
        mask |= bit;
        count *= shape[dimension];
    }
    if ((mask == 0U) || (count > refdev::kMaxTaps)) {
        throw TensorError{TensorRule::kArgument, fmt::format("{}: {} elements to a mean over {} dimensions; it must be "
                                                             "over one at least, of at most {} elements",
                                                             name, count, dimensions.size(), refdev::kMaxTaps)};
    }
    const Shape reduced = reduced_shape(shape, mask, keep_dimensions);
    const Tensor result =
        result_for(name, spec_of_shape(operand, reduced, ElementType::kInt8), options, operand.device());
    require_apart(name, result, operand);
    const Dimensions dims = dimensions_of(shape);
    const refdev::MeanArguments arguments =
        operators::mean_arguments(dims, mask << (dims.size() - shape.size()), operators::fold_count(ratio, word(count)),
                                  {from.scale, from.zero_point}, {to.scale, to.zero_point}, refdev::kTypeInt8);
    return into_contiguous(result, options.queue, [&](const Tensor& output) {
        launch_mean(as_contiguous(operand, options.queue), output, arguments, options.queue, cores_for(result));
    });
}

namespace {

using refdev::KernelId;

constexpr std::uint32_t kMaxDepth = 65535U;

void require_operand_type(const char* name, const char* argument, const Tensor& tensor, ElementType type) {
    static_cast<void>(tensor.buffer());
    if (tensor.type() != type) {
        throw TensorError{TensorRule::kType, fmt::format("{}: {} is of {}; it must be of {}", name, argument,
                                                         type_name(tensor.type()), type_name(type))};
    }
}

void require_table(const char* name, const char* argument, const Tensor& table, const TensorSpec& prepared,
                   const char* maker) {
    require_operand_type(name, argument, table, prepared.type);
    if (table.shape() != prepared.shape) {
        throw TensorError{TensorRule::kShape, fmt::format("{}: {} is {}; {}() makes one of {}", name, argument,
                                                          to_string(table.shape()), maker, to_string(prepared.shape))};
    }
}

[[nodiscard]] TensorSpec softmax_tables_spec() {
    return {{refdev::kSoftmaxTables, refdev::kSoftmaxTableEntries}, ElementType::kInt16, kDramInterleaved};
}
[[nodiscard]] TensorSpec sigmoid_table_spec() {
    return {{refdev::kSigmoidTableEntries}, ElementType::kUint16, kDramInterleaved};
}

}  // namespace

Tensor prepare_softmax_tables() {
    return Tensor::on_host(softmax_tables_spec(), operators::softmax_tables());
}

Tensor prepare_sigmoid_table() {
    return Tensor::on_host(sigmoid_table_spec(), operators::sigmoid_table());
}

Tensor softmax_int16(const Tensor& operand, const Tensor& tables, float input_scale, float beta,
                     const OperationOptions& options) {
    if (is_distributed(operand, tables, options)) {
        return for_each_device(
            "softmax", [](const auto&... each) { return softmax_int16(each...); }, operand, tables, input_scale, beta,
            options);
    }
    const char* const name = "softmax";
    require_operand_type(name, "input_tensor", operand, ElementType::kInt16);
    require_table(name, "tables", tables, softmax_tables_spec(), "prepare_softmax_tables");
    require_same_device(name, operand, tables);
    const std::uint32_t depth = columns_of(operand.shape());
    if (depth > kMaxDepth) {
        throw TensorError{TensorRule::kShape,
                          fmt::format("{}: the last dimension is {}; it must be at most {}", name, depth, kMaxDepth)};
    }
    require_scale(name, "input_scale", input_scale);
    require_scale(name, "beta", beta);
    std::optional<refdev::SoftmaxInt16Arguments> arguments =
        operators::softmax_int16_arguments(depth, beta, input_scale);
    if (!arguments.has_value()) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: beta times input_scale is {}; it must be below 163842", name,
                                      static_cast<double>(beta) * static_cast<double>(input_scale))};
    }
    const Tensor result = result_for(name, operand.spec(), options, operand.device());
    require_apart(name, result, tables);
    return into_whole_rows(result, options.queue, [&](const Tensor& whole) {
        const Tensor entries = as_contiguous(tables, options.queue);
        row_by_row(as_whole_rows(operand, options.queue), whole, name, options.queue, KernelId::kSoftmaxInt16,
                   [&](const host::Argument& from, const host::Argument& to, std::uint32_t rows) {
                       arguments->rows = rows;
                       return words_of(*arguments, {from, argument_at(entries), to});
                   });
    });
}

Tensor sigmoid_int16(Sigmoid operation, const Tensor& operand, const Tensor& table, float input_scale,
                     const OperationOptions& options) {
    if (is_distributed(operand, table, options)) {
        return for_each_device(
            "sigmoid", [](const auto&... each) { return sigmoid_int16(each...); }, operation, operand, table,
            input_scale, options);
    }
    const bool is_tanh = operation == Sigmoid::kTanh;
    const char* const name = is_tanh ? "tanh" : "sigmoid";
    require_operand_type(name, "input_tensor", operand, ElementType::kInt16);
    require_table(name, "table", table, sigmoid_table_spec(), "prepare_sigmoid_table");
    require_same_device(name, operand, table);
    require_scale(name, "input_scale", input_scale);
    std::optional<refdev::SigmoidInt16Arguments> arguments = operators::sigmoid_int16_arguments(
        is_tanh ? refdev::SigmoidOp::kTanh : refdev::SigmoidOp::kLogistic, input_scale);
    if (!arguments.has_value()) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: input_scale is {}; it must be below 8/3", name, input_scale)};
    }
    Tensor result = result_for(name, operand.spec(), options, operand.device());
    require_apart(name, result, table);
    const Tensor entries = as_contiguous(table, options.queue);
    element_by_element(operand, result, name, options.queue, KernelId::kSigmoidInt16,
                       [&](const host::Argument& from, const host::Argument& to, std::uint32_t count) {
                           arguments->count = count;
                           return words_of(*arguments, {from, argument_at(entries), to});
                       });
    return result;
}

}  // namespace pianola::tensor
