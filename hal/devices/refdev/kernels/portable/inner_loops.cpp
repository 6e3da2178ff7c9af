// The inner loops for any core, in plain C++.
#include "hal/devices/refdev/kernels/inner_loops.h"

#include "hal/devices/refdev/kernels/scalar_loops.h"

namespace pianola::refdev {
const ShortForm kShortForm = scalar::kShortForm;

void start_sums(const FilterRows& filter, std::uint32_t /*taps*/, std::int32_t /*offset*/,
                const std::int8_t* parameters, ChannelSums& sums) noexcept {
    scalar::start_sums(filter, parameters, sums);
}

void accumulate(const TapRows& rows, const FilterRows& filter, BlockSums& sums) noexcept {
    scalar::accumulate(rows, filter, sums);
}

void sum_once(const TapRows& rows, const FilterRows& filter, const std::int8_t* parameters,
              ChannelSums& sums) noexcept {
    scalar::sum_once(rows, filter, parameters, sums);
}

std::int32_t sum_taps(const std::int8_t* taps, std::uint32_t count) noexcept {
    return scalar::sum_taps(taps, count);
}

void add_to_sums(ChannelSums& sums, std::uint32_t channels, std::int32_t value) noexcept {
    scalar::add_to_sums(sums, channels, value);
}

void store_sums(const BlockSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                const Requantisation& requantisation, const OutputRows& output) noexcept {
    scalar::store_sums(sums, parameters, channels, requantisation, output);
}

void depthwise_pixel(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                     const Requantisation& requantisation, std::int8_t* output) noexcept {
    scalar::depthwise_pixel(window, parameters, channels, requantisation, output);
}

void depthwise_shared(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                      const Requantisation& requantisation, std::int8_t* output) noexcept {
    scalar::depthwise_shared(window, parameters, channels, requantisation, output);
}

void copy_taps(const std::int8_t* from, std::uint32_t count, std::int8_t* to) noexcept {
    scalar::copy_taps(from, count, to);
}

void fill_taps(std::int8_t value, std::uint32_t count, std::int8_t* to) noexcept {
    scalar::fill_taps(value, count, to);
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
    scalar::add_elements(plan, input1, input2, output, count);
}

}  // namespace pianola::refdev
