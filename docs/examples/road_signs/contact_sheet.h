// Contact sheet: many small pictures on one page, each with a label.
//
// For people, who should see what the numbers are about.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "docs/examples/road_signs/data_set.h"

namespace pianola::sample {

// One picture as a binary PPM file (Netpbm P6), every pixel a square of `zoom` dots.
[[nodiscard]] std::string image_to_ppm(const Image& image, std::size_t zoom);

// The first 64 pictures in rows of 8, three times enlarged, with their true classes below, as a PPM file.
[[nodiscard]] std::string make_sheet(const std::vector<Example>& examples);

}  // namespace pianola::sample
