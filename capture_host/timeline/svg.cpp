// A still picture: all panels on one scale of time, a legend, and the table of gaps.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "capture_host/base/chart.h"
#include "capture_host/base/page.h"
#include "capture_host/timeline/picture.h"

namespace pianola::timeline {
namespace {

constexpr double kLeft = 96.0;  // of the plot; names of lanes are left of it
constexpr double kPlot = 1280.0;
constexpr double kRight = 24.0;
constexpr double kLaneHeight = 26.0;
constexpr double kLanePitch = 32.0;
constexpr double kLinePitch = 20.0;
constexpr double kPanelGap = 34.0;
constexpr std::size_t kTitleLetters = 90U;  // of a line; more would not fit
constexpr double kLeastWidth = 0.4;         // so that a short command can still be seen
constexpr double kSliceSeam = 0.6;          // between neighbours
constexpr int kTicks = 8;

std::string style_sheet() {
    std::string css =
        "text{font:12px system-ui,sans-serif;fill:#1f2328}.ground{fill:#ffffff}.faint{fill:#57606a}"
        ".lane{fill:#f6f8fa}.tick{stroke:#d0d7de;stroke-width:1}.name{font-size:11px;fill:#ffffff;pointer-events:none}."
        "pale{fill:#57606a}"
        ".title{font-size:16px;font-weight:600}.mode{font-weight:600}.head{font-weight:600}"
        ".number{text-anchor:end}.limit{fill:#c01c28}.deadline{stroke:#c01c28;stroke-width:2;stroke-dasharray:5 3}";
    std::string dark =
        "text{fill:#e6edf3}.ground{fill:#0d1117}.faint{fill:#9198a1}.lane{fill:#161b22}.tick{stroke:#30363d}"
        ".name{fill:#0d1117}.pale{fill:#9198a1}.limit{fill:#ff7b72}.deadline{stroke:#ff7b72}";
    for (std::size_t kind = 0U; kind < pages::kHues; ++kind) {
        css += fmt::format(".{}{{fill:{}}}", pages::hue_class(kind), pages::hue(kind).light);
        dark += fmt::format(".{}{{fill:{}}}", pages::hue_class(kind), pages::hue(kind).dark);
    }
    for (const Style& style : looks()) {
        css += fmt::format(".{}{{fill:{}}}", style.key, style.light);
        dark += fmt::format(".{}{{fill:{}}}", style.key, style.dark);
    }
    return css + "@media(prefers-color-scheme:dark){" + dark + "}";
}

class Drawing {
  public:
    explicit Drawing(const Picture& picture) : picture_{picture}, end_{picture_end(picture)} {}

    std::string draw() {
        y_ = kLinePitch;
        for (std::size_t at = 0U; at < picture_.title.size(); at += kTitleLetters) {
            text(kLeft, "title", picture_.title.substr(at, kTitleLetters));
            y_ += kLinePitch;
        }
        text(kLeft, "faint",
             fmt::format("virtual time at {} kHz; the host takes {} ns per operation, {} ns per queue command",
                         picture_.clock_khz, picture_.dispatch_ns, picture_.replay_ns));
        y_ += kLinePitch;
        draw_legend();
        y_ += kLinePitch / 2.0;
        for (const Panel& panel : picture_.panels) {
            for (const LaneGroup& group : panel.groups()) {
                draw_lanes(panel, group);
            }
        }
        y_ += kLinePitch;
        draw_table();
        for (const std::string& note : picture_.notes) {
            y_ += kLinePitch;
            text(kLeft, "faint", note);
        }
        const double width = kLeft + kPlot + kRight;
        const double height = y_ + kLinePitch;
        return fmt::format(
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
                   "{0:.0f} "
                   "{1:.0f}\">\n<title>{2}</title>\n<style>{3}</style>\n"
                   "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n",
                   width, height, pages::escape(picture_.title), style_sheet()) +
               body_ + "</svg>\n";
    }

  private:
    [[nodiscard]] double x_of(Cycles cycles) const {
        return kLeft + ((end_ == 0U) ? 0.0 : (static_cast<double>(cycles) * kPlot / static_cast<double>(end_)));
    }

    void text(double x, const char* style, const std::string& words) {
        body_ +=
            fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y_, style, pages::escape(words));
    }

    void draw_legend() {
        double x = kLeft;
        for (std::size_t i = 0U; i < picture_.kinds.size(); ++i) {
            draw_key(pages::hue_class(i), picture_.kinds[i], x);
        }
        for (const Style& style : looks()) {
            if ((style.category != Category::kCompute) || picture_.kinds.empty()) {
                draw_key(style.key, style.legend, x);
            }
        }
        const bool has_deadlines = std::any_of(picture_.panels.begin(), picture_.panels.end(),
                                               [](const Panel& panel) { return !panel.deadlines.empty(); });
        if (has_deadlines) {
            draw_key("limit", fmt::format("deadline, {} us after submission", picture_.step_deadline_us), x);
        }
    }

    // In the line, or in the next one where there is no more room.
    void draw_key(const std::string& style_class, const std::string& name, double& x) {
        constexpr double kSwatch = 12.0;
        constexpr double kGap = 26.0;
        const double width = kSwatch + kGap + pages::text_width(name);
        if ((x > kLeft) && ((x + width) > (kLeft + kPlot))) {
            x = kLeft;
            y_ += kLinePitch;
        }
        body_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.0f}\" height=\"{:.0f}\" class=\"{}\"/>\n", x,
                             y_ - (kSwatch - 2.0), kSwatch, kSwatch, style_class);
        text(x + kSwatch + 5.0, "faint", name);
        x += width;
    }

    void draw_lanes(const Panel& panel, const LaneGroup& group) {
        y_ += kPanelGap;
        text(kLeft, "mode", group.name);
        y_ += kLinePitch / 2.0;
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
        for (const Cycles deadline : panel.deadlines) {
            if (deadline <= end_) {
                body_ += fmt::format(
                    "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" class=\"deadline\"/>\n",
                    x_of(deadline), top - 4.0, y_);
            }
        }
        y_ += kLinePitch / 2.0;
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

    [[nodiscard]] std::string class_of(const Slice& slice) const {
        const std::optional<std::size_t> kind = picture_.kind(slice);
        return kind.has_value() ? pages::hue_class(*kind) : style_of(slice.category).key;
    }

    void draw_slice(const Slice& slice) {
        const double x = x_of(slice.start);
        const double full = x_of(slice.end) - x;
        const double width = std::max((full > kSliceSeam * 4.0) ? (full - kSliceSeam) : full, kLeastWidth);
        const Style& style = style_of(slice.category);
        body_ += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" class=\"{}\"><title>{}: step {}, {} "
            "cycles from {} ({:.3f} us)</title></rect>\n",
            x, y_, width, kLaneHeight, class_of(slice), pages::escape(std::string{slice.name}), slice.step,
            slice.end - slice.start, slice.start, to_us(slice.end - slice.start, picture_.clock_khz));
        for (const std::string& label : labels_of(std::string{slice.name})) {
            if ((width - 8.0) >= pages::text_width(label)) {
                body_ += fmt::format("<text x=\"{:.2f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x + 4.0, y_ + 17.0,
                                     style.is_pale ? "name pale" : "name", pages::escape(label));
                break;
            }
        }
    }

    void draw_table() {
        constexpr double kFirst = 190.0;
        constexpr double kColumn = 140.0;
        const std::vector<std::vector<std::string>> cells = table_cells(picture_);
        for (std::size_t row = 0U; row < cells.size(); ++row) {
            y_ += kLinePitch;
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
