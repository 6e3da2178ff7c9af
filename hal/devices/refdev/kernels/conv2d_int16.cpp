#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/layers.h"
#include "hal/devices/refdev/kernels/patch.h"
#include "hal/devices/refdev/kernels/turns.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kElementBytes = sizeof(std::int16_t);
constexpr std::uint32_t kPatchTaps = kTapBlock / kElementBytes;  // that are copied at once

// Patches are copied as bytes: an image whose elements are twice as long has twice the channels. The operand's size is
// below 2^31 bytes, so that these fit.
[[nodiscard]] Conv2dArguments in_bytes(const Conv2dArguments& a) noexcept {
    Conv2dArguments bytes = a;
    bytes.input_channels *= kElementBytes;
    bytes.filter_channels *= kElementBytes;
    return bytes;
}

// Parameters shared by all output pixels of a launch.
struct Plan {
    PatchGeometry geometry;
    Int16Output result;
    std::uint32_t taps;            // of one output channel
    std::uint32_t group_channels;  // output channels of one group

    Plan(const Conv2dArguments& a, std::uint32_t sum_bytes) noexcept
        : geometry{in_bytes(a)},
          result{a.activation_min, a.activation_max, sum_bytes},
          taps{a.filter_height * a.filter_width * a.filter_channels},
          group_channels{a.output_channels / (a.input_channels / a.filter_channels)} {}
};

struct Pixel {
    std::uint32_t row;
    std::uint32_t column;
};

// Some of the output channels of one group, for one output pixel. `input` begins at the group's first channel.
[[nodiscard]] WideSums sums_of(const Plan& plan, const std::int8_t* input, const Pixel& pixel,
                               const FilterRows& channels) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init, pianola-misra-11.6.1): DEV-039
    std::array<std::int8_t, std::size_t{kPatchTaps} * kElementBytes> taps;
    WideSums sums{};
    FilterRows filter = channels;
    std::uint32_t done = 0U;
    while (done < plan.taps) {
        const std::uint32_t count = smaller_count(kPatchTaps, plan.taps - done);
        copy_patch(plan.geometry, input, pixel.row, pixel.column, done * kElementBytes, count * kElementBytes,
                   taps.data());
        add_products(taps.data(), count, filter, sums);
        filter.weights += count;
        done += count;
    }
    return sums;
}

// All channels of one output pixel. Input and output are of the batch and of the pixel.
void compute_pixel(const Plan& plan, const Conv2dArguments& a, const BoundOperands& bound,
                   const Pixel& pixel) noexcept {
    std::int8_t* output = bound.output;
    std::uint32_t channel = 0U;
    while (channel < a.output_channels) {
        const std::uint32_t group = channel / plan.group_channels;
        const std::uint32_t of_group = ((group + 1U) * plan.group_channels) - channel;
        const FilterRows filter{bound.inputs[1] + (std::size_t{channel} * plan.taps), plan.taps,
                                smaller_count(of_group, kChannelBlock)};
        const WideSums sums =
            sums_of(plan, bound.inputs[0] + (std::size_t{group} * plan.geometry.filter_channels), pixel, filter);
        plan.result.store(sums, bound.inputs[2] + (std::size_t{channel} * plan.result.parameters_bytes()),
                          filter.channels, output);
        output += std::size_t{filter.channels} * kElementBytes;
        channel += filter.channels;
    }
}

}  // namespace

void work_conv2d_int16(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const auto [a, sum_bytes] = arguments_from_words<Conv2dInt16Arguments>(arguments);
    const Plan plan{a, sum_bytes};
    const std::uint64_t pixels = std::uint64_t{a.batches} * a.output_height * a.output_width;
    const std::uint64_t outputs = pixels * a.output_channels;
    const std::uint64_t blocks =
        (a.input_channels / a.filter_channels) * blocks_of(plan.group_channels, kChannelBlock);  // of a pixel
    const std::uint64_t patches = blocks_of(plan.taps, kPatchTaps);                              // of a block
    const PieceTurns turns = piece_turns(plan.geometry, a.output_height, a.output_width, kPatchTaps * kElementBytes);
    work.operations = products_of(a);
    work.turns = {1U,
                  pixels,
                  pixels * blocks,
                  turns_if(sum_bytes == kNarrowSumBytes, outputs),
                  turns_if(sum_bytes == kWideSumBytes, outputs),
                  pixels * blocks * patches,
                  a.batches * blocks * turns.inner_pieces,
                  a.batches * blocks * turns.whole_pieces,
                  a.batches * blocks * turns.partial_pieces,
                  a.batches * blocks * turns.padding_pieces,
                  a.batches * blocks * turns.copied,
                  a.batches * blocks * turns.filled,
                  outputs * patches,
                  outputs * plan.taps};
}

Status compute_conv2d_int16(WordSpan arguments, const BoundOperands& bound) noexcept {
    const auto [a, sum_bytes] = arguments_from_words<Conv2dInt16Arguments>(arguments);
    const Plan plan{a, sum_bytes};
    const std::size_t batch_bytes =
        static_cast<std::size_t>(a.input_height) * a.input_width * a.input_channels * kElementBytes;
    BoundOperands pixel = bound;
    for (std::uint32_t batch = 0U; batch < a.batches; ++batch) {
        for (std::uint32_t row = 0U; row < a.output_height; ++row) {
            for (std::uint32_t column = 0U; column < a.output_width; ++column) {
                compute_pixel(plan, a, pixel, Pixel{row, column});
                pixel.output += std::size_t{a.output_channels} * kElementBytes;
            }
        }
        pixel.inputs[0] += batch_bytes;
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
