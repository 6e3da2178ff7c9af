// Picture: what the renderers draw.
//
// One panel for each mode, on one scale of time, and the table of gaps. Renderers are functions of the picture alone:
// the same picture gives the same bytes. None refers to anything outside the file that it makes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture_host/timeline/gaps.h"
#include "capture_host/timeline/lifetimes.h"
#include "capture_host/timeline/step.h"

namespace pianola::timeline {

// Lanes under one heading.
struct LaneGroup {
    std::string name;
    std::vector<Lane> lanes;
};

struct Panel {
    std::shared_ptr<const Pattern> pattern;  // owns the slices' names
    std::vector<Slice> slices;
    std::vector<Cycles> deadlines;  // of each step, where the pattern has one

    // The host, the queues of the pattern, and the cores that are used: one group. Of several devices, one with the
    // host, and one for each device.
    [[nodiscard]] std::vector<LaneGroup> groups() const;
    [[nodiscard]] Cycles end() const;
};

// One step of a device by itself.
struct StepPicture {
    DeviceStep step;
    Lifetimes lifetimes;
    std::vector<NamedRegion> regions;
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
    std::uint32_t step_deadline_us{0U};
    std::vector<StepPicture> steps;  // of each device that steps give something to do
    // Kinds of operators, those first that take longest, and the index of each operation's kind.
    std::vector<std::string> kinds;
    std::map<std::uint32_t, std::size_t> kind_of;
    // What each operation was measured to take; the heading of its column has unit and board.
    std::map<std::uint32_t, std::uint64_t> measured;
    std::string measured_heading;

    // The operator that computes in the slice; else empty.
    [[nodiscard]] std::optional<std::size_t> kind(const Slice& slice) const;
};

// What the picture says of single steps and of kinds.
void add_steps(const std::vector<Workload>& workloads, Picture& picture);

// The end of the last slice of all panels.
[[nodiscard]] Cycles picture_end(const Picture& picture);

// "host", "queue 0", "core 0"
[[nodiscard]] std::string lane_name(const Lane& lane);

// The appearance of a category. Categories may share key and legend.
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
// Style rules for the looks, as grounds and as fillings.
[[nodiscard]] std::string style_rules();

inline constexpr std::uint32_t kUsPerMs = 1000U;
[[nodiscard]] double to_us(Cycles cycles, std::uint32_t clock_khz);

// The table, heading first; every line has as many cells.
[[nodiscard]] std::vector<std::vector<std::string>> table_cells(const Picture& picture);

// What a slice may be labelled with, the longest first: its name, or the first word or number of that.
[[nodiscard]] std::vector<std::string> labels_of(const std::string& name);

// Chrome's trace event format, which Perfetto opens.
[[nodiscard]] std::string render_chrome(const Picture& picture);
[[nodiscard]] std::string render_svg(const Picture& picture);
// One page: a step with its operators and its memory, and lanes with zoom, scrolling and tooltips.
[[nodiscard]] std::string render_html(const Picture& picture);

}  // namespace pianola::timeline
