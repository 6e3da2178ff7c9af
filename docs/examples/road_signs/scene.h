// Scene: one picture with one road sign in it, as a camera might see it.
//
// The data set (data_set.h) asks for pictures by number. Sign, place, size, rotation, slant, light, background,
// clutter, dirt and noise all come from one Prng, so a picture is a function of its seed, stream and index.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "docs/examples/road_signs/prng.h"
#include "docs/examples/road_signs/signs.h"

namespace pianola::sample {

inline constexpr std::size_t kImageSide = 32U;
inline constexpr std::size_t kImageChannels = 3U;
inline constexpr std::size_t kImageBytes = kImageSide * kImageSide * kImageChannels;

// Row by row, red green blue, 0 to 255.
using Image = std::array<std::uint8_t, kImageBytes>;

[[nodiscard]] Image draw_scene(SignClass kind, Prng prng);

}  // namespace pianola::sample
