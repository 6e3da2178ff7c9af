#include <fmt/format.h>

#include <array>

#include "capture_host/tensor/broadcast.h"
#include "capture_host/tensor/each_device.h"
#include "capture_host/tensor/row_work.h"
#include "capture_host/tensor/tensor_error.h"

namespace pianola::tensor {
namespace {

using refdev::KernelId;

template <typename Op>
struct NamedOp {
    const char* name;
    Op op;
};

// In the order of Binary, Unary and Reduction.
constexpr std::array<NamedOp<refdev::BinaryOp>, 6U> kBinaryOps{{{"add", refdev::BinaryOp::kAdd},
                                                                {"subtract", refdev::BinaryOp::kSubtract},
                                                                {"multiply", refdev::BinaryOp::kMultiply},
                                                                {"minimum", refdev::BinaryOp::kMinimum},
                                                                {"maximum", refdev::BinaryOp::kMaximum},
                                                                {"eq", refdev::BinaryOp::kEqual}}};
constexpr std::array<NamedOp<refdev::UnaryOp>, 4U> kUnaryOps{{{"relu", refdev::UnaryOp::kRelu},
                                                              {"neg", refdev::UnaryOp::kNegate},
                                                              {"abs", refdev::UnaryOp::kAbs},
                                                              {"square", refdev::UnaryOp::kSquare}}};
constexpr std::array<NamedOp<refdev::ReduceOp>, 3U> kReduceOps{
    {{"sum", refdev::ReduceOp::kSum}, {"max", refdev::ReduceOp::kMaximum}, {"min", refdev::ReduceOp::kMinimum}}};

struct BinaryLaunch {
    static constexpr KernelId kKernel = KernelId::kBinary;
    std::uint32_t type;
    refdev::BinaryOp op;

    host::Arguments operator()(const host::Argument& left, const host::Argument& right, const host::Argument& to,
                               std::uint32_t count) const {
        return {left, right, to, count, type, static_cast<std::uint32_t>(op)};
    }
};

struct UnaryLaunch {
    static constexpr KernelId kKernel = KernelId::kUnary;
    std::uint32_t type;
    refdev::UnaryOp op;
    std::uint32_t scalar;

    host::Arguments operator()(const host::Argument& from, const host::Argument& to, std::uint32_t count) const {
        return {from, to, count, type, static_cast<std::uint32_t>(op), scalar};
    }
};

struct MatmulLaunch {
    static constexpr KernelId kKernel = KernelId::kMatmul;
    host::Argument weight;
    std::uint32_t depth;
    std::uint32_t columns;
    std::uint32_t type;
    std::uint32_t accumulate;

    host::Arguments operator()(const host::Argument& from, const host::Argument& to, std::uint32_t rows) const {
        return {from, weight, to, rows, depth, columns, type, accumulate};
    }
};

// The kernel over one dimension of several: a matrix of the later ones for each index of those before.
void launch_columns(const Tensor& operand, const Tensor& result, std::uint32_t dimension,
                    const NamedOp<refdev::ReduceOp>& kernel, std::uint32_t queue) {
    constexpr std::uint32_t kRowsDisappear = 0U;
    constexpr std::uint32_t kLaunchesOfAProgram = 256U;  // so that their commands fit the dispatch area
    const Shape& shape = operand.shape();
    const Shape later(shape.begin() + static_cast<std::ptrdiff_t>(dimension) + 1, shape.end());
    const std::uint32_t rows = shape.at(dimension);
    const std::uint32_t columns = word(element_count(later));
    const std::uint32_t matrices = word(element_count(shape) / (std::uint64_t{rows} * columns));
    const std::uint32_t step = rows * columns * bytes_per_element(operand.type());
    const std::vector<host::CoreCoord> cores = cores_for(result);
    for (std::uint32_t first = 0U; first < matrices; first += kLaunchesOfAProgram) {
        Launches launches{*result.device()};
        for (std::uint32_t i = first; i < std::min(matrices, first + kLaunchesOfAProgram); ++i) {
            launches.add(KernelId::kReduce, cores[i % cores.size()],
                         {address_in(operand.buffer(), run_address(operand) + (i * step)),
                          address_in(result.buffer(), run_address(result) + (i * columns * word(sizeof(std::int32_t)))),
                          rows, columns, static_cast<std::uint32_t>(operand.type()),
                          static_cast<std::uint32_t>(kernel.op), kRowsDisappear});
        }
        enqueue(result, launches, kernel.name, queue);
    }
}

struct ReduceLaunch {
    static constexpr KernelId kKernel = KernelId::kReduce;
    std::uint32_t columns;
    std::uint32_t type;
    refdev::ReduceOp op;

