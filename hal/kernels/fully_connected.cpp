#include "hal/kernels/argument_words.h"
#include "hal/kernels/dot_product.h"
#include "hal/kernels/kernels.h"
#include "hal/kernels/launch_check.h"

namespace pianola::refdev {
namespace {

using Arguments = FullyConnectedArguments;

constexpr ArgumentRules<Arguments> kRules = rules_of<Arguments>();

// With a filter offset, each product is at most 256 * 256 in magnitude.
constexpr std::uint32_t kMaxDepthWithFilterOffset = kMaxSpatial;

struct Operands {
    const std::int8_t* input;
    const std::int8_t* filter;
    const std::int8_t* parameters;
    std::int8_t* output;
};

[[nodiscard]] std::int32_t sum_of(const TapBuffer& taps, std::uint32_t count) noexcept {
    std::int32_t sum = 0;
    for (std::uint32_t i = 0U; i < count; ++i) {
        sum += taps[i];
    }
    return sum;
}

// Output channels [0, channels) of one batch; filter, parameters and output point to the first of them.
void compute_block(const Arguments& arguments, const Operands& operands, std::uint32_t channels) noexcept {
    Accumulators sums{};
    TapBuffer taps;
    std::int32_t tap_sum = 0;
    std::uint32_t done = 0U;
    while (done < arguments.input_depth) {
        const std::uint32_t count = smaller_count(kTapBlock, arguments.input_depth - done);
        widen(operands.input + done, count, arguments.input_offset, taps.data());
        if (arguments.filter_offset != 0) {
            tap_sum += sum_of(taps, count);
        }
        accumulate_channels(taps, count, operands.filter + done, arguments.input_depth, channels, sums);
        done += count;
    }
    for (std::uint32_t channel = 0U; channel < channels; ++channel) {
        sums[channel] += arguments.filter_offset * tap_sum;
    }
    const OutputRange range{arguments.output_offset, arguments.activation_min, arguments.activation_max};
    store_channels(sums, operands.parameters, channels, range, operands.output);
}

}  // namespace

Status describe_fully_connected(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint64_t output_bytes = bounded_product(a.batches, a.output_depth);
    const bool accepted =
        check.require((a.filter_offset == 0) || (a.input_depth <= kMaxDepthWithFilterOffset),
                      word_of(offsetof(Arguments, input_depth))) &&
        check.require(a.activation_min <= a.activation_max, word_of(offsetof(Arguments, activation_min))) &&
        check.require((a.channel_parameters % alignof(ChannelParameters)) == 0U,
                      word_of(offsetof(Arguments, channel_parameters))) &&
        check.operand(word_of(offsetof(Arguments, input)), bounded_product(a.batches, a.input_depth), Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, filter)), bounded_product(a.output_depth, a.input_depth),
                      Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, channel_parameters)),
                      bounded_product(a.output_depth, kChannelParametersBytes), Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, output)), output_bytes, Access::kWrite) &&
        check.output_placed(word_of(offsetof(Arguments, output)), LaunchCheck::Placement::kApart);
    return check.finish(accepted, output_bytes * a.input_depth);
}

Status run_fully_connected(WordSpan arguments, const DeviceMemory& memory) noexcept {
    BoundOperands bound;
    const Status status = bind_operands(describe_fully_connected, arguments, memory, bound);
    if (!is_ok(status)) {
        return status;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const Operands operands{bound.inputs[0], bound.inputs[1], bound.inputs[2], bound.output};
    for (std::size_t batch = 0U; batch < a.batches; ++batch) {
        std::uint32_t channel = 0U;
        while (channel < a.output_depth) {
            const std::uint32_t channels = smaller_count(kChannelBlock, a.output_depth - channel);
            const std::size_t first = channel;
            const Operands block{operands.input + (batch * a.input_depth), operands.filter + (first * a.input_depth),
                                 operands.parameters + (first * kChannelParametersBytes),
                                 operands.output + (batch * a.output_depth) + first};
            compute_block(a, block, channels);
            channel += channels;
        }
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
