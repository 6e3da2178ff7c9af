// One page that needs nothing else: the table of gaps, and the panels on canvases that can be zoomed, dragged and
// asked.

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "capture_host/timeline/html_page.h"
#include "capture_host/timeline/picture.h"

namespace pianola::timeline {
namespace {

using Json = nlohmann::ordered_json;

// What the script draws. Names are kept once; a slice is [start, cycles, style, step, name].
class Data {
  public:
    explicit Data(const Picture& picture) {
        json_["clock_khz"] = picture.clock_khz;
        for (const Style& style : styles()) {
            json_["styles"].push_back(
                {{"name", style.name}, {"light", style.light}, {"dark", style.dark}, {"pale", style.is_pale}});
        }
        json_["panels"] = Json::array();
        for (const Panel& panel : picture.panels) {
            Json lanes = Json::array();
            for (const Lane& lane : panel.lanes()) {
                lanes.push_back({{"name", lane_name(lane)}, {"slices", slices_of(panel, lane)}});
            }
            json_["panels"].push_back({{"name", panel.pattern->name}, {"lanes", lanes}});
        }
        json_["names"] = names_;
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
                const auto style = static_cast<std::size_t>(&style_of(slice.category) - styles().data());
                list.push_back({slice.start, slice.end - slice.start, style, slice.step, entry->second});
            }
        }
        return list;
    }

    Json json_;
    std::vector<std::string> names_;
    std::map<std::string, std::size_t, std::less<>> indices_;
};

std::string table_of(const Picture& picture) {
    std::string table = "<table>\n";
    const std::vector<std::vector<std::string>> cells = table_cells(picture);
    for (std::size_t row = 0U; row < cells.size(); ++row) {
        const char* const tag = (row == 0U) ? "th" : "td";
        table += "<tr>";
        for (const std::string& cell : cells[row]) {
            table += fmt::format("<{0}>{1}</{0}>", tag, escape_markup(cell));
        }
        table += "</tr>\n";
    }
    return table + "</table>\n";
}

std::string legend() {
    std::string rules;
    std::string spans;
    for (const Style& look : looks()) {
        rules += fmt::format(".{} {{ background: {}; }}\n", look.key, look.light);
        rules +=
            fmt::format("@media (prefers-color-scheme: dark) {{ .{} {{ background: {}; }} }}\n", look.key, look.dark);
        spans += fmt::format("<span><i class=\"{}\"></i>{}</span>\n", look.key, look.legend);
    }
    return fmt::format("<style>\n{}</style>\n<p class=\"legend\">\n{}</p>\n", rules, spans);
}

}  // namespace

std::string render_html(const Picture& picture) {
    std::string page = kHead;
    page += fmt::format("<title>{}</title>\n", escape_markup(picture.title));
    page += kStyle;
    page += fmt::format(
        "</head>\n<body>\n<h1>{}</h1>\n<p>Virtual time at {} kHz; the host takes {} ns per operation, {} ns per queue "
        "command.</p>\n",
        escape_markup(picture.title), picture.clock_khz, picture.dispatch_ns, picture.replay_ns);
    page += table_of(picture);
    for (const std::string& note : picture.notes) {
        page += fmt::format("<p>{}</p>\n", escape_markup(note));
    }
    page += legend();
    page += kControls;
    page += "<script type=\"application/json\" id=\"data\">" + Data{picture}.text() + "</script>\n";
    page += kScript;
    return page + "</body>\n</html>\n";
}

}  // namespace pianola::timeline