    host::Arguments operator()(const host::Argument& from, const host::Argument& to, std::uint32_t rows) const {
        constexpr std::uint32_t kColumnsDisappear = 1U;
        return {from, to, rows, columns, type, word(static_cast<std::uint32_t>(op)), kColumnsDisappear};
    }
};

// One row in every row: the start of the sums of linear().
void spread_row(const Tensor& row, const Tensor& result, std::uint32_t queue) {
    Launches launches{*result.device()};
    const std::uint32_t bytes = word(result.buffer()->config().row_bytes);
    for_dense_rows(launches, result, [&](std::uint32_t to, host::CoreCoord core, const Block& block) {
        launches.add(KernelId::kGather, core,
                     {address_in(result.buffer(), to), word(block.rows), 1U,
                      address_in(row.buffer(), row.buffer()->pieces().front().device_address), 0U, bytes, 0U, 0U, 0U,
                      0U, 0U, 0U, 0U, 0U, 0U});
    });
    enqueue(result, launches, "spread", queue);
}

}  // namespace

Tensor binary(Binary operation, const Tensor& left, const Tensor& right, const OperationOptions& options) {
    if (is_distributed(left, right, options)) {
        return for_each_device(
            "binary", [](const auto&... each) { return binary(each...); }, operation, left, right, options);
    }
    const auto kernel = kBinaryOps.at(static_cast<std::size_t>(operation));
    require_same_device(kernel.name, left, right);
    require_arithmetic(kernel.name, left);
    if (left.type() != right.type()) {
        throw TensorError{TensorRule::kType, fmt::format("{}: operands of {} and {}; both must have one type",
                                                         kernel.name, type_name(left.type()), type_name(right.type()))};
    }
    const Shape shape = broadcast_shape(kernel.name, left.shape(), right.shape());
    const MemoryConfig memory = (left.shape() == shape) ? left.memory_config() : memory_for_shape(left.memory_config());
    Tensor result = result_for(kernel.name, {shape, left.type(), memory}, options, left.device());
    pair_by_pair(broadcast_to(left, shape, options.queue), broadcast_to(right, shape, options.queue), result,
                 kernel.name, options.queue, BinaryLaunch{static_cast<std::uint32_t>(result.type()), kernel.op});
    return result;
}

Tensor binary(Binary operation, const Tensor& left, std::int64_t right, const OperationOptions& options) {
    if (is_distributed(left, options)) {
        return for_each_device(
            "binary", [](const auto&... each) { return binary(each...); }, operation, left, right, options);
    }
    const auto kernel = kBinaryOps.at(static_cast<std::size_t>(operation));
    static_cast<void>(left.buffer());
    require_arithmetic(kernel.name, left);
    static_cast<void>(pattern_of(left.type(), right));
    // A sum with -right is the difference, unless -right is no number of the type.
    const bool subtracts =
        (operation == Binary::kSubtract) && ((left.type() == ElementType::kInt32) || (right != INT8_MIN));
    Tensor result = result_for(kernel.name, left.spec(), options, left.device());
    if ((operation == Binary::kAdd) || subtracts || (operation == Binary::kMultiply)) {
        const refdev::UnaryOp op =
            (operation == Binary::kMultiply) ? refdev::UnaryOp::kMulScalar : refdev::UnaryOp::kAddScalar;
        const auto scalar = static_cast<std::uint32_t>(subtracts ? -right : right);
        element_by_element(left, result, kernel.name, options.queue,
                           UnaryLaunch{static_cast<std::uint32_t>(result.type()), op, scalar});
        return result;
    }
    const Tensor numbers = Tensor::on_device(result.spec(), result.device(), {options.queue, true});
    fill(numbers, right, options.queue);
    return binary(operation, left, numbers, OperationOptions{std::nullopt, result, options.queue});
}

Tensor unary(Unary operation, const Tensor& operand, const OperationOptions& options) {
    if (is_distributed(operand, options)) {
        return for_each_device(
            "unary", [](const auto&... each) { return unary(each...); }, operation, operand, options);
    }
    const auto kernel = kUnaryOps.at(static_cast<std::size_t>(operation));
    require_arithmetic(kernel.name, operand);
    Tensor result = result_for(kernel.name, operand.spec(), options, operand.device());
    element_by_element(operand, result, kernel.name, options.queue,
                       UnaryLaunch{static_cast<std::uint32_t>(result.type()), kernel.op, 0U});
    return result;
}

Tensor linear(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
              const OperationOptions& options) {
    if (is_distributed(input, weight, bias, options)) {
        return for_each_device(
            "linear", [](const auto&... each) { return linear(each...); }, input, weight, bias, options);
    }
    const char* const name = bias.has_value() ? "linear" : "matmul";
    require_same_device(name, input, weight);
    require_arithmetic(name, input);
    if (input.type() != weight.type()) {
        throw TensorError{TensorRule::kType, fmt::format("{}: operands of {} and {}; both must have one type", name,
                                                         type_name(input.type()), type_name(weight.type()))};
    }
    if ((weight.shape().size() != 2U) || (columns_of(input.shape()) != weight.shape().front())) {
        throw TensorError{
            TensorRule::kShape,
            fmt::format("{}: {} times {}; the second operand is [k, n], with k the last dimension of the first", name,
                        to_string(input.shape()), to_string(weight.shape()))};
    }
    const std::uint32_t depth = weight.shape().front();
    const std::uint32_t columns = weight.shape().back();
    if (bias.has_value()) {
        require_same_device(name, input, *bias);
        if ((element_count(bias->shape()) != columns) || (columns_of(bias->shape()) != columns) ||
            (bias->type() != ElementType::kInt32)) {
            throw TensorError{TensorRule::kShape,
                              fmt::format("{}: the bias is {} of {}; it must be [{}] of int32", name,
                                          to_string(bias->shape()), type_name(bias->type()), columns)};
        }
    }
    TensorSpec spec{input.shape(), ElementType::kInt32, memory_for_columns(input.memory_config(), columns)};
    spec.shape.back() = columns;
    const Tensor result = result_for(name, spec, options, input.device());
    require_apart(name, result, input);
    require_apart(name, result, weight);
    if (bias.has_value()) {
        require_apart(name, result, *bias);
    }
    return through_whole_rows(result, options.queue, [&](const Tensor& whole) {
        const Tensor rows = in_whole_rows(input, options.queue);
        const Tensor matrix = in_one_run(weight, options.queue);
        if (bias.has_value()) {
            spread_row(in_one_run(*bias, options.queue), whole, options.queue);
        }
        const host::Argument matrix_address =
            address_in(matrix.buffer(), matrix.buffer()->pieces().front().device_address);
        row_by_row(rows, whole, name, options.queue,
                   MatmulLaunch{matrix_address, depth, columns, static_cast<std::uint32_t>(input.type()),
                                bias.has_value() ? 1U : 0U});
    });
}

Tensor matmul(const Tensor& left, const Tensor& right, const OperationOptions& options) {
    return linear(left, right, std::nullopt, options);
}

Tensor reduce(Reduction operation, const Tensor& operand, const OperationOptions& options) {
    if (is_distributed(operand, options)) {
        return for_each_device(
            "reduce", [](const auto&... each) { return reduce(each...); }, operation, operand, options);
    }
    const auto kernel = kReduceOps.at(static_cast<std::size_t>(operation));
    const char* const name = kernel.name;
    require_arithmetic(name, operand);
    const std::uint32_t columns = columns_of(operand.shape());
    TensorSpec spec{operand.shape(), ElementType::kInt32, memory_for_columns(operand.memory_config(), 1U)};
    spec.shape.back() = 1U;
    const Tensor result = result_for(name, spec, options, operand.device());
    require_apart(name, result, operand);
    return through_whole_rows(result, options.queue, [&](const Tensor& whole) {
        row_by_row(in_whole_rows(operand, options.queue), whole, name, options.queue,
                   ReduceLaunch{columns, static_cast<std::uint32_t>(operand.type()), kernel.op});
    });
}

Tensor reduce(Reduction operation, const Tensor& operand, std::uint32_t dimension, const OperationOptions& options) {
    if (is_distributed(operand, options)) {
        return for_each_device(
            "reduce", [](const auto&... each) { return reduce(each...); }, operation, operand, dimension, options);
    }
    const auto kernel = kReduceOps.at(static_cast<std::size_t>(operation));
    static_cast<void>(operand.buffer());
    require_arithmetic(kernel.name, operand);
    const std::size_t rank = operand.shape().size();
    if (dimension >= rank) {
        throw TensorError{TensorRule::kShape, fmt::format("{}: dim is {}; {} has {} dimensions", kernel.name, dimension,
                                                          to_string(operand.shape()), rank)};
    }
    if ((dimension + 1U) == rank) {
        return reduce(operation, operand, options);
    }
    TensorSpec spec{operand.shape(), ElementType::kInt32, memory_for_shape(operand.memory_config())};
    spec.shape.at(dimension) = 1U;
    const Tensor result = result_for(kernel.name, spec, options, operand.device());
    require_apart(kernel.name, result, operand);
    return through_one_run(result, options.queue, [&](const Tensor& run) {
        launch_columns(in_one_run(operand, options.queue), run, dimension, kernel, options.queue);
    });
}

}  // namespace pianola::tensor
