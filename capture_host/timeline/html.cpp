// One page that needs nothing else: the table of gaps, and the panels on canvases that can be zoomed, dragged and
// asked.

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "capture_host/timeline/picture.h"

namespace pianola::timeline {
namespace {

using Json = nlohmann::ordered_json;

// Nothing outside the page is loaded, whatever a name inside it says.
constexpr const char* kHead = R"page(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
)page";

constexpr const char* kStyle = R"page(<style>
:root { color-scheme: light dark; --ground: #ffffff; --ink: #1f2328; --faint: #57606a; --lane: #f6f8fa;
  --line: #d0d7de; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0d1117; --ink: #e6edf3; --faint: #9198a1; --lane: #161b22; --line: #30363d; }
}
body { font: 14px/1.45 system-ui, sans-serif; background: var(--ground); color: var(--ink); margin: 1.5rem auto;
  max-width: 90rem; padding: 0 1.25rem; }
h1 { font-size: 1.3rem; margin: 0; }
h2 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
p { color: var(--faint); margin: .3rem 0; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .9rem; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
canvas { display: block; width: 100%; cursor: grab; touch-action: none; }
canvas:active { cursor: grabbing; }
.legend span { display: inline-block; margin-right: 1.2rem; white-space: nowrap; }
.legend i { display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem; border-radius: 2px;
  vertical-align: -1px; }
button { font: inherit; color: inherit; background: var(--lane); border: 1px solid var(--line); border-radius: 6px;
  padding: .15rem .7rem; margin-right: .3rem; cursor: pointer; }
#tip { position: fixed; display: none; pointer-events: none; background: var(--ink); color: var(--ground); 
  padding: .35rem .6rem; border-radius: 6px; white-space: pre; font-size: 12px; z-index: 1; }
</style>
)page";

constexpr const char* kControls = R"page(<div id="controls">
<button type="button" id="whole">whole</button><button type="button" id="nearer">zoom in</button>
<button type="button" id="farther">zoom out</button>
<p>Wheel zooms, dragging moves, a double click shows one step. Keys: arrows, + and -, 0 for the whole.</p>
</div>
<noscript><p>The lanes need JavaScript; the table does not.</p></noscript>
<div id="panels"></div>
<div id="tip"></div>
)page";

// Reads what it draws from the element "data".
constexpr const char* kScript = R"page(<script>
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const LEFT = 72, LANE = 26, PITCH = 32, TOP = 4, AXIS = 24, LABEL = 40, LEAST = 4;
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
  const heading = document.createElement("h2");
  heading.textContent = panel.name;
  const canvas = document.createElement("canvas");
  canvas.style.height = (TOP + panel.lanes.length * PITCH + AXIS) + "px";
  document.getElementById("panels").append(heading, canvas);
  return { panel, canvas };
});

// A round number, of which about eight make the span.
function tick(span) {
  const rough = span / 8, decade = Math.pow(10, Math.floor(Math.log10(rough)));
  return decade * ([1, 2, 5].find(factor => factor * decade >= rough) || 10);
}

function paint_axis(pen, width, bottom, x) {
  const pitch = tick(us(to - from));
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
    const half = pen.measureText(label).width / 2;
    pen.fillText(label, Math.min(Math.max(at, LEFT + half), width - half), bottom + 10);
  }
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
    if (size > LABEL) {
      pen.fillStyle = data.styles[style].pale ? paper("--faint") : dark.matches ? "#0d1117" : "#ffffff";
      pen.save();
      pen.beginPath();
      pen.rect(left, y, size - 4, LANE);
      pen.clip();
      pen.fillText(data.names[name], Math.max(left, LEFT) + 5, y + LANE / 2 + 1);
      pen.restore();
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
            for (const LaneGroup& group : panel.groups()) {
                Json lanes = Json::array();
                for (const Lane& lane : group.lanes) {
                    lanes.push_back({{"name", lane_name(lane)}, {"slices", slices_of(panel, lane)}});
                }
                json_["panels"].push_back({{"name", group.name}, {"lanes", lanes}});
            }
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
