#include "capture_host/timeline/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "capture_host/base/page.h"

namespace pianola::timeline {

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

Cycles picture_end(const Picture& picture) {
    Cycles end = 0U;
    for (const Panel& panel : picture.panels) {
        end = std::max(end, panel.end());
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
    // White letters on the light ones, and nearly black ones on the dark ones, have a contrast of 4.5 and more.
    // Operators have other colours (base/page.h): these are warm ones for the host, and greys for what moves data or
    // waits.
    static const std::vector<Style> kStyles{
        {Category::kDispatch, "host dispatches", "dispatch", "host dispatches an operation", "#b3450b", "#ff9d5c",
         false},
        {Category::kEnqueue, "host enqueues", "enqueue", "host enqueues a command", "#8f6400", "#e3b341", false},
        {Category::kCompute, "computes", "compute", "computes", "#00775a", "#3ecf9f", false},
        {Category::kWrite, "writes inputs", "write", "writes inputs", "#33475b", "#c3d0de", false},
        {Category::kRead, "reads outputs", "read", "reads outputs", "#5b7083", "#93a7bb", false},
        {Category::kStaging, "copies", "staging", "copies to free a buffer", "#9a3b78", "#e59ac6", false},
        {Category::kEvent, "records an event", "control", "events, replay, notify", "#6b7280", "#9aa3af", false},
        {Category::kControl, "control", "control", "events, replay, notify", "#6b7280", "#9aa3af", false},
        {Category::kHostWaits, "host waits", "waits", "waits", "#dfe3e8", "#2b313a", true},
        {Category::kWaits, "waits for an event", "waits", "waits", "#dfe3e8", "#2b313a", true},
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
                         fmt::format("{:.2f} %", row.steady.busy.value() * pages::kPercent),
                         row.host_is_free ? "device (host free)" : (row.host_bound ? "host" : "device"),
                         fmt::format("{:.2f}", row.gain),
                         fmt::format("{:.1f} %", row.steady.hidden.value() * pages::kPercent)});
    }
    return cells;
}

std::vector<std::string> labels_of(const std::string& name) {
    const std::string first = name.substr(0U, name.find_first_of(" :"));
    return (first.empty() || (first == name)) ? std::vector<std::string>{name} : std::vector<std::string>{name, first};
}

std::string style_rules() {
    std::string light;
    std::string dark;
    for (const Style& look : looks()) {
        light += fmt::format(".{0} {{ fill: {1}; background: {1}; }}\n", look.key, look.light);
        dark += fmt::format("  .{0} {{ fill: {1}; background: {1}; }}\n", look.key, look.dark);
    }
    return light + "@media (prefers-color-scheme: dark) {\n" + dark + "}\n";
}

std::optional<std::size_t> Picture::kind(const Slice& slice) const {
    if ((slice.category != Category::kCompute) || (slice.command == nullptr)) {
        return std::nullopt;
    }
    const auto found = kind_of.find(slice.command->operation);
    return (found != kind_of.end()) ? std::optional<std::size_t>{found->second} : std::nullopt;
}

void add_steps(const std::vector<Workload>& workloads, Picture& picture) {
    std::map<std::string, Cycles> cycles;
    std::vector<DeviceStep> steps = measure_step(workloads);
    for (const DeviceStep& step : steps) {
        for (const Cost& cost : step.costs) {
            if (cost.operation != 0U) {
                cycles[cost.kind] += cost.on_path;
            }
        }
    }
    for (const auto& [kind, sum] : cycles) {
        picture.kinds.push_back(kind);
    }
    std::map<std::string, std::size_t> places;  // as found
    for (const std::string& kind : picture.kinds) {
        places.emplace(kind, places.size());
    }
    std::sort(picture.kinds.begin(), picture.kinds.end(), [&](const std::string& left, const std::string& right) {
        return std::pair{cycles[right], places[left]} < std::pair{cycles[left], places[right]};
    });
    for (const DeviceStep& step : steps) {
        for (const Cost& cost : step.costs) {
            const auto place = std::find(picture.kinds.begin(), picture.kinds.end(), cost.kind);
            if (cost.operation != 0U) {
                picture.kind_of[cost.operation] = static_cast<std::size_t>(place - picture.kinds.begin());
            }
        }
    }
    std::size_t next = 0U;
    for (const Workload& workload : workloads) {
        if (!workload.is_idle()) {
            picture.steps.push_back({std::move(steps.at(next)), find_lifetimes(workload), workload.regions});
            next += 1U;
        }
    }
    picture.step_deadline_us = workloads.front().step_deadline_us;
}

}  // namespace pianola::timeline
