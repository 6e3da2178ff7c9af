// pianola_campaign: faults on purpose, and what comes of them.
//
//   pianola_campaign hal-calls | completions | bit-flips [--seed N] [--samples N]
//   pianola_campaign write-files FOLDER    for capacity_sweep.py
//
// Ends with 1 where a wrong output was released.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iomanip>
#include <iostream>

#include "capture_host/files/files.h"
#include "tests/campaign/campaigns.h"
#include "tests/mutate/subjects.h"

namespace pianola::campaign {
namespace {

int report(const std::vector<NamedTally>& tallies) {
    std::uint64_t silent = 0U;
    std::uint64_t injected = 0U;
    for (const NamedTally& each : tallies) {
        std::cout << std::left << std::setw(34) << each.name << each.tally << "\n";
        silent += each.tally.silent;
        injected += each.tally.injected;
    }
    return ((silent == 0U) && (injected != 0U)) ? 0 : 1;
}

int write_files(const std::filesystem::path& folder) {
    std::uint32_t number = 0U;
    for (const test::NamedSubject& each : test::small_subjects()) {
        if (each.subject.device.ring_words == refdev::kRingWords) {  // the others are for another device
            files::store_file(folder / ("small_" + std::to_string(number) + ".ptb"), each.subject.file);
            number += 1U;
        }
    }
    return (number != 0U) ? 0 : 1;
}

int run(int argc, char** argv) {
    CLI::App app{"Faults on purpose, and what comes of them."};
    app.require_subcommand(1);
    FlipOptions flips;
    const CLI::App* const calls = app.add_subcommand("hal-calls", "The N-th call of the device fails, for every N");
    const CLI::App* const completions =
        app.add_subcommand("completions", "Doorbells and completions are lost, doubled and late");
    CLI::App* const bits = app.add_subcommand("bit-flips", "One bit flips, in memory that a session relies on");
    bits->add_option("--seed", flips.seed, "For what is sampled")->capture_default_str();
    bits->add_option("--samples", flips.samples, "Of each target that is not tried exhaustively")
        ->capture_default_str();
    std::string folder;
    CLI::App* const writing = app.add_subcommand("write-files", "Writes small binaries for the sweep of capacities");
    writing->add_option("folder", folder, "It is there")->required();
    CLI11_PARSE(app, argc, argv);
    if (writing->parsed()) {
        return write_files(folder);
    }
    if (calls->parsed()) {
        return report({{"HAL calls that fail", fail_calls()}});
    }
    return report(completions->parsed() ? disturb_completions() : flip_bits(flips));
}

}  // namespace
}  // namespace pianola::campaign

int main(int argc, char** argv) {
    try {
        return pianola::campaign::run(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << "pianola_campaign: " << error.what() << "\n";
        return 2;
    }
}
