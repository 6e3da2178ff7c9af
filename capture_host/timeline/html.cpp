// One page that needs nothing else: a step with its operators and its memory, the lanes of every mode on canvases, and
// the table of gaps.

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "capture_host/base/page.h"
#include "capture_host/timeline/html_script.h"
#include "capture_host/timeline/picture.h"
#include "capture_host/timeline/step_page.h"

namespace pianola::timeline {
namespace {

using Json = nlohmann::ordered_json;
using pages::escape;

// A finger that moves up or down scrolls the page; sideways it moves the lanes.
constexpr const char* kStyle = R"page(canvas { display: block; width: 100%; cursor: grab; touch-action: pan-y; }
canvas:active { cursor: grabbing; }
button { font: inherit; color: inherit; background: var(--lane); border: 1px solid var(--line); border-radius: 6px;
  padding: .15rem .7rem; margin: 0 .3rem .3rem 0; cursor: pointer; }
#tip { position: fixed; display: none; pointer-events: none; background: var(--ink); color: var(--ground);
  padding: .35rem .6rem; border-radius: 6px; white-space: pre-line; font-size: 12px; z-index: 1; max-width: 90vw;
  overflow-wrap: anywhere; }
.deadline { display: inline-block; width: 1.2rem; border-top: 2px dashed var(--limit); margin-right: .4rem;
  vertical-align: 4px; }
)page";

constexpr const char* kControls = R"page(<div id="controls">
<button type="button" id="whole">whole</button><button type="button" id="nearer">zoom in</button><button
  type="button" id="farther">zoom out</button>
<p>Wheel zooms, dragging moves, a double click shows one step. Keys: arrows, + and -, 0 for the whole.</p>
</div>
<noscript><p>The lanes need JavaScript; the rest does not.</p></noscript>
<div id="panels"></div>
<div id="tip"></div>
)page";

// What the script draws. Names are kept once; a slice is [start, cycles, style, step, name]. Styles are those of
// categories, and behind them those of kinds of operators.
class Data {
  public:
    explicit Data(const Picture& picture) : picture_{picture} {
        json_["clock_khz"] = picture.clock_khz;
        for (const Style& style : styles()) {
            json_["styles"].push_back(
                {{"name", style.name}, {"light", style.light}, {"dark", style.dark}, {"pale", style.is_pale}});
        }
        for (std::size_t i = 0U; i < picture.kinds.size(); ++i) {
            json_["styles"].push_back({{"name", picture.kinds[i]},
                                       {"light", pages::hue(i).light},
                                       {"dark", pages::hue(i).dark},
                                       {"pale", false}});
        }
        json_["panels"] = Json::array();
        for (const Panel& panel : picture.panels) {
            for (const LaneGroup& group : panel.groups()) {
                Json lanes = Json::array();
                for (const Lane& lane : group.lanes) {
                    lanes.push_back({{"name", lane_name(lane)}, {"slices", slices_of(panel, lane)}});
                }
                json_["panels"].push_back(
                    {{"name", group.name}, {"lanes", lanes}, {"deadlines", Json(panel.deadlines)}});
            }
        }
        json_["names"] = names_;
        json_["labels"] = Json::array();
        for (const std::string& name : names_) {
            json_["labels"].push_back(labels_of(name));
        }
    }

    // Inside a script element only "</" and "<!" could end it.
    [[nodiscard]] std::string text() const {
        std::string safe;
        for (const char each : json_.dump()) {
            safe += (each == '<') ? std::string{"\\u003c"} : std::string{each};
        }
        return safe;
    }

  private:
    Json slices_of(const Panel& panel, const Lane& lane) {
        Json list = Json::array();
        for (const Slice& slice : panel.slices) {
            if (slice.lane == lane) {
                const auto [entry, is_new] = indices_.emplace(slice.name, names_.size());
                if (is_new) {
                    names_.emplace_back(slice.name);
                }
                const std::optional<std::size_t> kind = picture_.kind(slice);
                const auto style = kind.has_value()
                                       ? (styles().size() + *kind)
                                       : static_cast<std::size_t>(&style_of(slice.category) - styles().data());
                list.push_back({slice.start, slice.end - slice.start, style, slice.step, entry->second});
            }
        }
        return list;
    }

    const Picture& picture_;
    Json json_;
    std::vector<std::string> names_;
    std::map<std::string, std::size_t, std::less<>> indices_;
};

std::string table_of(const Picture& picture) {
    std::vector<std::vector<std::string>> cells = table_cells(picture);
    pages::Table::Columns columns;
    for (const std::string& name : cells.front()) {
        columns.emplace_back(name, columns.empty() ? pages::Table::Align::kText : pages::Table::Align::kNumber);
    }
    pages::Table table{"Ways to drive the workload, measured over 64 steps", columns};
    for (std::size_t row = 1U; row < cells.size(); ++row) {
        for (std::string& cell : cells[row]) {
            cell = escape(cell);
        }
        table.add(cells[row]);
    }
    return table.html();
}

std::string legend(const Picture& picture) {
    std::string spans;
    for (std::size_t i = 0U; i < picture.kinds.size(); ++i) {
        spans += fmt::format("<span>{}{}</span>\n", pages::swatch(pages::hue_class(i)), escape(picture.kinds[i]));
    }
    for (const Style& look : looks()) {
        const bool is_needed = (look.category != Category::kCompute) || picture.kinds.empty();
        spans += is_needed ? fmt::format("<span>{}{}</span>\n", pages::swatch(look.key), look.legend) : "";
    }
    return fmt::format("<p class=\"legend\">\n{}</p>\n", spans);
}

// Deadlines are the session's: other modes have none.
std::string deadlines_note(const Picture& picture) {
    std::string note;
    for (const Panel& panel : picture.panels) {
        if (!panel.deadlines.empty()) {
            const bool is_seen = panel.deadlines.front() <= picture_end(picture);
            note = fmt::format(
                "<p><span class=\"deadline\"></span>deadline of each step in {}, {} us after its "
                "submission{}</p>\n",
                escape(panel.pattern->name), pages::grouped(picture.step_deadline_us),
                is_seen ? "" : ": beyond what is drawn");
        }
    }
    return note;
}

}  // namespace

std::string render_html(const Picture& picture) {
    std::string body = fmt::format(
        "<h1>{}</h1>\n<p>Virtual time at {} kHz; the host takes {} ns per operation, {} ns per queue command.</p>\n",
        escape(picture.title), picture.clock_khz, picture.dispatch_ns, picture.replay_ns);
    body += path_section(picture);
    body += "<h2>Modes</h2>\n" + table_of(picture);
    for (const std::string& note : picture.notes) {
        body += fmt::format("<p>{}</p>\n", escape(note));
    }
    body += "<h2>Lanes</h2>\n" + legend(picture) + deadlines_note(picture) + kControls;
    body += cost_section(picture);
    body += memory_section(picture);
    const std::string script = "<script type=\"application/json\" id=\"data\">" + Data{picture}.text() + "</script>\n";
    return pages::document(picture.title, body, style_rules() + kStyle, script + lanes_script());
}

}  // namespace pianola::timeline
