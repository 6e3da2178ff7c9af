// pianola_campaign: faults on purpose, and what comes of them.
//
//   pianola_campaign hal-calls | lies | completions | file-changes | bit-flips | state | interval
//                    [--mode NAME]... [--meshes N] [--seed N] [--samples N] [--record FILE] [--shard I/N]
//   pianola_campaign campaigns             their names
//   pianola_campaign modes                 which there are, and which cannot exist
//   pianola_campaign write-files FOLDER    for capacity_sweep.py
//
// With --shard each N-th mode only, and the record has the counts of each: toolchains/slurm/merge_records.py joins them
// to the record of one run. Ends with 1 where a wrong output was released by a fault that a session answers for.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "pianola_host/files.h"
#include "tests/campaign/campaigns.h"
#include "tests/mutate/subjects.h"
#include "tests/support/mesh_workload.h"
#include "tests/support/shard.h"

namespace pianola::campaign {
namespace {

using Campaign = std::function<std::vector<NamedTally>(const Mode& mode)>;

struct Command {
    CLI::App* app;
    Campaign campaign;
    bool is_sampled;
    bool (*has)(const Mode& mode);  // whether it is made in this mode
};

bool any(const Mode& /*mode*/) {
    return true;
}

// What came of each kind of fault in one mode.
struct ModeTallies {
    std::size_t number;  // of the mode, among those that the whole campaign is made in
    std::vector<NamedTally> kinds;
};

// A campaign in every mode of the shard. Adds up the modes that are not right without a fault.
std::vector<ModeTallies> run_modes(const std::vector<Mode>& modes, const test::Shard& shard, const Campaign& campaign,
                                   std::uint32_t& unclean) {
    std::vector<ModeTallies> results;
    for (std::size_t number = 0U; number < modes.size(); ++number) {
        if (!shard.has(number)) {
            continue;
        }
        const Mode& mode = modes[number];
        Scenario clean{mode};
        if (clean.run() != Outcome::kHarmless) {
            std::cout << name_of(mode) << " is not right without a fault\n";
            unclean += 1U;
        }
        results.push_back({number, campaign(mode)});
    }
    return results;
}

// Over all modes.
std::vector<NamedTally> sums_of(const std::vector<ModeTallies>& results) {
    std::vector<NamedTally> sums;
    for (const ModeTallies& result : results) {
        for (const NamedTally& each : result.kinds) {
            const auto same = [&](const NamedTally& sum) { return sum.name == each.name; };
            auto sum = std::find_if(sums.begin(), sums.end(), same);
            sum = (sum == sums.end()) ? sums.insert(sum, {each.name, Tally{}, each.outside}) : sum;
            sum->tally.add(each.tally);
        }
    }
    return sums;
}

// True where nothing came of what was injected that a session answers for, and something was injected, which a shard
// without modes has not.
bool report(const std::vector<NamedTally>& sums, std::size_t modes) {
    Tally inside;
    Tally outside;
    constexpr int kWidth = 34;
    for (const NamedTally& sum : sums) {
        std::cout << std::left << std::setw(kWidth) << sum.name << sum.tally << "\n";
        ((*sum.outside == '\0') ? inside : outside).add(sum.tally);
    }
    std::cout << std::left << std::setw(kWidth) << (std::to_string(modes) + " modes") << inside << "\n";
    if (outside.injected != 0U) {
        std::cout << std::left << std::setw(kWidth) << "outside" << outside << "\n";
    }
    if (inside.misnamed != 0U) {
        std::cout << std::left << std::setw(kWidth) << "another device is named" << inside.misnamed << "\n";
    }
    return ((modes == 0U) || (inside.injected != 0U)) && (inside.silent == 0U) && (inside.crashed == 0U) &&
           (inside.misnamed == 0U);
}

using Json = nlohmann::ordered_json;

Json kinds_of(const std::vector<NamedTally>& sums) {
    Json kinds = Json::array();
    for (const NamedTally& sum : sums) {
        const Tally& tally = sum.tally;
        kinds.push_back({{"kind", sum.name},
                         {"injected", tally.injected},
                         {"detected", tally.detected},
                         {"harmless", tally.harmless},
                         {"false ok", 0},
                         {"silent", tally.silent},
                         {"crashed", tally.crashed},
                         {"outside", sum.outside},
                         {"note", ""}});
    }
    return kinds;
}

// As tests/campaign/campaign_record.py has it. Of a shard with the counts of each mode, where they are to be summed.
std::string record_of(const Command& command, const FlipOptions& flips, const std::vector<Mode>& modes,
                      const test::Shard& shard, const std::vector<ModeTallies>& results) {
    const bool is_part = shard.parts != 1U;
    Json record;
    record["campaign"] = command.app->get_name();
    record["where"] = "simulator";
    record["seed"] = command.is_sampled ? Json(flips.seed) : Json();
    record["samples"] = command.is_sampled ? Json(flips.samples) : Json();
    const std::vector<Mode> all = all_modes();
    record["whole"] = modes.size() == static_cast<std::size_t>(std::count_if(all.begin(), all.end(), command.has));
    record["modes"] = Json::array();
    for (const Mode& mode : modes) {
        record["modes"].push_back(name_of(mode));
    }
    record["kinds"] = is_part ? Json::array() : kinds_of(sums_of(results));
    record["phases"] = Json::array();
    if (is_part) {
        record["shard"] = {shard.part, shard.parts};
        record["items_in_all"] = modes.size();
        record["items"] = Json::array();
        for (const ModeTallies& result : results) {
            record["items"].push_back({{"item", result.number}, {"kinds", kinds_of(result.kinds)}});
        }
    }
    return record.dump(1) + "\n";
}

int list_modes() {
    for (const Mode& cell : all_cells()) {
        const std::string reason = why_not(cell);
        std::cout << name_of(cell) << (reason.empty() ? "" : (": refused: " + reason)) << "\n";
    }
    return 0;
}

// All that a campaign is made in; of those with several devices each N-th.
std::vector<Mode> modes_with(std::uint32_t each_mesh, bool (*has)(const Mode& mode)) {
    std::vector<Mode> modes;
    std::uint32_t meshes = 0U;
    for (const Mode& mode : all_modes()) {
        const bool is_mesh = mode.devices > 1U;
        if (has(mode) && (!is_mesh || ((meshes % each_mesh) == 0U))) {
            modes.push_back(mode);
        }
        meshes += is_mesh ? 1U : 0U;
    }
    return modes;
}

std::vector<Mode> modes_named(const std::vector<std::string>& names, bool (*has)(const Mode& mode)) {
    std::vector<Mode> modes;
    for (const std::string& name : names) {
        for (const Mode& cell : all_cells()) {
            if ((name_of(cell) == name) && has(cell)) {
                modes.push_back(cell);
            }
        }
    }
    if (modes.size() != names.size()) {
        throw std::invalid_argument{"no such mode, or the campaign is not made in it: see pianola_campaign modes"};
    }
    return modes;
}

int write_files(const std::filesystem::path& folder) {
    std::uint32_t number = 0U;
    for (const test::NamedSubject& each : test::small_subjects()) {
        const DeviceDescription& device = each.subject.device;
        const bool is_usual = (device.ring_words == refdev::kRingWords) &&
                              (device.trace_region_bytes == refdev::DeviceSpec{}.trace_region_bytes) &&
                              (device.file_bytes == 0U);
        if (is_usual) {  // the others are for devices that the runner does not have
            files::store_file(folder / ("small_" + std::to_string(number) + ".ptb"), each.subject.file);
            number += 1U;
        }
    }
    test::Workload mesh = test::make_workload(2U);  // for the runner's devices: as many as the default profile admits
    test::spread(mesh, {2U, profiles::kDefault.mesh_devices / 2U}, Placement::kSharded);
    files::store_file(folder / "mesh_2x4.ptb", mesh.file());
    return (number != 0U) ? 0 : 1;
}

int run_campaign(const Command& command, const FlipOptions& flips, const std::vector<Mode>& modes,
                 const std::string& shard_text, const std::string& record) {
    const test::Shard shard = test::shard_of(shard_text);
    std::uint32_t unclean = 0U;
    const std::vector<ModeTallies> results = run_modes(modes, shard, command.campaign, unclean);
    const bool is_good = report(sums_of(results), results.size()) && (unclean == 0U);
    if (!record.empty()) {
        files::store_file(record, record_of(command, flips, modes, shard, results));
    }
    return is_good ? 0 : 1;
}

int run(int argc, char** argv) {
    CLI::App app{"Faults on purpose, and what comes of them."};
    app.require_subcommand(1);
    FlipOptions flips;
    std::vector<std::string> names;
    std::string record;
    std::string shard{"1/1"};
    std::uint32_t each_mesh = 1U;
    const std::vector<Command> campaigns{
        {app.add_subcommand("hal-calls", "The N-th call of the device fails, for every N"), fail_calls, false, any},
        {app.add_subcommand("lies", "The N-th call of the device is omitted, doubled or made wrongly"), tell_lies,
         false, any},
        {app.add_subcommand("completions", "Doorbells and completions are lost, doubled and late"), disturb_completions,
         false, any},
        {app.add_subcommand("file-changes", "One bit of the binary flips in memory, once it is validated"),
         [&flips](const Mode& mode) { return change_file(mode, flips); }, true, any},
        {app.add_subcommand("bit-flips", "One bit flips, in memory that a session relies on"),
         [&flips](const Mode& mode) { return flip_bits(mode, flips); }, true, any},
        {app.add_subcommand("state", "Each bit of what steps hand on flips, between any two of them"), flip_state,
         false, keeps_state},
        {app.add_subcommand("interval", "One bit flips while steps are released within an interval"),
         [&flips](const Mode& mode) { return flip_within_interval(mode, flips); }, true, is_released_within_interval}};
    for (const Command& command : campaigns) {
        command.app->add_option("--mode", names, "In these modes only");
        command.app->add_option("--meshes", each_mesh, "Of the modes with several devices each N-th only")
            ->check(CLI::PositiveNumber)
            ->capture_default_str();
        command.app->add_option("--record", record, "Writes the counts to this file, as JSON");
        command.app->add_option("--shard", shard, "I/N: each N-th mode only, from the I-th on")->capture_default_str();
        if (command.is_sampled) {
            command.app->add_option("--seed", flips.seed, "For what is sampled")->capture_default_str();
            command.app
                ->add_option("--samples", flips.samples, "Of each target that is not tried exhaustively, in each mode")
                ->capture_default_str();
        }
    }
    const CLI::App* const names_of_all = app.add_subcommand("campaigns", "Lists the names of all campaigns");
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
    for (const Command& command : campaigns) {
        if (names_of_all->parsed()) {
            std::cout << command.app->get_name() << "\n";
        }
        if (command.app->parsed()) {
            const std::vector<Mode> modes =
                names.empty() ? modes_with(each_mesh, command.has) : modes_named(names, command.has);
            return run_campaign(command, flips, modes, shard, record);
        }
    }
    return names_of_all->parsed() ? 0 : 2;
}

}  // namespace
}  // namespace pianola::campaign

namespace pianola::campaign {

void count(const Scenario& scenario, const Place& place, Outcome outcome, Tally& tally) {
    tally.add(outcome);
    const bool is_misnamed =
        place.is_of_device && (outcome == Outcome::kDetected) && scenario.blames_another(place.device);
    tally.misnamed += is_misnamed ? 1U : 0U;
    if ((outcome == Outcome::kSilent) || is_misnamed) {
        std::cout << (is_misnamed ? "another device is named: " : "silent: ") << name_of(place.mode) << ", "
                  << place.what << ", device " << place.device << ", call " << place.number << " of kind "
                  << static_cast<std::uint32_t>(place.call) << "\n";
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
