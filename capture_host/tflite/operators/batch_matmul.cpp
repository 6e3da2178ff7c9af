#include <algorithm>
#include <cstddef>

#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operator_context.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/int16_arguments.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::tflite {
namespace {

constexpr std::size_t kMatrixRank = 2U;

// Consecutive matrices, and over which of them the result's iterate.
struct Operand {
    capture::BufferId buffer{};
    std::uint32_t rows{0U};
    std::uint32_t columns{0U};
    Shape batches;
    std::uint32_t element_bytes{1U};

    [[nodiscard]] std::uint32_t matrix_bytes() const { return rows * columns * element_bytes; }
    [[nodiscard]] std::uint32_t batch_count() const { return product(batches, 0U, batches.size()); }
};

// The operand with its matrices transposed, or as they are.
Operand operand_of(OperatorContext& context, std::size_t position, bool transposed) {
    const AnyTensor tensor = context.any_input(position, "input");
    const Shape& shape = tensor.tensor->shape;
    context.require(shape.size() >= kMatrixRank, "an input that is no matrix is not supported");
    const std::size_t last = shape.size() - 1U;
    Operand operand{
        context.buffer(tensor), shape[last - 1U], shape[last], {shape.begin(), shape.end() - 2}, tensor.element_bytes};
    if (transposed) {
        StridedView view = view_of(tensor);
        std::vector<std::size_t> order(shape.size());
        for (std::size_t i = 0U; i < order.size(); ++i) {
            order[i] = i;
        }
        std::swap(order[last - 1U], order[last]);
        view.permute(order);
        const capture::BufferId from = operand.buffer;
        operand.buffer = context.add_temporary(tensor.tensor->size_bytes);
        record_view(context, view, from, operand.buffer);
        std::swap(operand.rows, operand.columns);
    }
    return operand;
}

// The batch dimensions to which both operands' are broadcast.
Shape broadcast_batches(const OperatorContext& context, const Shape& left, const Shape& right) {
    const std::size_t rank = std::max(left.size(), right.size());
    Shape batches(rank, 1U);
    for (const Shape* const operand : {&left, &right}) {
        const std::size_t front = rank - operand->size();
        for (std::size_t i = 0U; i < operand->size(); ++i) {
            std::uint32_t& size = batches[front + i];
            const std::uint32_t own = operand->at(i);
            context.require((size == own) || (size == 1U) || (own == 1U), "its shapes cannot be broadcast");
            size = std::max(size, own);
        }
    }
    return batches;
}

// The matrix of an operand that the batch of that number uses.
std::uint32_t matrix_of(const Operand& operand, const Shape& batches, std::uint32_t batch) {
    std::uint32_t matrix = 0U;
    std::uint32_t step = 1U;
    std::uint32_t rest = batch;
    const std::size_t front = batches.size() - operand.batches.size();
    for (std::size_t i = batches.size(); i > front; --i) {
        const std::uint32_t size = operand.batches[(i - 1U) - front];
        matrix += (size == 1U) ? 0U : ((rest % batches[i - 1U]) * step);
        step *= size;
        rest /= batches[i - 1U];
    }
    return matrix;
}

FixedPoint scale_of(const OperatorContext& context, const QuantizedTensor& left, const QuantizedTensor& right,
                    const QuantizedTensor& output) {
    const std::optional<FixedPoint> scale = operators::common_scale(left.scale, right.scale, output.scale);
    if (!scale.has_value()) {
        context.refuse("the ratio of its scales is out of range");
    }
    return *scale;
}

// One product for each batch.
struct Products {
    Operand left;
    Operand right;
    Shape batches;
    QuantizedTensor output;
    FixedPoint scale;

