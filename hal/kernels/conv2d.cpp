#include "hal/kernels/argument_words.h"
#include "hal/kernels/inner_loops.h"
#include "hal/kernels/kernels.h"
#include "hal/kernels/launch_check.h"
#include "hal/kernels/patch.h"

namespace pianola::refdev {
namespace {

using Arguments = Conv2dArguments;

constexpr ArgumentRules<Arguments> kRules = rules_of<Arguments>();

struct Operands {
    const std::int8_t* input;  // of the batch
    const std::int8_t* filter;
    const std::int8_t* parameters;
    std::int8_t* output;  // of the batch
};

// What every output pixel of a launch shares.
struct Plan {
    PatchGeometry geometry;
    Requantisation requantisation;  // of a block that the short form does not suit
    std::uint32_t pixels;           // of an output
    std::uint32_t output_width;
    std::uint32_t output_channels;
    std::uint32_t taps;            // of one output channel
    std::uint32_t group_channels;  // output channels of one group
    std::int32_t input_offset;
    bool has_patches;  // else the taps of every pixel are neighbours in memory, all of them inside the input

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

    // True where every window starts inside the input.
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

// Not inside its caller, because the copy of the taps needs most of a convolution's stack.
[[gnu::noinline]] void accumulate_patches(const Plan& plan, const Block& block, std::uint32_t pixel, std::uint32_t rows,
                                          BlockSums& sums) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): DEV-039
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

void accumulate_pixels(const Plan& plan, const Block& block, std::uint32_t pixel, std::uint32_t rows,
                       BlockSums& sums) noexcept {
    const auto taps_of = [&plan, &block](std::uint32_t of_pixel) {
        const std::size_t row = std::size_t{of_pixel / plan.output_width} * plan.geometry.rows.stride;
        const std::size_t column = std::size_t{of_pixel % plan.output_width} * plan.geometry.columns.stride;
        return block.input + (((row * plan.geometry.columns.input_size) + column) * plan.geometry.input_channels);
    };
    const std::int8_t* const first = taps_of(pixel);
    const std::int8_t* const second = (rows == kRowBlock) ? taps_of(pixel + 1U) : first;
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

void compute_batch(const Plan& plan, const Operands& operands) noexcept {
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

}  // namespace

Status describe_conv2d(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint32_t groups = a.input_channels / a.filter_channels;
    const bool inputs_grouped = (groups >= 1U) && ((a.input_channels % a.filter_channels) == 0U);
    const bool outputs_grouped = inputs_grouped && ((a.output_channels % groups) == 0U);
    const std::uint64_t taps = bounded_product(a.filter_height, a.filter_width, a.filter_channels);
    const std::uint64_t output_bytes = bounded_product(a.batches, a.output_height, a.output_width, a.output_channels);
    const bool accepted =
        check.require(inputs_grouped, word_of(offsetof(Arguments, filter_channels))) &&
        check.require(outputs_grouped, word_of(offsetof(Arguments, output_channels))) &&
        check.require(taps <= kMaxTaps, word_of(offsetof(Arguments, filter_height))) &&
        check.require(a.activation_min <= a.activation_max, word_of(offsetof(Arguments, activation_min))) &&
        check.require((a.channel_parameters % alignof(ChannelParameters)) == 0U,
                      word_of(offsetof(Arguments, channel_parameters))) &&
        check.operand(word_of(offsetof(Arguments, input)),
                      bounded_product(a.batches, a.input_height, a.input_width, a.input_channels), Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, filter)),
                      bounded_product(a.output_channels, a.filter_height, a.filter_width, a.filter_channels),
                      Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, channel_parameters)),
                      bounded_product(a.output_channels, kChannelParametersBytes), Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, output)), output_bytes, Access::kWrite) &&
        check.output_placed(word_of(offsetof(Arguments, output)), LaunchCheck::Placement::kApart);
    return check.finish(accepted, output_bytes * taps);
}

Status run_conv2d(WordSpan arguments, const DeviceMemory& memory) noexcept {
    BoundOperands bound;
    const Status status = bind_operands(describe_conv2d, arguments, memory, bound);
    if (!is_ok(status)) {
        return status;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    Operands operands{bound.inputs[0], bound.inputs[1], bound.inputs[2], bound.output};
    const Plan plan{a};
    const std::size_t input_bytes = static_cast<std::size_t>(a.input_height) * a.input_width * a.input_channels;
    const std::size_t output_bytes = static_cast<std::size_t>(plan.pixels) * a.output_channels;
    for (std::uint32_t batch = 0U; batch < a.batches; ++batch) {
        compute_batch(plan, operands);
        operands.input += input_bytes;
        operands.output += output_bytes;
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
