#include <fmt/format.h>

#include "capture_host/host/tensor/channel_parameters.h"
#include "capture_host/host/tensor/each_core.h"
#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/gather_rows.h"
#include "capture_host/host/tensor/views.h"
#include "capture_host/operators/kernel_arguments.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

using refdev::KernelId;

// Copies a row to every row of the result, where the sums of linear() start.
void repeat_row(const Tensor& row, const Tensor& result, std::uint32_t queue) {
    Launches launches{*result.device()};
    const std::uint32_t bytes = word(result.buffer()->config().row_bytes);
    for_dense_rows(launches, result, [&](std::uint32_t to, host::CoreCoord core, const Block& block) {
        add_gather(launches, core, address_in(result.buffer(), to),
                   RowBand{word(block.rows), {{row, first_address(row), 0U, bytes}}});
    });
    enqueue(result, launches, "spread", queue);
}

// The number of products, and the sizes of their matrices.
struct Products {
    Shape others;  // dimensions before the matrices, broadcast
    std::uint32_t rows{1U};
    std::uint32_t depth{1U};
    std::uint32_t columns{1U};

    [[nodiscard]] Shape of(std::uint32_t matrix_rows, std::uint32_t matrix_columns) const {
        Shape shape = others;
        shape.insert(shape.end(), {matrix_rows, matrix_columns});
        return shape;
    }
};

// A vector is a matrix of one row on the left, and of one column on the right.
[[nodiscard]] Shape as_row(const Shape& shape) {
    return (shape.size() == 1U) ? Shape{1U, shape.front()} : shape;
}
[[nodiscard]] Shape as_column(const Shape& shape) {
    return (shape.size() == 1U) ? Shape{shape.front(), 1U} : shape;
}

// Throws TENSOR-TYPE, TENSOR-SHAPE.
[[nodiscard]] Products products_of(const char* name, const Tensor& left, const Tensor& right) {
    constexpr std::ptrdiff_t kMatrix = 2;
    const Shape a = as_row(left.shape());
    const Shape b = as_column(right.shape());
    static_cast<void>(kernel_type(name, left));
    if ((left.type() != right.type()) || (a.back() != b[b.size() - 2U])) {
        throw TensorError{
            (left.type() != right.type()) ? TensorRule::kType : TensorRule::kShape,
            fmt::format("{}: {} of {} times {} of {}; they must be of one type, [..., m, k] and [..., k, n]", name,
                        to_string(left.shape()), type_name(left.type()), to_string(right.shape()),
                        type_name(right.type()))};
    }
    const Shape others =
        broadcast_shape(name, Shape(a.begin(), a.end() - kMatrix), Shape(b.begin(), b.end() - kMatrix));
    return Products{others, a[a.size() - 2U], a.back(), b.back()};
}

// Drops the dimensions that were added to vectors.
[[nodiscard]] Shape shape_of_result(const Products& products, const Tensor& left, const Tensor& right) {
    Shape shape = products.others;
    if (left.shape().size() > 1U) {
        shape.push_back(products.rows);
    }
    if (right.shape().size() > 1U) {
        shape.push_back(products.columns);
    }
    return shape.empty() ? Shape{1U} : shape;
}

// An operand of shape `matrix`, contiguous, broadcast to the shape of all products.
[[nodiscard]] Tensor operand_of(const Tensor& operand, const Shape& matrix, const Shape& all, std::uint32_t queue) {
    const Tensor run = as_contiguous(operand, queue);
    return broadcast_to(run.viewed_as(TensorSpec{matrix, run.type(), run.memory_config(), run.layout()}), all, queue);
}

// A launch for each product of contiguous tensors.
void launch_products(const Tensor& left, const Tensor& right, const Tensor& result, const Products& products,
                     std::uint32_t queue) {
    const auto& [others, rows, depth, columns] = products;
    const std::uint32_t type = kernel_type("matmul", left);
    const std::uint32_t element = bytes_per_element(left.type());
    const std::uint32_t count = word(element_count(others));
    const std::vector<host::CoreCoord> cores = cores_for(result);
    for (std::uint32_t first = 0U; first < count; first += word(kLaunchesOfAProgram)) {
        Launches launches{*result.device()};
        for (std::uint32_t i = first; i < std::min(count, first + word(kLaunchesOfAProgram)); ++i) {
            const std::uint32_t to = i * rows * columns * word(sizeof(std::int32_t));
            launches.add(KernelId::kMatmul, cores[i % cores.size()],
                         words_of(refdev::MatmulArguments{0U, 0U, 0U, rows, depth, columns, type, 0U},
                                  {argument_at(left, i * rows * depth * element),
                                   argument_at(right, i * depth * columns * element), argument_at(result, to)}));
        }
        enqueue(result, launches, "matmul", queue);
    }
}

}  // namespace

