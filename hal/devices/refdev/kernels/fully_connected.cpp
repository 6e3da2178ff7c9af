#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/inner_loops.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "hal/devices/refdev/kernels/layer_work.h"
#include "hal/devices/refdev/kernels/layers.h"
#include "hal/devices/refdev/kernels/packed_layer.h"
#include "hal/devices/refdev/kernels/turns.h"
#include "hal/devices/refdev/kernels/window.h"

namespace pianola::refdev {
namespace {

// With a filter offset, each product is at most 256 * 256 in magnitude.
constexpr std::uint32_t kMaxDepthWithFilterOffset = kMaxSpatial;

struct Operands {
    const std::int8_t* input;
    const std::int8_t* filter;
    const std::int8_t* parameters;
    std::int8_t* output;
};

// Several output channels of one or two batches. Filter, parameters and outputs point to the first of them.
struct Block {
    TapRows rows;
    FilterRows filter;
    const std::int8_t* parameters;
    std::int8_t* output;
};

void store_block(const FullyConnectedArguments& a, const Block& block, const Requantisation& requantisation,
                 BlockSums& sums) noexcept {
    if (a.filter_offset != 0) {
        for (std::uint32_t row = 0U; row < block.rows.rows; ++row) {
            const std::int8_t* const taps = (row == 0U) ? block.rows.first : block.rows.second;
            const std::int32_t of_offset = static_cast<std::int32_t>(a.input_depth) * a.input_offset;
            const std::int32_t by_offset = a.filter_offset * (sum_taps(taps, a.input_depth) + of_offset);
            add_to_sums(sums[row], block.filter.channels, by_offset);
        }
    }
    store_sums(sums, block.parameters, block.filter.channels, requantisation,
               OutputRows{block.output, a.output_depth, block.rows.rows});
}

// Computes these channels of every batch.
void compute_channels(const FullyConnectedArguments& a, const Operands& operands, const FilterRows& filter,
                      const Requantisation& requantisation) noexcept {
    const TapRows only{operands.input, operands.input, 1U, a.input_depth, a.input_offset};
    BlockSums sums;  // NOLINT(pianola-misra-11.6.1): DEV-039
    if (a.batches == 1U) {
        sum_once(only, filter, operands.parameters, sums[0U]);
        store_block(a, Block{only, filter, operands.parameters, operands.output}, requantisation, sums);
        return;
    }
    ChannelSums start{};
    start_sums(filter, a.input_depth, a.input_offset, operands.parameters, start);
    std::uint32_t batch = 0U;
    while (batch < a.batches) {
        const std::int8_t* const input = operands.input + (std::size_t{batch} * a.input_depth);
        const std::uint32_t rows = smaller_count(kRowBlock, a.batches - batch);
        const TapRows taps{input, (rows == kRowBlock) ? (input + a.input_depth) : input, rows, a.input_depth,
                           a.input_offset};
        sums = BlockSums{start, start};
        accumulate(taps, filter, sums);
        store_block(a,
                    Block{taps, filter, operands.parameters, operands.output + (std::size_t{batch} * a.output_depth)},
                    requantisation, sums);
        batch += rows;
    }
}

void compute_packed(const FullyConnectedArguments& a, const Operands& operands) noexcept {
    const PackedBlock layer{a.weights_layout, operands.filter, operands.parameters,
                            a.output_depth,   a.input_depth,   a.input_offset};
    const Requantisation requantisation{a.output_offset, a.activation_min, a.activation_max, true};
    run_packed_layer(
        layer, requantisation, a.batches, operands.output,
        [&a, &operands](const PackedBlock& block, std::uint32_t batch, std::uint32_t rows, PackedSums& sums) {
            PackedTaps taps{{}, rows, 0U, a.input_depth};
            for (std::uint32_t row = 0U; row < kPackedRows; ++row) {
                const std::size_t from = std::size_t{batch} + smaller_count(row, rows - 1U);
                taps.rows[row] = operands.input + (from * a.input_depth);
            }
            accumulate_packed(block, taps, sums);
        });
}

}  // namespace

std::uint64_t products_of(const FullyConnectedArguments& a) noexcept {
    return bounded_product(a.batches, a.output_depth) * a.input_depth;
}

Status check_layer(const FullyConnectedArguments& a, const LayerElements& elements, LaunchCheck& check) noexcept {
    const std::uint64_t outputs = bounded_product(a.batches, a.output_depth);
    const bool is_plain = a.weights_layout == WeightsLayout::kPlain;
    const std::uint64_t stored_channels = is_plain ? a.output_depth : packed_channels(a.weights_layout, a.output_depth);
    const std::uint64_t row_bytes = is_plain ? a.input_depth : packed_row_bytes(a.weights_layout, a.input_depth);
    const bool accepted =
        ((a.filter_offset == 0) || check.require(a.input_depth <= kMaxDepthWithFilterOffset,
                                                 word_of(offsetof(FullyConnectedArguments, input_depth)))) &&
        check.require(a.activation_min <= a.activation_max,
                      word_of(offsetof(FullyConnectedArguments, activation_min))) &&
        (is_plain ||
         (check.require(reads_layout(a.weights_layout), word_of(offsetof(FullyConnectedArguments, weights_layout))) &&
          check.require(a.filter_offset == 0, word_of(offsetof(FullyConnectedArguments, filter_offset))) &&
          check.require((a.filter % filter_alignment(a.weights_layout)) == 0U,
                        word_of(offsetof(FullyConnectedArguments, filter))))) &&
        check.require((a.channel_parameters % alignof(ChannelParameters)) == 0U,
                      word_of(offsetof(FullyConnectedArguments, channel_parameters))) &&
        (elements.are_bytes() ||
         (check.require(elements.are_aligned(a.input), word_of(offsetof(FullyConnectedArguments, input))) &&
          check.require(elements.are_aligned(a.output), word_of(offsetof(FullyConnectedArguments, output))))) &&
        check.operand(word_of(offsetof(FullyConnectedArguments, input)),
                      bounded_product(a.batches, a.input_depth, elements.activation_bytes), Access::kRead) &&
        check.operand(word_of(offsetof(FullyConnectedArguments, filter)), bounded_product(stored_channels, row_bytes),
                      Access::kRead) &&
        check.operand(word_of(offsetof(FullyConnectedArguments, channel_parameters)),
                      bounded_product(stored_channels, elements.parameters_bytes), Access::kRead) &&
        check.operand(word_of(offsetof(FullyConnectedArguments, output)),
                      bounded_product(outputs, elements.activation_bytes), Access::kWrite) &&
        check.output_placed(word_of(offsetof(FullyConnectedArguments, output)), LaunchCheck::Placement::kApart);
    return check.finish(accepted);
}

Status describe_fully_connected(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<FullyConnectedArguments>, extents, error};
    return check.words_accepted()
               ? check_layer(arguments_from_words<FullyConnectedArguments>(arguments), kInt8Elements, check)
               : Status::kRefused;
}

