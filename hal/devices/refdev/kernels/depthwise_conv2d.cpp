#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/inner_loops.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "hal/devices/refdev/kernels/layer_work.h"
#include "hal/devices/refdev/kernels/layers.h"
#include "hal/devices/refdev/kernels/lead.h"
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
        const std::uint64_t taps = std::uint64_t{a.filter_height} * a.filter_width;
        requantisation.is_short = is_short_form_exact(parameters, output_channels, taps * kLargestProduct);
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

void shared_pixel(const Plan& plan, const DepthwiseWindow& at_pixel, const std::int8_t* parameters,
                  std::int8_t* output) noexcept {
    DepthwiseWindow window = at_pixel;
    for (std::uint32_t left = plan.input_channels; left != 0U; --left) {
        depthwise_shared(window, parameters, plan.depth_multiplier, plan.requantisation, output);
        window.input += 1U;
        window.weights += plan.depth_multiplier;
        parameters += std::size_t{plan.depth_multiplier} * kChannelParametersBytes;
        output += plan.depth_multiplier;
    }
}

// Whether a core that has tiles uses them.
[[nodiscard]] bool suits_tiles(const Arguments& a) noexcept {
    constexpr std::uint32_t kTileFilter = 3U;
    return (a.depth_multiplier == 1U) && (a.filter_height == kTileFilter) && (a.filter_width == kTileFilter) &&
           (a.stride_height == 1U) && (a.stride_width == 1U) && (a.dilation_height == 1U) && (a.dilation_width == 1U);
}

[[nodiscard]] bool is_short_in_tiles(const Plan& plan, const std::int8_t* parameters) noexcept {
    bool is_short = plan.requantisation.is_short;
    for (std::uint32_t channel = 0U; is_short && (channel < plan.output_channels); ++channel) {
        is_short = shift_of(parameters, channel) < 0;
    }
    return is_short;
}

// Pixel by pixel, and in each channel by channel: those of the output that share an input channel run ahead. With
// tiles, a group of channels after the other: they do not meet where the distance is a multiple of a pixel. A tile's
// second row runs ahead of the next tile of its rows.
[[nodiscard, gnu::noinline]] Lead lead_of_layer(const Arguments& a, const LayerElements& elements) noexcept {
    const std::uint64_t input_pixel = std::uint64_t{a.input_channels} * elements.activation_bytes;
    const WindowedImages images{a.batches,
                                {a.input_height, a.filter_height, a.stride_height, a.dilation_height, a.pad_top},
                                {a.input_width, a.filter_width, a.stride_width, a.dilation_width, a.pad_left},
                                a.output_height,
                                a.output_width,
                                input_pixel,
                                input_pixel * a.depth_multiplier};
    Lead lead{lead_of(images) + (images.output_pixel - input_pixel), 1U};
    if (elements.are_bytes() && suits_tiles(a)) {
        lead.unit_bytes = (a.input_channels > kDspQuad) ? a.input_channels : 1U;
        lead.bytes += (a.output_width > kMveTileColumns) ? (a.output_width * images.output_pixel) : 0U;
    }
    return lead;
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

// Channels that a core computes together in a pixel, and those that it computes one by one, or, with the vector
// extension, in vectors that are not full.
struct PixelChannels {
    std::uint64_t units;
    std::uint64_t singles;
};
[[nodiscard]] PixelChannels pixel_channels(const Arguments& a, Loops loops) noexcept {
    if (loops == Loops::kPortable) {
        return {0U, std::uint64_t{a.input_channels} * a.depth_multiplier};
    }
    if (a.depth_multiplier == 1U) {
        return (loops == Loops::kDsp) ? PixelChannels{a.input_channels / kDspQuad, a.input_channels % kDspQuad}
                                      : PixelChannels{blocks_of(a.input_channels, kMveHalfLanes), 0U};
    }
    const std::uint64_t inputs = a.input_channels;
    return (loops == Loops::kDsp)
               ? PixelChannels{inputs * (a.depth_multiplier / kDspQuad), inputs * (a.depth_multiplier % kDspQuad)}
               : PixelChannels{inputs * (a.depth_multiplier / kMveHalfLanes),
                               inputs * blocks_of(a.depth_multiplier % kMveHalfLanes, kMveWordLanes)};
}

void count_pixels(const Arguments& a, Loops loops, Work& work) noexcept {
    const WindowAxis rows{a.input_height, a.filter_height, a.stride_height, a.dilation_height, a.pad_top};
    const WindowAxis columns{a.input_width, a.filter_width, a.stride_width, a.dilation_width, a.pad_left};
    const std::uint64_t rows_inside = a.batches * taps_inside_all(rows, a.output_height);
    const PixelChannels channels = pixel_channels(a, loops);
    const std::uint64_t pixels = bounded_product(a.batches, a.output_height, a.output_width);
    const std::uint64_t taps = rows_inside * taps_inside_all(columns, a.output_width);
    const std::uint64_t filter_rows = rows_inside * windows_touching(columns, a.output_width);
    const bool is_shared = a.depth_multiplier != 1U;
    const std::uint32_t units = is_shared ? 20U : 3U;
    const std::uint32_t singles = is_shared ? 9U : 6U;
    work.turns[2U] = pixels;
    work.turns[units] = pixels * channels.units;
    work.turns[units + 1U] = filter_rows * channels.units;
    work.turns[units + 2U] = taps * channels.units;
    work.turns[singles] = pixels * channels.singles;
    work.turns[singles + 1U] = filter_rows * channels.singles;
    work.turns[singles + 2U] = taps * channels.singles;
    work.turns[23U] = turns_if(is_shared, pixels * a.input_channels);
}

// Input columns that are brought for the tiles of two output rows.
struct BroughtColumns {
    std::uint64_t inside;
    std::uint64_t outside;
};
[[nodiscard]] BroughtColumns brought_columns(const Arguments& a, std::uint32_t of_tile,
                                             std::uint32_t multiple) noexcept {
    constexpr std::uint32_t kMore = 2U;  // than output columns
    const std::uint32_t whole = a.output_width / of_tile;
    const std::uint32_t rest = a.output_width % of_tile;
    const WindowAxis tile{a.input_width, of_tile + kMore, of_tile, 1U, a.pad_left};
    BroughtColumns columns{taps_inside_all(tile, whole), std::uint64_t{whole} * tile.filter_size};
    if (rest != 0U) {
        const auto used = static_cast<std::uint32_t>(blocks_of(rest, multiple) * multiple) + kMore;
        const WindowAxis last{a.input_width, used, of_tile, 1U, a.pad_left};
        columns.inside += taps_inside(last, last.origin(whole)).count();
        columns.outside += used;
    }
    columns.outside -= columns.inside;
    return columns;
}

void count_tiles(const Arguments& a, Loops loops, Work& work) noexcept {
    const bool is_dsp = loops == Loops::kDsp;
    const std::uint32_t of_group = is_dsp ? kDspQuad : kMveTileChannels;
    const std::uint32_t of_tile = is_dsp ? kDspTileColumns : kMveTileColumns;
    const std::uint64_t groups = a.batches * blocks_of(a.input_channels, of_group);
    const std::uint64_t channels = std::uint64_t{a.batches} * a.input_channels;
    const std::uint64_t row_pairs = blocks_of(a.output_height, 2U);
    const std::uint64_t tiles = row_pairs * blocks_of(a.output_width, of_tile);
    const std::uint64_t columns =
        is_dsp ? a.output_width
               : ((std::uint64_t{a.output_width / of_tile} * (of_tile / 2U)) + blocks_of(a.output_width % of_tile, 2U));
    const BroughtColumns brought = brought_columns(a, of_tile, is_dsp ? 1U : 2U);
    // Channels of a group that is not whole are loaded one by one.
    const std::uint64_t alone = is_dsp ? (std::uint64_t{a.batches} * (a.input_channels % of_group)) : 0U;
    work.turns[12U] = groups;
    work.turns[13U] = channels;
    work.turns[14U] = groups * tiles;
    work.turns[15U] = ((2U * groups) + alone) * row_pairs * brought.inside;
    work.turns[16U] = channels * tiles;
    const std::uint32_t elements = is_int8_range(a.activation_min, a.activation_max) ? 17U : 18U;
    work.turns[elements] = channels * row_pairs * columns;
    work.turns[19U] = groups * row_pairs * brought.outside;
}

}  // namespace

