#include <fmt/format.h>

#include "capture_host/host/tensor/channel_parameters.h"
#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/row_work.h"
#include "capture_host/operators/kernel_arguments.h"
#include "capture_host/operators/word_table.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
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
                          fmt::format("{}: the last dimension is {}; it is at most {}", name, depth, kMaxDepth)};
    }
    require_scale(name, "input_scale", input_scale);
    require_scale(name, "beta", beta);
    std::optional<refdev::SoftmaxInt16Arguments> arguments =
        operators::softmax_int16_arguments(depth, beta, input_scale);
    if (!arguments.has_value()) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: beta times input_scale is {}, which is out of range", name,
                                      static_cast<double>(beta) * static_cast<double>(input_scale))};
    }
    const Tensor result = result_for(name, operand.spec(), options, operand.device());
    require_apart(name, result, tables);
    return through_whole_rows(result, options.queue, [&](const Tensor& whole) {
        const Tensor entries = in_one_run(tables, options.queue);
        row_by_row(in_whole_rows(operand, options.queue), whole, name, options.queue, KernelId::kSoftmaxInt16,
                   [&](const host::Argument& from, const host::Argument& to, std::uint32_t rows) {
                       arguments->rows = rows;
                       return words_of(*arguments, {from, run_argument(entries), to});
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
                          fmt::format("{}: input_scale is {}; it is below 8/3", name, input_scale)};
    }
    Tensor result = result_for(name, operand.spec(), options, operand.device());
    require_apart(name, result, table);
    const Tensor entries = in_one_run(table, options.queue);
    element_by_element(operand, result, name, options.queue, KernelId::kSigmoidInt16,
                       [&](const host::Argument& from, const host::Argument& to, std::uint32_t count) {
                           arguments->count = count;
                           return words_of(*arguments, {from, run_argument(entries), to});
                       });
    return result;
}

}  // namespace pianola::tensor
