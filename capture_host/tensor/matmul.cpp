#include <fmt/format.h>

#include "capture_host/tensor/broadcast.h"
#include "capture_host/tensor/row_work.h"
#include "capture_host/tensor/tensor_error.h"

namespace pianola::tensor {
namespace {

using refdev::KernelId;

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

// Matrices of the same number of each operand, each of which lies in one run: a launch for each of them.
void launch_matrices(const Tensor& left, const Tensor& right, const Tensor& result, std::uint32_t queue) {
    const std::uint32_t type = kernel_type("matmul", left);
    const std::uint32_t depth = columns_of(left.shape());
    const std::uint32_t columns = columns_of(right.shape());
    const std::uint32_t matrices = word(element_count(right.shape()) / (std::uint64_t{depth} * columns));
    const std::uint32_t rows = word(rows_of(left.shape()) / matrices);
    const std::uint32_t element = bytes_per_element(left.type());
    const std::vector<host::CoreCoord> cores = cores_for(result);
    for (std::uint32_t first = 0U; first < matrices; first += word(kLaunchesOfAProgram)) {
        Launches launches{*result.device()};
        for (std::uint32_t i = first; i < std::min(matrices, first + word(kLaunchesOfAProgram)); ++i) {
            const MatmulLaunch launch{address_in(right.buffer(), run_address(right) + (i * depth * columns * element)),
                                      depth, columns, type, 0U};
            const std::uint32_t to = run_address(result) + (i * rows * columns * word(sizeof(std::int32_t)));
            launches.add(KernelId::kMatmul, cores[i % cores.size()],
                         launch(address_in(left.buffer(), run_address(left) + (i * rows * depth * element)),
                                address_in(result.buffer(), to), rows));
        }
        enqueue(result, launches, "matmul", queue);
    }
}

// [..., m, k] times [..., k, n], whose other dimensions are broadcast.
[[nodiscard]] Tensor matmul_of_matrices(const Tensor& left, const Tensor& right, const OperationOptions& options) {
    const char* const name = "matmul";
    constexpr std::ptrdiff_t kMatrix = 2;
    const Shape& a = left.shape();
    const Shape& b = right.shape();
    static_cast<void>(kernel_type(name, left));
    if ((left.type() != right.type()) || (a.size() < 2U) || (a.back() != b[b.size() - 2U])) {
        throw TensorError{
            (left.type() != right.type()) ? TensorRule::kType : TensorRule::kShape,
            fmt::format("{}: {} of {} times {} of {}; operands of one type are [..., m, k] and [..., k, n]", name,
                        to_string(a), type_name(left.type()), to_string(b), type_name(right.type()))};
    }
    const Shape others =
        broadcast_shape(name, Shape(a.begin(), a.end() - kMatrix), Shape(b.begin(), b.end() - kMatrix));
    const auto of_all = [&others](std::uint32_t rows, std::uint32_t columns) {
        Shape shape = others;
        shape.insert(shape.end(), {rows, columns});
        return shape;
    };
    const TensorSpec spec = spec_of_shape(left, of_all(a[a.size() - 2U], b.back()), ElementType::kInt32);
    const Tensor result = result_for(name, spec, options, left.device());
    require_apart(name, result, left);
    require_apart(name, result, right);
    return through_one_run(result, options.queue, [&](const Tensor& run) {
        const Tensor first = broadcast_to(left, of_all(a[a.size() - 2U], a.back()), options.queue);
        const Tensor second = broadcast_to(right, of_all(a.back(), b.back()), options.queue);
        launch_matrices(in_one_run(first, options.queue), in_one_run(second, options.queue), run, options.queue);
    });
}

}  // namespace

Tensor linear(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
              const OperationOptions& options) {
    const char* const name = bias.has_value() ? "linear" : "matmul";
    require_same_device(name, input, weight);
    const std::uint32_t type = kernel_type(name, input);
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
    TensorSpec spec{input.shape(), ElementType::kInt32, memory_for_columns(input, columns), input.layout()};
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
                   MatmulLaunch{matrix_address, depth, columns, type, bias.has_value() ? 1U : 0U});
    });
}

Tensor matmul(const Tensor& left, const Tensor& right, const OperationOptions& options) {
    require_same_device("matmul", left, right);
    if (right.shape().size() <= 2U) {
        return linear(left, right, std::nullopt, options);
    }
    return matmul_of_matrices(left, right, options);
}

}  // namespace pianola::tensor
