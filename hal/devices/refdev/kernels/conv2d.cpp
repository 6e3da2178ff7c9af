#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/inner_loops.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "hal/devices/refdev/kernels/layer_work.h"
#include "hal/devices/refdev/kernels/layers.h"
#include "hal/devices/refdev/kernels/lead.h"
#include "hal/devices/refdev/kernels/packed_layer.h"
#include "hal/devices/refdev/kernels/patch.h"

namespace pianola::refdev {
namespace {

using Arguments = Conv2dArguments;

struct Operands {
    const std::int8_t* input;  // of the batch
    const std::int8_t* filter;
    const std::int8_t* parameters;
    std::int8_t* output;  // of the batch
};

// Parameters shared by all output pixels of a launch.
struct Plan {
    PatchGeometry geometry;
    Requantisation requantisation;  // of a block for which the short form is not exact
    std::uint32_t pixels;           // of an output
    std::uint32_t output_width;
    std::uint32_t output_channels;
    std::uint32_t taps;            // of one output channel
    std::uint32_t group_channels;  // output channels of one group
    std::int32_t input_offset;
    bool has_patches;  // otherwise the taps of every pixel are adjacent in memory and inside the input

    explicit Plan(const Arguments& a) noexcept
        : geometry{a},
          requantisation{a.output_offset, a.activation_min, a.activation_max, false},
          pixels{a.output_height * a.output_width},
          output_width{a.output_width},
          output_channels{a.output_channels},
          taps{a.filter_height * a.filter_width * a.filter_channels},
          group_channels{a.output_channels / (a.input_channels / a.filter_channels)},
          input_offset{a.input_offset},
          has_patches{(a.filter_height != 1U) || (a.filter_width != 1U) ||
                      !stays_inside(geometry.rows, a.output_height) ||
                      !stays_inside(geometry.columns, a.output_width)} {}

    // True if every window starts inside the input.
    [[nodiscard]] static bool stays_inside(const WindowAxis& axis, std::uint32_t output_size) noexcept {
        return (axis.pad_before == 0U) && (axis.origin(output_size - 1U) < static_cast<std::int32_t>(axis.input_size));
    }
};

// Some of the output channels of one group, for one or two neighbouring output pixels of the batch.
struct Block {
    const std::int8_t* input;  // the group's first channel
    const std::int8_t* parameters;
    FilterRows filter;
    std::int8_t* output;  // the block's first channel in pixel 0
};

// Not inlined, because the copy of the taps needs most of a convolution's stack.
[[gnu::noinline]] void accumulate_patches(const Plan& plan, const Block& block, std::uint32_t pixel, std::uint32_t rows,
                                          BlockSums& sums) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init, pianola-misra-11.6.1): DEV-039
    std::array<std::array<std::int8_t, kTapBlock>, kRowBlock> taps;
    FilterRows filter = block.filter;
    std::uint32_t done = 0U;
    while (done < plan.taps) {
        const std::uint32_t count = smaller_count(kTapBlock, plan.taps - done);
        for (std::uint32_t row = 0U; row < rows; ++row) {
            copy_patch(plan.geometry, block.input, (pixel + row) / plan.output_width, (pixel + row) % plan.output_width,
                       done, count, taps[row].data());
        }
        accumulate(TapRows{taps[0U].data(), taps[1U].data(), rows, count, plan.input_offset}, filter, sums);
        filter.weights += count;
        done += count;
    }
}

// The taps of a pixel that are adjacent in memory.
[[nodiscard]] const std::int8_t* pixel_taps(const Plan& plan, const std::int8_t* input, std::uint32_t pixel) noexcept {
    const std::size_t row = std::size_t{pixel / plan.output_width} * plan.geometry.rows.stride;
    const std::size_t column = std::size_t{pixel % plan.output_width} * plan.geometry.columns.stride;
    return input + (((row * plan.geometry.columns.input_size) + column) * plan.geometry.input_channels);
}

void accumulate_pixels(const Plan& plan, const Block& block, std::uint32_t pixel, std::uint32_t rows,
                       BlockSums& sums) noexcept {
    const std::int8_t* const first = pixel_taps(plan, block.input, pixel);
    const std::int8_t* const second = (rows == kRowBlock) ? pixel_taps(plan, block.input, pixel + 1U) : first;
    accumulate(TapRows{first, second, rows, plan.taps, plan.input_offset}, block.filter, sums);
}

