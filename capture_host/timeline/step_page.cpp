#include "capture_host/timeline/step_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "capture_host/base/chart.h"
#include "capture_host/base/page.h"
#include "capture_host/binary/names.h"

namespace pianola::timeline {
namespace {

using pages::Chart;
using pages::escape;
using pages::grouped;
using pages::Table;

constexpr double kTextLine = 18.0;  // in a picture
constexpr double kStrip = 30.0;
constexpr double kStripGap = 10.0;
constexpr double kSeamPart = 0.0006;         // of the width, between neighbours
constexpr double kLeastPart = 1.0 / 5000.0;  // of a picture's width, that is drawn
constexpr std::size_t kMostValues = 3000U;

std::string us_text(Cycles cycles, const Picture& picture) {
    return fmt::format("{:.3f} us", to_us(cycles, picture.clock_khz));
}

std::string class_of(const Picture& picture, std::uint32_t operation, Category category) {
    const auto kind = picture.kind_of.find(operation);
    return ((operation != 0U) && (kind != picture.kind_of.end())) ? pages::hue_class(kind->second)
                                                                  : style_of(category).key;
}

// Parts of one operator that follow each other are one.
std::vector<PathPart> joined(const std::vector<PathPart>& path) {
    std::vector<PathPart> whole;
    for (const PathPart& part : path) {
        const bool goes_on = !whole.empty() && (part.operation != 0U) && (whole.back().operation == part.operation);
        if (goes_on) {
            whole.back().end = part.end;
        } else {
            whole.push_back(part);
        }
    }
    return whole;
}

std::string name_of(const StepPicture& step, const PathPart& part) {
    const auto found = std::find_if(step.step.costs.begin(), step.step.costs.end(), [&part](const Cost& each) {
        return (part.operation != 0U) && (each.operation == part.operation);
    });
    return (found != step.step.costs.end()) ? found->name : part.name;
}

Cycles longest_step(const Picture& picture) {
    Cycles longest = 0U;
    for (const StepPicture& each : picture.steps) {
        longest = std::max(longest, each.step.cycles);
    }
    return longest;
}

void draw_path(const Picture& picture, const StepPicture& step, Cycles whole, double top, Chart& chart) {
    chart.box({0.0, 1.0, top, kStrip}, "lane");
    for (const PathPart& part : joined(step.step.path)) {
        Chart::Box box{pages::fraction(part.start, whole), pages::fraction(part.end, whole), top, kStrip};
        if ((box.right - box.left) < kLeastPart) {
            continue;
        }
        box.right = std::max(box.left, box.right - kSeamPart);
        const std::string name = name_of(step, part);
        chart.box(box, class_of(picture, part.operation, part.category),
                  fmt::format("{}: {} cycles ({}), {} of the step", name, grouped(part.end - part.start),
                              us_text(part.end - part.start, picture),
                              pages::share_text(part.end - part.start, step.step.cycles)));
        chart.label(box, labels_of(name));
    }
}

// The step beside its deadline, to scale.
std::string draw_deadline(const Picture& picture, Cycles step) {
    const auto deadline = static_cast<Cycles>(std::llround(static_cast<double>(picture.step_deadline_us) / kUsPerMs *
                                                           static_cast<double>(picture.clock_khz)));
    if ((deadline == 0U) || (step == 0U)) {
        return {};
    }
    const std::string words = fmt::format("{} of a deadline of {} us: {}", us_text(step, picture),
                                          grouped(picture.step_deadline_us), pages::share_text(step, deadline));
    Chart chart{"deadline", "A step against its deadline", words};
    const double scale = static_cast<double>(std::max(step, deadline)) * 1.02;
    chart.box({0.0, 1.0, 4.0, 16.0}, "lane");
    chart.box({0.0, static_cast<double>(step) / scale, 4.0, 16.0}, "control", words);
    chart.line(static_cast<double>(deadline) / scale, 0.0, 24.0, "limit");
    chart.text_at_line(static_cast<double>(deadline) / scale, 16.5, "deadline", "limit");
    return fmt::format(
        "<h3>Deadline</h3>\n<p>{}. It runs from submit() to the poll() that returns the result: polling, and "
        "verification of the result, take of what is left.</p>\n{}",
        words, chart.svg(24.0));
}

// What the operators of a kind take together.
std::string kinds_legend(const Picture& picture) {
    std::string legend;
    for (std::size_t i = 0U; i < picture.kinds.size(); ++i) {
        legend += fmt::format("<span>{}{}</span>\n", pages::swatch(pages::hue_class(i)), escape(picture.kinds[i]));
    }
    for (const Style& look : looks()) {
        const std::string key = look.key;
        if ((key == "write") || (key == "read") || (key == "control")) {
            legend += fmt::format("<span>{}{}</span>\n", pages::swatch(key), look.legend);
        }
    }
    return fmt::format("<p class=\"legend\">\n{}</p>\n", legend);
}

std::string bar(const std::string& style_class, double part) {
    constexpr double kLongest = 120.0;  // pixels
    return fmt::format("<span class=\"bar {}\" style=\"width:{:.1f}px\"></span>", style_class,
                       std::max(1.0, part * kLongest));
}

std::string cores_text(const Cost& cost) {
    if (cost.cores.empty()) {
        return (cost.operation == 0U) ? "" : "all";
    }
    std::string text;
    for (const std::uint32_t core : cost.cores) {
        text += fmt::format("{}{}", text.empty() ? "" : ", ", core);
    }
    return text;
}

std::string measured_text(const Picture& picture, std::uint32_t operation) {
    const auto found = picture.measured.find(operation);
    return (found == picture.measured.end()) ? "" : grouped(found->second);
}

Table::Columns cost_columns(const Picture& picture) {
    using Align = Table::Align;
    Table::Columns columns{{"operator", Align::kName},       {"kind", Align::kText},
                           {"cycles", Align::kNumber},       {"share of the step", Align::kText},
                           {"us", Align::kNumber},           {"in kernels", Align::kNumber},
                           {"cores", Align::kText},          {"commands", Align::kNumber},
                           {"words", Align::kNumber},        {"bytes read", Align::kNumber},
                           {"bytes written", Align::kNumber}};
    if (!picture.measured.empty()) {
        columns.emplace_back(escape(picture.measured_heading), Align::kNumber);
    }
    return columns;
}

std::string cost_table(const Picture& picture, const StepPicture& step) {
    const bool is_measured = !picture.measured.empty();
    Table table{fmt::format("Costs of a step{}: {} cycles", picture.is_mesh ? " on " + to_string(step.step.device) : "",
                            grouped(step.step.cycles)),
                cost_columns(picture)};
    const auto add = [&table, is_measured](std::vector<std::string> cells, const std::string& measured, bool is_sum) {
        if (is_measured) {
            cells.push_back(measured);
        }
        table.add(cells, is_sum);
    };
    Cost sum;
    std::uint64_t measured = 0U;
    for (const Cost& each : step.step.costs) {
        const std::string look = class_of(picture, each.operation, each.category);
        add({pages::swatch(look) + escape(each.name), escape(each.kind), grouped(each.on_path),
             pages::share_text(each.on_path, step.step.cycles) +
                 bar(look, pages::fraction(each.on_path, step.step.cycles)),
             fmt::format("{:.3f}", to_us(each.on_path, picture.clock_khz)), grouped(each.kernels), cores_text(each),
             grouped(each.commands), grouped(each.words), grouped(each.read_bytes), grouped(each.written_bytes)},
            measured_text(picture, each.operation), false);
        const auto found = picture.measured.find(each.operation);
        measured += (found == picture.measured.end()) ? 0U : found->second;
        sum.on_path += each.on_path;
        sum.kernels += each.kernels;
        sum.commands += each.commands;
        sum.words += each.words;
        sum.read_bytes += each.read_bytes;
        sum.written_bytes += each.written_bytes;
    }
    add({"sum", "", grouped(sum.on_path), pages::share_text(sum.on_path, step.step.cycles),
         fmt::format("{:.3f}", to_us(sum.on_path, picture.clock_khz)), grouped(sum.kernels), "", grouped(sum.commands),
         grouped(sum.words), grouped(sum.read_bytes), grouped(sum.written_bytes)},
        grouped(measured), true);
    return table.html();
}

// Places are columns of equal width; in a region, addresses go down to scale.
class MemoryChart {
  public:
    MemoryChart(const Picture& picture, const StepPicture& step)
        : picture_{picture},
          step_{step},
          chart_{fmt::format("memory-{}-{}", step.step.device.row, step.step.device.column),
                 "Lifetimes of memory in a step",
                 "From left to right the transfers and operators of a step, downwards the addresses of each region. A "
                 "box is a value: from what makes it to what needs it last. The table below says the same."} {
        for (const Value& value : step.lifetimes.values) {
            most_region_bytes_ = std::max(most_region_bytes_, step.regions[value.region].bytes);
        }
    }

