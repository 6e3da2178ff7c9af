#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/layers.h"
#include "hal/devices/refdev/kernels/turns.h"
#include "hal/devices/refdev/kernels/window.h"

namespace pianola::refdev {
namespace {

constexpr std::size_t kElementBytes = sizeof(std::int16_t);

// Parameters shared by all output pixels of a launch.
struct Plan {
    WindowAxis rows;
    WindowAxis columns;
    Int16Output result;
    std::uint32_t input_channels;
    std::uint32_t depth_multiplier;
    std::uint32_t output_channels;

    Plan(const DepthwiseConv2dArguments& a, std::uint32_t sum_bytes) noexcept
        : rows{a.input_height, a.filter_height, a.stride_height, a.dilation_height, a.pad_top},
          columns{a.input_width, a.filter_width, a.stride_width, a.dilation_width, a.pad_left},
          result{a.activation_min, a.activation_max, sum_bytes},
          input_channels{a.input_channels},
          depth_multiplier{a.depth_multiplier},
          output_channels{a.input_channels * a.depth_multiplier} {}
};

// The taps of an output pixel that are inside the input, and where the window's first tap is.
struct Window {
    std::int32_t row_origin;
    std::int32_t column_origin;
    TapRange rows;
    TapRange columns;
};

[[nodiscard]] std::int64_t sum_of(const Plan& plan, const Window& window, std::uint32_t channel,
                                  const BoundOperands& bound) noexcept {
    const std::uint32_t input_channel = channel / plan.depth_multiplier;
    std::int64_t sum = 0;
    for (std::uint32_t row = window.rows.first; row < window.rows.end; ++row) {
        // Not negative: these taps are inside the input.
        const std::uint32_t input_row = static_cast<std::uint32_t>(window.row_origin) + (row * plan.rows.dilation);
        for (std::uint32_t column = window.columns.first; column < window.columns.end; ++column) {
            const std::uint32_t input_column =
                static_cast<std::uint32_t>(window.column_origin) + (column * plan.columns.dilation);
            const std::size_t pixel = (std::size_t{input_row} * plan.columns.input_size) + input_column;
            const std::size_t tap = (std::size_t{row} * plan.columns.filter_size) + column;
            const std::int32_t value =
                load_element<std::int16_t>(bound.inputs[0], (pixel * plan.input_channels) + input_channel);
            const std::int32_t product = value * bound.inputs[1][(tap * plan.output_channels) + channel];
            sum += product;
        }
    }
    return sum;
}

}  // namespace

void work_depthwise_conv2d_int16(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const auto [a, sum_bytes] = arguments_from_words<DepthwiseConv2dInt16Arguments>(arguments);
    const Plan plan{a, sum_bytes};
    const std::uint64_t rows = std::uint64_t{a.batches} * a.output_height;
    const std::uint64_t outputs = rows * a.output_width * plan.output_channels;
    const std::uint64_t channels = std::uint64_t{a.batches} * plan.output_channels;
    const std::uint64_t tap_rows = taps_inside_all(plan.rows, a.output_height);
    const std::uint64_t tap_columns = taps_inside_all(plan.columns, a.output_width);
    // Windows that have a tap inside, at most.
    const std::uint64_t windows = (tap_columns < a.output_width) ? tap_columns : a.output_width;
    work.operations = products_of(a);
    work.turns = {1U,
                  rows,
                  rows * a.output_width,
                  turns_if(sum_bytes == kNarrowSumBytes, outputs),
                  turns_if(sum_bytes == kWideSumBytes, outputs),
                  channels * tap_rows * windows,
                  channels * tap_rows * (a.output_width - windows),
                  channels * tap_rows * tap_columns};
}

Status compute_depthwise_conv2d_int16(WordSpan arguments, const BoundOperands& bound) noexcept {
    const auto [a, sum_bytes] = arguments_from_words<DepthwiseConv2dInt16Arguments>(arguments);
    const Plan plan{a, sum_bytes};
    const std::size_t batch_bytes =
        static_cast<std::size_t>(a.input_height) * a.input_width * a.input_channels * kElementBytes;
    std::size_t element = 0U;
    BoundOperands of_batch = bound;
    for (std::uint32_t batch = 0U; batch < a.batches; ++batch) {
        for (std::uint32_t row = 0U; row < a.output_height; ++row) {
            const std::int32_t row_origin = plan.rows.origin(row);
            const TapRange rows = taps_inside(plan.rows, row_origin);
            for (std::uint32_t column = 0U; column < a.output_width; ++column) {
                const std::int32_t column_origin = plan.columns.origin(column);
                const Window window{row_origin, column_origin, rows, taps_inside(plan.columns, column_origin)};
                for (std::uint32_t channel = 0U; channel < plan.output_channels; ++channel) {
                    const std::size_t parameters = std::size_t{channel} * plan.result.parameters_bytes();
                    store_element<std::int16_t>(
                        bound.output, element,
                        plan.result.element(sum_of(plan, window, channel, of_batch), bound.inputs[2] + parameters));
                    element += 1U;
                }
            }
        }
        of_batch.inputs[0] += batch_bytes;
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
