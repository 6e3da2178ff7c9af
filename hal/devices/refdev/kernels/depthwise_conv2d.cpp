#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/inner_loops.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "hal/devices/refdev/kernels/layers.h"
#include "hal/devices/refdev/kernels/window.h"

namespace pianola::refdev {
namespace {

using Arguments = DepthwiseConv2dArguments;

struct Operands {
    const std::int8_t* input;  // of the batch
    const std::int8_t* filter;
    const std::int8_t* parameters;
    std::int8_t* output;  // of the batch
};

// Parameters shared by all output pixels of a launch.
struct Plan {
    WindowAxis rows;
    WindowAxis columns;
    Requantisation requantisation;
    std::uint32_t input_channels;
    std::uint32_t depth_multiplier;
    std::uint32_t output_channels;
    std::int32_t input_offset;

    Plan(const Arguments& a, const std::int8_t* parameters) noexcept
        : rows{a.input_height, a.filter_height, a.stride_height, a.dilation_height, a.pad_top},
          columns{a.input_width, a.filter_width, a.stride_width, a.dilation_width, a.pad_left},
          requantisation{a.output_offset, a.activation_min, a.activation_max, false},
          input_channels{a.input_channels},
          depth_multiplier{a.depth_multiplier},
          output_channels{a.input_channels * a.depth_multiplier},
          input_offset{a.input_offset} {
        // A core's short form may be exact for channels for which the plain C++ form, used by shared_pixel(), is not.
        const std::uint64_t taps = std::uint64_t{a.filter_height} * a.filter_width;
        requantisation.is_short =
            (a.depth_multiplier == 1U) && is_short_form_exact(parameters, output_channels, taps * kLargestProduct);
    }
};

// The taps under the filter that are inside the input; nothing to sum if there are none.
[[nodiscard]] DepthwiseWindow window_at(const Plan& plan, const Operands& operands, std::uint32_t output_row,
                                        std::uint32_t output_column) noexcept {
    const std::int32_t row_origin = plan.rows.origin(output_row);
    const std::int32_t column_origin = plan.columns.origin(output_column);
    const TapRange rows = taps_inside(plan.rows, row_origin);
    const TapRange columns = taps_inside(plan.columns, column_origin);
    const std::size_t input_row = static_cast<std::size_t>(plan.columns.input_size) * plan.input_channels;
    const std::size_t weight_row = static_cast<std::size_t>(plan.columns.filter_size) * plan.output_channels;
    DepthwiseWindow window{operands.input,
                           operands.filter,
                           rows.count(),
                           columns.count(),
                           input_row * plan.rows.dilation,
                           static_cast<std::size_t>(plan.input_channels) * plan.columns.dilation,
                           weight_row,
                           plan.output_channels,
                           plan.input_offset};
    if ((window.rows == 0U) || (window.columns == 0U)) {
        window.rows = 0U;
        return window;
    }
    // Not negative: these taps are inside the input.
    const std::uint32_t row = static_cast<std::uint32_t>(row_origin) + (rows.first * plan.rows.dilation);
    const std::uint32_t column = static_cast<std::uint32_t>(column_origin) + (columns.first * plan.columns.dilation);
    window.input += (row * input_row) + (static_cast<std::size_t>(column) * plan.input_channels);
    window.weights += (rows.first * weight_row) + (static_cast<std::size_t>(columns.first) * plan.output_channels);
    return window;
}

// If several output channels share an input channel, they are computed one by one, equally on every core.
void shared_pixel(const Plan& plan, const DepthwiseWindow& window, const std::int8_t* parameters,
                  std::int8_t* output) noexcept {
    for (std::size_t channel = 0U; channel < plan.output_channels; ++channel) {
        const std::size_t input_channel = channel / plan.depth_multiplier;
        std::int32_t sum = 0;
        for (std::size_t row = 0U; row < window.rows; ++row) {
            const std::int8_t* input = window.input + (row * window.input_row) + input_channel;
            const std::int8_t* weights = window.weights + (row * window.weight_row) + channel;
            for (std::uint32_t column = 0U; column < window.columns; ++column) {
                sum += (*input + window.offset) * *weights;
                input += window.input_column;
                weights += window.weight_column;
            }
        }
        output[channel] =
            requantise(wrapping_add(sum, bias_of(parameters, channel)), parameters, channel, plan.requantisation);
    }
}

[[nodiscard]] bool suits_tiles(const Arguments& a, const Plan& plan, const std::int8_t* parameters) noexcept {
    constexpr std::uint32_t kTileFilter = 3U;
    bool suits = (kDepthwiseTiles.channels != 0U) && (a.depth_multiplier == 1U) && (a.filter_height == kTileFilter) &&
                 (a.filter_width == kTileFilter) && (a.stride_height == 1U) && (a.stride_width == 1U) &&
                 (a.dilation_height == 1U) && (a.dilation_width == 1U) && plan.requantisation.is_short;
    for (std::uint32_t channel = 0U; suits && (channel < plan.output_channels); ++channel) {
        suits = shift_of(parameters, channel) < 0;
    }
    return suits;
}

// One group of channels of a batch, which begins at `channel`.
[[gnu::noinline]] void compute_tiles(const Arguments& a, const Plan& plan, const Operands& operands,
                                     std::uint32_t channel) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init, pianola-misra-11.6.1): DEV-039
    DepthwiseGroup group;
    const std::size_t input_row = std::size_t{a.input_width} * plan.input_channels;
    const std::size_t output_row = std::size_t{a.output_width} * plan.output_channels;
    const std::uint32_t channels = smaller_count(kDepthwiseTiles.channels, plan.output_channels - channel);
    const std::int8_t* const input = operands.input + channel;
    // Rows, columns and outputs are set again for each tile.
    DepthwiseTile tile{{input, input, input, input},
                       plan.columns.origin(0U),
                       a.input_width,
                       plan.output_channels,
                       plan.input_offset,
                       channels,
                       a.output_width,
                       operands.output,
                       operands.output};
    prepare_depthwise(operands.filter + channel, plan.output_channels,
                      operands.parameters + (std::size_t{channel} * kChannelParametersBytes), plan.requantisation, tile,
                      group);
    for (std::uint32_t row = 0U; row < a.output_height; row += 2U) {
        for (std::uint32_t i = 0U; i < kTileRows; ++i) {
            const auto at = static_cast<std::uint32_t>(plan.rows.origin(row) + static_cast<std::int32_t>(i));
            tile.rows[i] = (at < a.input_height) ? (input + (at * input_row)) : nullptr;
        }
        std::int8_t* const upper = operands.output + (row * output_row) + channel;
        std::uint32_t column = 0U;
        while (column < a.output_width) {
            tile.first = plan.columns.origin(column);
            tile.columns = smaller_count(kDepthwiseTiles.columns, a.output_width - column);
            tile.upper = upper + (std::size_t{column} * plan.output_channels);
            tile.lower = ((row + 1U) < a.output_height) ? (tile.upper + output_row) : nullptr;
            depthwise_tile(tile, group, plan.requantisation);
            column += tile.columns;
        }
    }
}

