#include <algorithm>

#include "capture_host/decompile/operation.h"
#include "capture_host/decompile/scales.h"
#include "capture_host/decompile/shapes.h"

namespace pianola::decompile {
namespace {

namespace format = tflite::format;
using refdev::KernelId;
using refdev::ReduceOp;

constexpr Multiplier kExactly{INT32_MAX, 0};  // of numbers up to 2^30
constexpr std::size_t kWideBytes = sizeof(std::int32_t);

Tokens rescaled(Operation& op, const Tokens& numbers, const refdev::RescaleArguments& ends, const Multiplier& scale) {
    refdev::RescaleArguments a = ends;
    const bool widens = ends.output_type == refdev::kTypeInt32;
    a.count = static_cast<std::uint32_t>(widens ? numbers.size() : (numbers.size() / kWideBytes));
    a.multiplier = scale.mantissa;
    a.shift = scale.shift;
    a.negative_multiplier = scale.mantissa;
    a.negative_shift = scale.shift;
    const Bounds bounds = bounds_of_type(widens ? tflite::kTypeInt32 : tflite::kTypeInt8);
    a.activation_min = bounds.lowest;
    a.activation_max = bounds.highest;
    return op.launch(KernelId::kRescale, a, {numbers}, widens ? (a.count * kWideBytes) : a.count);
}

// From int8 to 32 bits, and back.
Tokens widened_operands(Operation& op, std::int32_t zero_point, const Multiplier& scale) {
    refdev::RescaleArguments ends{};
    ends.input_type = refdev::kTypeInt8;
    ends.output_type = refdev::kTypeInt32;
    ends.input_zero_point = zero_point;
    return rescaled(op, op.bytes(0U), ends, scale);
}

void set_narrowed(Operation& op, const Tokens& wide, std::int32_t zero_point, const Multiplier& scale) {
    refdev::RescaleArguments ends{};
    ends.input_type = refdev::kTypeInt32;
    ends.output_type = refdev::kTypeInt8;
    ends.output_zero_point = zero_point;
    op.set(rescaled(op, wide, ends, scale));
}

// For each element that is kept, one int32 that is reduced from those that are not.
Tokens reduced(Operation& op, ReduceOp kind) {
    const Shape& shape = op.in(0U).shape;
    std::vector<bool> is_reduced(shape.size(), false);
    for (const std::int32_t axis : op.integers(1U)) {
        is_reduced.at(axis_of(axis, shape.size())) = true;
    }
    std::vector<std::size_t> order;  // the kept ones first
    Shape moved;
    refdev::ReduceArguments a{};
    a.rows = 1U;
    a.columns = 1U;
    for (const bool wanted : {false, true}) {
        for (std::size_t axis = 0U; axis < shape.size(); ++axis) {
            if (is_reduced[axis] == wanted) {
                order.push_back(axis);
                moved.push_back(shape[axis]);
                (wanted ? a.columns : a.rows) *= shape[axis];
            }
        }
    }
    Tokens tokens;
    for_each_index(moved, [&](const Shape& index) {
        Shape from(shape.size(), 0U);
        for (std::size_t i = 0U; i < order.size(); ++i) {
            from[order[i]] = index[i];
        }
        append_element(tokens, op.bytes(0U), offset_of(shape, from), 1U);
    });
    a.type = refdev::kTypeInt8;
    a.op = kind;
    a.axis = 1U;
    return op.launch(KernelId::kReduce, a, {tokens}, a.rows * kWideBytes);
}

template <ReduceOp kKind>
void extremum(Operation& op) {
    set_narrowed(op, reduced(op, kKind), 0, kExactly);
}

template <ReduceOp kKind>
void place(Operation& op) {
    op.set(reduced(op, kKind));
}

struct Size {
    std::uint32_t m{1U};
    std::uint32_t k{1U};
    std::uint32_t n{1U};
};

// The product a x b of int32, added to `start` if that is given.
Tokens product(Operation& op, const Tokens& left, const Tokens& right, const Size& size, const Tokens& start = {}) {
    refdev::MatmulArguments a{};
    a.m = size.m;
    a.k = size.k;
    a.n = size.n;
    a.type = refdev::kTypeInt32;
    a.accumulate = start.empty() ? 0U : 1U;
    std::vector<Tokens> operands{left, right};
    if (!start.empty()) {
        operands.push_back(start);
    }
    return op.launch(KernelId::kMatmul, a, operands, std::size_t{size.m} * size.n * kWideBytes);
}

Tokens part_of(const Tokens& all, std::size_t number, std::size_t elements) {
    const auto length = static_cast<std::ptrdiff_t>(elements * kWideBytes);
    const auto first = all.begin() + (static_cast<std::ptrdiff_t>(number) * length);
    return {first, first + length};
}

// Sums have 19 fraction bits and start at minus the zero point. The matrix has a 1 for each term of a sum.
void cumsum(Operation& op) {
    constexpr std::uint32_t kMostTerms = 1024U;
    constexpr std::uint32_t kBits = 19U;
    constexpr double kUnit = 1048576.0;  // 2^20
    const auto& options = op.options<format::CumsumOptions>();
    const Shape& shape = op.in(0U).shape;
    const std::size_t axis = axis_of(op.integer(1U), shape.size());
    const std::uint32_t size = shape.at(axis);
    if (size > kMostTerms) {
        Operation::not_understood("sums of so many terms");
    }
    const auto outer = static_cast<std::uint32_t>(product_of(shape, 0U, axis));
    const auto inner = static_cast<std::uint32_t>(product_of(shape, axis + 1U, shape.size()));
    const bool sums_are_rows = inner != 1U;
    Tokens ones;
    for (std::uint32_t row = 0U; row < size; ++row) {
        for (std::uint32_t column = 0U; column < size; ++column) {
            const std::uint32_t sum = sums_are_rows ? row : column;
            const std::uint32_t term = sums_are_rows ? column : row;
            const bool is_before = options.reverse() ? (term > sum) : (term < sum);
            append(ones, tokens_of((is_before || ((term == sum) && !options.exclusive())) ? 1 : 0));
        }
    }
    const std::int32_t zero = zero_point_of(op.in(0U));
    const Tokens terms = widened_operands(op, zero, {1 << 30, static_cast<std::int32_t>(kBits) + 1});
    Tokens start;
    for (std::uint32_t i = 0U; i < op.in(0U).elements; ++i) {
        append_integer(start, -std::int64_t{zero} * (1 << kBits), kWideBytes);
    }
    Tokens sums;
    if (sums_are_rows) {
        for (std::uint32_t i = 0U; i < outer; ++i) {
            const std::size_t elements = std::size_t{size} * inner;
            append(sums,
                   product(op, ones, part_of(terms, i, elements), {size, size, inner}, part_of(start, i, elements)));
        }
    } else {
        sums = product(op, terms, ones, {outer, size, size}, start);
    }
    const double scale =
        2.0 * static_cast<double>(scale_of(op.in(0U))) / (kUnit * static_cast<double>(scale_of(op.out())));
    set_narrowed(op, sums, zero_point_of(op.out()), multiplier_of(scale));
}

// The weights of the `in` entries for each of the `out` entries, in 1/1024: two neighbours have weights other than 0.
Tokens weights_of(const format::ResizeBilinearOptions& options, std::int64_t in, std::int64_t out) {
    constexpr std::int64_t kOne = 1024;
    const bool has_corners = options.align_corners() && (out > 1);
    if ((in * out) > std::int64_t{tflite::kMaxTensorBytes}) {
        Operation::not_understood("more weights than a tensor has elements");
    }
    const std::int64_t steps = has_corners ? (out - 1) : out;
    const std::int64_t step = ((kOne * (has_corners ? (in - 1) : in)) + (steps / 2)) / steps;
    Tokens weights;
    for (std::int64_t to = 0; to < out; ++to) {
        const std::int64_t at = (to * step) + (options.half_pixel_centers() ? ((step / 2) - (kOne / 2)) : 0);
        const std::int64_t lower = std::max<std::int64_t>(at / kOne, 0);
        const std::int64_t upper = std::min((at + kOne - 1) / kOne, in - 1);
        const std::int64_t of_upper = at - (lower * kOne);
        for (std::int64_t from = 0; from < in; ++from) {
            append_integer(weights, ((from == lower) ? (kOne - of_upper) : 0) + ((from == upper) ? of_upper : 0),
                           kWideBytes);
        }
    }
    return weights;
}

// [a][b][rest] of int32 becomes [b][a][rest].
Tokens swapped(const Tokens& tokens, const Shape& shape) {
    Tokens all;
    for_each_index({shape[1], shape[0], shape[2]}, [&](const Shape& index) {
        append_element(all, tokens, offset_of(shape, {index[1], index[0], index[2]}), kWideBytes);
    });
    return all;
}

void resize_bilinear(Operation& op) {
    constexpr std::int32_t kBits = 20;
    const auto& options = op.options<format::ResizeBilinearOptions>();
    const Shape& in = op.in(0U).shape;
    const Shape& out = op.out().shape;
    const auto weights = [&](std::size_t axis) { return weights_of(options, in.at(axis), out.at(axis)); };
    const Tokens wide = widened_operands(op, 0, kExactly);
    const std::uint32_t row = in.at(2U) * in.at(3U);
    Tokens high;
    for (std::uint32_t batch = 0U; batch < in[0]; ++batch) {
        append(high, product(op, weights(1U), part_of(wide, batch, std::size_t{in[1]} * row), {out[1], in[1], row}));
    }
    const std::uint32_t rows = in[0] * out[1];
    const Tokens broad = product(op, weights(2U), swapped(high, {rows, in[2], in[3]}), {out[2], in[2], rows * in[3]});
    set_narrowed(op, swapped(broad, {out[2], rows, in[3]}), 0, {kExactly.mantissa, -kBits});
}

constexpr std::array<Entry, 7> kWide{
    {{format::BuiltinOperator_REDUCE_ALL, extremum<ReduceOp::kMinimum>, {Kept::kTruth, kFirst}},
     {format::BuiltinOperator_REDUCE_MAX, extremum<ReduceOp::kMaximum>, kMoved},
     {format::BuiltinOperator_REDUCE_MIN, extremum<ReduceOp::kMinimum>, kMoved},
     {format::BuiltinOperator_ARG_MAX, place<ReduceOp::kArgMaximum>},
     {format::BuiltinOperator_ARG_MIN, place<ReduceOp::kArgMinimum>},
     {format::BuiltinOperator_CUMSUM, cumsum, kSameType, shaped<shapes::kept>},
     {format::BuiltinOperator_RESIZE_BILINEAR, resize_bilinear, kMoved, shaped<shapes::resized>}}};

}  // namespace

Entries wide_operators() {
    return kWide;
}

}  // namespace pianola::decompile
