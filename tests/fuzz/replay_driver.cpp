// The driver without libFuzzer: runs files, and seeded mutants of them. For every compiler and every preset.
//
//   pianola_fuzz_NAME_replay [--mutants N] [--seed S] [--shard I/N] [--record FILE] PATH...
//                                                              a folder stands for all files in it
//
// With --shard it runs each N-th of all files and mutants, the files first; toolchains/slurm/merge_records.py joins the
// records. Exit code 0 where every promise was kept, 1 otherwise, 2 where there is no file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pianola_host/files.h"
#include "tests/fuzz/harness.h"
#include "tests/support/shard.h"

namespace pianola::fuzz {
namespace {

constexpr std::size_t kMaxBytes = 4096U;  // of a mutant

struct Options {
    std::vector<std::string> paths;
    std::uint32_t mutants{0U};
    std::uint32_t seed{1U};
    std::string shard{"1/1"};
    std::string record;
};

// An input for which a promise was broken.
struct Broken {
    std::size_t item;  // number among all files and mutants
    std::string text;
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

void run_input(const Bytes& input, std::size_t item, const std::string& name, std::vector<Broken>& broken) {
    try {
        run_one({input.data(), input.size()});
    } catch (const std::exception& error) {
        broken.push_back({item, fmt::format("{}: broken promise: {}", name, error.what())});
        fmt::print(stderr, "{}\n", broken.back().text);
    }
}

Bytes mutant_of(const std::vector<Bytes>& inputs, std::uint32_t number, std::uint32_t seed) {
    test::Random random{(seed * 0x9E37'79B9U) ^ number};
    Bytes input = inputs.at(random.below(static_cast<std::uint32_t>(inputs.size())));
    const std::uint32_t rounds = 1U + random.below(4U);
    for (std::uint32_t round = 0U; round < rounds; ++round) {
        mutate(input, kMaxBytes, random);
        input.resize(std::min(input.size(), kMaxBytes));
    }
    return input;
}

std::string record_of(const Options& options, const test::Shard& shard, std::size_t files, std::size_t run,
                      const std::vector<Broken>& broken) {
    nlohmann::ordered_json record;
    record["campaign"] = "fuzzing";
    record["seed"] = options.seed;
    record["files"] = files;
    record["mutants"] = options.mutants;
    record["shard"] = {shard.part, shard.parts};
    record["run"] = run;
    record["broken"] = nlohmann::ordered_json::array();
    for (const Broken& each : broken) {
        record["broken"].push_back({{"item", each.item}, {"what", each.text}});
    }
    return record.dump(1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int run(int argc, char** argv) {
    CLI::App app{"Runs inputs of a fuzzer, and mutants of them"};
    Options options;
    app.add_option("path", options.paths, "Files, or folders of files")->required();
    app.add_option("--mutants", options.mutants, "Mutants to run after the files")->capture_default_str();
    app.add_option("--seed", options.seed, "Of the mutants")->capture_default_str();
    app.add_option("--shard", options.shard, "I/N: each N-th input only, from the I-th on")->capture_default_str();
    app.add_option("--record", options.record, "Writes what was run and found to this file, as JSON");
    CLI11_PARSE(app, argc, argv);
    const test::Shard shard = test::shard_of(options.shard);
    std::vector<Bytes> inputs;
    std::vector<Broken> broken;
    std::size_t run = 0U;
    for (const std::filesystem::path& path : files_of(options.paths)) {
        inputs.push_back(files::load_file(path));
        if (shard.has(inputs.size() - 1U)) {
            run_input(inputs.back(), inputs.size() - 1U, path.filename().string(), broken);
            run += 1U;
        }
    }
    if (inputs.empty()) {
        fmt::print(stderr, "no inputs\n");
        return 2;
    }
    for (std::uint32_t i = 0U; i < options.mutants; ++i) {
        const std::size_t item = inputs.size() + i;
        if (shard.has(item)) {
            const Bytes input = mutant_of(inputs, i, options.seed);
            run_input(input, item, fmt::format("mutant {} of seed {}", i, options.seed), broken);
            run += 1U;
        }
    }
    fmt::print("{} of {} files and {} mutants: {} broken promises\n", run, inputs.size(), options.mutants,
               broken.size());
    if (!options.record.empty()) {
        files::store_file(options.record, record_of(options, shard, inputs.size(), run, broken));
    }
    return broken.empty() ? 0 : 1;
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
