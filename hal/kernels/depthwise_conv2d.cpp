#include "hal/kernels/argument_words.h"
#include "hal/kernels/dot_product.h"
#include "hal/kernels/kernels.h"
#include "hal/kernels/launch_check.h"
#include "hal/kernels/window.h"

namespace pianola::refdev {
namespace {

using Arguments = DepthwiseConv2dArguments;

constexpr ArgumentRules<Arguments> kRules = rules_of<Arguments>();

struct Operands {
    const std::int8_t* input;  // of the batch
    const std::int8_t* filter;
    const std::int8_t* parameters;
    std::int8_t* output;  // of the pixel
};

// What every output pixel of a launch shares.
struct Plan {
    WindowAxis rows;
    WindowAxis columns;
    OutputRange range;
    std::uint32_t input_channels;
    std::uint32_t depth_multiplier;
    std::uint32_t output_channels;
    std::int32_t input_offset;

    explicit Plan(const Arguments& a) noexcept
        : rows{a.input_height, a.filter_height, a.stride_height, a.dilation_height, a.pad_top},
          columns{a.input_width, a.filter_width, a.stride_width, a.dilation_width, a.pad_left},
          range{a.output_offset, a.activation_min, a.activation_max},
          input_channels{a.input_channels},
          depth_multiplier{a.depth_multiplier},
          output_channels{a.input_channels * a.depth_multiplier},
          input_offset{a.input_offset} {}
};

// The taps of one window that are inside the input, and the input position of tap (0, 0).
struct Window {
    std::int32_t row_origin;
    std::int32_t column_origin;
    TapRange rows;
    TapRange columns;

    Window(const Plan& plan, std::uint32_t output_row, std::uint32_t output_column) noexcept
        : row_origin{plan.rows.origin(output_row)},
          column_origin{plan.columns.origin(output_column)},
          rows{taps_inside(plan.rows, row_origin)},
          columns{taps_inside(plan.columns, column_origin)} {}
};

// One tap of `channels` consecutive channels; input and weights show the first of them.
void accumulate_tap(const std::int8_t* input, const std::int8_t* weights, std::int32_t offset, std::uint32_t channels,
                    Accumulators& sums) noexcept {
    const std::int16_t narrow_offset = static_cast<std::int16_t>(offset);
    for (std::uint32_t i = 0U; i < channels; ++i) {
        const std::int16_t tap = static_cast<std::int16_t>(input[i] + narrow_offset);
        const std::int16_t weight = weights[i];
        sums[i] += static_cast<std::int32_t>(tap) * static_cast<std::int32_t>(weight);
    }
}

// The same where several output channels share an input channel. `input` shows the pixel's first channel.
void accumulate_shared_tap(const std::int8_t* input, const std::int8_t* weights, const Plan& plan,
                           std::uint32_t first_channel, std::uint32_t channels, Accumulators& sums) noexcept {
    std::uint32_t input_channel = first_channel / plan.depth_multiplier;
    std::uint32_t filter_of_channel = first_channel % plan.depth_multiplier;
    std::uint32_t done = 0U;
    while (done < channels) {
        const std::uint32_t count = smaller_count(channels - done, plan.depth_multiplier - filter_of_channel);
        const std::int32_t tap = input[input_channel] + plan.input_offset;
        for (std::uint32_t i = done; i < (done + count); ++i) {
            sums[i] += tap * weights[i];
        }
        done += count;
        filter_of_channel = 0U;
        input_channel += 1U;
    }
}

// Output channels [first, first + channels) of one pixel.
void compute_block(const Plan& plan, const Operands& operands, const Window& window, std::uint32_t first,
                   std::uint32_t channels) noexcept {
    Accumulators sums{};
    for (std::uint32_t row = window.rows.first; row < window.rows.end; ++row) {
        const std::uint32_t input_row = static_cast<std::uint32_t>(window.row_origin) + (row * plan.rows.dilation);
        for (std::uint32_t column = window.columns.first; column < window.columns.end; ++column) {
            const std::uint32_t input_column =
                static_cast<std::uint32_t>(window.column_origin) + (column * plan.columns.dilation);
            const std::size_t pixel = (static_cast<std::size_t>(input_row) * plan.columns.input_size) + input_column;
            const std::size_t tap = (static_cast<std::size_t>(row) * plan.columns.filter_size) + column;
            const std::int8_t* const input = operands.input + (pixel * plan.input_channels);
            const std::int8_t* const weights = operands.filter + (tap * plan.output_channels) + first;
            if (plan.depth_multiplier == 1U) {
                accumulate_tap(input + first, weights, plan.input_offset, channels, sums);
            } else {
                accumulate_shared_tap(input, weights, plan, first, channels, sums);
            }
        }
    }
    store_channels(sums, operands.parameters + (static_cast<std::size_t>(first) * kChannelParametersBytes), channels,
                   plan.range, operands.output + first);
}

}  // namespace

Status describe_depthwise_conv2d(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint64_t output_channels = bounded_product(a.input_channels, a.depth_multiplier);
    const std::uint64_t taps = bounded_product(a.filter_height, a.filter_width);
    const std::uint64_t output_bytes =
        bounded_product(a.batches, a.output_height, a.output_width, a.input_channels, a.depth_multiplier);
    const bool accepted =
        check.require(output_channels <= kMaxOperandBytes, word_of(offsetof(Arguments, depth_multiplier))) &&
        check.require(taps <= kMaxTaps, word_of(offsetof(Arguments, filter_height))) &&
        check.require(a.activation_min <= a.activation_max, word_of(offsetof(Arguments, activation_min))) &&
        check.require((a.channel_parameters % alignof(ChannelParameters)) == 0U,
                      word_of(offsetof(Arguments, channel_parameters))) &&
        check.operand(word_of(offsetof(Arguments, input)),
                      bounded_product(a.batches, a.input_height, a.input_width, a.input_channels), Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, filter)),
                      bounded_product(a.filter_height, a.filter_width, a.input_channels, a.depth_multiplier),
                      Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, channel_parameters)),
                      bounded_product(a.input_channels, a.depth_multiplier, kChannelParametersBytes), Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, output)), output_bytes, Access::kWrite) &&
        check.output_placed(word_of(offsetof(Arguments, output)), LaunchCheck::Placement::kApart);
    return check.finish(accepted, output_bytes * taps);
}

Status run_depthwise_conv2d(WordSpan arguments, const DeviceMemory& memory) noexcept {
    BoundOperands bound;
    const Status status = bind_operands(describe_depthwise_conv2d, arguments, memory, bound);
    if (!is_ok(status)) {
        return status;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    Operands operands{bound.inputs[0], bound.inputs[1], bound.inputs[2], bound.output};
    const Plan plan{a};
    const std::size_t batch_bytes = static_cast<std::size_t>(a.input_height) * a.input_width * a.input_channels;
    for (std::uint32_t batch = 0U; batch < a.batches; ++batch) {
        for (std::uint32_t row = 0U; row < a.output_height; ++row) {
            for (std::uint32_t column = 0U; column < a.output_width; ++column) {
                const Window window{plan, row, column};
                std::uint32_t first = 0U;
                while (first < plan.output_channels) {
                    const std::uint32_t channels = smaller_count(kChannelBlock, plan.output_channels - first);
                    compute_block(plan, operands, window, first, channels);
                    first += channels;
                }
                operands.output += plan.output_channels;
            }
        }
        operands.input += batch_bytes;
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
