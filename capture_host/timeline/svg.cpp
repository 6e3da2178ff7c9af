// A still picture: all panels on one scale of time, a legend, and the table of gaps.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "capture_host/timeline/picture.h"

namespace pianola::timeline {
namespace {

constexpr double kLeft = 96.0;  // of the plot; names of lanes lie left of it
constexpr double kPlot = 1280.0;
constexpr double kRight = 24.0;
constexpr double kLaneHeight = 26.0;
constexpr double kLanePitch = 32.0;
constexpr double kLine = 20.0;
constexpr double kPanelGap = 34.0;
constexpr double kCharacter = 6.2;   // width of a letter in a slice, about
constexpr double kLeastWidth = 0.4;  // so that a short command can still be seen
constexpr double kSeam = 0.6;        // between neighbours
constexpr int kTicks = 8;

std::string style_sheet() {
    std::string css =
        "text{font:12px system-ui,sans-serif;fill:#1f2328}.ground{fill:#ffffff}.faint{fill:#57606a}"
        ".lane{fill:#f6f8fa}.tick{stroke:#d0d7de;stroke-width:1}.name{font-size:11px;fill:#ffffff;pointer-events:none}."
        "pale{fill:#57606a}"
        ".title{font-size:16px;font-weight:600}.mode{font-weight:600}.head{font-weight:600}"
        ".number{text-anchor:end}";
    std::string dark =
        "text{fill:#e6edf3}.ground{fill:#0d1117}.faint{fill:#9198a1}.lane{fill:#161b22}.tick{stroke:#30363d}"
        ".name{fill:#0d1117}.pale{fill:#9198a1}";
    for (const Style& style : looks()) {
        css += fmt::format(".{}{{fill:{}}}", style.key, style.light);
        dark += fmt::format(".{}{{fill:{}}}", style.key, style.dark);
    }
    return css + "@media(prefers-color-scheme:dark){" + dark + "}";
}

class Drawing {
  public:
    explicit Drawing(const Picture& picture) : picture_{picture} {
        for (const Panel& panel : picture.panels) {
            end_ = std::max(end_, panel.end());
        }
    }

    std::string draw() {
        y_ = kLine;
        text(kLeft, "title", picture_.title);
        y_ += kLine;
        text(kLeft, "faint",
             fmt::format("virtual time at {} kHz; the host takes {} ns per operation, {} ns per queue command",
                         picture_.clock_khz, picture_.dispatch_ns, picture_.replay_ns));
        y_ += kLine;
        draw_legend();
        y_ += kLine / 2.0;
        for (const Panel& panel : picture_.panels) {
            for (const LaneGroup& group : panel.groups()) {
                draw_lanes(panel, group);
            }
        }
        y_ += kLine;
        draw_table();
        for (const std::string& note : picture_.notes) {
            y_ += kLine;
            text(kLeft, "faint", note);
        }
        const double width = kLeft + kPlot + kRight;
        const double height = y_ + kLine;
        return fmt::format(
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
                   "{0:.0f} "
                   "{1:.0f}\">\n<title>{2}</title>\n<style>{3}</style>\n"
                   "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n",
                   width, height, escape_markup(picture_.title), style_sheet()) +
               body_ + "</svg>\n";
    }

  private:
    [[nodiscard]] double x_of(Cycles cycles) const {
        return kLeft + ((end_ == 0U) ? 0.0 : (static_cast<double>(cycles) * kPlot / static_cast<double>(end_)));
    }

    void text(double x, const char* style, const std::string& words) {
        body_ +=
            fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y_, style, escape_markup(words));
    }