std::uint64_t products_of(const DepthwiseConv2dArguments& a) noexcept {
    return bounded_product(a.batches, a.output_height, a.output_width, a.input_channels, a.depth_multiplier) *
           bounded_product(a.filter_height, a.filter_width);
}

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
        (check.output_placed(word_of(offsetof(Arguments, output)), LaunchCheck::Placement::kApart) ||
         check.output_follows(lead_of_layer(a, elements)));
    return check.finish(accepted);
}

Status describe_depthwise_conv2d(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<Arguments>, extents, error};
    return check.words_accepted() ? check_layer(arguments_from_words<Arguments>(arguments), kInt8Elements, check)
                                  : Status::kRefused;
}

// Turns: the launch, channels; pixels, and by pixel: groups of channels, their filter rows, their taps; single
// channels, their filter rows, their taps; single channels that share an input channel, likewise; groups of tiles,
// their channels, tiles, halves of columns that are brought from inside of the input, channels by tile, columns by
// channel, the latter of a range other than that of int8, columns that are brought from outside; by pixel again: groups
// of channels that share an input channel, their filter rows, their taps; such input channels.
void work_depthwise_conv2d(WordSpan arguments, Loops loops, Work& work) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    work.operations = products_of(a);
    work.turns[0U] = 1U;
    work.turns[1U] = std::uint64_t{a.input_channels} * a.depth_multiplier;
    if ((loops != Loops::kPortable) && suits_tiles(a)) {
        count_tiles(a, loops, work);
    } else {
        count_pixels(a, loops, work);
    }
}

Status compute_depthwise_conv2d(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    Operands operands{bound.inputs[0], bound.inputs[1], bound.inputs[2], bound.output};
    Plan plan{a, operands.parameters};
    const bool has_tiles = (kDepthwiseTiles.channels != 0U) && suits_tiles(a);
    if (has_tiles) {
        plan.requantisation.is_short = is_short_in_tiles(plan, operands.parameters);
    }
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
