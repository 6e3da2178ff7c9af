#include "docs/examples/road_signs/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace pianola::sample {

namespace {

double percent_of(std::size_t part, std::size_t whole) noexcept {
    constexpr double kHundred = 100.0;
    return (whole == 0U) ? 0.0 : (kHundred * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

double Evaluation::percent() const noexcept {
    return percent_of(correct, total);
}

Evaluation evaluate(std::vector<std::string> classes, const std::vector<std::uint8_t>& labels,
                    const std::vector<std::uint8_t>& outputs) {
    const std::size_t width = classes.size();
    if (labels.empty() || (width == 0U)) {
        throw std::invalid_argument("nothing to evaluate: no labels, or no class names");
    }
    if ((outputs.size() / width != labels.size()) || (outputs.size() % width != 0U)) {
        throw std::invalid_argument(fmt::format("the outputs are {} bytes; {} pictures of {} classes need {}",
                                                outputs.size(), labels.size(), width, labels.size() * width));
    }
    Evaluation result;
    result.classes = std::move(classes);
    result.confusion.assign(width, std::vector<std::size_t>(width, 0U));
    result.total = labels.size();
    for (std::size_t k = 0U; k < labels.size(); ++k) {
        if (labels[k] >= width) {
            throw std::invalid_argument(fmt::format("label {} of picture {} is not a class", labels[k], k));
        }
        const auto first = outputs.begin() + static_cast<std::ptrdiff_t>(k * width);
        const auto greatest = std::max_element(
            first, first + static_cast<std::ptrdiff_t>(width),
            [](std::uint8_t a, std::uint8_t b) { return static_cast<std::int8_t>(a) < static_cast<std::int8_t>(b); });
        const auto said = static_cast<std::size_t>(greatest - first);
        ++result.confusion[labels[k]][said];
        result.correct += (said == labels[k]) ? 1U : 0U;
    }
    return result;
}

std::vector<std::string> parse_class_names(const std::vector<std::uint8_t>& file) {
    std::vector<std::string> names;
    std::istringstream lines{std::string(file.begin(), file.end())};
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty()) {
            names.push_back(line);
        }
    }
    return names;
}

std::string to_table(const Evaluation& evaluation) {
    std::size_t name_width = 0U;
    for (const std::string& name : evaluation.classes) {
        name_width = std::max(name_width, name.size());
    }
    std::string text =
        fmt::format("{} of {} right: {:.1f} %\n\n", evaluation.correct, evaluation.total, evaluation.percent());
    auto out = std::back_inserter(text);
    fmt::format_to(out, "   {:<{}}", "true \\ said", std::max<std::size_t>(name_width, 11U));
    for (std::size_t c = 0U; c < evaluation.classes.size(); ++c) {
        fmt::format_to(out, "{:>5}", c);
    }
    fmt::format_to(out, "    right\n");
    for (std::size_t row = 0U; row < evaluation.classes.size(); ++row) {
        fmt::format_to(out, "{:>2} {:<{}}", row, evaluation.classes[row], std::max<std::size_t>(name_width, 11U));
        for (const std::size_t count : evaluation.confusion[row]) {
            text += (count == 0U) ? fmt::format("{:>5}", ".") : fmt::format("{:>5}", count);
        }
        const std::size_t right = evaluation.confusion[row][row];
        fmt::format_to(out, "  {:>5.1f} %\n",
                       percent_of(right, std::accumulate(evaluation.confusion[row].begin(),
                                                         evaluation.confusion[row].end(), std::size_t{0U})));
    }
    return text;
}

std::string to_json(const Evaluation& evaluation) {
    nlohmann::ordered_json json;
    json["correct"] = evaluation.correct;
    json["total"] = evaluation.total;
    json["accuracy_percent"] = evaluation.percent();
    json["classes"] = evaluation.classes;
    json["confusion"] = evaluation.confusion;
    constexpr int kIndent = 2;
    return json.dump(kIndent) + "\n";
}

}  // namespace pianola::sample