    std::string draw() {
        for (std::size_t region = 0U; region < step_.regions.size(); ++region) {
            const bool is_used = std::any_of(step_.lifetimes.values.begin(), step_.lifetimes.values.end(),
                                             [region](const Value& value) { return value.region == region; });
            if (is_used) {
                draw_region(region);
            }
        }
        std::vector<std::string> columns;
        for (const Place& place : step_.lifetimes.places) {
            const std::string transfer = (place.name.find("read") == 0U) ? "out" : "in";
            columns.push_back((place.operation == 0U) ? transfer : labels_of(place.name).back());
        }
        const bool are_numbers = std::all_of(columns.begin(), columns.end(),
                                             [](const std::string& each) { return pages::text_width(each) < 40.0; });
        if (are_numbers) {
            chart_.axis(columns, y_ + 12.0);
            y_ += kTextLine;
        }
        return chart_.svg(y_);
    }

  private:
    void draw_region(std::size_t index) {
        constexpr double kLeast = 22.0;
        constexpr double kMost = 220.0;
        const NamedRegion& region = step_.regions[index];
        const double height = kLeast + ((kMost - kLeast) * pages::fraction(region.bytes, most_region_bytes_));
        const std::string name = fmt::format("{}, {}", region.name, name_of(region.memory));
        const std::string bytes = fmt::format("{}, {} bytes", name, grouped(region.bytes));
        chart_.line_of_text(y_ + 13.0,
                            {fmt::format("{} from {}", bytes, pages::address_text(region.base)), bytes, name}, "faint");
        y_ += kTextLine;
        chart_.box({0.0, 1.0, y_, height}, "lane");
        for (const Value& value : step_.lifetimes.values) {
            if (value.region == index) {
                draw_value(value, height);
            }
        }
        y_ += height + kStripGap;
    }

