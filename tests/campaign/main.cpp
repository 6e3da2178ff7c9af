// pianola_campaign: faults on purpose, and what comes of them.
//
//   pianola_campaign hal-calls | lies | completions | bit-flips [--mode NAME]... [--seed N] [--samples N]
//   pianola_campaign modes                 which there are, and which cannot exist
//   pianola_campaign write-files FOLDER    for capacity_sweep.py
//
// Ends with 1 where a wrong output was released.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <iostream>
#include <stdexcept>

#include "capture_host/files/files.h"
#include "tests/campaign/campaigns.h"
#include "tests/mutate/subjects.h"

namespace pianola::campaign {
namespace {

using Campaign = std::function<std::vector<NamedTally>(const Mode& mode)>;

// Every campaign in every mode: a line for each kind of fault, summed up over the modes.
int run_modes(const std::vector<Mode>& modes, const Campaign& campaign) {
    std::vector<NamedTally> sums;
    Tally all;
    std::uint32_t unclean = 0U;
    for (const Mode& mode : modes) {
        Scenario clean{mode};
        if (clean.run() != Outcome::kHarmless) {
            std::cout << name_of(mode) << " is not right without a fault\n";
            unclean += 1U;
        }
        for (const NamedTally& each : campaign(mode)) {
            const auto same = [&](const NamedTally& sum) { return sum.name == each.name; };
            auto sum = std::find_if(sums.begin(), sums.end(), same);
            sum = (sum == sums.end()) ? sums.insert(sum, {each.name, Tally{}}) : sum;
            sum->tally.add(each.tally);
            all.add(each.tally);
        }
    }
    for (const NamedTally& sum : sums) {
        std::cout << std::left << std::setw(34) << sum.name << sum.tally << "\n";
    }
    std::cout << std::left << std::setw(34) << (std::to_string(modes.size()) + " modes") << all << "\n";
    return ((unclean == 0U) && (all.silent == 0U) && (all.injected != 0U)) ? 0 : 1;
}

int list_modes() {
    for (const Mode& cell : all_cells()) {
        const std::string reason = why_not(cell);
        std::cout << name_of(cell) << (reason.empty() ? "" : (": refused: " + reason)) << "\n";
    }
    return 0;
}

std::vector<Mode> modes_named(const std::vector<std::string>& names) {
    std::vector<Mode> modes;
    for (const std::string& name : names) {
        for (const Mode& cell : all_cells()) {
            if (name_of(cell) == name) {
                modes.push_back(cell);
            }
        }
    }
    if (modes.size() != names.size()) {
        throw std::invalid_argument{"no such mode: see pianola_campaign modes"};
    }
    return names.empty() ? all_modes() : modes;
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
    std::vector<std::string> names;
    const std::vector<std::pair<CLI::App*, Campaign>> campaigns{
        {app.add_subcommand("hal-calls", "The N-th call of the device fails, for every N"), fail_calls},
        {app.add_subcommand("lies", "The N-th call of the device is omitted, doubled or made wrongly"), tell_lies},
        {app.add_subcommand("completions", "Doorbells and completions are lost, doubled and late"),
         disturb_completions},
        {app.add_subcommand("bit-flips", "One bit flips, in memory that a session relies on"),
         [&flips](const Mode& mode) { return flip_bits(mode, flips); }}};
    for (const auto& [command, campaign] : campaigns) {
        command->add_option("--mode", names, "In these modes only");
    }
    CLI::App* const bits = campaigns.back().first;
    bits->add_option("--seed", flips.seed, "For what is sampled")->capture_default_str();
    bits->add_option("--samples", flips.samples, "Of each target that is not tried exhaustively, in each mode")
        ->capture_default_str();
    const CLI::App* const listing = app.add_subcommand("modes", "Lists all modes, and why some cannot exist");
    std::string folder;
    CLI::App* const writing = app.add_subcommand("write-files", "Writes small binaries for the sweep of capacities");
    writing->add_option("folder", folder, "It is there")->required();
    CLI11_PARSE(app, argc, argv);
    if (writing->parsed()) {
        return write_files(folder);
    }
    if (listing->parsed()) {
        return list_modes();
    }
    for (const auto& [command, campaign] : campaigns) {
        if (command->parsed()) {
            return run_modes(modes_named(names), campaign);
        }
    }
    return 2;
}

}  // namespace
}  // namespace pianola::campaign

namespace pianola::campaign {

void note(const Mode& mode, const std::string& what, Call call, std::uint32_t number, Outcome outcome) {
    if (outcome == Outcome::kSilent) {
        std::cout << "silent: " << name_of(mode) << ", " << what << ", call " << number << " of kind "
                  << static_cast<std::uint32_t>(call) << "\n";
    }
}

}  // namespace pianola::campaign

int main(int argc, char** argv) {
    try {
        return pianola::campaign::run(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << "pianola_campaign: " << error.what() << "\n";
        return 2;
    }
}
