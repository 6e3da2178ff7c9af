#include "capture_host/cli/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace pianola::cli {
namespace {

constexpr std::size_t kMost = 3U;
constexpr std::size_t kLettersPerMistake = 3U;

bool begins_with(const std::string& text, const std::string& start) {
    return text.compare(0U, start.size(), start) == 0;
}

}  // namespace

std::size_t edit_distance(const std::string& left, const std::string& right) {
    // Row by row: distances from the first i letters of the one to the first j of the other.
    const std::size_t width = right.size() + 1U;
    std::vector<std::vector<std::size_t>> distance(left.size() + 1U, std::vector<std::size_t>(width));
    for (std::size_t j = 0U; j < width; ++j) {
        distance[0U][j] = j;
    }
    for (std::size_t i = 1U; i <= left.size(); ++i) {
        distance[i][0U] = i;
        for (std::size_t j = 1U; j < width; ++j) {
            const std::size_t replaced = (left[i - 1U] == right[j - 1U]) ? 0U : 1U;
            distance[i][j] =
                std::min({distance[i - 1U][j] + 1U, distance[i][j - 1U] + 1U, distance[i - 1U][j - 1U] + replaced});
            const bool is_exchanged =
                (i > 1U) && (j > 1U) && (left[i - 1U] == right[j - 2U]) && (left[i - 2U] == right[j - 1U]);
            if (is_exchanged) {
                distance[i][j] = std::min(distance[i][j], distance[i - 2U][j - 2U] + 1U);
            }
        }
    }
    return distance.back().back();
}

std::vector<std::string> suggestions(const std::string& word, const std::vector<std::string>& candidates) {
    std::vector<std::pair<std::size_t, std::string>> near;
    const std::size_t admitted = std::max<std::size_t>(1U, word.size() / kLettersPerMistake);
    constexpr std::size_t kShortestStart = 3U;  // shorter ones begin too much
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance <= admitted) {
            near.emplace_back(distance, candidate);
        } else if ((word.size() >= kShortestStart) && (word != "--") && begins_with(candidate, word)) {
            near.emplace_back(admitted, candidate);
        } else {
            // Not near.
        }
    }
    const auto nearest = std::min_element(near.begin(), near.end(),
                                          [](const auto& one, const auto& other) { return one.first < other.first; });
    std::vector<std::string> names;
    for (const auto& [distance, name] : near) {
        // What is a mistake further away is named only where nothing is nearer.
        if ((names.size() < kMost) && (distance == nearest->first)) {
            names.push_back(name);
        }
    }
    return names;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
    const std::vector<std::string> names = suggestions(word, candidates);
    return names.empty() ? std::string{} : fmt::format("; did you mean {}?", fmt::join(names, " or "));
}

}  // namespace pianola::cli
