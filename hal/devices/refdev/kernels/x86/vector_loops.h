// The parts of the inner loops for two instruction sets: AVX2 if the processor has it, else SSE2, which every x86-64
// processor has. The files of this folder whose names begin with a set's name define them;
// the others choose.
#pragma once

#include "hal/devices/refdev/kernels/inner_loops.h"

namespace pianola::refdev {

inline constexpr std::uint32_t kEight = 8U;  // elements, or channels, that are processed together

using EightSums = std::array<std::int32_t, kEight>;

[[nodiscard]] bool has_avx2() noexcept;

// The long form of eight sums.
inline void store_long(const EightSums& sums, const std::int8_t* parameters, const Requantisation& r,
                       std::int8_t* output) noexcept {
    for (std::size_t i = 0U; i < kEight; ++i) {
        output[i] = requantise_long(sums[i], parameters, i, r);
    }
}

// For each set, in the order of the declarations:
// - accumulate() of inner_loops.h, and sum_once() if the set has a faster one than accumulate().
// - depthwise_pixel() and store_sums() of a multiple of eight channels, the latter in the short form only.
// - is_short_form_exact() of a multiple of eight channels; a bias may be `largest_bias` in magnitude.
// - add_elements() of whole vectors; returns their number.
namespace avx2 {

void accumulate(const TapRows& rows, const FilterRows& filter, BlockSums& sums) noexcept;
void sum_once(const TapRows& rows, const FilterRows& filter, const std::int8_t* parameters, ChannelSums& sums) noexcept;
void depthwise_eights(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                      const Requantisation& requantisation, std::int8_t* output) noexcept;
void store_eights(const BlockSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                  const Requantisation& requantisation, const OutputRows& output) noexcept;
[[nodiscard]] bool are_eights_exact(const std::int8_t* parameters, std::uint32_t channels,
                                    std::uint32_t largest_bias) noexcept;
[[nodiscard]] std::uint32_t add_vectors(const AddPlan& plan, const std::int8_t* input1, const std::int8_t* input2,
                                        std::int8_t* output, std::uint32_t count) noexcept;

}  // namespace avx2

namespace sse2 {

void accumulate(const TapRows& rows, const FilterRows& filter, BlockSums& sums) noexcept;
void depthwise_eights(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                      const Requantisation& requantisation, std::int8_t* output) noexcept;
void store_eights(const BlockSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                  const Requantisation& requantisation, const OutputRows& output) noexcept;
[[nodiscard]] bool are_eights_exact(const std::int8_t* parameters, std::uint32_t channels,
                                    std::uint32_t largest_bias) noexcept;
[[nodiscard]] std::uint32_t add_vectors(const AddPlan& plan, const std::int8_t* input1, const std::int8_t* input2,
                                        std::int8_t* output, std::uint32_t count) noexcept;

}  // namespace sse2

}  // namespace pianola::refdev
