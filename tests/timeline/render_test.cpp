// Pictures: what they hold, that names can not break out of them, and that equal pictures give equal bytes.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "capture_host/timeline/picture.h"
#include "tests/timeline/subject.h"

namespace pianola::timeline {
namespace {

constexpr const char* kHostile = R"(</script><script>&"'<title>)";

Picture make_picture(const std::string& name) {
    const Subject subject{2U};
    Picture picture;
    picture.title = name;
    picture.clock_khz = subject.workload().clock_khz;
    add_steps(subject.workloads(), picture);
    for (StepPicture& step : picture.steps) {
        step.lifetimes.values.front().name = name;
        step.lifetimes.places.front().name = name;
        step.step.costs.front().name = name;
        step.step.path.front().name = name;
        step.regions.front().name = name;
        step.regions.at(step.lifetimes.values.front().region).name = name;
    }
    picture.kinds.front() = name;
    for (Pattern& pattern : all_patterns(subject.workloads(), {2000U, 100U})) {
        pattern.step[1].label = name;
        Row row;
        row.mode = pattern.name;
        row.steady = measure(pattern).front();
        picture.rows.push_back(row);
        Panel panel;
        panel.pattern = std::make_shared<const Pattern>(pattern);
        panel.slices = slices_of(*panel.pattern, 3U);
        picture.panels.push_back(panel);
    }
    picture.notes.push_back(name);
    return picture;
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0U;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1U)) {
        count += 1U;
    }
    return count;
}

TEST(Render, ChromeHoldsEverySliceInOrder) {
    const Picture picture = make_picture("plain");
    const nlohmann::json json = nlohmann::json::parse(render_chrome(picture));
    std::map<std::pair<std::size_t, std::size_t>, Cycles> ends;
    std::size_t slices = 0U;
    for (const nlohmann::json& event : json.at("traceEvents")) {
        if (event.at("ph") != "X") {
            continue;
        }
        const Cycles start = event.at("args").at("start_cycles");
        const Cycles cycles = event.at("args").at("cycles");
        EXPECT_DOUBLE_EQ(event.at("ts").get<double>(),
                         static_cast<double>(start) / 500.0);  // 500 cycles are a microsecond
        EXPECT_DOUBLE_EQ(event.at("dur").get<double>(), static_cast<double>(cycles) / 500.0);
        Cycles& end = ends[{event.at("pid"), event.at("tid")}];
        EXPECT_GE(start, end);
        end = start + cycles;
        slices += 1U;
    }
    std::size_t expected = 0U;
    for (const Panel& panel : picture.panels) {
        expected += panel.slices.size();
    }
    EXPECT_EQ(slices, expected);
    EXPECT_EQ(ends.size(), 2U + 2U + 3U + 3U + 3U);  // host, and the queues that each pattern has
}

TEST(Render, NamesCanNotBreakOut) {
    const Picture picture = make_picture(kHostile);
    const Picture plain = make_picture("plain");
    EXPECT_EQ(nlohmann::json::parse(render_chrome(picture)).at("otherData").at("title"), kHostile);
    for (const auto& render : {render_svg, render_html}) {
        const std::string text = render(picture);
        EXPECT_EQ(text.find(kHostile), std::string::npos);
        for (const char* const tag : {"<script", "</script", "<title", "</title"}) {
            EXPECT_EQ(count_of(text, tag), count_of(render(plain), tag)) << tag;
        }
    }
}

TEST(Render, EqualPicturesGiveEqualBytes) {
    for (const auto& render : {render_chrome, render_svg, render_html}) {
        EXPECT_EQ(render(make_picture("plain")), render(make_picture("plain")));
    }
}

TEST(Render, TheTableIsInEveryPageAndAddsUp) {
    const Picture picture = make_picture("plain");
    const std::vector<std::vector<std::string>> cells = table_cells(picture);
    ASSERT_EQ(cells.size(), 1U + picture.rows.size());
    EXPECT_EQ(cells[1][1], "2150");     // eager, as in Gaps.Eager
    EXPECT_EQ(cells[1][2], "4.300");    // at 500 MHz
    EXPECT_EQ(cells[2][3], "55.74 %");  // 272 of 488
    for (const std::vector<std::string>& line : cells) {
        EXPECT_EQ(line.size(), cells.front().size());
        for (const std::string& cell : line) {
            EXPECT_NE(render_svg(picture).find(">" + cell + "</text>"), std::string::npos) << cell;
            EXPECT_NE(render_html(picture).find(">" + cell + "</t"), std::string::npos) << cell;
        }
    }
}

TEST(Render, APictureOfNothingIsAPicture) {
    Picture picture;
    picture.clock_khz = 1U;
    EXPECT_NE(render_svg(picture).find("</svg>"), std::string::npos);
    EXPECT_NE(render_html(picture).find("</html>"), std::string::npos);
    EXPECT_FALSE(nlohmann::json::parse(render_chrome(picture)).is_null());
}

}  // namespace
}  // namespace pianola::timeline
