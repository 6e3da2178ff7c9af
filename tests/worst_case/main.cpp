// pianola_worst_case: makes the files, says what the formula of docs/evidence/worst_case.md counts in them, and
// validates one.
//
//   pianola_worst_case list                   names of all cases, as JSON pianola_worst_case check
//   makes them all, but for those that take long: each is accepted, or refused by its rule pianola_worst_case largest
//   BYTES          prints counts that no file of that length exceeds pianola_worst_case make CASE FILE         writes
//   it; prints its counts pianola_worst_case describe FILE          prints the counts of a file for the default device
//   pianola_worst_case validate FILE [worst]  validates it once, for the default device or that of the worst cases, in
//   a function of
//                                             its own, which callgrind counts
//
// Counts are printed as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

#include "hal/devices/refdev/refdev_command_set.h"
#include "pianola/development_config.h"
#include "pianola_host/files.h"
#include "tests/worst_case/cases.h"

namespace {

using pianola::ByteSpan;
using pianola::Status;
using pianola::test::WorstCase;

struct Bench {
    explicit Bench(const pianola::refdev::DeviceSpec& spec) {
        pianola::refdev::describe(spec, device);
        device.capacities = &pianola::test::kJudged;
    }

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

void print(const char* rule, std::uint64_t file_bytes, const pianola::test::Counts& counts, std::uint32_t work) {
    fmt::print(R"({{"rule": "{}", "file_bytes": {}, "tables": {}, "name_bytes": {}, "script_commands": {}, )"
               R"("tensor_buffers": {}, "work": {}}})"
               "\n",
               rule, file_bytes, counts.tables, counts.name_bytes, counts.script_commands, counts.tensor_buffers, work);
}

// A table has one name at most; only provenance has two, and the root has none. Set-up's commands have a place of their
// own.
void print_largest(std::uint32_t file_bytes) {
    pianola::test::Counts counts;
    counts.tables = pianola::test::kJudged.manifest_tables;
    counts.name_bytes = std::uint64_t{pianola::test::kJudged.manifest_tables} * pianola::kMaxNameBytes;
    counts.script_commands = std::uint64_t{2U} * pianola::test::kJudged.script_commands;
    counts.tensor_buffers = std::uint64_t{pianola::kMaxInputs + pianola::kMaxOutputs} * pianola::kMaxTensorBuffers;
    print("", file_bytes, counts, pianola::test::kJudged.max_work(file_bytes));
}

// Prints the counts: those that are known, or the image's.
void describe(const std::vector<std::uint8_t>& bytes, const pianola::refdev::DeviceSpec& spec,
              const pianola::test::Counts* known) {
    const pianola::files::AlignedBytes file{bytes};
    const std::uint32_t all_work = pianola::test::kJudged.max_work(static_cast<std::uint32_t>(bytes.size()));
    Bench bench{spec};
    bench.workspace->work_left = all_work;  // it may be refused before the proofs
    const bool accepted = is_ok(bench.validate(file.view()));
    print(accepted ? "" : pianola::rule_id(bench.verdict.rule), bytes.size(),
          (known != nullptr) ? *known : counts_of_image(bench.image), all_work - bench.workspace->work_left);
}

int validate(const std::string& name, const pianola::refdev::DeviceSpec& spec) {
    const pianola::files::AlignedBytes file{pianola::files::load_file(name)};
    Bench bench{spec};
    const Status status = pianola_counted_validate(bench, file.view());
    fmt::print("{}\n", is_ok(status) ? "" : pianola::rule_id(bench.verdict.rule));
    return 0;
}

int make(const WorstCase& worst, const std::string& name) {
    const std::vector<std::uint8_t> bytes = file_of(worst);
    std::ofstream out{name, std::ios::binary};
    std::copy(bytes.begin(), bytes.end(), std::ostreambuf_iterator<char>{out});
    const pianola::test::Counts counts = pianola::test::counts_of(worst.make());
    describe(bytes, pianola::test::worst_device(), &counts);
    return out.flush() ? 0 : 1;
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
    if ((arguments.size() == 3U) && (arguments[1] == "largest")) {
        print_largest(static_cast<std::uint32_t>(std::stoul(arguments[2])));
        return 0;
    }
    if ((arguments.size() == 3U) && (arguments[1] == "describe")) {
        describe(pianola::files::load_file(arguments[2]), {}, nullptr);
        return 0;
    }
    if ((arguments.size() == 4U) && (arguments[1] == "make")) {
        return make(find(arguments[2]), arguments[3]);
    }
    const bool worst = (arguments.size() == 4U) && (arguments[3] == "worst");
    if (((arguments.size() == 3U) || worst) && (arguments[1] == "validate")) {
        return validate(arguments[2], worst ? pianola::test::worst_device() : pianola::refdev::DeviceSpec{});
    }
    fmt::print(stderr,
               "usage: pianola_worst_case list | check | largest BYTES | make CASE FILE | describe FILE | validate "
               "FILE [worst]\n");
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
