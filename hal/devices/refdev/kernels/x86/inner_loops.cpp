// The inner loops for hosts: with the processor's vectors (vector_loops.h), and plain C++ for the remaining channels.
#include "hal/devices/refdev/kernels/inner_loops.h"

#include "hal/devices/refdev/kernels/scalar_loops.h"
#include "hal/devices/refdev/kernels/x86/vector_loops.h"

namespace pianola::refdev {

// Both sets keep sums whole, and add the output's zero point after the last division, which rounds nothing for a shift
// of 0. Plain C++ takes the long form for the channels that they leave.
const ShortForm kShortForm{kMinShift, 0, UINT64_MAX};

void start_sums(const FilterRows& filter, std::uint32_t /*taps*/, std::int32_t /*offset*/,
                const std::int8_t* parameters, ChannelSums& sums) noexcept {
    scalar::start_sums(filter, parameters, sums);
}

void accumulate(const TapRows& rows, const FilterRows& filter, BlockSums& sums) noexcept {
    if (has_avx2()) {
        avx2::accumulate(rows, filter, sums);
    } else {
        sse2::accumulate(rows, filter, sums);
    }
}

void sum_once(const TapRows& rows, const FilterRows& filter, const std::int8_t* parameters,
              ChannelSums& sums) noexcept {
    if (has_avx2()) {
        avx2::sum_once(rows, filter, parameters, sums);
        return;
    }
    BlockSums block{};
    scalar::start_sums(filter, parameters, block[0U]);
    sse2::accumulate(rows, filter, block);
    sums = block[0U];
}

std::int32_t sum_taps(const std::int8_t* taps, std::uint32_t count) noexcept {
    return scalar::sum_taps(taps, count);
}

void add_to_sums(ChannelSums& sums, std::uint32_t channels, std::int32_t value) noexcept {
    scalar::add_to_sums(sums, channels, value);
}

void store_sums(const BlockSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                const Requantisation& requantisation, const OutputRows& output) noexcept {
    if (!requantisation.is_short) {
        scalar::store_sums(sums, parameters, channels, requantisation, output);
        return;
    }
    const std::uint32_t whole = channels - (channels % kEight);
    if (has_avx2()) {
        avx2::store_eights(sums, parameters, whole, requantisation, output);
    } else {
        sse2::store_eights(sums, parameters, whole, requantisation, output);
    }
    for (std::uint32_t row = 0U; row < output.rows; ++row) {
        for (std::size_t channel = whole; channel < channels; ++channel) {
            output.first[(row * output.stride) + channel] =
                requantise_long(sums[row][channel], parameters, channel, requantisation);
        }
    }
}

void depthwise_pixel(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                     const Requantisation& requantisation, std::int8_t* output) noexcept {
    const std::uint32_t whole = channels - (channels % kEight);
    if (has_avx2()) {
        avx2::depthwise_eights(window, parameters, whole, requantisation, output);
    } else {
        sse2::depthwise_eights(window, parameters, whole, requantisation, output);
    }
    const Requantisation of_rest{requantisation.offset, requantisation.lowest, requantisation.highest, false};
    for (std::size_t channel = whole; channel < channels; ++channel) {
        output[channel] = scalar::depthwise_channel(window, channel, parameters, of_rest);
    }
}

void depthwise_shared(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                      const Requantisation& requantisation, std::int8_t* output) noexcept {
    scalar::depthwise_shared(window, parameters, channels, requantisation, output);
}

void copy_taps(const std::int8_t* from, std::uint32_t count, std::int8_t* to) noexcept {
    std::memcpy(to, from, count);
}

void fill_taps(std::int8_t value, std::uint32_t count, std::int8_t* to) noexcept {
    std::memset(to, value, count);
}

const DepthwiseTiles kDepthwiseTiles{0U, 0U};

void prepare_depthwise(const std::int8_t* /*weights*/, std::size_t /*stride*/, const std::int8_t* /*parameters*/,
                       const Requantisation& /*requantisation*/, const DepthwiseTile& /*tile*/,
                       DepthwiseGroup& /*group*/) noexcept {}

void depthwise_tile(const DepthwiseTile& /*tile*/, const DepthwiseGroup& /*group*/,
                    const Requantisation& /*requantisation*/) noexcept {}

const PackedLoops kPackedLoops = scalar::kPackedLoops;

void accumulate_packed(const PackedBlock& block, const PackedTaps& taps, PackedSums& sums) noexcept {
    scalar::accumulate_packed(block, taps, sums);
}

void store_packed(const PackedBlock& block, const PackedSums& sums, const Requantisation& requantisation,
                  const OutputRows& output) noexcept {
    scalar::store_packed(block, sums, requantisation, output);
}

void add_elements(const AddPlan& plan, const std::int8_t* input1, const std::int8_t* input2, std::int8_t* output,
                  std::uint32_t count) noexcept {
    const std::uint32_t done = has_avx2() ? avx2::add_vectors(plan, input1, input2, output, count)
                                          : sse2::add_vectors(plan, input1, input2, output, count);
    scalar::add_elements(plan, input1 + done, input2 + done, output + done, count - done);
}

}  // namespace pianola::refdev
