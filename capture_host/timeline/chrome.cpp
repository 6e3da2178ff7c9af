// Chrome's trace event format: JSON that Perfetto and chrome://tracing open. Each panel is a process, each
// lane a thread; of several devices, the host and each device are processes.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "capture_host/timeline/picture.h"

namespace pianola::timeline {
namespace {

using Json = nlohmann::ordered_json;

Json metadata(const char* what, std::size_t process, std::size_t thread, const Json& args) {
    return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", args}};
}

void add_lanes(const Picture& picture, const Panel& panel, const std::vector<Lane>& lanes, std::size_t process,
               std::vector<Json>& events) {
    for (std::size_t lane = 0U; lane < lanes.size(); ++lane) {
        events.push_back(metadata("thread_name", process, lane + 1U, {{"name", lane_name(lanes[lane])}}));
        events.push_back(metadata("thread_sort_index", process, lane + 1U, {{"sort_index", lane}}));
        for (const Slice& slice : panel.slices) {
            if (!(slice.lane == lanes[lane])) {
                continue;
            }
            events.push_back(
                {{"ph", "X"},
                 {"name", std::string{slice.name}},
                 {"cat", style_of(slice.category).name},
                 {"pid", process},
                 {"tid", lane + 1U},
                 {"ts", to_us(slice.start, picture.clock_khz)},
                 {"dur", to_us(slice.end - slice.start, picture.clock_khz)},
                 {"args", {{"step", slice.step}, {"start_cycles", slice.start}, {"cycles", slice.end - slice.start}}}});
        }
    }
}

}  // namespace

std::string render_chrome(const Picture& picture) {
    std::vector<Json> events;
    std::size_t process = 0U;
    for (const Panel& panel : picture.panels) {
        for (const LaneGroup& group : panel.groups()) {
            process += 1U;
            events.push_back(metadata("process_name", process, 0U, {{"name", group.name}}));
            events.push_back(metadata("process_sort_index", process, 0U, {{"sort_index", process - 1U}}));
            add_lanes(picture, panel, group.lanes, process, events);
        }
    }
    std::string text = "{\"displayTimeUnit\": \"ns\",\n\"otherData\": ";
    text += Json{{"title", picture.title},
                 {"clock_khz", picture.clock_khz},
                 {"dispatch_ns", picture.dispatch_ns},
                 {"replay_ns", picture.replay_ns}}
                .dump();
    text += ",\n\"traceEvents\": [\n";
    for (std::size_t i = 0U; i < events.size(); ++i) {
        text += events[i].dump();
        text += ((i + 1U) < events.size()) ? ",\n" : "\n";
    }
    return text + "]}\n";
}

}  // namespace pianola::timeline
