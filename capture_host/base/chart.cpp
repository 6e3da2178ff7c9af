#include "capture_host/base/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "capture_host/base/page.h"

namespace pianola::pages {
namespace {

// Widths of windows that are distinguished. Windows narrower than the first are taken for the first.
constexpr std::array<int, 9> kWindows{360, 480, 600, 720, 840, 960, 1080, 1200, 1400};
constexpr double kMargins = 52.0;      // of a page, and a scroll bar
constexpr double kInset = 5.0;         // between the edges of a box and its label
constexpr double kLetterHeight = 4.0;  // from the middle of a line of letters down to their baseline

// Begins the style class that shows a text from this window on, or before it.
constexpr const char* kFrom = "from";
constexpr const char* kBelow = "below";

// The first window that has so many pixels in a part of the width; kWindows.size() if none is wide enough.
std::size_t window_for(double pixels, double part) {
    const auto fits = [&](int window) { return ((window - kMargins) * part) >= pixels; };
    const auto found = std::find_if(kWindows.begin(), kWindows.end(), fits);
    return static_cast<std::size_t>(found - kWindows.begin());
}

// Style classes of elements that are shown from window `first` on, and before `end`.
std::string shown_in(std::size_t first, std::size_t end) {
    const std::string classes = (first == 0U) ? std::string{} : fmt::format(" {}{}", kFrom, kWindows.at(first));
    return classes + ((end < kWindows.size()) ? fmt::format(" {}{}", kBelow, kWindows.at(end)) : std::string{});
}

std::string shortened(const std::string& text, double pixels) {
    constexpr const char* kMore = "\xE2\x80\xA6";  // an ellipsis
    if (text_width(text) <= pixels) {
        return text;
    }
    std::string shorter = text;
    while (!shorter.empty() && ((text_width(shorter) + text_width("W")) > pixels)) {
        shorter.pop_back();
    }
    return shorter + kMore;
}

std::string percent(double part) {
    return fmt::format("{:.3f}%", part * kPercent);
}

}  // namespace

double text_width(const std::string& text) {
    // For a wide font at 12 pixels: no system's usual font is wider.
    constexpr double kWide = 11.9;
    constexpr double kCapital = 8.9;
    constexpr double kUsual = 7.7;
    constexpr double kNarrow = 5.2;
    double width = 0.0;
    for (const char each : text) {
        const std::string_view narrow = " .,:;'|!()[]/fijlrt-";
        if ((each == 'W') || (each == 'M') || (each == 'm') || (each == '@') || (each == '%') || (each == 'w')) {
            width += kWide;
        } else if (narrow.find(each) != std::string_view::npos) {
            width += kNarrow;
        } else {
            const bool is_capital = (each >= 'A') && (each <= 'Z');
            const bool is_operator = (each == '+') || (each == '=') || (each == '<') || (each == '>') || (each == '#');
            width += (is_capital || is_operator || (each == '&') || (each == '~')) ? (kCapital + 1.2) : kUsual;
        }
    }
    return width;
}

Chart::Chart(std::string id, std::string title, std::string description)
    : id_{std::move(id)}, title_{std::move(title)}, description_{std::move(description)} {}

void Chart::box(const Box& box, const std::string& style_class, const std::string& tooltip) {
    constexpr double kLeast = 1.5;  // pixels
    const std::string rect =
        fmt::format("<rect x=\"{}\" y=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\" style=\"width:max({:.1f}px,{})\"",
                    percent(box.left), box.top, box.height, style_class, kLeast, percent(box.right - box.left));
    body_ += tooltip.empty() ? (rect + "/>\n") : fmt::format("{}><title>{}</title></rect>\n", rect, escape(tooltip));
}

void Chart::add_text(double at, double shift, double baseline, const std::string& style_class,
                     const std::string& words) {
    body_ += fmt::format("<text x=\"{}\" dx=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", percent(at), shift,
                         baseline, style_class, escape(words));
}

void Chart::label(const Box& box, const std::vector<std::string>& texts, const std::string& style_class) {
    std::size_t end = kWindows.size();
    for (const std::string& each : texts) {
        const std::size_t first = window_for(text_width(each) + (2.0 * kInset), box.right - box.left);
        if ((first < end) && !each.empty()) {
            add_text(box.left, kInset, box.top + (box.height / 2.0) + kLetterHeight, style_class + shown_in(first, end),
                     each);
            end = first;
        }
    }
}

void Chart::fit_text(double at, double shift, double part, double baseline, const std::vector<std::string>& texts,
                     const std::string& style_class) {
    const auto fitting = [&](std::size_t window) {
        const double room = ((kWindows.at(window) - kMargins) * part) - (2.0 * shift);
        const auto whole = std::find_if(texts.begin(), texts.end(),
                                        [room](const std::string& each) { return text_width(each) <= room; });
        return (whole != texts.end()) ? *whole : shortened(texts.back(), room);
    };
    std::size_t first = 0U;
    while (first < kWindows.size()) {
        std::size_t end = first + 1U;
        while ((end < kWindows.size()) && (fitting(end) == fitting(first))) {
            end += 1U;
        }
        add_text(at, shift, baseline, style_class + shown_in(first, end), fitting(first));
        first = end;
    }
}

void Chart::fitted(const Box& box, const std::vector<std::string>& texts, const std::string& style_class) {
    fit_text(box.left, kInset, box.right - box.left, box.top + (box.height / 2.0) + kLetterHeight, texts, style_class);
}

void Chart::line_of_text(double baseline, const std::vector<std::string>& texts, const std::string& style_class) {
    fit_text(0.0, 0.0, 1.0, baseline, texts, style_class);
}

void Chart::line(double at, double top, double bottom, const std::string& style_class) {
    body_ += fmt::format("<line x1=\"{0}\" x2=\"{0}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" class=\"{3}\"/>\n", percent(at),
                         top, bottom, style_class);
}

void Chart::text_at_line(double at, double baseline, const std::string& text, const std::string& style_class) {
    const bool is_right = at < 0.5;
    body_ += fmt::format("<text x=\"{}\" dx=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\"{}>{}</text>\n", percent(at),
                         is_right ? kInset : -kInset, baseline, style_class, is_right ? "" : " text-anchor=\"end\"",
                         escape(text));
}

void Chart::axis(const std::vector<std::string>& texts, double baseline) {
    double widest = 0.0;
    for (const std::string& each : texts) {
        widest = std::max(widest, text_width(each));
    }
    const auto count = static_cast<double>(texts.size());
    // Every 1st, 2nd, 4th, ... is shown in windows that are wide enough for so many.
    std::size_t pitch = 1U;
    std::vector<std::size_t> first(texts.size(), kWindows.size());
    while (pitch < (2U * std::max<std::size_t>(texts.size(), 1U))) {
        const double part = std::min(1.0, static_cast<double>(pitch) / count);
        const std::size_t window = window_for(widest + (2.0 * kInset), part);
        for (std::size_t i = 0U; i < texts.size(); i += pitch) {
            first[i] = std::min(first[i], window);
        }
        pitch *= 2U;
    }
    for (std::size_t i = 0U; i < texts.size(); ++i) {
        if (first[i] < kWindows.size()) {
            // The last ones may reach beyond their column, but not beyond the chart.
            const bool fits = ((kWindows.at(first[i]) - kMargins) * ((count - static_cast<double>(i)) / count)) >=
                              (text_width(texts[i]) + kInset);
            if (fits) {
                add_text(static_cast<double>(i) / count, kInset, baseline,
                         "faint" + shown_in(first[i], kWindows.size()), texts[i]);
            }
        }
    }
}

std::string Chart::svg(double height) const {
    return fmt::format(
        "<svg class=\"chart\" role=\"img\" aria-labelledby=\"{0}-title {0}-desc\" height=\"{1:.0f}\">\n"
        "<title id=\"{0}-title\">{2}</title>\n<desc id=\"{0}-desc\">{3}</desc>\n{4}</svg>\n",
        escape(id_), height, escape(title_), escape(description_), body_);
}

std::string Chart::style_sheet() {
    std::string rules;
    for (const int window : kWindows) {
        rules += fmt::format(
            "@media (max-width: {0}.98px) {{ .{1}{2} {{ display: none; }} }}\n@media (min-width: {2}px) {{ "
            ".{3}{2} {{ display: none; }} }}\n",
            window - 1, kFrom, window, kBelow);
    }
    return rules;
}

}  // namespace pianola::pages
