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

void store_sums(const BlockSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                const Requantisation& requantisation, const OutputRows& output) noexcept {
    scalar::store_sums(sums, parameters, channels, requantisation, output);
}

void depthwise_pixel(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                     const Requantisation& requantisation, std::int8_t* output) noexcept {
    scalar::depthwise_pixel(window, parameters, channels, requantisation, output);
}

void copy_taps(const std::int8_t* from, std::uint32_t count, std::int8_t* to) noexcept {
    scalar::copy_taps(from, count, to);
}

void fill_taps(std::int8_t value, std::uint32_t count, std::int8_t* to) noexcept {
    scalar::fill_taps(value, count, to);
}

}  // namespace pianola::refdev
