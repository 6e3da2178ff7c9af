// Page: one self-contained HTML file, for desks and phones, in light and dark.
//
// Shared by the pages of `timeline` and `inspect`: the frame with its style sheet, tables, and the colours of
// operators. A page is a function of its arguments: no clock, path or script from elsewhere. Names come from untrusted
// files: all text goes through escape().
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pianola::pages {

// For XML and HTML, as text or in a quoted attribute.
[[nodiscard]] std::string escape(const std::string& text);
// "1,234,567"
[[nodiscard]] std::string grouped(std::uint64_t number);
// "0x80000000"
[[nodiscard]] std::string address_text(std::uint64_t address);
// "12.3 %" of a whole; "0.0 %" if the whole is 0.
[[nodiscard]] std::string share_text(std::uint64_t part, std::uint64_t whole);
// A part of a whole, from 0 to 1, and the factor that makes it percent.
[[nodiscard]] double fraction(std::uint64_t part, std::uint64_t whole);
inline constexpr double kPercent = 100.0;

// A table that can be scrolled sideways if the window is narrower.
class Table {
  public:
    enum class Align : std::uint8_t { kText, kNumber, kName };  // names may be long: they wrap anywhere
    using Columns = std::vector<std::pair<std::string, Align>>;

    Table(std::string caption, Columns columns) : caption_{std::move(caption)}, columns_{std::move(columns)} {}
    // A cell for each column: markup, with all text escaped.
    void add(const std::vector<std::string>& cells, bool is_total = false);
    [[nodiscard]] bool is_empty() const noexcept { return rows_.empty(); }
    [[nodiscard]] std::string html() const;

  private:
    std::string caption_;
    Columns columns_;
    std::string rows_;
};

// "name: value" lines; values are markup.
[[nodiscard]] std::string facts(const std::vector<std::pair<std::string, std::string>>& lines);

// Colours that tell kinds of operators apart, in light and dark. There are kHues of them; kinds beyond share the last.
struct Hue {
    const char* light{""};  // letters on it are white
    const char* dark{""};   // letters on it are nearly black
};
inline constexpr std::size_t kHues = 11U;
[[nodiscard]] const Hue& hue(std::size_t kind);
// Its class in style sheets: "k0"
[[nodiscard]] std::string hue_class(std::size_t kind);
// A small square in that colour, before text; and in that of any class.
[[nodiscard]] std::string swatch(const std::string& style_class);

// The whole page. `body` and `style` are markup; so is `script`, which may be empty.
[[nodiscard]] std::string document(const std::string& title, const std::string& body, const std::string& style = {},
                                   const std::string& script = {});

}  // namespace pianola::pages
