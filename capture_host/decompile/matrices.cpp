#include <algorithm>

#include "capture_host/decompile/operation.h"
#include "capture_host/decompile/scales.h"
#include "capture_host/decompile/shapes.h"
#include "hal/devices/refdev/kernels/arguments.h"

namespace pianola::decompile {
namespace {

namespace format = tflite::format;

// Consecutive matrices.
struct Matrices {
    Tokens tokens;
    Shape batches;
    std::uint32_t rows{0U};
    std::uint32_t columns{0U};
    std::size_t element_bytes{1U};
};

Matrices matrices_of(const Operation& op, std::size_t input, bool is_transposed) {
    const Shape& shape = op.in(input).shape;
    if (shape.size() < 2U) {
        Operation::not_understood("an operand that is no matrix");
    }
    Matrices found{
        {}, {shape.begin(), shape.end() - 2}, shape[shape.size() - 2U], shape.back(), element_bytes_of(op.in(input))};
    if (is_transposed) {
        std::swap(found.rows, found.columns);
    }
    Shape order = found.batches;
    order.insert(order.end(), {found.rows, found.columns});
    for_each_index(order, [&](const Shape& index) {
        Shape from = index;
        if (is_transposed) {
            std::swap(from[from.size() - 2U], from.back());
        }
        append_element(found.tokens, op.bytes(input), offset_of(shape, from), found.element_bytes);
    });
    return found;
}

// The one for a batch of the output; a dimension that has a single one repeats it.
Tokens matrix(const Matrices& all, const Shape& batch) {
    Shape place(all.batches.size(), 0U);
    const std::size_t front = batch.size() - place.size();
    for (std::size_t axis = 0U; axis < place.size(); ++axis) {
        place[axis] = (all.batches[axis] == 1U) ? 0U : batch.at(front + axis);
        if (place[axis] >= all.batches[axis]) {
            throw Mismatch{"its output has more batches than its operands"};
        }
    }
    const auto bytes = static_cast<std::ptrdiff_t>(all.element_bytes * all.rows * all.columns);
    const auto first = all.tokens.begin() + (static_cast<std::ptrdiff_t>(offset_of(all.batches, place)) * bytes);
    return {first, first + bytes};
}

Multiplier scale_of_product(const Operation& op) {  // the product in single precision
    return multiplier_of(static_cast<double>(scale_of(op.in(0U)) * scale_of(op.in(1U))) /
                         static_cast<double>(scale_of(op.out())));
}

// A fully connected layer without biases, the second matrix its weights.
Tokens int8_product(Operation& op, const Matrices& left, const Matrices& right, const Shape& batch) {
    const Multiplier scale = scale_of_product(op);
    Tokens table;
    for (std::uint32_t row = 0U; row < right.rows; ++row) {
        for (const std::int32_t word : {0, scale.mantissa, scale.shift}) {
            append(table, tokens_of(word));
        }
    }
    refdev::FullyConnectedArguments a{};
    a.batches = left.rows;
    a.input_depth = left.columns;
    a.output_depth = right.rows;
    a.input_offset = -zero_point_of(op.in(0U));
    a.filter_offset = -zero_point_of(op.in(1U));
    a.output_offset = zero_point_of(op.out());
    a.activation_min = INT8_MIN;
    a.activation_max = INT8_MAX;
    return op.launch(refdev::KernelId::kFullyConnected, a, {matrix(left, batch), matrix(right, batch), table},
                     std::size_t{left.rows} * right.rows);
}

Tokens int16_product(Operation& op, const Matrices& left, const Matrices& right, const Shape& batch) {
    const Multiplier scale = scale_of_product(op);
    refdev::MatmulInt16Arguments a{};
    a.rows = left.rows;
    a.depth = left.columns;
    a.columns = right.rows;
    a.multiplier = scale.mantissa;
    a.shift = scale.shift;
    return op.launch(refdev::KernelId::kMatmulInt16, a, {matrix(left, batch), matrix(right, batch)},
                     left.element_bytes * left.rows * right.rows);
}

void batch_matmul(Operation& op) {
    const auto& options = op.options<format::BatchMatMulOptions>();
    Matrices left = matrices_of(op, 0U, options.adj_x());
    const Matrices right = matrices_of(op, 1U, !options.adj_y());
    const Shape& out = op.out().shape;
    if (out.size() < 2U) {
        Operation::not_understood("an output that is no matrix");
    }
    Shape batches{out.begin(), out.end() - 2};
    const std::size_t count = product_of(batches, 0U, batches.size());
    if ((product_of(right.batches, 0U, right.batches.size()) == 1U) &&
        (product_of(left.batches, 0U, left.batches.size()) == count)) {  // rows of all batches by the same weights
        left.rows *= static_cast<std::uint32_t>(count);
        left.batches.assign(left.batches.size(), 1U);
        batches.assign(batches.size(), 1U);
    }
    Tokens products;
    for_each_index(batches, [&](const Shape& batch) {
        append(products,
               is_int16(op.in(0U)) ? int16_product(op, left, right, batch) : int8_product(op, left, right, batch));
    });
    op.set(products);
}

constexpr std::array<Entry, 1> kMatrices{
    {{format::BuiltinOperator_BATCH_MATMUL, batch_matmul, kSameTypes, shaped<shapes::multiplied>}}};

}  // namespace

Entries matrix_operators() {
    return kMatrices;
}

}  // namespace pianola::decompile
