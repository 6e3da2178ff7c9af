// Average and maximum pooling: common checks and loops over windows and channels, and a reduction of each window.
#include <array>
#include <cstddef>
#include <cstdint>

#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "hal/devices/refdev/kernels/lead.h"
#include "hal/devices/refdev/kernels/window.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kPoolChannelBlock = 32U;

// The taps of one window that are inside the input, for a block of channels. There is at least one.
struct PoolWindow {
    const std::int8_t* input;  // first channel of the block, in the first tap
    std::uint32_t rows;
    std::uint32_t columns;
    std::size_t row_stride;  // bytes
    std::size_t column_stride;
    std::uint32_t channels;  // 1 to kPoolChannelBlock

    [[nodiscard]] const std::int8_t* tap(std::uint32_t row, std::uint32_t column) const noexcept {
        return input + (row * row_stride) + (column * column_stride);
    }
};

// Reduces a window to one element per channel.
using PoolReduce = void (*)(const PoolWindow& window, const Pool2dArguments& arguments, std::int8_t* output) noexcept;

// True if the last window starts inside the input. (The first one ends inside it if padding < filter.)
[[nodiscard]] bool last_window_inside(const WindowAxis& axis, std::uint32_t output_size) noexcept {
    return axis.origin(output_size - 1U) < static_cast<std::int32_t>(axis.input_size);
}

[[nodiscard]] WindowAxis row_axis(const Pool2dArguments& a) noexcept {
    return WindowAxis{a.input_height, a.filter_height, a.stride_height, 1U, a.pad_top};
}

[[nodiscard]] WindowAxis column_axis(const Pool2dArguments& a) noexcept {
    return WindowAxis{a.input_width, a.filter_width, a.stride_width, 1U, a.pad_left};
}

// Pixel by pixel, and in each channel by channel: a pixel has as many bytes in the input as in the output.
[[nodiscard, gnu::noinline]] Lead lead_of_pool(const Pool2dArguments& a) noexcept {
    const std::uint64_t pixel_bytes = std::uint64_t{a.channels} * rescaled_bytes(a.type);
    return {
        lead_of({a.batches, row_axis(a), column_axis(a), a.output_height, a.output_width, pixel_bytes, pixel_bytes}),
        1U};
}

// One output pixel. `input` is of the batch.
void pool_pixel(const Pool2dArguments& a, TapRange rows, TapRange columns, const std::int8_t* input,
                std::int8_t* output, PoolReduce reduce) noexcept {
    const std::size_t element_bytes = rescaled_bytes(a.type);
    const std::size_t column_stride = a.channels * element_bytes;
    const std::size_t row_stride = a.input_width * column_stride;
    const std::int8_t* const corner = input + (rows.first * row_stride) + (columns.first * column_stride);
    std::uint32_t first = 0U;
    while (first < a.channels) {
        const std::uint32_t left = a.channels - first;
        const std::uint32_t channels = (left < kPoolChannelBlock) ? left : kPoolChannelBlock;
        const std::size_t first_bytes = first * element_bytes;
        const PoolWindow window{corner + first_bytes, rows.count(),  columns.count(),
                                row_stride,           column_stride, channels};
        reduce(window, a, output + first_bytes);
        first += channels;
    }
}

// Converts taps of the window to positions of the input.
[[nodiscard]] TapRange positions_inside(const WindowAxis& axis, std::uint32_t output_position) noexcept {
    const std::int32_t origin = axis.origin(output_position);
    const TapRange taps = taps_inside(axis, origin);
    return TapRange{static_cast<std::uint32_t>(origin) + taps.first, static_cast<std::uint32_t>(origin) + taps.end};
}

Status compute_pool2d(WordSpan arguments, const BoundOperands& bound, PoolReduce reduce) noexcept {
    const Pool2dArguments a = arguments_from_words<Pool2dArguments>(arguments);
    const std::int8_t* input = bound.inputs[0];
    std::int8_t* output = bound.output;
    const WindowAxis row_windows = row_axis(a);
    const WindowAxis column_windows = column_axis(a);
    const std::size_t pixel_bytes = static_cast<std::size_t>(a.channels) * rescaled_bytes(a.type);
    const std::size_t batch_bytes = pixel_bytes * a.input_height * a.input_width;
    for (std::uint32_t batch = 0U; batch < a.batches; ++batch) {
        for (std::uint32_t row = 0U; row < a.output_height; ++row) {
            const TapRange rows = positions_inside(row_windows, row);
            for (std::uint32_t column = 0U; column < a.output_width; ++column) {
                pool_pixel(a, rows, positions_inside(column_windows, column), input, output, reduce);
                output += pixel_bytes;
            }
        }
        input += batch_bytes;
    }
    return Status::kOk;
}

// At most kMaxTaps elements of int8, or kMaxSpatial of int16, are added up, so no sum overflows.
template <typename Element>
void average_of(const PoolWindow& window, const Pool2dArguments& arguments, std::int8_t* output) noexcept {
    std::array<std::int32_t, kPoolChannelBlock> sums{};
    for (std::uint32_t row = 0U; row < window.rows; ++row) {
        for (std::uint32_t column = 0U; column < window.columns; ++column) {
            const std::int8_t* const tap = window.tap(row, column);
            for (std::uint32_t i = 0U; i < window.channels; ++i) {
                sums[i] += load_element<Element>(tap, i);
            }
        }
    }
    const std::int32_t count = larger_of(static_cast<std::int32_t>(window.rows * window.columns), 1);
    const std::int32_t half = count / 2;
    for (std::uint32_t i = 0U; i < window.channels; ++i) {
        const std::int32_t mean = (sums[i] + ((sums[i] > 0) ? half : -half)) / count;
        store_element<Element>(output, i, clamp_to(mean, arguments.activation_min, arguments.activation_max));
    }
}

