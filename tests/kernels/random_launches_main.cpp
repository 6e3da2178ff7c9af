// pianola_random_launches: random launches that kernels accept, as JSON lines. tests/baremetal/tools/launch_counts.py
// counts their instructions.
//
//   pianola_random_launches [--kernel NAME]... [--count N] [--seed N] [--limit-cycles N] [--memory-bytes N]
//
// A line: kernel, id, words, cycles (those of the device's cost model), data (what the operands hold, in words), fills:
// memory to set before the launch, each by address, size and either the seed of random bytes or the hexadecimal bytes
// of a pattern that is repeated. What is written is filled as well. Some launches have packed weights in a layout that
// a core does not read: it refuses them.
#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "hal/devices/refdev/device_spec.h"
#include "tests/kernels/random_arguments.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kOperationsPerCycle = 16U;  // of the virtual device

using nlohmann::json;
using test::Random;

struct Limits {
    std::uint32_t cycles{16'384U};
    std::uint32_t memory_bytes{};
};

// Extents of the address words, by word: the larger one where two words have the same.
using Extents = std::map<std::size_t, Extent>;

Extents extents_of(const Kernel& kernel, const Words& words, const ExtentList& published) {
    Extents extents;
    for (std::size_t word = 0U; word < words.size(); ++word) {
        for (const Extent& extent : published.view()) {
            if ((((kernel.address_words >> word) & 1U) != 0U) && (words.at(word) == extent.address)) {
                extents[word] = extent;
            }
        }
    }
    return extents;
}

// Outputs that overlap inputs cost a constant more, which the models' coefficients leave out.
bool is_accepted(const Kernel& kernel, const Words& words, ExtentList& published) {
    ArgumentError error;
    return is_ok(kernel.describe(span_of(words), published, error)) && (error.field[0] == '\0');
}

// Of the virtual device.
std::uint64_t virtual_cost(const Kernel& kernel, const Words& words, const ExtentList& published) {
    return launch_cost(kVirtualCosts, kernel, span_of(words), published);
}

// Moves the operands into DRAM, one after another, with gaps: `mask` are the bits of an address that may be set
// below 16. False if they do not fit or are not accepted there.
bool place(const Kernel& kernel, Words& words, const Extents& extents, std::uint32_t mask, const Limits& limits,
           Random& random) {
    constexpr std::uint32_t kUnit = 16U;
    Words placed = words;
    std::uint64_t offset = 0U;
    for (const auto& [word, extent] : extents) {
        offset += random.below(kUnit) & mask;
        placed.at(word) = DeviceSpec{}.dram_base + static_cast<std::uint32_t>(offset);
        offset = ((offset + extent.size_bytes + kUnit) / kUnit) * kUnit;
        if (offset > limits.memory_bytes) {
            return false;
        }
    }
    // In place, where a kernel allows that: output is the last address word.
    ExtentList published;
    Words in_place = placed;
    if (extents.size() > 1U) {
        in_place.at(extents.rbegin()->first) = placed.at(extents.begin()->first);
    }
    const bool is_in_place = random.one_in(4U) && is_accepted(kernel, in_place, published);
    words = is_in_place ? in_place : placed;
    return is_accepted(kernel, words, published);
}

std::string hexadecimal(const std::vector<std::uint8_t>& bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t byte : bytes) {
        text += kDigits.at(byte >> 4U);
        text += kDigits.at(byte & 15U);
    }
    return text;
}

std::string hexadecimal(const Words& words) {
    std::vector<std::uint8_t> bytes(words.size() * sizeof(std::uint32_t));
    std::memcpy(bytes.data(), words.data(), bytes.size());
    return hexadecimal(bytes);
}

struct Fill {
    std::string kind;
    std::string pattern;  // empty: random
};

Fill random_bytes(Random& random) {
    constexpr std::array<std::pair<const char*, const char*>, 10> kPatterns{{{"zero", "00"},
                                                                             {"minus one", "ff"},
                                                                             {"least int8", "80"},
                                                                             {"largest int8", "7f"},
                                                                             {"extremes int8", "807f7f80"},
                                                                             {"least int16", "0080"},
                                                                             {"largest int16", "ff7f"},
                                                                             {"least int32", "00000080"},
                                                                             {"largest int32", "ffffff7f"},
                                                                             {"one int8", "01"}}};
    if (random.one_in(2U)) {
        return {"uniform", ""};
    }
    const auto& [kind, pattern] = kPatterns.at(random.below(kPatterns.size()));
    return {kind, pattern};
}

