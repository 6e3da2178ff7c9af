#include "capture_host/base/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "capture_host/base/chart.h"

namespace pianola::pages {
namespace {

// Nothing outside the page is loaded, whatever a name inside it says.
constexpr const char* kHead = R"page(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
)page";

constexpr const char* kStyle = R"page(:root { color-scheme: light dark; --ground: #ffffff; --ink: #1f2328;
  --faint: #57606a; --lane: #f3f5f8; --line: #d0d7de; --on: #ffffff; --limit: #c01c28; --good: #116b34;
  --bad: #b3141f; --free: #e4e8ed; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0d1117; --ink: #e6edf3; --faint: #9aa4af; --lane: #161b22; --line: #30363d; --on: #0d1117;
    --limit: #ff7b72; --good: #56d364; --bad: #ff7b72; --free: #21262d; }
}
* { box-sizing: border-box; }
body { font: 14px/1.5 system-ui, sans-serif; background: var(--ground); color: var(--ink); margin: 0 auto;
  max-width: 1400px; padding: 1.25rem 16px 3rem; }
h1 { font-size: 1.35rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2.2rem 0 .4rem; padding-top: .5rem; border-top: 1px solid var(--line); }
h3 { font-size: .95rem; margin: 1.2rem 0 .3rem; }
p { color: var(--faint); margin: .35rem 0; max-width: 62rem; overflow-wrap: anywhere; }
.wide { overflow-x: auto; margin: .6rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--faint); padding-bottom: .2rem; }
th, td { padding: .28rem .9rem .28rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { font-weight: 600; white-space: nowrap; }
.n { text-align: right; white-space: nowrap; }
td:first-child:not(.name) { white-space: nowrap; }
td.name { overflow-wrap: anywhere; min-width: 13rem; max-width: 26rem; }
tr.total td { font-weight: 600; border-bottom: 0; }
code { font: 12px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .15rem 1.1rem; margin: .6rem 0; }
dt { color: var(--faint); }
dd { margin: 0; overflow-wrap: anywhere; }
i.s { display: inline-block; width: .8rem; height: .8rem; margin-right: .4rem; border-radius: 2px;
  vertical-align: -1px; }
.legend { max-width: none; }
.legend span { display: inline-block; margin-right: 1.1rem; }
.bar { display: inline-block; height: .7rem; border-radius: 2px; vertical-align: -1px; margin-left: .5rem; }
details { margin: .6rem 0; }
summary { cursor: pointer; color: var(--faint); }
.good { color: var(--good); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
svg.chart { display: block; width: 100%; margin: .5rem 0; }
svg.chart text { font: 12px system-ui, sans-serif; fill: var(--ink); }
svg.chart text.on { fill: var(--on); pointer-events: none; }
svg.chart text.faint { fill: var(--faint); }
svg.chart text.limit { fill: var(--limit); }
svg.chart .lane { fill: var(--lane); }
svg.chart .free { fill: var(--free); }
svg.chart line { stroke: var(--line); }
svg.chart line.limit { stroke: var(--limit); stroke-width: 2; stroke-dasharray: 5 3; }
)page";

std::string colours() {
    std::string light;
    std::string dark;
    for (std::size_t kind = 0U; kind < kHues; ++kind) {
        light += fmt::format(".{0} {{ fill: {1}; background: {1}; }}\n", hue_class(kind), hue(kind).light);
        dark += fmt::format("  .{0} {{ fill: {1}; background: {1}; }}\n", hue_class(kind), hue(kind).dark);
    }
    return light + "@media (prefers-color-scheme: dark) {\n" + dark + "}\n";
}

}  // namespace

std::string escape(const std::string& text) {
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
            case '\'':
                escaped += "&#39;";
                break;
            default:
                escaped += each;
                break;
        }
    }
    return escaped;
}

std::string grouped(std::uint64_t number) {
    constexpr std::size_t kGroup = 3U;
    const std::string digits = fmt::format("{}", number);
    std::string text;
    for (std::size_t i = 0U; i < digits.size(); ++i) {
        const bool begins_group = (i != 0U) && (((digits.size() - i) % kGroup) == 0U);
        text += begins_group ? "," : "";
        text += digits[i];
    }
    return text;
}

std::string address_text(std::uint64_t address) {
    return fmt::format("0x{:08X}", address);
}

double fraction(std::uint64_t part, std::uint64_t whole) {
    return (whole == 0U) ? 0.0 : (static_cast<double>(part) / static_cast<double>(whole));
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
    return fmt::format("{:.1f} %", fraction(part, whole) * kPercent);
}

void Table::add(const std::vector<std::string>& cells, bool is_total) {
    rows_ += is_total ? "<tr class=\"total\">" : "<tr>";
    for (std::size_t i = 0U; i < columns_.size(); ++i) {
        const Align align = columns_[i].second;
        const char* const style =
            (align == Align::kNumber) ? " class=\"n\"" : ((align == Align::kName) ? " class=\"name\"" : "");
        rows_ += fmt::format("<td{}>{}</td>", style, cells.at(i));
    }
    rows_ += "</tr>\n";
}

std::string Table::html() const {
    std::string heads;
    for (const auto& [name, align] : columns_) {
        heads +=
            fmt::format("<th scope=\"col\"{}>{}</th>", (align == Align::kNumber) ? " class=\"n\"" : "", escape(name));
    }
    return fmt::format(
        "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\"><table>\n<caption>{0}</caption>\n"
        "<thead><tr>{1}</tr></thead>\n<tbody>\n{2}</tbody>\n</table></div>\n",
        escape(caption_), heads, rows_);
}

std::string facts(const std::vector<std::pair<std::string, std::string>>& lines) {
    std::string list = "<dl>\n";
    for (const auto& [name, value] : lines) {
        list += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escape(name), value);
    }
    return list + "</dl>\n";
}

const Hue& hue(std::size_t kind) {
    // White on the light ones, and nearly black on the dark ones, has a contrast of 4.5 and more.
    static constexpr std::array<Hue, kHues> kAll{{{"#0b62b4", "#6cb6ff"},
                                                  {"#00775a", "#3ecf9f"},
                                                  {"#7b3fa6", "#cda0f5"},
                                                  {"#a2430a", "#ff9e64"},
                                                  {"#a8275f", "#f58ab0"},
                                                  {"#3f51b5", "#a9b1ff"},
                                                  {"#5c6a00", "#bccb4d"},
                                                  {"#1f6f86", "#76cde4"},
                                                  {"#8a5a00", "#e5b94a"},
                                                  {"#8c3b3b", "#e7a09a"},
                                                  {"#56606b", "#aab4bf"}}};
    return kAll.at(std::min(kind, kHues - 1U));
}

std::string hue_class(std::size_t kind) {
    return fmt::format("k{}", std::min(kind, kHues - 1U));
}

std::string swatch(const std::string& style_class) {
    return fmt::format("<i class=\"s {}\"></i>", style_class);
}

std::string document(const std::string& title, const std::string& body, const std::string& style,
                     const std::string& script) {
    return fmt::format("{}<title>{}</title>\n<style>\n{}{}{}{}</style>\n</head>\n<body>\n{}{}</body>\n</html>\n", kHead,
                       escape(title), kStyle, colours(), Chart::style_sheet(), style, body, script);
}

}  // namespace pianola::pages
