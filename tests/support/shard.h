// Shard: part I of N of a campaign, as `--shard I/N` gives it, counted from 1. Item k, from 0, belongs to part k modulo
// N, plus 1, so that each part has early and late items.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace pianola::test {

struct Shard {
    std::uint32_t part{1U};
    std::uint32_t parts{1U};

    [[nodiscard]] bool has(std::size_t item) const noexcept { return (item % parts) == (part - 1U); }
};

[[nodiscard]] inline Shard shard_of(const std::string& text) {
    constexpr std::size_t kMostDigits = 6U;
    const auto number = [&text](const std::string& digits) {
        const bool is_number = !digits.empty() && (digits.size() <= kMostDigits) &&
                               (digits.find_first_not_of("0123456789") == std::string::npos);
        if (!is_number) {
            throw std::invalid_argument{"--shard " + text + ": write I/N, I from 1 to N"};
        }
        return static_cast<std::uint32_t>(std::stoul(digits));
    };
    const std::size_t slash = text.find('/');
    const Shard shard{number(text.substr(0U, slash)),
                      number((slash == std::string::npos) ? std::string{} : text.substr(slash + 1U))};
    if ((shard.part == 0U) || (shard.part > shard.parts)) {
        throw std::invalid_argument{"--shard " + text + ": write I/N, I from 1 to N"};
    }
    return shard;
}

}  // namespace pianola::test
