#include <fmt/format.h>

#include "capture_host/host/tensor/channel_parameters.h"
#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/row_work.h"
#include "capture_host/operators/word_table.h"
#include "hal/devices/refdev/kernels/int16_arguments.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

using refdev::KernelId;

constexpr std::uint32_t kMaxDepth = 65535U;

struct Int16SoftmaxLaunch {
    static constexpr KernelId kKernel = KernelId::kSoftmaxInt16;
    Tensor tables;
    std::uint32_t depth{0U};
    operators::FixedPoint scale;

    host::Arguments operator()(const host::Argument& from, const host::Argument& to, std::uint32_t rows) const {
        return {from,
                address_in(tables.buffer(), run_address(tables)),
                to,
                rows,
                depth,
                static_cast<std::uint32_t>(scale.multiplier),
                static_cast<std::uint32_t>(scale.shift)};
    }
};

struct SigmoidLaunch {
    static constexpr KernelId kKernel = KernelId::kSigmoidInt16;
    Tensor table;
    refdev::SigmoidOp op{refdev::SigmoidOp::kUnspecified};
    operators::FixedPoint scale;

    host::Arguments operator()(const host::Argument& from, const host::Argument& to, std::uint32_t count) const {
        return {from,
                address_in(table.buffer(), run_address(table)),
                to,
                count,
                static_cast<std::uint32_t>(op),
                static_cast<std::uint32_t>(scale.multiplier),
                static_cast<std::uint32_t>(scale.shift)};
    }
};

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
    const std::optional<operators::FixedPoint> scale = operators::softmax_int16_scale(beta, input_scale);
    if (!scale.has_value()) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: beta times input_scale is {}, which is out of range", name,
                                      static_cast<double>(beta) * static_cast<double>(input_scale))};
    }
    const Tensor result = result_for(name, operand.spec(), options, operand.device());
    require_apart(name, result, tables);
    return through_whole_rows(result, options.queue, [&](const Tensor& whole) {
        row_by_row(in_whole_rows(operand, options.queue), whole, name, options.queue,
                   Int16SoftmaxLaunch{in_one_run(tables, options.queue), depth, *scale});
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
    const std::optional<operators::FixedPoint> scale = operators::sigmoid_scale(input_scale, is_tanh ? 2 : 1);
    if (!scale.has_value()) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: input_scale is {}; it is below 8/3", name, input_scale)};
    }
    Tensor result = result_for(name, operand.spec(), options, operand.device());
    require_apart(name, result, table);
    element_by_element(operand, result, name, options.queue,
                       SigmoidLaunch{in_one_run(table, options.queue),
                                     is_tanh ? refdev::SigmoidOp::kTanh : refdev::SigmoidOp::kLogistic, *scale});
    return result;
}

}  // namespace pianola::tensor
