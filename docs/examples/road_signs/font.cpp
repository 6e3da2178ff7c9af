#include "docs/examples/road_signs/font.h"

#include <array>
#include <cstdint>

namespace pianola::sample {

namespace {

// One octal digit per row, top row first; in each, the left dot is the 4. Order: A to Z, 0 to 9.
constexpr std::array<std::uint16_t, 36> kGlyphs{
    025755U, 065656U, 034443U, 065556U, 074647U, 074644U, 034553U, 055755U, 072227U, 011152U, 055655U, 044447U,
    057755U, 057775U, 025552U, 065644U, 025563U, 065655U, 034216U, 072222U, 055557U, 055552U, 055775U, 055255U,
    055222U, 071247U, 075557U, 026227U, 071747U, 071717U, 055711U, 074717U, 074757U, 071122U, 075757U, 075717U};
constexpr std::size_t kFirstDigit = 26U;

std::uint16_t glyph_of(char character) noexcept {
    if ((character >= 'A') && (character <= 'Z')) {
        return kGlyphs[static_cast<std::size_t>(character - 'A')];
    }
    if ((character >= 'a') && (character <= 'z')) {
        return kGlyphs[static_cast<std::size_t>(character - 'a')];
    }
    if ((character >= '0') && (character <= '9')) {
        return kGlyphs[kFirstDigit + static_cast<std::size_t>(character - '0')];
    }
    return 0U;
}

}  // namespace

bool text_dot(std::string_view text, std::size_t column, std::size_t row) noexcept {
    const std::size_t place = column / kGlyphAdvance;
    const std::size_t within = column % kGlyphAdvance;
    if ((place >= text.size()) || (within >= kGlyphWidth) || (row >= kGlyphHeight)) {
        return false;
    }
    const std::size_t bit = ((kGlyphHeight - 1U - row) * kGlyphWidth) + (kGlyphWidth - 1U - within);
    return ((static_cast<unsigned>(glyph_of(text[place])) >> bit) & 1U) != 0U;
}

}  // namespace pianola::sample