// Biases, multipliers and shifts of some channels. `is_wide`: biases have 64 bits; `group` channels have their biases
// together, then their multipliers, then their shifts.
Fill random_channels(Random& random, bool is_wide, std::uint32_t group) {
    constexpr std::uint32_t kChannels = 12U;
    const std::uint32_t kind = random.below(6U);
    constexpr std::array<const char*, 6> kKinds{"typical",  "left shifts",  "furthest shifts",
                                                "no scale", "large biases", "uniform"};
    if (kind == 5U) {
        return {kKinds.at(kind), ""};
    }
    const std::uint32_t members = is_wide ? 4U : 3U;
    Words words(std::size_t{kChannels} * members);
    for (std::uint32_t channel = 0U; channel < kChannels; ++channel) {
        const auto first = static_cast<std::int32_t>(random.word()) >> ((kind == 4U) ? 2 : 14);
        Words values{static_cast<std::uint32_t>(first)};
        if (is_wide) {
            values.push_back((first < 0) ? UINT32_MAX : 0U);
        }
        values.push_back((kind == 3U) ? 0U : (0x4000'0000U + (random.word() % 0x4000'0000U)));
        const std::uint32_t largest = is_wide ? 7U : 30U;
        values.push_back((kind == 1U) ? random.below(largest)
                                      : ((kind == 2U) ? (random.one_in(2U) ? (0U - 31U) : largest)
                                                      : (0U - (3U + random.below(9U)))));
        for (std::uint32_t member = 0U; member < members; ++member) {
            const std::size_t base = std::size_t{channel / group} * group * members;
            words.at(base + (std::size_t{member} * group) + (channel % group)) = values.at(member);
        }
    }
    return {kKinds.at(kind), hexadecimal(words)};
}