void average(const PoolWindow& window, const Pool2dArguments& arguments, std::int8_t* output) noexcept {
    if (arguments.type == kTypeInt8) {
        average_of<std::int8_t>(window, arguments, output);
    } else {
        average_of<std::int16_t>(window, arguments, output);
    }
}

template <typename Element>
void maximum_of(const PoolWindow& window, const Pool2dArguments& arguments, std::int8_t* output) noexcept {
    std::array<Element, kPoolChannelBlock> largest{};
    largest.fill(std::numeric_limits<Element>::min());
    for (std::uint32_t row = 0U; row < window.rows; ++row) {
        for (std::uint32_t column = 0U; column < window.columns; ++column) {
            const std::int8_t* const tap = window.tap(row, column);
            for (std::uint32_t i = 0U; i < window.channels; ++i) {
                const auto element = static_cast<Element>(load_element<Element>(tap, i));
                largest[i] = (element > largest[i]) ? element : largest[i];
            }
        }
    }
    for (std::uint32_t i = 0U; i < window.channels; ++i) {
        store_element<Element>(output, i, clamp_to(largest[i], arguments.activation_min, arguments.activation_max));
    }
}

void maximum(const PoolWindow& window, const Pool2dArguments& arguments, std::int8_t* output) noexcept {
    if (arguments.type == kTypeInt8) {
        maximum_of<std::int8_t>(window, arguments, output);
    } else {
        maximum_of<std::int16_t>(window, arguments, output);
    }
}

}  // namespace

Status describe_pool2d(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<Pool2dArguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Pool2dArguments a = arguments_from_words<Pool2dArguments>(arguments);
    const std::uint64_t taps = bounded_product(a.filter_height, a.filter_width);
    const std::uint64_t outputs = bounded_product(a.batches, a.output_height, a.output_width, a.channels);
    const std::uint32_t element_bytes = rescaled_bytes(a.type);
    const std::uint64_t most_taps = (a.type == kTypeInt8) ? kMaxTaps : kMaxSpatial;
    const bool accepted =
        check.require((a.type == kTypeInt8) || (a.type == kTypeInt16), word_of(offsetof(Pool2dArguments, type))) &&
        check.require(taps <= most_taps, word_of(offsetof(Pool2dArguments, filter_height))) &&
        check.require(a.pad_top < a.filter_height, word_of(offsetof(Pool2dArguments, pad_top))) &&
        check.require(a.pad_left < a.filter_width, word_of(offsetof(Pool2dArguments, pad_left))) &&
        check.require(last_window_inside(row_axis(a), a.output_height),
                      word_of(offsetof(Pool2dArguments, output_height))) &&
        check.require(last_window_inside(column_axis(a), a.output_width),
                      word_of(offsetof(Pool2dArguments, output_width))) &&
        check.require((a.activation_min <= a.activation_max) && type_holds(a.type, a.activation_min, a.activation_max),
                      word_of(offsetof(Pool2dArguments, activation_min))) &&
        check.require(is_aligned_to(a.input, element_bytes), word_of(offsetof(Pool2dArguments, input))) &&
        check.require(is_aligned_to(a.output, element_bytes), word_of(offsetof(Pool2dArguments, output))) &&
        check.operand(word_of(offsetof(Pool2dArguments, input)),
                      bounded_product(a.batches, a.input_height, a.input_width, a.channels, element_bytes),
                      Access::kRead) &&
        check.operand(word_of(offsetof(Pool2dArguments, output)), bounded_product(outputs, element_bytes),
                      Access::kWrite) &&
        (check.output_placed(word_of(offsetof(Pool2dArguments, output)), LaunchCheck::Placement::kApart) ||
         check.output_follows(lead_of_pool(a)));
    return check.finish(accepted);
}

void work_pool2d(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const Pool2dArguments a = arguments_from_words<Pool2dArguments>(arguments);
    const bool is_int8 = a.type == kTypeInt8;
    const std::uint64_t outputs = bounded_product(a.batches, a.output_height, a.output_width, a.channels);
    work.operations = outputs * bounded_product(a.filter_height, a.filter_width);
    const std::uint64_t blocks = (a.channels + (kPoolChannelBlock - 1U)) / kPoolChannelBlock;
    const std::uint64_t batch_taps_of_rows = taps_inside_all(row_axis(a), a.output_height);
    const std::uint64_t rows = a.batches * batch_taps_of_rows * a.output_width;
    const std::uint64_t taps = a.batches * batch_taps_of_rows * taps_inside_all(column_axis(a), a.output_width);
    const std::uint64_t pixels = bounded_product(a.batches, a.output_height, a.output_width);
    const std::uint64_t products = taps * a.channels;
    work.turns = {1U,
                  bounded_product(a.batches, a.output_height),
                  pixels,
                  is_int8 ? (pixels * blocks) : 0U,
                  is_int8 ? 0U : (pixels * blocks),
                  rows * blocks,
                  taps * blocks,
                  is_int8 ? products : 0U,
                  is_int8 ? 0U : products,
                  is_int8 ? outputs : 0U,
                  is_int8 ? 0U : outputs};
}

Status compute_average_pool2d(WordSpan arguments, const BoundOperands& bound) noexcept {
    return compute_pool2d(arguments, bound, average);
}

Status compute_max_pool2d(WordSpan arguments, const BoundOperands& bound) noexcept {
    return compute_pool2d(arguments, bound, maximum);
}

}  // namespace pianola::refdev
