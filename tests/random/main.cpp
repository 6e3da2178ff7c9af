// pianola_random: random programs on the simulator against an emulator that shares no code with it
// (docs/evidence/proofs.md).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <thread>

#include "capture_host/capture/link.h"
#include "pianola_host/files.h"
#include "tests/device_set/mesh_bench.h"
#include "tests/random/binary.h"
#include "tests/random/maker.h"
#include "tests/random/player.h"
#include "tests/support/workload.h"

namespace pianola::programs {
namespace {

struct Arguments {
    std::uint32_t seed{1U};
    std::uint32_t count{1000U};
    std::uint32_t jobs{1U};
    bool lie{false};
    std::string folder;
    test::MeshShape mesh;
};

constexpr std::uint32_t kProgress = 50'000U;
constexpr std::uint32_t kShown = 10U;

// Every `jobs`-th program.
Counts play_some(const Arguments& arguments, std::uint32_t job) {
    Player player{arguments.lie};
    Counts counts;
    std::uint32_t shown = 0U;
    for (std::uint32_t i = job; i < arguments.count; i += arguments.jobs) {
        const std::uint32_t seed = arguments.seed + i;
        if (!player.play(seed, counts) && (shown < kShown)) {
            shown += 1U;
            fmt::print(stderr, "the program of seed {} is not what it means\n", seed);
        }
        if ((counts.programs % kProgress) == 0U) {
            fmt::print(stderr, "job {}: {} programs, {} accepted, {} wrong, {} faults\n", job, counts.programs,
                       counts.accepted, counts.wrong, counts.faults);
        }
    }
    return counts;
}

void print(const Counts& counts) {
    fmt::print("programs          {}\naccepted          {}\n  wrong           {}\n  faults          {}\n",
               counts.programs, counts.accepted, counts.wrong, counts.faults);
    fmt::print(
        "  two queues      {}\n  two in flight   {}\n  pipelined       {}\n  dispatches      {}\n  parameters      {}\n"
        "  views           {}\n",
        counts.two_queues, counts.in_flight, counts.pipelined, counts.dispatches, counts.parameters, counts.views);
    fmt::print("steps             {} by transfers, {} of them two at once; {} on views; {} self-tests\n",
               counts.steps + counts.steps_in_pairs, counts.steps_in_pairs, counts.steps_on_views, counts.self_tests);
    constexpr std::array<const char*, 9> kAnswers{"not looked", "several devices", "steps overlap",
                                                  "in pieces",  "shared bytes",    "input written",
                                                  "input read", "output written",  "proved"};
    static_assert(kAnswers.size() == (static_cast<std::size_t>(ViewsAnswer::kProved) + 1U));
    for (const auto& [answer, count] : counts.answers) {
        fmt::print("  views: {:<17} {}\n", kAnswers.at(answer), count);
    }
    for (const auto& [rule, count] : counts.refused) {
        fmt::print("refused: {:<17} {}\n", rule, count);
    }
}

// Whether enough is accepted, and of every kind: a validator that refuses everything has no wrong program either.
bool is_of_every_kind(const Counts& counts) {
    bool is_enough = true;
    const auto require = [&](const char* what, std::uint64_t count, std::uint64_t one_in) {
        if (counts.programs > (count * one_in)) {
            fmt::print(stderr, "only {} of {} programs are {}\n", count, counts.programs, what);
            is_enough = false;
        }
    };
    require("accepted", counts.accepted, 2U);
    require("of two queues", counts.two_queues, 5U);
    require("of two steps in flight", counts.in_flight, 10U);
    require("pipelined", counts.pipelined, 20U);
    require("with dispatches", counts.dispatches, 3U);
    require("with parameters", counts.parameters, 10U);
    require("with views", counts.views, 10U);
    return is_enough;
}

int play(const Arguments& arguments) {
    std::vector<Counts> parts(arguments.jobs);
    std::vector<std::thread> threads;
    for (std::uint32_t job = 0U; job < arguments.jobs; ++job) {
        threads.emplace_back([&, job] { parts.at(job) = play_some(arguments, job); });
    }
    Counts all;
    for (std::uint32_t job = 0U; job < arguments.jobs; ++job) {
        threads.at(job).join();
        all.add(parts.at(job));
    }
    print(all);
    if (arguments.lie) {
        return (all.wrong > 0U) ? 0 : 1;
    }
    return (((all.wrong + all.faults) == 0U) && is_of_every_kind(all)) ? 0 : 1;
}

// NAME.ptb for the mesh, and NAME.alone/I.ptb for what its device I does alone, where a session loads it.
void write_mesh(const Program& program, const test::MeshShape& shape, const std::filesystem::path& name) {
    MeshBinary mesh;
    try {
        mesh = mesh_of(program, shape.rows, shape.columns);
    } catch (const capture::LinkError&) {
        return;  // two traces with the same words become one, and more such
    }
    const files::AlignedBytes file{mesh.file};
    test::MeshDevices devices{shape.count()};
    if (!is_ok(test::MeshBench{shape, devices}.load(file.view()))) {
        return;
    }
    files::store_file(name.string() + ".ptb", mesh.file);
    const std::filesystem::path folder = name.string() + ".alone";
    std::filesystem::create_directory(folder);
    for (std::size_t i = 0U; i < mesh.alone.size(); ++i) {
        files::store_file(folder / fmt::format("{}.ptb", i), mesh.alone.at(i));
    }
}

// Binaries for the tests of the command line: every program that the validator accepts, as FOLDER/SEED.ptb, and the
// device that all of them are for.
int write(const Arguments& arguments) {
    const refdev::DeviceSpec spec = test::small_device();
    const std::filesystem::path folder = arguments.folder;
    files::store_file(folder / "device.json",
                      fmt::format(R"({{"dram_bytes": {}, "l1_bytes": {}, "trace_region_bytes": {}}})", spec.dram_bytes,
                                  spec.l1_bytes, spec.trace_region_bytes));
    sim::SimOptions options;
    options.spec = spec;
    for (std::uint32_t seed = arguments.seed; seed < (arguments.seed + arguments.count); ++seed) {
        test::Random random{seed};
        const Program program = make_program(random);
        if (arguments.mesh.count() > 1U) {
            write_mesh(program, arguments.mesh, folder / fmt::format("{}", seed));
            continue;
        }
        const files::AlignedBytes file{binary_of(program)};
        if (is_ok(test::Bench{options}.load(file.view()))) {
            files::store_file(folder / fmt::format("{}.ptb", seed), {file.view().begin(), file.view().end()});
        }
    }
    return 0;
}

int run(int count, char** values) {
    CLI::App app{"Random programs against an emulator"};
    Arguments arguments;
    app.add_option("--seed", arguments.seed, "Of the first program; each has one more");
    app.add_option("--count", arguments.count, "Programs");
    app.add_option("--jobs", arguments.jobs, "Threads")->check(CLI::Range(1U, 64U));
    app.add_flag("--lie", arguments.lie, "The emulator adds wrongly: 0 where that is noticed");
    app.add_option("--write", arguments.folder, "Play nothing: put the binaries that are accepted into this folder");
    app.add_option("--rows", arguments.mesh.rows, "With --write: of the mesh that each is for")
        ->check(CLI::Range(1U, 4U));
    app.add_option("--columns", arguments.mesh.columns, "With --write: of the mesh that each is for")
        ->check(CLI::Range(1U, 4U));
    CLI11_PARSE(app, count, values);
    return arguments.folder.empty() ? play(arguments) : write(arguments);
}

}  // namespace
}  // namespace pianola::programs

int main(int count, char** values) {
    try {
        return pianola::programs::run(count, values);
    } catch (const std::exception& error) {
        (void)std::fputs(error.what(), stderr);
        return 2;
    }
}
