// Picture: what the renderers draw.
//
// Place in the whole: one panel for each mode, on one scale of time, and the table of gaps. Renderers are functions of
// the picture alone: the same picture gives the same bytes. None refers to anything outside the file that it makes.
// Host only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture_host/timeline/gaps.h"

namespace pianola::timeline {

// Lanes under one heading.
struct LaneGroup {
    std::string name;
    std::vector<Lane> lanes;
};

struct Panel {
    std::shared_ptr<const Pattern> pattern;  // owns the slices' names
    std::vector<Slice> slices;

    // The host, the queues of the pattern, and the cores that are used: one group. Of several devices, one with the
    // host, and one for each device.
    [[nodiscard]] std::vector<LaneGroup> groups() const;
    [[nodiscard]] Cycles end() const;
};

struct Picture {
    std::string title;
    std::uint32_t clock_khz{0U};
    std::uint64_t dispatch_ns{0U};
    std::uint64_t replay_ns{0U};
    bool is_mesh{false};  // rows have their device's coordinate
    std::vector<Panel> panels;
    std::vector<Row> rows;
    std::vector<std::string> notes;
};

// "host", "queue 0", "core 0"
[[nodiscard]] std::string lane_name(const Lane& lane);

// How a category looks. Some look the same: they share key and legend.
struct Style {
    Category category{Category::kControl};
    const char* name{""};  // of the category
    const char* key{""};   // an identifier, for style sheets
    const char* legend{""};
    const char* light{""};  // colour on light ground, "#rrggbb"
    const char* dark{""};   // and on dark
    bool is_pale{false};    // so that letters on it are dark
};
[[nodiscard]] const std::vector<Style>& styles();
[[nodiscard]] const Style& style_of(Category category);
// Every look once.
[[nodiscard]] std::vector<Style> looks();

[[nodiscard]] double to_us(Cycles cycles, std::uint32_t clock_khz);

// The table, heading first; every line has as many cells.
[[nodiscard]] std::vector<std::vector<std::string>> table_cells(const Picture& picture);

// For XML and HTML, as text or in a quoted attribute.
[[nodiscard]] std::string escape_markup(const std::string& text);

// Chrome's trace event format, which Perfetto opens.
[[nodiscard]] std::string render_chrome(const Picture& picture);
[[nodiscard]] std::string render_svg(const Picture& picture);
// One page, with zoom, scrolling and tooltips.
[[nodiscard]] std::string render_html(const Picture& picture);

}  // namespace pianola::timeline
