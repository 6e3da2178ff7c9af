// Chrome's trace event format: JSON that Perfetto and chrome://tracing open. Each panel is a process, each
// lane a thread; of several devices, the host and each device are processes. Arrows are flow events: "s" in the slice
// that causes, "f" in the one that is caused.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "capture_host/timeline/flows.h"
#include "capture_host/timeline/picture.h"

namespace pianola::timeline {
namespace {

using Json = nlohmann::ordered_json;

Json metadata(const char* what, std::size_t process, std::size_t thread, const Json& args) {
    return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", args}};
}

// Where a lane is shown.
struct Track {
    std::size_t process{0U};
    std::size_t thread{0U};
};

class TraceEvents {
  public:
    explicit TraceEvents(const Picture& picture) : picture_{picture} {}

    std::vector<Json> make() {
        for (const Panel& panel : picture_.panels) {
            add_panel(panel);
        }
        return std::move(events_);
    }

  private:
    void add_panel(const Panel& panel) {
        std::vector<Track> tracks(panel.slices.size());
        const std::size_t first = processes_ + 1U;
        for (const LaneGroup& group : panel.groups()) {
            processes_ += 1U;
            events_.push_back(metadata("process_name", processes_, 0U, {{"name", group.name}}));
            events_.push_back(metadata("process_sort_index", processes_, 0U, {{"sort_index", processes_ - 1U}}));
            for (std::size_t lane = 0U; lane < group.lanes.size(); ++lane) {
                add_lane(panel, group.lanes[lane], {processes_, lane + 1U}, tracks);
            }
        }
        for (std::size_t step = 0U; step < panel.deadlines.size(); ++step) {
            events_.push_back({{"ph", "i"},
                               {"s", "p"},
                               {"name", fmt::format("deadline of step {}", step)},
                               {"cat", "deadline"},
                               {"pid", first},
                               {"tid", 1U},
                               {"ts", to_us(panel.deadlines[step], picture_.clock_khz)}});
        }
        for (const Flow& flow : find_flows(panel)) {
            flows_ += 1U;
            events_.push_back(end_of_flow("s", flow, tracks[flow.from], flow.start));
            events_.push_back(end_of_flow("f", flow, tracks[flow.to], flow.end));
            events_.back()["bp"] = "e";  // in the slice that encloses it, not at the next one
        }
    }

    void add_lane(const Panel& panel, const Lane& lane, const Track& track, std::vector<Track>& tracks) {
        events_.push_back(metadata("thread_name", track.process, track.thread, {{"name", lane_name(lane)}}));
        events_.push_back(
            metadata("thread_sort_index", track.process, track.thread, {{"sort_index", track.thread - 1U}}));
        for (std::size_t i = 0U; i < panel.slices.size(); ++i) {
            const Slice& slice = panel.slices[i];
            if (!(slice.lane == lane)) {
                continue;
            }
            tracks[i] = track;
            Json args{{"step", slice.step}, {"start_cycles", slice.start}, {"cycles", slice.end - slice.start}};
            const std::optional<std::size_t> kind = picture_.kind(slice);
            if (kind.has_value()) {
                args["kind"] = picture_.kinds[*kind];
            }
            events_.push_back({{"ph", "X"},
                               {"name", std::string{slice.name}},
                               {"cat", style_of(slice.category).name},
                               {"pid", track.process},
                               {"tid", track.thread},
                               {"ts", to_us(slice.start, picture_.clock_khz)},
                               {"dur", to_us(slice.end - slice.start, picture_.clock_khz)},
                               {"args", args}});
        }
    }

    [[nodiscard]] Json end_of_flow(const char* phase, const Flow& flow, const Track& track, double cycles) const {
        return {{"ph", phase},
                {"name", name_of(flow.kind)},
                {"cat", "flow"},
                {"id", flows_},
                {"pid", track.process},
                {"tid", track.thread},
                {"ts", (cycles * kUsPerMs) / picture_.clock_khz}};
    }

    const Picture& picture_;
    std::vector<Json> events_;
    std::size_t processes_{0U};
    std::size_t flows_{0U};
};

}  // namespace

std::string render_chrome(const Picture& picture) {
    const std::vector<Json> events = TraceEvents{picture}.make();
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
