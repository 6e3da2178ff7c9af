#include <fmt/format.h>

#include <array>

#include "capture_host/host/tensor/each_core.h"
#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/views.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

using refdev::KernelId;

template <typename Op>
struct NamedOp {
    const char* name{""};
    Op op{Op::kUnspecified};
    Computes computes{Computes::kSigned};
};

// In the order of Binary, Unary and Reduction.
constexpr std::array<NamedOp<refdev::BinaryOp>, 6U> kBinaryOps{
    {{"add", refdev::BinaryOp::kAdd, Computes::kModular},
     {"subtract", refdev::BinaryOp::kSubtract, Computes::kModular},
     {"multiply", refdev::BinaryOp::kMultiply, Computes::kModular},
     {"minimum", refdev::BinaryOp::kMinimum},
     {"maximum", refdev::BinaryOp::kMaximum},
     {"eq", refdev::BinaryOp::kEqual, Computes::kBits}}};
constexpr std::array<NamedOp<refdev::UnaryOp>, 4U> kUnaryOps{
    {{"relu", refdev::UnaryOp::kRelu},
     {"neg", refdev::UnaryOp::kNegate, Computes::kModular},
     {"abs", refdev::UnaryOp::kAbs},
     {"square", refdev::UnaryOp::kSquare, Computes::kModular}}};
constexpr std::array<NamedOp<refdev::ReduceOp>, 5U> kReduceOps{{{"sum", refdev::ReduceOp::kSum, Computes::kModular},
                                                                {"max", refdev::ReduceOp::kMaximum},
                                                                {"min", refdev::ReduceOp::kMinimum},
                                                                {"argmax", refdev::ReduceOp::kArgMaximum},
                                                                {"argmin", refdev::ReduceOp::kArgMinimum}}};

// Reduces one of several dimensions: a matrix of this and the later dimensions for each index of the earlier ones.
void launch_columns(const Tensor& operand, const Tensor& result, std::uint32_t dimension,
                    const NamedOp<refdev::ReduceOp>& kernel, std::uint32_t queue) {
    const std::uint32_t type = kernel_type(kernel.name, operand, kernel.computes);
    constexpr std::uint32_t kRowsDisappear = 0U;
    const Shape& shape = operand.shape();
    const Shape later(shape.begin() + static_cast<std::ptrdiff_t>(dimension) + 1, shape.end());
    const std::uint32_t rows = shape.at(dimension);
    const std::uint32_t columns = word(element_count(later));
    const std::uint32_t matrices = word(element_count(shape) / (std::uint64_t{rows} * columns));
    const std::uint32_t step = rows * columns * bytes_per_element(operand.type());
    const std::vector<host::CoreCoord> cores = cores_for(result);
    for (std::uint32_t first = 0U; first < matrices; first += word(kLaunchesOfAProgram)) {
        Launches launches{*result.device()};
        for (std::uint32_t i = first; i < std::min(matrices, first + word(kLaunchesOfAProgram)); ++i) {
            launches.add(KernelId::kReduce, cores[i % cores.size()],
                         words_of(refdev::ReduceArguments{0U, 0U, rows, columns, type, kernel.op, kRowsDisappear},
                                  {argument_at(operand, i * step),
                                   argument_at(result, i * columns * word(sizeof(std::int32_t)))}));
        }
        enqueue(result, launches, kernel.name, queue);
    }
}

void launch_unary(const Tensor& operand, const Tensor& result, const char* name, std::uint32_t queue,
                  refdev::UnaryArguments arguments) {
    element_by_element(operand, result, name, queue, KernelId::kUnary,
                       [&](const host::Argument& from, const host::Argument& to, std::uint32_t count) {
                           arguments.count = count;
                           return words_of(arguments, {from, to});
                       });
}

// The type of sums and extremes of the operand's elements.
[[nodiscard]] ElementType sum_type(const Tensor& operand) {
    return (operand.type() == ElementType::kUint32) ? ElementType::kUint32 : ElementType::kInt32;
}

}  // namespace

Tensor binary(Binary operation, const Tensor& left, const Tensor& right, const OperationOptions& options) {
    if (is_distributed(left, right, options)) {
        return for_each_device(
            "binary", [](const auto&... each) { return binary(each...); }, operation, left, right, options);
    }
    const auto kernel = kBinaryOps.at(static_cast<std::size_t>(operation));
    require_same_device(kernel.name, left, right);
    const std::uint32_t type = kernel_type(kernel.name, left, kernel.computes);
    if (left.type() != right.type()) {
        throw TensorError{TensorRule::kType, fmt::format("{}: operands of {} and {}; both must have one type",
                                                         kernel.name, type_name(left.type()), type_name(right.type()))};
    }
    const Shape shape = broadcast_shape(kernel.name, left.shape(), right.shape());
    Tensor result = result_for(kernel.name, spec_of_broadcast(left, shape), options, left.device());
    pair_by_pair(
        broadcast_to(left, shape, options.queue), broadcast_to(right, shape, options.queue), result, kernel.name,
        options.queue, KernelId::kBinary,
        [&](const host::Argument& first, const host::Argument& second, const host::Argument& to, std::uint32_t count) {
            return words_of(refdev::BinaryArguments{0U, 0U, 0U, count, type, kernel.op}, {first, second, to});
        });
    return result;
}

