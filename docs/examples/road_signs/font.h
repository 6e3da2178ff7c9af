// A font of 3 x 5 dots: capitals, digits and a little more.
//
// Used on the signs themselves (STOP, speeds) and for the labels of the contact sheet. Drawn for this project.
#pragma once

#include <cstddef>
#include <string_view>

namespace pianola::sample {

inline constexpr std::size_t kGlyphWidth = 3U;
inline constexpr std::size_t kGlyphHeight = 5U;
inline constexpr std::size_t kGlyphAdvance = kGlyphWidth + 1U;

// Width in dots of a line of text, without the gap after the last glyph.
[[nodiscard]] constexpr std::size_t text_width(std::string_view text) noexcept {
    return text.empty() ? 0U : (text.size() * kGlyphAdvance) - 1U;
}

// Whether the dot at (column, row) of the line is set. Small letters are shown as capitals; what the font lacks, and
// what lies outside the line, is blank.
[[nodiscard]] bool text_dot(std::string_view text, std::size_t column, std::size_t row) noexcept;

}  // namespace pianola::sample
