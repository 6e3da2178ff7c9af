// The driver without libFuzzer: runs files, and seeded mutants of them. For every compiler and every preset.
//
//   pianola_fuzz_NAME_replay [--mutants N] [--seed S] PATH...      a folder stands for all files in it
//
// Exit code 0 where every promise was kept, 1 otherwise, 2 where there is no file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "capture_host/files/files.h"
#include "tests/fuzz/harness.h"

namespace pianola::fuzz {
namespace {

constexpr std::size_t kMaxBytes = 4096U;  // of a mutant

struct Options {
    std::vector<std::string> paths;
    std::uint32_t mutants{0U};
    std::uint32_t seed{1U};
};

// In the order of their names, so that seeds mean the same everywhere.
std::vector<std::filesystem::path> files_of(const std::vector<std::string>& paths) {
    std::vector<std::filesystem::path> found;
    for (const std::string& path : paths) {
        if (!std::filesystem::is_directory(path)) {
            found.emplace_back(path);
            continue;
        }
        std::vector<std::filesystem::path> inside;
        for (const auto& entry : std::filesystem::directory_iterator{path}) {
            inside.push_back(entry.path());
        }
        std::sort(inside.begin(), inside.end());
        found.insert(found.end(), inside.begin(), inside.end());
    }
    return found;
}

bool survives(const Bytes& input, const std::string& name) {
    try {
        run_one({input.data(), input.size()});
        return true;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}: broken promise: {}\n", name, error.what());
        return false;
    }
}

int run(int argc, char** argv) {
    CLI::App app{"Runs inputs of a fuzzer, and mutants of them"};
    Options options;
    app.add_option("path", options.paths, "Files, or folders of files")->required();
    app.add_option("--mutants", options.mutants, "Mutants to run after the files")->capture_default_str();
    app.add_option("--seed", options.seed, "Of the mutants")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    std::vector<Bytes> inputs;
    std::uint32_t broken = 0U;
    for (const std::filesystem::path& path : files_of(options.paths)) {
        inputs.push_back(files::load_file(path));
        broken += survives(inputs.back(), path.string()) ? 0U : 1U;
    }
    if (inputs.empty()) {
        fmt::print(stderr, "no inputs\n");
        return 2;
    }
    for (std::uint32_t i = 0U; i < options.mutants; ++i) {
        test::Random random{(options.seed * 0x9E37'79B9U) ^ i};
        Bytes input = inputs.at(random.below(static_cast<std::uint32_t>(inputs.size())));
        const std::uint32_t rounds = 1U + random.below(4U);
        for (std::uint32_t round = 0U; round < rounds; ++round) {
            mutate(input, kMaxBytes, random);
            input.resize(std::min(input.size(), kMaxBytes));
        }
        broken += survives(input, fmt::format("mutant {} of seed {}", i, options.seed)) ? 0U : 1U;
    }
    fmt::print("{} files and {} mutants: {} broken promises\n", inputs.size(), options.mutants, broken);
    return (broken == 0U) ? 0 : 1;
}

}  // namespace

void mutate_bytes(Bytes& bytes, std::size_t max_bytes, test::Random& random) {
    const auto below = [&random](std::size_t limit) { return random.below(static_cast<std::uint32_t>(limit)); };
    switch (bytes.empty() ? 1U : random.below(5U)) {
        case 0U: {
            const auto first = bytes.begin() + below(bytes.size());
            bytes.erase(first, first + 1 + below(static_cast<std::size_t>(bytes.end() - first)));
            break;
        }
        case 1U:
            bytes.insert(bytes.begin() + below(bytes.size() + 1U), 1U + below(8U), random.byte());
            break;
        case 2U:
            bytes[below(bytes.size())] = random.byte();
            break;
        case 3U: {
            const std::size_t length = 1U + below(std::min<std::size_t>(bytes.size(), 64U));
            const auto from = bytes.begin() + below((bytes.size() - length) + 1U);
            const Bytes piece{from, from + static_cast<std::ptrdiff_t>(length)};
            std::copy(piece.begin(), piece.end(), bytes.begin() + below((bytes.size() - length) + 1U));
            break;
        }
        default: {
            std::uint8_t& byte = bytes[below(bytes.size())];
            byte = static_cast<std::uint8_t>(byte ^ (1U << random.below(8U)));
            break;
        }
    }
    bytes.resize(std::min(bytes.size(), max_bytes));
}

}  // namespace pianola::fuzz

int main(int argc, char** argv) {
    try {
        return pianola::fuzz::run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}
