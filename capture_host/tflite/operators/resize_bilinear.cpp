#include <algorithm>
#include <cstddef>
#include <tuple>

#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operator_context.h"
#include "capture_host/tflite/operators/wide_numbers.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::tflite {
namespace {

constexpr std::int64_t kOne = 1024;             // of the weights, whose sum it is
constexpr std::int32_t kFractionBits = 2 * 10;  // of the sums: of a row's weight times a column's

struct Alignment {
    bool corners{false};
    bool half_pixels{false};
};

// The weight of each of `size` entries in each of `count` results: a row of weights for each result.
std::vector<std::int32_t> weights(const OperatorContext& context, std::int64_t size, std::int64_t count,
                                  const Alignment& alignment) {
    context.require((size * count) <= static_cast<std::int64_t>(kMaxTableBytes / sizeof(std::int32_t)),
                    "images of that size are not supported");
    const bool corners = alignment.corners && (count > 1);
    const std::int64_t last = corners ? (count - 1) : count;
    const std::int64_t step = ((kOne * (corners ? (size - 1) : size)) + (last / 2)) / last;
    const std::int64_t start = alignment.half_pixels ? ((step / 2) - (kOne / 2)) : 0;
    std::vector<std::int32_t> matrix(static_cast<std::size_t>(size * count), 0);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t place = (i * step) + start;
        const std::int64_t first = std::max<std::int64_t>(place / kOne, 0);
        const std::int64_t second = std::min((place + (kOne - 1)) / kOne, size - 1);
        // The step is rounded: over a long axis its errors add up to more than one entry.
        context.require(first < size, "its rounded scale leads out of its input");
        const auto share = static_cast<std::int32_t>(place - (kOne * first));
        matrix[static_cast<std::size_t>((i * size) + first)] += static_cast<std::int32_t>(kOne) - share;
        matrix[static_cast<std::size_t>((i * size) + second)] += share;
    }
    return matrix;
}

// [before][a][b][after] of int32 becomes [before][b][a][after].
void record_swap(OperatorContext& context, const Shape& shape, capture::BufferId input, capture::BufferId output) {
    StridedView view{shape, sizeof(std::int32_t)};
    view.permute({0U, 2U, 1U, 3U});
    record_view(context, view, input, output);
}

}  // namespace

// Two products with matrices of weights, in 32 bits: of the rows, then of the columns.
void lower_resize_bilinear(OperatorContext& context) {
    context.require_operands(2U, 2U);
    const auto& options = context.options_or_defaults<format::ResizeBilinearOptions>();
    const Int8Tensor input = context.int8_input(0U, "input");
    const Int8Tensor output = context.int8_output();
    context.require_same_quantization(input, output);
    const Shape& shape = input.tensor->shape;
    const std::vector<std::int32_t> sizes = context.int32_constant(1U, "size", 2U);
    context.require((shape.size() == kImageRank) && (sizes.size() == 2U), "an input that is no image is not supported");
    context.require((sizes[0] > 0) && (sizes[1] > 0), "its size is not positive");
    const Alignment alignment{options.align_corners(), options.half_pixel_centers()};
    context.require(!alignment.corners || !alignment.half_pixels,
                    "corners and middles of pixels cannot both be aligned");
    const auto [batches, height, width, channels] = std::tuple{shape[0], shape[1], shape[2], shape[3]};
    const auto rows = static_cast<std::uint32_t>(sizes[0]);
    const auto columns = static_cast<std::uint32_t>(sizes[1]);
    require_shape(context, AnyTensor{output.index, output.tensor, 1U}, {batches, rows, columns, channels});
    const capture::BufferId row_weights = add_words(context, "rows", weights(context, height, rows, alignment));
    const capture::BufferId column_weights = add_words(context, "columns", weights(context, width, columns, alignment));

    const std::uint64_t row_elements = std::uint64_t{width} * channels;
    const std::uint64_t high_elements = std::uint64_t{batches} * rows * row_elements;
    const capture::BufferId wide = add_wide(context, input.tensor->elements);
    const capture::BufferId high = add_wide(context, high_elements);
    record_widening(context, input, 0, kExactly, wide);
    constexpr auto kBytes = static_cast<std::uint32_t>(sizeof(std::int32_t));
    const auto row_length = static_cast<std::uint32_t>(row_elements);
    for (std::uint32_t batch = 0U; batch < batches; ++batch) {
        record_product(context, {row_weights}, {wide, batch * height * row_length * kBytes},
                       {high, batch * rows * row_length * kBytes}, {rows, height, row_length}, false);
    }
    // The columns come first, so that one product computes those of all rows.
    const capture::BufferId turned = add_wide(context, high_elements);
    const capture::BufferId broad = add_wide(context, output.tensor->elements);
    const capture::BufferId sums = add_wide(context, output.tensor->elements);
    const std::uint32_t all_rows = batches * rows;
    record_swap(context, {1U, all_rows, width, channels}, high, turned);
    record_product(context, {column_weights}, {turned}, {broad}, {columns, width, all_rows * channels}, false);
    record_swap(context, {1U, columns, all_rows, channels}, broad, sums);
    record_narrowing(context, sums, {kExactly.multiplier, -kFractionBits}, 0, output);
}

}  // namespace pianola::tflite