Tensor binary(Binary operation, const Tensor& left, std::int64_t right, const OperationOptions& options) {
    if (is_distributed(left, options)) {
        return for_each_device(
            "binary", [](const auto&... each) { return binary(each...); }, operation, left, right, options);
    }
    const auto kernel = kBinaryOps.at(static_cast<std::size_t>(operation));
    const std::uint32_t type = kernel_type(kernel.name, left, kernel.computes);
    static_cast<void>(pattern_of(left.type(), right));
    // A sum with -right is the difference, unless -right is no number of the type.
    const bool subtracts =
        (operation == Binary::kSubtract) && ((left.type() != ElementType::kInt8) || (right != INT8_MIN));
    Tensor result = result_for(kernel.name, left.spec(), options, left.device());
    if ((operation == Binary::kAdd) || subtracts || (operation == Binary::kMultiply)) {
        const refdev::UnaryOp op =
            (operation == Binary::kMultiply) ? refdev::UnaryOp::kMulScalar : refdev::UnaryOp::kAddScalar;
        const auto scalar = static_cast<std::int32_t>(static_cast<std::uint32_t>(subtracts ? -right : right));
        launch_unary(left, result, kernel.name, options.queue, {0U, 0U, 0U, type, op, scalar});
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
    const std::uint32_t type = kernel_type(kernel.name, operand, kernel.computes);
    Tensor result = result_for(kernel.name, operand.spec(), options, operand.device());
    launch_unary(operand, result, kernel.name, options.queue, {0U, 0U, 0U, type, kernel.op, 0});
    return result;
}

Tensor reduce(Reduction operation, const Tensor& operand, const OperationOptions& options) {
    if (is_distributed(operand, options)) {
        return for_each_device(
            "reduce", [](const auto&... each) { return reduce(each...); }, operation, operand, options);
    }
    const auto kernel = kReduceOps.at(static_cast<std::size_t>(operation));
    const char* const name = kernel.name;
    const std::uint32_t type = kernel_type(name, operand, kernel.computes);
    const std::uint32_t columns = columns_of(operand.shape());
    TensorSpec spec{operand.shape(), sum_type(operand), memory_for_columns(operand, 1U), operand.layout()};
    spec.shape.back() = 1U;
    const Tensor result = result_for(name, spec, options, operand.device());
    require_apart(name, result, operand);
    return into_whole_rows(result, options.queue, [&](const Tensor& whole) {
        row_by_row(as_whole_rows(operand, options.queue), whole, name, options.queue, KernelId::kReduce,
                   [&](const host::Argument& from, const host::Argument& to, std::uint32_t rows) {
                       return words_of(refdev::ReduceArguments{0U, 0U, rows, columns, type, kernel.op, 1U}, {from, to});
                   });
    });
}

Tensor reduce(Reduction operation, const Tensor& operand, std::uint32_t dimension, const OperationOptions& options) {
    if (is_distributed(operand, options)) {
        return for_each_device(
            "reduce", [](const auto&... each) { return reduce(each...); }, operation, operand, dimension, options);
    }
    const auto kernel = kReduceOps.at(static_cast<std::size_t>(operation));
    static_cast<void>(kernel_type(kernel.name, operand, kernel.computes));
    const std::size_t rank = operand.shape().size();
    if (dimension >= rank) {
        throw TensorError{TensorRule::kShape, fmt::format("{}: dim is {}; {} has {} dimensions", kernel.name, dimension,
                                                          to_string(operand.shape()), rank)};
    }
    if ((dimension + 1U) == rank) {
        return reduce(operation, operand, options);
    }
    TensorSpec spec = spec_of_shape(operand, operand.shape(), sum_type(operand));
    spec.shape.at(dimension) = 1U;
    const Tensor result = result_for(kernel.name, spec, options, operand.device());
    require_apart(kernel.name, result, operand);
    return into_contiguous(result, options.queue, [&](const Tensor& run) {
        launch_columns(as_contiguous(operand, options.queue), run, dimension, kernel, options.queue);
    });
}

}  // namespace pianola::tensor
