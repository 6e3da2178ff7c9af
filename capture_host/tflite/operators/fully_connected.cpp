#include <algorithm>
#include <cmath>
#include <cstddef>

#include "capture_host/tflite/operators/filter_table.h"
#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operator_context.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::tflite {
namespace {

// In output steps, per step of the bias. The bound, and that a missing scale counts as 0, are the scheme's.
constexpr double kMaxBiasScaleError = 0.02;

// With one filter scale the scheme multiplies the scales in single precision, with one per row in double.
FixedPoint checked_scale(const OperatorContext& context, const QuantizedTensor& input, float filter_scale,
                         const QuantizedTensor& output) {
    const Tensor* const bias = context.optional_input(kBiasPosition);
    if (bias != nullptr) {
        const double exact = static_cast<double>(input.scale) * static_cast<double>(filter_scale);
        const bool is_missing = bias->quantization.scales.empty();
        const double bias_scale = is_missing ? 0.0 : static_cast<double>(bias->quantization.scales.front());
        context.require((std::fabs(exact - bias_scale) / static_cast<double>(output.scale)) <= kMaxBiasScaleError,
                        is_missing ? "its bias has no scale, which is supported where input scale times filter scale "
                                     "is at most 0.02 of its output scale"
                                   : "the scale of its bias differs from input scale times filter scale");
    }
    return context.in_range(operators::common_scale(input.scale, filter_scale, output.scale));
}

capture::BufferId add_channel_table(OperatorContext& context, const QuantizedTensor& input,
                                    const QuantizedTensor& output, const Quantization& filter, std::uint32_t channels,
                                    std::uint32_t sum_bytes) {
    const std::vector<std::int64_t> bias = context.bias(channels, sum_bytes);
    context.require_bias_scales(kBiasPosition, input.scale, filter.scales);
    const bool per_channel = filter.scales.size() > 1U;
    if (per_channel) {
        context.require((filter.dimension == 0U) && (filter.scales.size() == channels),
                        "filter scales along another dimension than its rows are not supported");
        for (const std::int32_t zero_point : filter.zero_points) {
            context.require(zero_point == 0, "a filter with a zero point per row is not supported");
        }
    }
    if (per_channel) {
        return context.add_channel_table(operators::channel_table(bias, input.scale, filter.scales, output.scale),
                                         sum_bytes);
    }
    const FixedPoint common = checked_scale(context, input, filter.scales.front(), output);
    ChannelTable rows;
    rows.reserve(channels);
    for (const std::int64_t start : bias) {
        rows.push_back(refdev::WideChannelParameters{start, common.multiplier, common.shift});
    }
    return context.add_channel_table(rows, sum_bytes);
}

}  // namespace

void lower_fully_connected(OperatorContext& context) {
    context.require_operands(2U, 3U);
    const auto& options = context.options_or_defaults<format::FullyConnectedOptions>();
    context.require(options.weights_format() == 0, "shuffled weights are not supported");
    const QuantizedTensor input = context.quantized_input(0U, "input", {kTypeInt8, kTypeInt16});
    const Tensor& filter = context.int8_weights(kFilterPosition, "filter");  // or a second input
    const QuantizedTensor output = context.quantized_output({input.tensor->type});
    context.require(filter.shape.size() == 2U, "only a filter of rank 2 is supported");
    const std::uint32_t output_depth = filter.shape[0];
    const std::uint32_t input_depth = filter.shape[1];
    context.require((input.tensor->type == kTypeInt8) || (filter.quantization.zero_points.front() == 0),
                    "a filter with a zero point is not supported with int16");
    context.require(input_depth <= refdev::kMaxTaps, "a filter with so many columns is not supported");
    context.require(!output.tensor->shape.empty() && (output.tensor->shape.back() == output_depth),
                    "its filter and output differ in channels");
    const std::uint32_t batches = output.tensor->elements / output_depth;
    context.require((std::uint64_t{batches} * input_depth) == input.tensor->elements,
                    "its filter does not fit its input");
    Shape expected{batches, output_depth};
    if (options.keep_num_dims()) {
        expected = input.tensor->shape;
        context.require(!expected.empty() && (expected.back() == input_depth), "its filter does not fit its input");
        expected.back() = output_depth;
    }
    context.require(output.tensor->shape == expected, "its output shape does not follow from its keep_num_dims");
    const ActivationRange range = context.clamp_range(options.fused_activation_function(), output);
    const std::uint32_t sum_bytes = sum_bytes_of(context, input, kBiasPosition, options.quantized_bias_type());
    context.require_bias_type(kBiasPosition, options.quantized_bias_type(), sum_bytes);
    const capture::BufferId table =
        add_channel_table(context, input, output, filter.quantization, output_depth, sum_bytes);

    launch_layer(context, {refdev::KernelId::kFullyConnected, refdev::KernelId::kFullyConnectedInt16}, *input.tensor,
                 sum_bytes,
                 operators::fully_connected_arguments(
                     {batches, input_depth, output_depth},
                     {input.zero_point, filter.quantization.zero_points.front(), output.zero_point, range}),
                 {{context.buffer(input)}, {context.input_buffer(kFilterPosition)}, {table}, {context.buffer(output)}});
}

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
    return context.in_range(operators::common_scale(left.scale, right.scale, output.scale));
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