void compute_block(const Plan& plan, const Block& block) noexcept {
    ChannelSums start{};
    start_sums(block.filter, plan.taps, plan.input_offset, block.parameters, start);
    Requantisation requantisation = plan.requantisation;
    requantisation.is_short = is_short_form_exact(block.parameters, block.filter.channels, plan.taps * kLargestProduct);
    std::int8_t* output = block.output;
    std::uint32_t pixel = 0U;
    while (pixel < plan.pixels) {
        const std::uint32_t rows = smaller_count(kRowBlock, plan.pixels - pixel);
        BlockSums sums{start, start};
        if (plan.has_patches) {
            accumulate_patches(plan, block, pixel, rows, sums);
        } else {
            accumulate_pixels(plan, block, pixel, rows, sums);
        }
        store_sums(sums, block.parameters, block.filter.channels, requantisation,
                   OutputRows{output, plan.output_channels, rows});
        output += std::size_t{rows} * plan.output_channels;
        pixel += rows;
    }
}

// Not inlined, so that its sums and those of packed weights are not on the stack at the same time.
[[gnu::noinline]] void compute_batch(const Plan& plan, const Operands& operands) noexcept {
    std::uint32_t first = 0U;
    while (first < plan.output_channels) {
        const std::uint32_t group = first / plan.group_channels;
        const std::uint32_t of_group = ((group + 1U) * plan.group_channels) - first;
        const FilterRows filter{operands.filter + (std::size_t{first} * plan.taps), plan.taps,
                                smaller_count(of_group, kChannelBlock)};
        compute_block(plan, Block{operands.input + (std::size_t{group} * plan.geometry.filter_channels),
                                  operands.parameters + (std::size_t{first} * kChannelParametersBytes), filter,
                                  operands.output + first});
        first += filter.channels;
    }
}

// Buffer of a tap block, for each row.
using Patches = std::array<std::array<std::int8_t, kPackedTaps>, kPackedRows>;

[[gnu::noinline]] void copy_patches(const Plan& plan, const std::int8_t* input, std::uint32_t pixel,
                                    const PackedTaps& taps, Patches& patches) noexcept {
    for (std::uint32_t row = 0U; row < taps.used; ++row) {
        copy_patch(plan.geometry, input, (pixel + row) / plan.output_width, (pixel + row) % plan.output_width,
                   taps.first, taps.count, patches[row].data());
    }
}

// The buffer for packed weights.
[[gnu::noinline]] void accumulate_packed_patches(const Plan& plan, const std::int8_t* input, const PackedBlock& block,
                                                 std::uint32_t pixel, std::uint32_t rows, PackedSums& sums) noexcept {
    Patches patches;  // NOLINT(cppcoreguidelines-pro-type-member-init, pianola-misra-11.6.1): DEV-039
    PackedTaps taps{{}, rows, 0U, 0U};
    for (std::uint32_t row = 0U; row < kPackedRows; ++row) {
        taps.rows[row] = patches[smaller_count(row, rows - 1U)].data();
    }
    while (taps.first < plan.taps) {
        taps.count = smaller_count(kPackedTaps, plan.taps - taps.first);
        copy_patches(plan, input, pixel, taps, patches);
        accumulate_packed(block, taps, sums);
        taps.first += taps.count;
    }
}

void compute_packed_batch(const Plan& plan, WeightsLayout layout, const Operands& operands) noexcept {
    const PackedBlock layer{layout,    operands.filter,  operands.parameters, plan.output_channels,
                            plan.taps, plan.input_offset};
    const auto accumulate = [&plan, &operands](const PackedBlock& block, std::uint32_t pixel, std::uint32_t rows,
                                               PackedSums& sums) {
        if (plan.has_patches) {
            accumulate_packed_patches(plan, operands.input, block, pixel, rows, sums);
            return;
        }
        PackedTaps taps{{}, rows, 0U, plan.taps};
        for (std::uint32_t row = 0U; row < kPackedRows; ++row) {
            taps.rows[row] = pixel_taps(plan, operands.input, pixel + smaller_count(row, rows - 1U));
        }
        accumulate_packed(block, taps, sums);
    };
    run_packed_layer(layer, plan.requantisation, plan.pixels, operands.output, accumulate);
}

// The pixels of a block of channels are all computed before those of the next block, which read the input again; those
// of int16 have all their blocks first.
[[nodiscard, gnu::noinline]] Lead lead_of_layer(const Arguments& a, const LayerElements& elements) noexcept {
    const WindowedImages images{a.batches,
                                {a.input_height, a.filter_height, a.stride_height, a.dilation_height, a.pad_top},
                                {a.input_width, a.filter_width, a.stride_width, a.dilation_width, a.pad_left},
                                a.output_height,
                                a.output_width,
                                std::uint64_t{a.input_channels} * elements.activation_bytes,
                                std::uint64_t{a.output_channels} * elements.activation_bytes};
    const std::uint32_t block = (a.weights_layout == WeightsLayout::kPlain) ? kChannelBlock : kPackedChannels;
    if ((a.filter_channels == a.input_channels) && (a.output_channels <= block)) {
        return {lead_of(images), 1U};
    }
    return {elements.are_bytes() ? kWholeLead : (lead_of(images) + images.output_pixel), 1U};
}

}  // namespace