void compute_pixels(const Arguments& a, const Plan& plan, const Operands& operands) noexcept {
    std::int8_t* output = operands.output;
    for (std::uint32_t row = 0U; row < a.output_height; ++row) {
        for (std::uint32_t column = 0U; column < a.output_width; ++column) {
            const DepthwiseWindow window = window_at(plan, operands, row, column);
            if (plan.depth_multiplier == 1U) {
                depthwise_pixel(window, operands.parameters, plan.output_channels, plan.requantisation, output);
            } else {
                shared_pixel(plan, window, operands.parameters, output);
            }
            output += plan.output_channels;
        }
    }
}

void compute_batch(const Arguments& a, const Plan& plan, bool has_tiles, const Operands& operands) noexcept {
    if (!has_tiles) {
        compute_pixels(a, plan, operands);
        return;
    }
    for (std::uint32_t channel = 0U; channel < plan.output_channels; channel += kDepthwiseTiles.channels) {
        compute_tiles(a, plan, operands, channel);
    }
}

}  // namespace

Status check_layer(const DepthwiseConv2dArguments& a, const LayerElements& elements, LaunchCheck& check) noexcept {
    const std::uint64_t output_channels = bounded_product(a.input_channels, a.depth_multiplier);
    const std::uint64_t taps = bounded_product(a.filter_height, a.filter_width);
    const std::uint64_t outputs =
        bounded_product(a.batches, a.output_height, a.output_width, a.input_channels, a.depth_multiplier);
    const bool accepted =
        check.require(output_channels <= kMaxOperandBytes, word_of(offsetof(Arguments, depth_multiplier))) &&
        check.require(taps <= kMaxTaps, word_of(offsetof(Arguments, filter_height))) &&
        check.require(a.activation_min <= a.activation_max, word_of(offsetof(Arguments, activation_min))) &&
        check.require((a.channel_parameters % alignof(ChannelParameters)) == 0U,
                      word_of(offsetof(Arguments, channel_parameters))) &&
        (elements.are_bytes() ||
         (check.require(elements.are_aligned(a.input), word_of(offsetof(Arguments, input))) &&
          check.require(elements.are_aligned(a.output), word_of(offsetof(Arguments, output))))) &&
        check.operand(
            word_of(offsetof(Arguments, input)),
            bounded_product(a.batches, a.input_height, a.input_width, a.input_channels, elements.activation_bytes),
            Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, filter)),
                      bounded_product(a.filter_height, a.filter_width, a.input_channels, a.depth_multiplier),
                      Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, channel_parameters)),
                      bounded_product(a.input_channels, a.depth_multiplier, elements.parameters_bytes),
                      Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, output)), bounded_product(outputs, elements.activation_bytes),
                      Access::kWrite) &&
        check.output_placed(word_of(offsetof(Arguments, output)), LaunchCheck::Placement::kApart);
    return check.finish(accepted, outputs * taps);
}

Status describe_depthwise_conv2d(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<Arguments>, footprint, error};
    return check.words_accepted() ? check_layer(arguments_from_words<Arguments>(arguments), kInt8Elements, check)
                                  : Status::kRefused;
}

Status compute_depthwise_conv2d(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    Operands operands{bound.inputs[0], bound.inputs[1], bound.inputs[2], bound.output};
    const Plan plan{a, operands.parameters};
    const bool has_tiles = suits_tiles(a, plan, operands.parameters);
    const std::size_t output_bytes = static_cast<std::size_t>(a.output_height) * a.output_width * plan.output_channels;
    const std::size_t batch_bytes = static_cast<std::size_t>(a.input_height) * a.input_width * a.input_channels;
    for (std::uint32_t batch = 0U; batch < a.batches; ++batch) {
        compute_batch(a, plan, has_tiles, operands);
        operands.input += batch_bytes;
        operands.output += output_bytes;
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