    // Visits each product with the offsets of its operands and its output, in bytes.
    template <typename Visit>
    void for_each(const Visit& visit) const {
        const std::uint32_t count = product(batches, 0U, batches.size());
        for (std::uint32_t batch = 0U; batch < count; ++batch) {
            visit(matrix_of(left, batches, batch) * left.matrix_bytes(),
                  matrix_of(right, batches, batch) * right.matrix_bytes(),
                  batch * left.rows * right.rows * left.element_bytes);
        }
    }
};

// Each product is a fully connected layer whose filter is the second operand, transposed.
void launch_int8(OperatorContext& context, const Products& products, std::int32_t left_zero_point,
                 std::int32_t right_zero_point) {
    const Operand& left = products.left;
    const Operand& right = products.right;
    ChannelTable rows;
    for (const std::int64_t start : context.bias(right.rows)) {  // there is none: zeros
        rows.push_back(refdev::WideChannelParameters{start, products.scale.multiplier, products.scale.shift});
    }
    const capture::BufferId table = context.add_channel_table(rows, refdev::kNarrowSumBytes);
    const refdev::FullyConnectedArguments arguments = operators::fully_connected_arguments(
        {left.rows, left.columns, right.rows}, {left_zero_point, right_zero_point, products.output.zero_point});
    products.for_each([&](std::uint32_t left_at, std::uint32_t right_at, std::uint32_t output_at) {
        context.launch(
            refdev::KernelId::kFullyConnected, arguments,
            {{left.buffer, left_at}, {right.buffer, right_at}, {table}, {context.buffer(products.output), output_at}});
    });
}

void launch_int16(OperatorContext& context, const Products& products) {
    context.require(products.scale.shift <= refdev::kMaxWideShift, "the ratio of its scales is out of range");
    const refdev::MatmulInt16Arguments arguments{0U,
                                                 0U,
                                                 0U,
                                                 products.left.rows,
                                                 products.left.columns,
                                                 products.right.rows,
                                                 products.scale.multiplier,
                                                 products.scale.shift};
    products.for_each([&](std::uint32_t left_at, std::uint32_t right_at, std::uint32_t output_at) {
        context.launch(refdev::KernelId::kMatmulInt16, arguments,
                       {{products.left.buffer, left_at},
                        {products.right.buffer, right_at},
                        {context.buffer(products.output), output_at}});
    });
}

}  // namespace

void lower_batch_matmul(OperatorContext& context) {
    context.require_operands(2U, 2U);
    const auto& options = context.options_or_defaults<format::BatchMatMulOptions>();
    const Types types{kTypeInt8, kTypeInt16};
    const QuantizedTensor left_tensor = context.quantized_input(0U, "input", types);
    const QuantizedTensor right_tensor = context.quantized_input(1U, "input", types);
    const QuantizedTensor output = context.quantized_output(types);
    context.require(
        (left_tensor.tensor->type == right_tensor.tensor->type) && (left_tensor.tensor->type == output.tensor->type),
        "its inputs and output differ in type");
    Operand left = operand_of(context, 0U, options.adj_x());
    Operand right = operand_of(context, 1U, !options.adj_y());
    context.require(left.columns == right.columns, "its matrices do not fit each other");
    const std::uint32_t most = (right_tensor.zero_point == 0) ? refdev::kMaxTaps : refdev::kMaxSpatial;
    context.require(left.columns <= most, "matrices of so many columns are not supported");
    Shape batches = broadcast_batches(context, left.batches, right.batches);
    Shape expected = batches;
    expected.insert(expected.end(), {left.rows, right.rows});
    require_shape(context, AnyTensor{output.index, output.tensor, left.element_bytes}, expected);
    if ((right.batch_count() == 1U) && (left.batch_count() == product(batches, 0U, batches.size()))) {
        left.rows *= left.batch_count();  // one second matrix: one product
        batches.clear();
        left.batches.clear();
        right.batches.clear();
    }
    const Products products{left, right, batches, output, scale_of(context, left_tensor, right_tensor, output)};
    if (output.tensor->type == kTypeInt16) {
        launch_int16(context, products);
    } else {
        launch_int8(context, products, left_tensor.zero_point, right_tensor.zero_point);
    }
}

}  // namespace pianola::tflite
