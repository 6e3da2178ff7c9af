// Chart: a picture as wide as its page, with letters of constant size.
//
// Pages draw it without a script. Across, places are parts of the width, from 0 to 1; down, they are pixels. A label is
// shown in windows in which it fits: style rules choose, so that nothing is ever cut off. A chart has a title and a
// description for readers who cannot see it; a table shows the same data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pianola::pages {

// The most pixels that a text in a chart takes.
[[nodiscard]] double text_width(const std::string& text);

class Chart {
  public:
    // `id` is unique in its page.
    Chart(std::string id, std::string title, std::string description);

    struct Box {
        double left{0.0};  // parts of the width
        double right{0.0};
        double top{0.0};  // pixels
        double height{0.0};
    };
    // A rectangle that is visible however narrow it is; an empty tooltip is left out.
    void box(const Box& box, const std::string& style_class, const std::string& tooltip = {});
    // In the box, at its left: the longest of the texts that fits, if any does. The last may be empty.
    void label(const Box& box, const std::vector<std::string>& texts, const std::string& style_class = "on");
    // In the box, at its left: the first of the texts that fits; in windows that are too narrow, the last, shortened.
    void fitted(const Box& box, const std::vector<std::string>& texts, const std::string& style_class = "");
    // The same across the whole picture, without a box.
    void line_of_text(double baseline, const std::vector<std::string>& texts, const std::string& style_class = "");
    void line(double at, double top, double bottom, const std::string& style_class = "");
    // A text beside a line: on the side where there is more room.
    void text_at_line(double at, double baseline, const std::string& text, const std::string& style_class = "");
    // Texts of equal places from left to right, such as numbers of columns; as many as fit are shown.
    void axis(const std::vector<std::string>& texts, double baseline);

    [[nodiscard]] std::string svg(double height) const;
    // The style rules of labels; once in each page.
    [[nodiscard]] static std::string style_sheet();

  private:
    void fit_text(double at, double shift, double part, double baseline, const std::vector<std::string>& texts,
                  const std::string& style_class);
    void add_text(double at, double shift, double baseline, const std::string& style_class, const std::string& words);

    std::string id_;
    std::string title_;
    std::string description_;
    std::string body_;
};

}  // namespace pianola::pages