    void draw_value(const Value& value, double height) {
        constexpr double kLeastHeight = 3.0;
        constexpr double kLetters = 15.0;
        const Lifetimes& all = step_.lifetimes;
        const NamedRegion& region = step_.regions[value.region];
        const auto columns = static_cast<double>(all.places.size());
        Chart::Box box;
        box.left = static_cast<double>(value.made_at) / columns;
        box.right = (static_cast<double>(value.used_at) + 1.0) / columns;
        box.right -= std::min(kSeamPart * 2.0, (box.right - box.left) / 4.0);
        box.top = y_ + (height * pages::fraction(value.address - region.base, region.bytes));
        box.height = std::max(kLeastHeight, (height * pages::fraction(value.bytes, region.bytes)) - 1.0);
        box.top = std::min(box.top, y_ + height - kLeastHeight);
        const Place& maker = all.places[value.made_at];
        const std::string made = value.from_before ? "before the step" : maker.name;
        const std::string look = value.from_before ? "control" : class_of(picture_, maker.operation, Category::kWrite);
        chart_.box(box, look,
                   fmt::format("{}: {} bytes at {}, made by {}, needed until {}", value.name, grouped(value.bytes),
                               pages::address_text(value.address), made, all.places[value.used_at].name));
        if (box.height >= kLetters) {
            chart_.label(box, labels_of(made));
        }
    }