// Turns beside those of layer_work.h: sums of taps by which a filter's offset is multiplied, their taps.
void work_fully_connected(WordSpan arguments, Loops loops, Work& work) noexcept {
    const FullyConnectedArguments a = arguments_from_words<FullyConnectedArguments>(arguments);
    const LayerLoops layer{1U,
                           a.output_depth,
                           a.batches,
                           a.input_depth,
                           a.input_depth,
                           a.batches == 1U,
                           is_int8_range(a.activation_min, a.activation_max)};
    work.operations = products_of(a);
    work.turns[kLaunchTerm] = 1U;
    if (a.weights_layout == WeightsLayout::kPlain) {
        count_plain_layers(layer, loops, work);
        const std::uint64_t sums = plain_blocks(a.output_depth) * a.batches;
        const std::uint64_t once = (loops == Loops::kMve) ? blocks_of(a.input_depth, kMveLanes) : a.input_depth;
        work.turns[kOwnTerm] = turns_if(a.filter_offset != 0, sums);
        work.turns[kOwnTerm + 1U] = turns_if(a.filter_offset != 0, sums * once);
    } else {
        count_packed_layers(layer, a.weights_layout, loops, work);
    }
}

Status compute_fully_connected(WordSpan arguments, const BoundOperands& bound) noexcept {
    const FullyConnectedArguments a = arguments_from_words<FullyConnectedArguments>(arguments);
    Operands operands{bound.inputs[0], bound.inputs[1], bound.inputs[2], bound.output};
    if (a.weights_layout != WeightsLayout::kPlain) {
        compute_packed(a, operands);
        return Status::kOk;
    }
    const std::uint64_t largest_product = (a.filter_offset == 0) ? kLargestProduct : kLargestOffsetProduct;
    Requantisation requantisation{a.output_offset, a.activation_min, a.activation_max, false};
    std::uint32_t channel = 0U;
    while (channel < a.output_depth) {
        const std::uint32_t channels = smaller_count(kChannelBlock, a.output_depth - channel);
        requantisation.is_short = is_short_form_exact(operands.parameters, channels, a.input_depth * largest_product);
        compute_channels(a, operands, FilterRows{operands.filter, a.input_depth, channels}, requantisation);
        operands.filter += std::size_t{channels} * a.input_depth;
        operands.parameters += std::size_t{channels} * kChannelParametersBytes;
        operands.output += channels;
        channel += channels;
    }
    return Status::kOk;
}

void work_fully_connected_int16(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const auto [a, sum_bytes] = arguments_from_words<FullyConnectedInt16Arguments>(arguments);
    const std::uint64_t outputs = bounded_product(a.batches, a.output_depth);
    work.operations = outputs * a.input_depth;
    work.turns = {1U,
                  a.batches,
                  a.batches * blocks_of(a.output_depth, kChannelBlock),
                  turns_if(sum_bytes == kNarrowSumBytes, outputs),
                  turns_if(sum_bytes == kWideSumBytes, outputs),
                  outputs * blocks_of(a.input_depth, kNarrowTaps),
                  outputs * a.input_depth};
}

Status compute_fully_connected_int16(WordSpan arguments, const BoundOperands& bound) noexcept {
    const auto [a, sum_bytes] = arguments_from_words<FullyConnectedInt16Arguments>(arguments);
    const Int16Output result{a.activation_min, a.activation_max, sum_bytes};
    const std::size_t row_bytes = std::size_t{a.input_depth} * sizeof(std::int16_t);
    const std::int8_t* input = bound.inputs[0];
    std::int8_t* output = bound.output;
    for (std::uint32_t batch = 0U; batch < a.batches; ++batch) {
        std::uint32_t channel = 0U;
        while (channel < a.output_depth) {
            const FilterRows filter{bound.inputs[1] + (std::size_t{channel} * a.input_depth), a.input_depth,
                                    smaller_count(kChannelBlock, a.output_depth - channel)};
            WideSums sums{};
            add_products(input, a.input_depth, filter, sums);
            result.store(sums, bound.inputs[2] + (std::size_t{channel} * result.parameters_bytes()), filter.channels,
                         output);
            output += std::size_t{filter.channels} * sizeof(std::int16_t);
            channel += filter.channels;
        }
        input += row_bytes;
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
