// Of measured times: a table from which a product takes a deadline.
//
// times_main.cpp measures.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace pianola::vulkan {

// The least of the times that so many per 100,000 of them do not exceed. `sorted` is not empty, and ascends.
[[nodiscard]] inline std::uint64_t percentile(const std::vector<std::uint64_t>& sorted, std::uint64_t per_100000) {
    constexpr std::uint64_t kAll = 100'000U;
    const std::uint64_t rank = ((sorted.size() * per_100000) + (kAll - 1U)) / kAll;
    return sorted.at(static_cast<std::size_t>(std::max<std::uint64_t>(rank, 1U) - 1U));
}

// In microseconds. A percentile that so few steps say nothing of is left out.
[[nodiscard]] inline std::string table_of(std::vector<std::uint64_t> nanoseconds) {
    if (nanoseconds.empty()) {
        return "";
    }
    std::sort(nanoseconds.begin(), nanoseconds.end());
    const auto cell = [](std::uint64_t time) {
        const std::uint64_t tenths = (time + 50U) / 100U;
        return " " + std::to_string(tenths / 10U) + "." + std::to_string(tenths % 10U) + " |";
    };
    std::string row = "| " + std::to_string(nanoseconds.size()) + " |" + cell(nanoseconds.front());
    for (const std::uint64_t per_100000 : {50'000U, 99'000U, 99'900U, 99'990U}) {
        const bool says_something = (nanoseconds.size() * (100'000U - per_100000)) >= 100'000U;
        row += says_something ? cell(percentile(nanoseconds, per_100000)) : " - |";
    }
    row += cell(nanoseconds.back());
    return "| steps | shortest | half | 99 % | 99.9 % | 99.99 % | longest |\n|---:|---:|---:|---:|---:|---:|---:|\n" +
           row + "\n";
}

}  // namespace pianola::vulkan