std::uint64_t products_of(const Conv2dArguments& a) noexcept {
    return bounded_product(a.batches, a.output_height, a.output_width, a.output_channels) *
           bounded_product(a.filter_height, a.filter_width, a.filter_channels);
}

Status check_layer(const Conv2dArguments& a, const LayerElements& elements, LaunchCheck& check) noexcept {
    const std::uint32_t groups = a.input_channels / a.filter_channels;
    const bool inputs_grouped = (groups >= 1U) && ((a.input_channels % a.filter_channels) == 0U);
    const bool outputs_grouped = inputs_grouped && ((a.output_channels % groups) == 0U);
    const std::uint64_t taps = bounded_product(a.filter_height, a.filter_width, a.filter_channels);
    const bool is_plain = a.weights_layout == WeightsLayout::kPlain;
    const std::uint64_t stored_channels = packed_channels(a.weights_layout, a.output_channels);
    const std::uint64_t outputs = bounded_product(a.batches, a.output_height, a.output_width, a.output_channels);
    const bool accepted =
        check.require(inputs_grouped, word_of(offsetof(Arguments, filter_channels))) &&
        check.require(outputs_grouped, word_of(offsetof(Arguments, output_channels))) &&
        check.require(taps <= kMaxTaps, word_of(offsetof(Arguments, filter_height))) &&
        check.require(a.activation_min <= a.activation_max, word_of(offsetof(Arguments, activation_min))) &&
        (is_plain || (check.require(reads_layout(a.weights_layout) && (groups == 1U),
                                    word_of(offsetof(Arguments, weights_layout))) &&
                      check.require((a.filter % filter_alignment(a.weights_layout)) == 0U,
                                    word_of(offsetof(Arguments, filter))))) &&
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
                      bounded_product(stored_channels, packed_row_bytes(a.weights_layout, taps)), Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, channel_parameters)),
                      bounded_product(stored_channels, elements.parameters_bytes), Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, output)), bounded_product(outputs, elements.activation_bytes),
                      Access::kWrite) &&
        (check.output_placed(word_of(offsetof(Arguments, output)), LaunchCheck::Placement::kApart) ||
         check.output_follows(lead_of_layer(a, elements)));
    return check.finish(accepted);
}

Status describe_conv2d(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<Arguments>, extents, error};
    return check.words_accepted() ? check_layer(arguments_from_words<Arguments>(arguments), kInt8Elements, check)
                                  : Status::kRefused;
}

void work_conv2d(WordSpan arguments, Loops loops, Work& work) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const Plan plan{a};
    const bool is_plain = a.weights_layout == WeightsLayout::kPlain;
    const std::uint64_t layers = std::uint64_t{a.batches} * (plan.output_channels / plan.group_channels);
    const std::uint32_t piece = plan.has_patches ? (is_plain ? kTapBlock : kPackedTaps) : plan.taps;
    const LayerLoops layer{layers, plan.group_channels,          plan.pixels, plan.taps, piece,
                           false,  plan.requantisation.is_int8()};
    work.operations = products_of(a);
    work.turns[kLaunchTerm] = 1U;
    if (is_plain) {
        count_plain_layers(layer, loops, work);
    } else {
        count_packed_layers(layer, a.weights_layout, loops, work);
    }
    if (plan.has_patches) {
        const std::uint64_t blocks =
            layers * (is_plain ? plain_blocks(plan.group_channels) : packed_blocks(plan.group_channels));
        const PatchTurns turns = patch_turns(plan.geometry, a.output_height, a.output_width, piece, loops);
        work.turns[kOwnTerm] = blocks * turns.patches;
        work.turns[kOwnTerm + 1U] = blocks * turns.inner_units;
        work.turns[kOwnTerm + 2U] = blocks * turns.border_units;
        work.turns[kOwnTerm + 3U] = blocks * turns.inside_units;
        work.turns[kOwnTerm + 4U] = blocks * turns.copies;
        work.turns[kOwnTerm + 5U] = blocks * turns.fills;
    }
}

Status compute_conv2d(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    Operands operands{bound.inputs[0], bound.inputs[1], bound.inputs[2], bound.output};
    const Plan plan{a};
    const std::size_t input_bytes = static_cast<std::size_t>(a.input_height) * a.input_width * a.input_channels;
    const std::size_t output_bytes = static_cast<std::size_t>(plan.pixels) * a.output_channels;
    for (std::uint32_t batch = 0U; batch < a.batches; ++batch) {
        if (a.weights_layout == WeightsLayout::kPlain) {
            compute_batch(plan, operands);
        } else {
            compute_packed_batch(plan, a.weights_layout, operands);
        }
        operands.input += input_bytes;
        operands.output += output_bytes;
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
