#include "hal/kernels/argument_words.h"
#include "hal/kernels/dot_product.h"
#include "hal/kernels/kernels.h"
#include "hal/kernels/launch_check.h"
#include "hal/kernels/patch_reader.h"

namespace pianola::refdev {
namespace {

using Arguments = Conv2dArguments;

constexpr ArgumentRules<Arguments> kRules = rules_of<Arguments>();

struct Operands {
    const std::int8_t* input;  // of the batch
    const std::int8_t* filter;
    const std::int8_t* parameters;
    std::int8_t* output;  // of the pixel
};

struct Position {
    std::uint32_t row;
    std::uint32_t column;
};

// What every output pixel of a launch shares.
struct Plan {
    PatchGeometry geometry;
    OutputRange range;
    std::uint32_t taps;  // of one output channel
    std::uint32_t groups;
    std::uint32_t group_channels;  // output channels of one group

    explicit Plan(const Arguments& a) noexcept
        : geometry{a},
          range{a.output_offset, a.activation_min, a.activation_max},
          taps{a.filter_height * a.filter_width * a.filter_channels},
          groups{a.input_channels / a.filter_channels},
          group_channels{a.output_channels / groups} {}
};

// Output channels [first, first + channels), all of one group, of one pixel.
void compute_block(const Plan& plan, const Operands& operands, Position position, std::size_t group, std::size_t first,
                   std::uint32_t channels) noexcept {
    Accumulators sums{};
    TapBuffer taps;
    PatchReader patch{plan.geometry, operands.input + (group * plan.geometry.filter_channels), position.row,
                      position.column};
    const std::int8_t* weights = operands.filter + (first * plan.taps);
    std::uint32_t done = 0U;
    while (done < plan.taps) {
        const std::uint32_t count = patch.read(taps);
        accumulate_channels(taps, count, weights + done, plan.taps, channels, sums);
        done += count;
    }
    store_channels(sums, operands.parameters + (first * kChannelParametersBytes), channels, plan.range,
                   operands.output + first);
}

void compute_pixel(const Plan& plan, const Operands& operands, Position position) noexcept {
    for (std::size_t group = 0U; group < plan.groups; ++group) {
        std::uint32_t done = 0U;
        while (done < plan.group_channels) {
            const std::uint32_t channels = smaller_count(kChannelBlock, plan.group_channels - done);
            compute_block(plan, operands, position, group, (group * plan.group_channels) + done, channels);
            done += channels;
        }
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
    const std::size_t batch_bytes = static_cast<std::size_t>(a.input_height) * a.input_width * a.input_channels;
    for (std::uint32_t batch = 0U; batch < a.batches; ++batch) {
        for (std::uint32_t row = 0U; row < a.output_height; ++row) {
            for (std::uint32_t column = 0U; column < a.output_width; ++column) {
                compute_pixel(plan, operands, Position{row, column});
                operands.output += a.output_channels;
            }
        }
        operands.input += batch_bytes;
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