    const Picture& picture_;
    const StepPicture& step_;
    Chart chart_;
    double y_{4.0};
    std::uint64_t most_region_bytes_{0U};
};

std::string value_table(const Picture& picture, const StepPicture& step) {
    using Align = Table::Align;
    Table table{picture.is_mesh ? "Values on " + to_string(step.step.device) : "Values",
                {{"value", Align::kName},
                 {"region", Align::kName},
                 {"address", Align::kText},
                 {"bytes", Align::kNumber},
                 {"made by", Align::kText},
                 {"needed until", Align::kText}}};
    const Lifetimes& all = step.lifetimes;
    for (const Value& value : all.values) {
        table.add({escape(value.name), escape(step.regions[value.region].name), pages::address_text(value.address),
                   grouped(value.bytes),
                   value.from_before ? std::string{"before the step"} : escape(all.places[value.made_at].name),
                   value.stays ? std::string{"the next step"} : escape(all.places[value.used_at].name)});
    }
    return fmt::format("<details><summary>As a table: {} values</summary>\n{}</details>\n", all.values.size(),
                       table.html());
}

std::string memory_of(const Picture& picture, const StepPicture& step) {
    const Lifetimes& all = step.lifetimes;
    if (all.values.empty()) {
        return {};
    }
    const std::string section = fmt::format("<p>At most {} bytes are needed at once, first at {}.</p>\n",
                                            grouped(all.most_bytes), escape(all.places[all.most_at].name));
    if (all.values.size() > kMostValues) {
        return section + fmt::format("<p>A step has {} values, too many to be drawn.</p>\n", all.values.size());
    }
    return section + MemoryChart{picture, step}.draw() + value_table(picture, step);
}

// Devices of a mesh one below the other; the first is open.
template <typename Make>
std::string for_each_device(const Picture& picture, Make make) {
    std::string section;
    for (const StepPicture& step : picture.steps) {
        const std::string part = make(step);
        section += picture.is_mesh ? fmt::format("<details{}><summary>Device {}</summary>\n{}</details>\n",
                                                 (&step == &picture.steps.front()) ? " open" : "",
                                                 to_string(step.step.device), part)
                                   : part;
    }
    return section;
}

}  // namespace

std::string path_section(const Picture& picture) {
    const Cycles whole = longest_step(picture);
    if (whole == 0U) {
        return {};
    }
    Chart chart{"path", "Critical path of a step", "What a step could not end without, one after the other; to scale"};
    double y = 4.0;
    for (const StepPicture& step : picture.steps) {
        if (picture.is_mesh) {
            chart.line_of_text(
                y + 13.0, {fmt::format("device {}: {} cycles", to_string(step.step.device), grouped(step.step.cycles))},
                "faint");
            y += kTextLine;
        }
        draw_path(picture, step, whole, y, chart);
        y += kStrip + kStripGap;
    }
    chart.line(0.0, y - kStripGap, y - 2.0);
    chart.line(1.0, y - kStripGap, y - 2.0);
    chart.text_at_line(0.0, y + 8.0, "0", "faint");
    chart.text_at_line(1.0, y + 8.0, us_text(whole, picture), "faint");
    return fmt::format(
        "<h2>One step</h2>\n<p>The critical path of a captured step, {} cycles: what it could not end "
        "without. The host takes no time, and nothing else is under way.</p>\n{}{}{}",
        grouped(whole), chart.svg(y + kTextLine), kinds_legend(picture), draw_deadline(picture, whole));
}

std::string cost_section(const Picture& picture) {
    if (longest_step(picture) == 0U) {
        return {};
    }
    return "<h2>Operators</h2>\n<p>Cycles are those on the critical path of the step, and add up to it; in kernels, "
           "those of all cores together.</p>\n" +
           for_each_device(picture, [&picture](const StepPicture& step) { return cost_table(picture, step); });
}

std::string memory_section(const Picture& picture) {
    const std::string parts =
        for_each_device(picture, [&picture](const StepPicture& step) { return memory_of(picture, step); });
    return "<h2>Memory</h2>\n<p>From what makes a value to what needs it last. Columns are the transfers and operators "
           "of a step, in program order. Weights and traces, which stay, are left out.</p>\n" +
           parts;
}

}  // namespace pianola::timeline
