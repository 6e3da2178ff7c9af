// One page that needs nothing else: a step with its operators and its memory, the lanes of every mode on canvases, and
// the table of gaps.

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "capture_host/base/page.h"
#include "capture_host/timeline/picture.h"
#include "capture_host/timeline/step_page.h"

namespace pianola::timeline {
namespace {

using Json = nlohmann::ordered_json;
using pages::escape;

// The script of the page: lanes on canvases that can be zoomed, dragged and queried. It reads what it draws from the
// element "data", and draws it into the element "panels".
constexpr const char* kLanesScript = R"page(<script>
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const LEFT = 72, LANE = 26, PITCH = 32, TOP = 4, AXIS = 24, LABEL = 16, LEAST = 4;
const endOf = lane => lane.slices.length ? lane.slices.at(-1)[0] + lane.slices.at(-1)[1] : 0;
const ends = data.panels.flatMap(panel => panel.lanes.map(endOf));
const whole = Math.max(LEAST, ...ends);
let from = 0, to = whole, pending = false;
const dark = matchMedia("(prefers-color-scheme: dark)");
const tip = document.getElementById("tip");
const us = cycles => cycles * 1000 / data.clock_khz;
const paper = name => getComputedStyle(document.documentElement).getPropertyValue(name);

// The first slice that ends behind a time.
function first(slices, time) {
  let low = 0, high = slices.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (slices[middle][0] + slices[middle][1] <= time) { low = middle + 1; } else { high = middle; }
  }
  return low;
}

const views = data.panels.map(panel => {
  const heading = document.createElement("h3");
  heading.textContent = panel.name;
  const canvas = document.createElement("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", panel.name + ": lanes of " + panel.lanes.map(lane => lane.name).join(", "));
  canvas.style.height = (TOP + panel.lanes.length * PITCH + AXIS) + "px";
  document.getElementById("panels").append(heading, canvas);
  return { panel, canvas };
});

// A round number, of which about `count` make the span.
function tick(span, count) {
  const rough = span / count, decade = Math.pow(10, Math.floor(Math.log10(rough)));
  return decade * ([1, 2, 5].find(factor => factor * decade >= rough) || 10);
}

function paint_axis(pen, width, bottom, x) {
  const pitch = tick(us(to - from), Math.min(10, Math.max(2, (width - LEFT) / 110)));
  let end = 0;
  pen.strokeStyle = paper("--line");
  pen.fillStyle = paper("--faint");
  pen.textAlign = "center";
  for (let i = Math.ceil(us(from) / pitch); i * pitch <= us(to); ++i) {
    const at = x(i * pitch * data.clock_khz / 1000);
    pen.beginPath();
    pen.moveTo(at, TOP);
    pen.lineTo(at, bottom);
    pen.stroke();
    const label = Number((i * pitch).toPrecision(9)) + " us";
    const half = pen.measureText(label).width / 2, middle = Math.min(Math.max(at, LEFT + half), width - half);
    if (middle - half > end) {
      pen.fillText(label, middle, bottom + 10);
      end = middle + half + 8;
    }
  }
}

function paint_deadlines(pen, panel, bottom, x) {
  pen.save();
  pen.strokeStyle = paper("--limit");
  pen.lineWidth = 2;
  pen.setLineDash([5, 3]);
  for (const at of panel.deadlines.filter(each => each >= from && each <= to)) {
    pen.beginPath();
    pen.moveTo(x(at), 0);
    pen.lineTo(x(at), bottom);
    pen.stroke();
  }
  pen.restore();
}

// The longest that fits; nothing is cut off.
function label_for(pen, name, room) {
  return data.labels[name].find(text => pen.measureText(text).width <= room);
}

// Slices thinner than a pixel that fall on one that is painted already are left out.
function paint_lane(pen, lane, y, width, x) {
  pen.save();
  pen.beginPath();
  pen.rect(LEFT, y, width - LEFT, LANE);
  pen.clip();
  pen.textAlign = "left";
  let pixel = -1, colour = -1;
  for (let k = first(lane.slices, from); k < lane.slices.length && lane.slices[k][0] < to; ++k) {
    const [start, cycles, style, , name] = lane.slices[k];
    const left = Math.max(x(start), LEFT - 2), right = Math.min(x(start + cycles), width + 2), size = right - left;
    if (size < 0.5 && Math.floor(left) === pixel && style === colour) { continue; }
    pixel = Math.floor(left);
    colour = style;
    pen.fillStyle = dark.matches ? data.styles[style].dark : data.styles[style].light;
    pen.fillRect(left, y, Math.max(size > 3 ? size - 0.75 : size, 0.5), LANE);
    const begin = Math.max(left, LEFT);
    const label = size > LABEL ? label_for(pen, name, right - begin - 10) : undefined;
    if (label) {
      pen.fillStyle = data.styles[style].pale ? paper("--faint") : paper("--on");
      pen.fillText(label, begin + 5, y + LANE / 2 + 1);
    }
  }
  pen.restore();
}

function paint({ panel, canvas }) {
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  const x = time => LEFT + (time - from) * (width - LEFT) / (to - from);
  panel.lanes.forEach((lane, i) => {
    pen.fillStyle = paper("--lane");
    pen.fillRect(LEFT, TOP + i * PITCH, width - LEFT, LANE);
  });
  paint_axis(pen, width, TOP + panel.lanes.length * PITCH, x);
  panel.lanes.forEach((lane, i) => {
    paint_lane(pen, lane, TOP + i * PITCH, width, x);
    pen.fillStyle = paper("--ink");
    pen.textAlign = "right";
    pen.fillText(lane.name, LEFT - 10, TOP + i * PITCH + LANE / 2 + 1);
  });
  paint_deadlines(pen, panel, TOP + panel.lanes.length * PITCH, x);
}

function draw() {
  pending = false;
  views.forEach(paint);
}
function show(a, b) {
  const span = Math.min(whole, Math.max(LEAST, b - a));
  from = Math.min(Math.max(0, a), whole - span);
  to = from + span;
  if (!pending) {
    pending = true;
    requestAnimationFrame(draw);
  }
}
function zoom(factor, at = (from + to) / 2) {
  show(at - (at - from) * factor, at + (to - at) * factor);
}

views.forEach(({ panel, canvas }) => {
  const time = event => from + (event.offsetX - LEFT) * (to - from) / (canvas.clientWidth - LEFT);
  const under = event => {
    const lane = panel.lanes[Math.floor((event.offsetY - TOP) / PITCH)], at = time(event);
    const slice = lane && event.offsetX >= LEFT ? lane.slices[first(lane.slices, at)] : undefined;
    return slice && slice[0] <= at ? { lane, slice } : undefined;
  };
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    zoom(Math.pow(1.0015, event.deltaY), time(event));
  }, { passive: false });
  canvas.addEventListener("pointerdown", event => canvas.setPointerCapture(event.pointerId));
  canvas.addEventListener("pointermove", event => {
    if (event.buttons & 1) {
      const moved = event.movementX * (to - from) / (canvas.clientWidth - LEFT);
      show(from - moved, to - moved);
    }
    const hit = under(event);
    tip.style.display = hit ? "block" : "none";
    if (hit) {
      const [start, cycles, style, number, name] = hit.slice;
      tip.textContent = data.names[name] + "\n" + data.styles[style].name + ", " + hit.lane.name + ", step " + number
        + "\n" + cycles + " cycles (" + us(cycles).toFixed(3) + " us) from " + start;
      tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
      tip.style.top = (event.clientY + 16) + "px";
    }
  });
  canvas.addEventListener("pointerleave", () => { tip.style.display = "none"; });
  canvas.addEventListener("dblclick", event => {
    const hit = under(event);
    if (hit) {
      const lanes = panel.lanes.filter(lane => lane.name !== "host" || panel.lanes.length === 1);
      const same = lanes.flatMap(lane => lane.slices.filter(slice => slice[3] === hit.slice[3]));
      const begin = same.reduce((least, slice) => Math.min(least, slice[0]), Infinity);
      const end = same.reduce((most, slice) => Math.max(most, slice[0] + slice[1]), 0);
      show(begin - (end - begin) * 0.03, end + (end - begin) * 0.03);
    }
  });
});
document.getElementById("whole").onclick = () => show(0, whole);
document.getElementById("nearer").onclick = () => zoom(0.5);
document.getElementById("farther").onclick = () => zoom(2);
addEventListener("keydown", event => {
  const span = to - from;
  const moves = {
    ArrowLeft: () => show(from - span / 8, to - span / 8), ArrowRight: () => show(from + span / 8, to + span / 8),
    "+": () => zoom(0.5), "-": () => zoom(2), "0": () => show(0, whole) };
  if (moves[event.key] && !event.ctrlKey && !event.metaKey) { moves[event.key](); }
});
addEventListener("resize", draw);
dark.addEventListener("change", draw);
draw();
</script>
)page";

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
// categories, followed by those of kinds of operators.
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
    return pages::document(picture.title, body, style_rules() + kStyle, script + kLanesScript);
}

}  // namespace pianola::timeline