Tensor linear(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
              const OperationOptions& options) {
    if (is_distributed(input, weight, bias, options)) {
        return for_each_device(
            "linear", [](const auto&... each) { return linear(each...); }, input, weight, bias, options);
    }
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
            fmt::format("{}: {} times {}; the second operand must be [k, n], with k the last dimension of the first",
                        name, to_string(input.shape()), to_string(weight.shape()))};
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
    return into_whole_rows(result, options.queue, [&](const Tensor& whole) {
        const Tensor rows = as_whole_rows(input, options.queue);
        const Tensor matrix = as_contiguous(weight, options.queue);
        if (bias.has_value()) {
            repeat_row(as_contiguous(*bias, options.queue), whole, options.queue);
        }
        row_by_row(rows, whole, name, options.queue, KernelId::kMatmul,
                   [&](const host::Argument& from, const host::Argument& to, std::uint32_t count) {
                       return words_of(
                           refdev::MatmulArguments{0U, 0U, 0U, count, depth, columns, type, bias.has_value() ? 1U : 0U},
                           {from, argument_at(matrix), to});
                   });
    });
}

Tensor matmul(const Tensor& left, const Tensor& right, const OperationOptions& options) {
    if (is_distributed(left, right, options)) {
        return for_each_device("matmul", [](const auto&... each) { return matmul(each...); }, left, right, options);
    }
    require_same_device("matmul", left, right);
    if (right.shape().size() == 2U) {
        return linear(left, right, std::nullopt, options);
    }
    const char* const name = "matmul";
    const Products products = products_of(name, left, right);
    const TensorSpec spec = spec_of_shape(left, shape_of_result(products, left, right), ElementType::kInt32);
    const Tensor result = result_for(name, spec, options, left.device());
    require_apart(name, result, left);
    require_apart(name, result, right);
    return into_contiguous(result, options.queue, [&](const Tensor& run) {
        const auto& [others, rows, depth, columns] = products;
        const Tensor first = operand_of(left, as_row(left.shape()), products.of(rows, depth), options.queue);
        const Tensor second = operand_of(right, as_column(right.shape()), products.of(depth, columns), options.queue);
        launch_products(first, second, run, products, options.queue);
    });
}

namespace {

using refdev::KernelId;

constexpr const char* kName = "linear";
constexpr std::uint32_t kColumnsOfAProgram = 256U;  // so that its commands fit the dispatch area

// Transposes [k, n] to [n, k], column by column.
[[nodiscard]] Tensor transposed_copy(const Tensor& matrix, std::uint32_t queue) {
    const std::uint32_t rows = matrix.shape().front();
    const std::uint32_t columns = matrix.shape().back();
    const std::uint32_t element = bytes_per_element(matrix.type());
    const Tensor source = as_contiguous(matrix, queue);
    Tensor result =
        Tensor::on_device({{columns, rows}, matrix.type(), kDramInterleaved}, matrix.device(), {queue, true});
    for (std::uint32_t first = 0U; first < columns; first += kColumnsOfAProgram) {
        Launches launches{*result.device()};
        for (std::uint32_t column = first; column < std::min(columns, first + kColumnsOfAProgram); ++column) {
            add_gather(
                launches, std::nullopt, argument_at(result, element * column * rows),
                RowBand{rows, {{source, first_address(source) + (element * column), element * columns, element}}});
        }
        enqueue(result, launches, "transpose", queue);
    }
    return result;
}

// Weights of int16 need an input of int16 and no bias: a product of matrices.
void check_types(const char* name, const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                 const Clamp& clamp) {
    require_activations(name, "input_tensor", input);
    if (weight.type() != ElementType::kInt16) {
        require_int8(name, "weight", weight);
        return;
    }
    if ((input.type() != ElementType::kInt16) || bias.has_value()) {
        throw TensorError{TensorRule::kType,
                          fmt::format("{}: weight is of int16; input_tensor must be too, without a bias", name)};
    }
    if (clamp.minimum.has_value() || clamp.maximum.has_value()) {
        throw TensorError{TensorRule::kArgument, fmt::format("{}: a product of int16 must have no activation_min and "
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
            fmt::format("{}: {} times {}; weight must be {}, with k the last dimension of the first", name,
                        to_string(input.shape()), to_string(weight.shape()), transposed ? "[n, k]" : "[k, n]")};
    }
    // Without a zero point of the weights, a product is half as large.
    if (depth > refdev::kMaxTaps) {
        throw TensorError{TensorRule::kShape, fmt::format("{}: the last dimension is {}; it must be at most {}", name,
                                                          depth, refdev::kMaxTaps)};
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
                       {from, argument_at(matrix), to});
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
                       rows.type(), checked.sum_bytes, {from, argument_at(matrix), argument_at(table), to});
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
                          fmt::format("{}: the last dimension is {}; with a weight_zero_point it must be "
                                      "at most {}",
                                      name, depth, refdev::kMaxSpatial)};
    }
    const CheckedBias checked = checked_bias(name, input, bias, channels, quantization, true);
    TensorSpec spec{input.shape(), input.type(), memory_for_columns(input, channels), input.layout()};
    spec.shape.back() = channels;
    const Tensor result = result_for(name, spec, options, input.device());
    require_apart(name, result, input);
    require_apart(name, result, weight);
    return into_whole_rows(result, options.queue, [&](const Tensor& whole) {
        const Tensor rows = as_whole_rows(input, options.queue);
        const Tensor matrix =
            transposed ? as_contiguous(weight, options.queue) : transposed_copy(weight, options.queue);
        if (weight.type() == ElementType::kInt16) {
            launch_matmul(rows, matrix, whole, checked, options.queue);
        } else {
            launch_layer(rows, matrix, whole, checked, quantization, options.queue);
        }
    });
}

}  // namespace pianola::tensor
