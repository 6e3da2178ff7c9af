// What a command line of the fuzzer finds in its folder, and the words that mean something to it.
#include "hal/devices/refdev/sim/sim_device.h"
#include "tests/fuzz/seeds.h"
#include "tests/support/trace_file.h"
#include "tests/support/workload.h"

namespace pianola::fuzz {

std::vector<Seed> command_line_files() {
    // For the small device, which small.json describes; damaged.ptb is for nobody.
    const std::vector<std::uint8_t> small = test::make_small_workload(2U, 1U).file();
    std::vector<std::uint8_t> damaged = small;
    damaged.at(damaged.size() / 2U) ^= 1U;
    const std::string device =
        R"({"dram_bytes": 4096, "l1_bytes": 1024, "trace_region_bytes": 1024, "queue_count": 2})";
    sim::SimOptions options;
    options.spec = test::small_device();
    options.keep_execution_log = true;
    const sim::SimDevice simulated{options};
    std::vector<Seed> files{{"small.ptb", small},
                            {"default.ptb", test::make_workload(1U).file()},
                            {"damaged.ptb", damaged},
                            {"small.json", {device.begin(), device.end()}},
                            {"input.bin", test::workload_input(1U)},
                            {"empty.log", simulated.execution_logs()}};
    const std::vector<Seed> models = importer_seeds();
    files.insert(files.end(), models.begin(), models.end());
    return files;
}

std::vector<std::string> command_line_words() {
    std::vector<std::string> words{"capture",
                                   "verify",
                                   "inspect",
                                   "run",
                                   "embed",
                                   "size",
                                   "timeline",
                                   "log",
                                   "show",
                                   "diff",
                                   "--help",
                                   "--version",
                                   "--json",
                                   "--device",
                                   "spec.json",
                                   "-o",
                                   "--queues",
                                   "1",
                                   "2",
                                   "0",
                                   "--pipelined",
                                   "--self-test",
                                   "--expect",
                                   "--deadline-us",
                                   "--setup-deadline-us",
                                   "--commands",
                                   "--input",
                                   "--output",
                                   "--repeat",
                                   "--batch",
                                   "--threaded",
                                   "--check-accesses",
                                   "--views",
                                   "--log",
                                   "--format",
                                   "c",
                                   "asm",
                                   "object",
                                   "--symbol",
                                   "name",
                                   "--section",
                                   ".rodata.x",
                                   "--header",
                                   "out.h",
                                   "out.c",
                                   "out.S",
                                   "out.o",
                                   "--compiler",
                                   "cc",
                                   "--compiler-flag",
                                   "--ld",
                                   "--mode",
                                   "eager",
                                   "traced",
                                   "two-queues",
                                   "two-queues-split",
                                   "as-captured",
                                   "--steps",
                                   "--dispatch-ns",
                                   "--replay-ns",
                                   "out.json",
                                   "out.svg",
                                   "out.html",
                                   "out.ptb",
                                   "out.bin",
                                   "--",
                                   "-",
                                   "."};
    for (const Seed& file : command_line_files()) {
        words.push_back(file.name);
    }
    return words;
}

}  // namespace pianola::fuzz
