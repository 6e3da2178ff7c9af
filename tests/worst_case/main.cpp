// pianola_worst_case: makes the files, and validates one of them between two marks.
//
//   pianola_worst_case list              names of all cases, as JSON
//   pianola_worst_case check             makes them all, but for those that take long: each is accepted, or refused by its rule
//   pianola_worst_case validate CASE     validates it twice; the second time in a function of its own, which callgrind counts
//   pianola_worst_case file FILE         the same with a file for the default device
//   pianola_worst_case make CASE FILE    writes it
//
// Place in the whole: tests only. Prints what the formula of docs/WORST_CASE.md counts, as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

#include "capture_host/files/files.h"
#include "hal/refdev/refdev_command_set.h"
#include "runtime/session/development_config.h"
#include "tests/worst_case/cases.h"

namespace {

using pianola::ByteSpan;
using pianola::Status;
using pianola::test::WorstCase;

struct Bench {
    pianola::DeviceDescription device;
    pianola::refdev::RefdevCommandSet command_set;
    std::unique_ptr<pianola::PlanWorkspace> workspace{std::make_unique<pianola::PlanWorkspace>()};
    std::unique_ptr<pianola::Plan> plan{std::make_unique<pianola::Plan>()};
    pianola::Image image;
    pianola::Verdict verdict;

    Status validate(ByteSpan file) {
        return pianola::validate(file, device, command_set, pianola::kDevelopmentTrust, *workspace, image, *plan,
                                 verdict);
    }
};

// Counted. A function that the optimiser must leave alone.
[[gnu::noinline]] Status pianola_counted_validate(Bench& bench, ByteSpan file) {
    return bench.validate(file);
}

pianola::test::Counts counts_of_image(const pianola::Image& image) {
    const ByteSpan traces = image.trace_segment();
    return pianola::test::counts_of({pianola::capture::read_manifest(image), {{}, {traces.begin(), traces.end()}, {}}});
}

int measure(const std::vector<std::uint8_t>& bytes, const pianola::refdev::DeviceSpec& spec,
            const pianola::test::Counts* known) {
    const pianola::files::AlignedBytes file{bytes};
    Bench bench;
    pianola::refdev::describe(spec, bench.device);
    const Status expected = bench.validate(file.view());
    const Status status = pianola_counted_validate(bench, file.view());
    const pianola::test::Counts counts = (known != nullptr) ? *known : counts_of_image(bench.image);
    const std::uint32_t work =
        pianola::max_proof_work(static_cast<std::uint32_t>(bytes.size())) - bench.workspace->work_left;
    const bool accepted = is_ok(status);
    fmt::print(R"({{"rule": "{}", "file_bytes": {}, "tables": {}, "name_bytes": {}, "script_commands": {}, )"
               R"("tensor_buffers": {}, "work": {}}})"
               "\n",
               accepted ? "" : pianola::rule_id(bench.verdict.rule), bytes.size(), counts.tables, counts.name_bytes,
               counts.script_commands, counts.tensor_buffers, work);
    return (status == expected) ? 0 : 1;
}

const WorstCase& find(const std::string& name) {
    for (const auto* cases : {&pianola::test::maxima(), &pianola::test::hostile()}) {
        for (const WorstCase& worst : *cases) {
            if (name == worst.name) {
                return worst;
            }
        }
    }
    throw std::invalid_argument{name + ": no such case"};
}

int list() {
    const char* comma = "";
    fmt::print("[");
    for (const auto* cases : {&pianola::test::maxima(), &pianola::test::hostile()}) {
        for (const WorstCase& worst : *cases) {
            fmt::print(R"({}{{"name": "{}", "hostile": {}, "long": {}}})", comma, worst.name,
                       cases == &pianola::test::hostile(), worst.is_long);
            comma = ", ";
        }
    }
    fmt::print("]\n");
    return 0;
}

int check() {
    for (const auto* cases : {&pianola::test::maxima(), &pianola::test::hostile()}) {
        for (const WorstCase& worst : *cases) {
            if (!worst.is_long) {
                fmt::print("{}: {} bytes\n", worst.name, file_of(worst).size());
            }
        }
    }
    return 0;
}

int run(const std::vector<std::string>& arguments) {
    if ((arguments.size() == 2U) && (arguments[1] == "check")) {
        return check();
    }
    if ((arguments.size() == 2U) && (arguments[1] == "list")) {
        return list();
    }
    if ((arguments.size() == 3U) && (arguments[1] == "validate")) {
        const WorstCase& worst = find(arguments[2]);
        const pianola::test::Counts counts = pianola::test::counts_of(worst.make());
        return measure(file_of(worst), pianola::test::worst_device(), &counts);
    }
    if ((arguments.size() == 3U) && (arguments[1] == "file")) {
        return measure(pianola::files::load_file(arguments[2]), {}, nullptr);
    }
    if ((arguments.size() == 4U) && (arguments[1] == "make")) {
        const std::vector<std::uint8_t> file = file_of(find(arguments[2]));
        std::ofstream out{arguments[3], std::ios::binary};
        std::copy(file.begin(), file.end(), std::ostreambuf_iterator<char>{out});
        return out.flush() ? 0 : 1;
    }
    fmt::print(stderr, "usage: pianola_worst_case list | check | validate CASE | file FILE | make CASE FILE\n");
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run({argv, argv + argc});
    } catch (const std::exception& error) {
        fmt::print(stderr, "pianola_worst_case: {}\n", error.what());
        return 1;
    }
}
