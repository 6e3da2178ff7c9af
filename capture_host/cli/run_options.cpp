// The options of `pianola run`.

#include "capture_host/cli/cli.h"
#include "capture_host/cli/options.h"
#include "capture_host/cli/run_arguments.h"
#include "capture_host/cli/target_option.h"

namespace pianola::cli {

void add_run(CLI::App& app, Action& action) {
    const auto [command, arguments] =
        add_command(app, action, "run", "Replays a trace binary on the simulator", run_file);
    command->footer(
        "Examples:\n"
        "  pianola run signs.ptb --input image.bin --output scores.bin\n"
        "  pianola run signs.ptb --input images.bin --output scores.bin --batch      several records\n"
        "  pianola run signs.ptb --self-test --check-accesses\n\n"
        "Inputs and outputs are raw little-endian tensors, in the order in which `inspect` lists them. Outputs are\n"
        "written only after every replay has succeeded, each whole or not at all.");
    add_text(*command, "file", arguments->file, kReads, "Trace binary")->required();
    add_text(*command, "--input", arguments->inputs, kReads, "Input tensor; once per input")->allow_extra_args(false);
    add_text(*command, "--output", arguments->outputs, kWrites, "Output tensor to write; once per output")
        ->allow_extra_args(false);
    add_text(*command, "--set", arguments->values, kSaysValue,
             "A declared parameter's value; once per parameter, `inspect` lists them")
        ->allow_extra_args(false);
    add_number(*command, "--repeat", arguments->repeat, 1U, 1'000'000'000U,
               "Replay every record this often; outputs must be equal. With state: all records, from a reset");
    command->add_flag("--batch", arguments->batch,
                      "Input files hold several records; outputs are written one after another");
    command->add_flag("--self-test", arguments->self_test, "Replay the binary's own self-test vectors first");
    command->add_flag("--threaded", arguments->threaded, "Run each command queue in a thread of its own");
    command->add_flag("--check-accesses", arguments->check_accesses,
                      "Hold every command to its published extents; slow");
    command->add_flag("--views", arguments->views,
                      "Write inputs and read outputs in device memory, without transfers (zero-copy I/O)");
    add_text(*command, "--log", arguments->log, kWrites,
             "Write the execution log, as it is after the last replay, for `pianola log`");
    add_text(*command, "--device", arguments->target.device, kReadsJson,
             "vulkan or vulkan:N: this Vulkan device executes the trace (`pianola devices`). Or a device description, "
             "JSON: judge the binary for this device. Without it for the one that it names, with its profile");
    add_plugin_option(*command, arguments->target.plugin);
    command->add_flag("--json", arguments->json, "Print the report as JSON");
}

}  // namespace pianola::cli
