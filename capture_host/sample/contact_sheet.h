// Contact sheet: many small pictures on one page, each with a label.
//
// Place in the whole: capture_host/sample; for people, who should see what the numbers are about. Host only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "capture_host/sample/data_set.h"

namespace pianola::sample {

// One picture as a binary PPM file (Netpbm P6), every pixel a square of `zoom` dots.
[[nodiscard]] std::string image_to_ppm(const Image& image, std::size_t zoom);

// Pictures in rows of `columns`, three times enlarged, labels below. labels has as many elements as examples.
[[nodiscard]] std::string contact_sheet_to_ppm(const std::vector<Example>& examples,
                                               const std::vector<std::string_view>& labels, std::size_t columns);

}  // namespace pianola::sample