    void draw_legend() {
        constexpr double kSwatch = 12.0;
        constexpr double kGap = 26.0;
        constexpr double kLetter = 7.0;
        double x = kLeft;
        for (const Style& style : looks()) {
            const std::string name = style.legend;
            body_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.0f}\" height=\"{:.0f}\" class=\"{}\"/>\n",
                                 x, y_ - (kSwatch - 2.0), kSwatch, kSwatch, style.key);
            text(x + kSwatch + 5.0, "faint", name);
            x += kSwatch + kGap + (static_cast<double>(name.size()) * kLetter);
        }
    }

    void draw_lanes(const Panel& panel, const LaneGroup& group) {
        y_ += kPanelGap;
        text(kLeft, "mode", group.name);
        y_ += kLine / 2.0;
        const double top = y_;
        draw_ticks(top, static_cast<double>(group.lanes.size()) * kLanePitch);
        for (const Lane& lane : group.lanes) {
            body_ +=
                fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"lane\"/>\n",
                            kLeft, y_, kPlot, kLaneHeight);
            body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"number\">{}</text>\n", kLeft - 10.0,
                                 y_ + 17.0, lane_name(lane));
            for (const Slice& slice : panel.slices) {
                if (slice.lane == lane) {
                    draw_slice(slice);
                }
            }
            y_ += kLanePitch;
        }
        y_ += kLine / 2.0;
    }

    // Round numbers of microseconds, about kTicks of them.
    void draw_ticks(double top, double height) {
        constexpr double kDecade = 10.0;
        const double end_us = to_us(end_, picture_.clock_khz);
        if (end_us <= 0.0) {
            return;
        }
        double pitch = std::pow(kDecade, std::floor(std::log10(end_us / kTicks)));
        for (const double factor : {2.0, 2.5, 2.0}) {
            pitch *= ((end_us / pitch) > (kTicks * 1.5)) ? factor : 1.0;
        }
        const int count = static_cast<int>(end_us / pitch);
        for (int i = 0; i <= count; ++i) {
            const double x = kLeft + (i * pitch * kPlot / end_us);
            body_ += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" class=\"tick\"/>\n",
                                 x, top - 4.0, top + height);
            body_ +=
                fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"faint\" text-anchor=\"middle\">{:g}{}</text>\n", x,
                            top + height + 10.0, i * pitch, (i == 0) ? " us" : "");
        }
    }

    void draw_slice(const Slice& slice) {
        const double x = x_of(slice.start);
        const double full = x_of(slice.end) - x;
        const double width = std::max((full > kSeam * 4.0) ? (full - kSeam) : full, kLeastWidth);
        const Style& style = style_of(slice.category);
        body_ += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" class=\"{}\"><title>{}: step {}, {} "
            "cycles from {} ({:.3f} us)</title></rect>\n",
            x, y_, width, kLaneHeight, style.key, escape_markup(std::string{slice.name}), slice.step,
            slice.end - slice.start, slice.start, to_us(slice.end - slice.start, picture_.clock_khz));
        const auto letters = static_cast<std::size_t>(std::max(0.0, (width - 8.0) / kCharacter));
        if (letters >= std::min<std::size_t>(slice.name.size(), 9U)) {
            body_ += fmt::format("<text x=\"{:.2f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x + 4.0, y_ + 17.0,
                                 style.is_pale ? "name pale" : "name",
                                 escape_markup(std::string{slice.name.substr(0U, letters)}));
        }
    }

    void draw_table() {
        constexpr double kFirst = 190.0;
        constexpr double kColumn = 140.0;
        const std::vector<std::vector<std::string>> cells = table_cells(picture_);
        for (std::size_t row = 0U; row < cells.size(); ++row) {
            y_ += kLine;
            for (std::size_t column = 0U; column < cells[row].size(); ++column) {
                const bool is_first = column == 0U;
                const double x =
                    kLeft + (is_first ? 0.0 : (kFirst + (static_cast<double>(column - 1U) * kColumn) + 60.0));
                const std::string style = std::string{(row == 0U) ? "head" : ""} + (is_first ? "" : " number");
                text(x, style.c_str(), cells[row][column]);
            }
        }
    }

    const Picture& picture_;
    Cycles end_{0U};
    double y_{0.0};
    std::string body_;
};

}  // namespace

std::string render_svg(const Picture& picture) {
    return Drawing{picture}.draw();
}

}  // namespace pianola::timeline
