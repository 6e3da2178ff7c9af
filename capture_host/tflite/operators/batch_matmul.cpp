#include <algorithm>
#include <cstddef>

#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operators.h"
#include "hal/kernels/launch_check.h"

namespace pianola::tflite {
namespace {

constexpr std::size_t kMatrixRank = 2U;

// Matrices one behind the other, and over which of them the result's go.
struct Operand {
    capture::BufferId buffer{};
    std::uint32_t rows{0U};
    std::uint32_t columns{0U};
    Shape batches;

    [[nodiscard]] std::uint32_t matrix_bytes() const { return rows * columns; }
    [[nodiscard]] std::uint32_t batch_count() const { return product(batches, 0U, batches.size()); }
};

// The operand with its matrices transposed, or as they are.
Operand operand_of(OperatorContext& context, std::size_t position, bool transposed) {
    const AnyTensor tensor = context.any_input(position, "input");
    const Shape& shape = tensor.tensor->shape;
    context.require(shape.size() >= kMatrixRank, "an input that is no matrix is not supported");
    const std::size_t last = shape.size() - 1U;
    Operand operand{context.buffer(tensor), shape[last - 1U], shape[last], {shape.begin(), shape.end() - 2}};
    if (transposed) {
        views::StridedView view = view_of(tensor);
        std::vector<std::size_t> order(shape.size());
        for (std::size_t i = 0U; i < order.size(); ++i) {
            order[i] = i;
        }
        std::swap(order[last - 1U], order[last]);
        view.permute(order);
        const capture::BufferId from = operand.buffer;
        operand.buffer = context.add_temporary(tensor.tensor->elements);
        record_view(context, view, from, operand.buffer);
        std::swap(operand.rows, operand.columns);
    }
    return operand;
}

// The dimensions of all batches, which both operands' are broadcast to.
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

// Which of an operand's matrices the batch of that number takes.
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

capture::BufferId add_table(OperatorContext& context, const Int8Tensor& left, const Int8Tensor& right,
                            const Int8Tensor& output, std::uint32_t columns) {
    const std::optional<FixedPoint> scale = common_scale(left.scale, right.scale, output.scale);
    if (!scale.has_value()) {
        context.refuse("the ratio of its scales is out of range");
    }
    ChannelTable rows;
    for (const std::int64_t start : context.bias(columns)) {  // there is none: zeros
        rows.push_back(refdev::WideChannelParameters{start, scale->multiplier, scale->shift});
    }
    return context.add_channel_table(rows, refdev::kNarrowSumBytes);
}

}  // namespace

// Each product is a fully connected layer whose filter is the second operand, transposed.
void lower_batch_matmul(OperatorContext& context) {
    using Arguments = refdev::FullyConnectedArguments;
    context.require_operands(2U, 2U);
    const auto& options = context.options_or_defaults<format::BatchMatMulOptions>();
    const Int8Tensor left_tensor = context.int8_input(0U, "input");
    const Int8Tensor right_tensor = context.int8_input(1U, "input");
    const Int8Tensor output = context.int8_output();
    Operand left = operand_of(context, 0U, options.adj_x());
    Operand right = operand_of(context, 1U, !options.adj_y());
    context.require(left.columns == right.columns, "its matrices do not fit each other");
    const std::uint32_t most = (right_tensor.zero_point == 0) ? refdev::kMaxTaps : refdev::kMaxSpatial;
    context.require(left.columns <= most, "matrices of so many columns are not supported");
    Shape batches = broadcast_batches(context, left.batches, right.batches);
    Shape expected = batches;
    expected.insert(expected.end(), {left.rows, right.rows});
    require_shape(context, AnyTensor{output.index, output.tensor, 1U}, expected);
    if ((right.batch_count() == 1U) && (left.batch_count() == product(batches, 0U, batches.size()))) {
        left.rows *= left.batch_count();  // one matrix to multiply with: one product
        batches.clear();
        left.batches.clear();
        right.batches.clear();
    }
    const capture::BufferId table = add_table(context, left_tensor, right_tensor, output, right.rows);

    Arguments arguments{};
    arguments.batches = left.rows;
    arguments.input_depth = left.columns;
    arguments.output_depth = right.rows;
    arguments.input_offset = -left_tensor.zero_point;
    arguments.filter_offset = -right_tensor.zero_point;
    arguments.output_offset = output.zero_point;
    arguments.activation_min = INT8_MIN;
    arguments.activation_max = INT8_MAX;
    const std::uint32_t count = product(batches, 0U, batches.size());
    for (std::uint32_t batch = 0U; batch < count; ++batch) {
        context.launch(
            refdev::KernelId::kFullyConnected, arguments,
            {{offsetof(Arguments, input), left.buffer, Access::kRead,
              matrix_of(left, batches, batch) * left.matrix_bytes()},
             {offsetof(Arguments, filter), right.buffer, Access::kRead,
              matrix_of(right, batches, batch) * right.matrix_bytes()},
             {offsetof(Arguments, channel_parameters), table, Access::kRead},
             {offsetof(Arguments, output), context.buffer(output), Access::kWrite, batch * left.rows * right.rows}});
    }
}

}  // namespace pianola::tflite
