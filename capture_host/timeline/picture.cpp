#include "capture_host/timeline/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace pianola::timeline {
namespace {

constexpr double kUsPerMs = 1000.0;
constexpr double kPercent = 100.0;

}  // namespace

std::vector<LaneGroup> Panel::groups() const {
    const std::size_t devices = pattern->devices.size();
    std::vector<std::set<std::uint32_t>> cores(devices);
    for (const Slice& slice : slices) {
        if (slice.lane.kind == LaneKind::kCore) {
            cores[slice.lane.device].insert(slice.lane.index);
        }
    }
    std::vector<LaneGroup> groups{{pattern->name, {Lane{}}}};
    for (std::uint32_t device = 0U; device < devices; ++device) {
        if (devices > 1U) {
            groups.push_back({fmt::format("{}, device {}", pattern->name, to_string(pattern->devices[device])), {}});
        }
        std::vector<Lane>& lanes = groups.back().lanes;
        for (std::uint32_t queue = 0U; queue < pattern->queues; ++queue) {
            lanes.push_back({LaneKind::kQueue, queue, device});
        }
        for (const std::uint32_t core : cores[device]) {
            lanes.push_back({LaneKind::kCore, core, device});
        }
    }
    return groups;
}

Cycles Panel::end() const {
    Cycles end = 0U;
    for (const Slice& slice : slices) {
        end = std::max(end, slice.end);
    }
    return end;
}

std::string lane_name(const Lane& lane) {
    switch (lane.kind) {
        case LaneKind::kQueue:
            return fmt::format("queue {}", lane.index);
        case LaneKind::kCore:
            return fmt::format("core {}", lane.index);
        case LaneKind::kHost:
        default:
            return "host";
    }
}

const std::vector<Style>& styles() {
    // Colours of Okabe and Ito, which colour-blind readers can tell apart; what waits or only keeps order is grey.
    static const std::vector<Style> kStyles{
        {Category::kDispatch, "host dispatches", "dispatch", "host dispatches an operation", "#d55e00", "#e8743b",
         false},
        {Category::kEnqueue, "host enqueues", "enqueue", "host enqueues a command", "#e69f00", "#f0b429", false},
        {Category::kCompute, "computes", "compute", "computes", "#009e73", "#19b68a", false},
        {Category::kWrite, "writes inputs", "write", "writes inputs", "#0072b2", "#3d9be0", false},
        {Category::kRead, "reads outputs", "read", "reads outputs", "#56b4e9", "#86cdf5", false},
        {Category::kStaging, "copies", "staging", "copies to free a buffer", "#cc79a7", "#db8fba", false},
        {Category::kEvent, "records an event", "control", "events, replay, notify", "#6b7280", "#9aa3af", false},
        {Category::kControl, "control", "control", "events, replay, notify", "#6b7280", "#9aa3af", false},
        {Category::kHostWaits, "host waits", "waits", "waits", "#dfe3e8", "#343a43", true},
        {Category::kWaits, "waits for an event", "waits", "waits", "#dfe3e8", "#343a43", true},
    };
    return kStyles;
}

const Style& style_of(Category category) {
    return *std::find_if(styles().begin(), styles().end(),
                         [category](const Style& style) { return style.category == category; });
}

std::vector<Style> looks() {
    std::vector<Style> distinct;
    for (const Style& style : styles()) {
        if (std::none_of(distinct.begin(), distinct.end(), [&style](const Style& each) {
                return std::string_view{each.key} == std::string_view{style.key};
            })) {
            distinct.push_back(style);
        }
    }
    return distinct;
}

double to_us(Cycles cycles, std::uint32_t clock_khz) {
    return (static_cast<double>(cycles) * kUsPerMs) / static_cast<double>(clock_khz);
}

std::vector<std::vector<std::string>> table_cells(const Picture& picture) {
    std::vector<std::vector<std::string>> cells{{picture.is_mesh ? "mode and device" : "mode", "cycles per step",
                                                 "us per step", "device busy", "bound by", "gain on eager",
                                                 "input hidden"}};
    for (const Row& row : picture.rows) {
        const Ratio& step = row.steady.cycles_per_step;
        const bool is_whole = (step.part % step.whole) == 0U;
        cells.push_back({picture.is_mesh ? fmt::format("{} {}", row.mode, to_string(row.device)) : row.mode,
                         is_whole ? fmt::format("{}", step.part / step.whole) : fmt::format("{:.1f}", step.value()),
                         fmt::format("{:.3f}", step.value() * kUsPerMs / picture.clock_khz),
                         fmt::format("{:.2f} %", row.steady.busy.value() * kPercent),
                         row.host_is_free ? "device (host free)" : (row.host_bound ? "host" : "device"),
                         fmt::format("{:.2f}", row.gain),
                         fmt::format("{:.1f} %", row.steady.hidden.value() * kPercent)});
    }
    return cells;
}

std::string escape_markup(const std::string& text) {
    std::string escaped;
    for (const char each : text) {
        switch (each) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            default:
                escaped += each;
                break;
        }
    }
    return escaped;
}

}  // namespace pianola::timeline