Fill random_floats(Random& random) {
    constexpr std::array<const char*, 6> kKinds{"typical",      "subnormal", "infinite",
                                                "not a number", "halves",    "uniform"};
    const std::uint32_t kind = random.below(6U);
    Words words(16U);
    for (std::uint32_t& word : words) {
        const std::uint32_t sign = random.below(2U) << 31U;
        const std::uint32_t fraction = random.word() & 0x007F'FFFFU;
        const std::uint32_t exponent = (118U + random.below(14U)) << 23U;
        const std::array<std::uint32_t, 5> bits{exponent | fraction, fraction, 0x7F80'0000U, 0x7FC0'0001U,
                                                exponent | 0x0040'0000U};
        word = sign | ((kind < 5U) ? bits.at(kind) : 0U);
    }
    return {kKinds.at(kind), (kind == 5U) ? "" : hexadecimal(words)};
}

Fill random_fill(const Kernel& kernel, const Words& words, std::size_t word, Random& random) {
    const std::string_view name{argument_name(kernel, word)};
    if (name == "channel_parameters") {
        const bool is_wide = (kernel.id >= KernelId::kFullyConnectedInt16) &&
                             (kernel.id <= KernelId::kDepthwiseConv2dInt16) && (words.back() == kWideSumBytes);
        const bool is_packed = ((kernel.id == KernelId::kConv2d) || (kernel.id == KernelId::kFullyConnected)) &&
                               (words.back() != static_cast<std::uint32_t>(WeightsLayout::kPlain));
        return random_channels(random, is_wide, is_packed ? 4U : 1U);
    }
    if ((kernel.id == KernelId::kQuantize) && (name == "input")) {
        return random_floats(random);
    }
    if (name == "indices") {
        const bool is_inside = random.one_in(2U);
        const std::uint32_t entries = words.at(word_of(offsetof(TakeArguments, entries)));
        const Words indices{random.below(entries), random.below(entries), 0U, entries - 1U, random.below(entries)};
        return is_inside ? Fill{"inside", hexadecimal(indices)} : Fill{"uniform", ""};
    }
    if (kernel.id == KernelId::kSemaphore) {
        return {"reached", "ffffffff"};
    }
    return random_bytes(random);
}

json line_of(const Kernel& kernel, const Words& words, const ExtentList& published, Random& random) {
    json fills = json::array();
    std::string data;
    // What is in place is filled once.
    std::map<std::uint32_t, bool> filled;
    // Most operands of a launch hold the same kind.
    const Fill common = random_bytes(random);
    const bool is_common = random.one_in(2U);
    for (const auto& [word, extent] : extents_of(kernel, words, published)) {
        if (filled[extent.address]) {
            continue;
        }
        filled[extent.address] = true;
        Fill fill = random_fill(kernel, words, word, random);
        const std::string_view name{argument_name(kernel, word)};
        const bool is_plain = (name == "input") || (name == "input1") || (name == "input2") || (name == "filter");
        if (is_common && is_plain && (kernel.id != KernelId::kQuantize)) {
            fill = common;
        }
        json entry{{"address", extent.address}, {"size", extent.size_bytes}};
        if (fill.pattern.empty()) {
            entry["seed"] = random.word();
        } else {
            entry["bytes"] = fill.pattern;
        }
        fills.push_back(entry);
        data += (data.empty() ? "" : ", ") + std::string{name} + " " + fill.kind;
    }
    return {{"kernel", kernel.name}, {"id", static_cast<std::uint32_t>(kernel.id)},
            {"words", words},        {"cycles", virtual_cost(kernel, words, published)},
            {"data", data},          {"fills", fills}};
}

// One accepted launch within the limits.
json random_launch(const Kernel& kernel, const Limits& limits, Random& random) {
    constexpr std::uint32_t kTries = 1000U;
    constexpr std::array<std::uint32_t, 5> kMasks{0U, 15U, 12U, 14U, 0U};
    for (std::uint32_t i = 0U; i < kTries; ++i) {
        std::optional<Words> words = random_arguments(kernel, random, limits.cycles * kOperationsPerCycle);
        ExtentList published;
        if (!words.has_value() || !is_accepted(kernel, *words, published) ||
            (virtual_cost(kernel, *words, published) > limits.cycles)) {
            continue;
        }
        const Extents extents = extents_of(kernel, *words, published);
        const std::uint32_t first = random.below(2U);
        for (std::size_t mask = first; mask < kMasks.size(); ++mask) {
            if (place(kernel, *words, extents, kMasks.at(mask), limits, random)) {
                is_accepted(kernel, *words, published);
                return line_of(kernel, *words, published, random);
            }
        }
    }
    throw std::runtime_error(std::string{kernel.name} + ": no launch within the limits");
}

int print(const std::vector<std::string>& names, std::uint32_t count, std::uint32_t seed, const Limits& limits) {
    for (const Kernel& kernel : kernel_rom()) {
        if (!names.empty() && (std::find(names.begin(), names.end(), kernel.name) == names.end())) {
            continue;
        }
        Random random{(seed * 1000U) + static_cast<std::uint32_t>(kernel.id)};
        for (std::uint32_t i = 0U; i < count; ++i) {
            std::cout << random_launch(kernel, limits, random).dump() << '\n';
        }
    }
    return std::cout.good() ? 0 : 1;
}

}  // namespace
}  // namespace pianola::refdev

int main(int argc, char** argv) {
    try {
        CLI::App app{"Random launches that kernels accept, as JSON lines."};
        std::vector<std::string> names;
        std::uint32_t count = 100U;
        std::uint32_t seed = 1U;
        const pianola::refdev::DeviceSpec spec;
        pianola::refdev::Limits limits;
        limits.memory_bytes = spec.dram_bytes - spec.trace_region_bytes;
        app.add_option("--kernel", names, "A kernel's name; all if left out");
        app.add_option("--count", count, "Launches of each kernel")->capture_default_str();
        app.add_option("--seed", seed, "Of all that is random")->capture_default_str();
        app.add_option("--limit-cycles", limits.cycles, "The largest cost by the device's model")
            ->capture_default_str()
            ->check(CLI::Range(128U, 1U << 26U));
        app.add_option("--memory-bytes", limits.memory_bytes, "For operands")->capture_default_str();
        CLI11_PARSE(app, argc, argv);
        for (const std::string& name : names) {
            const auto rom = pianola::refdev::kernel_rom();
            if (std::none_of(rom.begin(), rom.end(), [&name](const auto& kernel) { return name == kernel.name; })) {
                throw std::runtime_error(name + ": no kernel");
            }
        }
        return pianola::refdev::print(names, count, seed, limits);
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
