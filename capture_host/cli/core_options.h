// Options of captures for a processor core that executes the kernels: its cost model and its clock.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "hal/host/target.h"
#include "hal/registry/boards.h"

namespace pianola::cli {

struct CoreArguments {
    std::string board;
    std::string cost_model;
    double core_mhz{0.0};
    double cycles_per_instruction{0.0};
};

void add_core_options(CLI::App& command, CoreArguments& arguments);

// The board of this project with that name, nullptr if there is none whose core executes the kernels; and their names.
[[nodiscard]] const KnownBoard* known_board(const std::string& name);
[[nodiscard]] std::string board_names();

// nullptr: no board is named.
[[nodiscard]] const KnownBoard* board_of(const CoreArguments& arguments);

// Gives the device a core: the board's, then what the other options say. Throws CliError where the family of `target`
// has no such model, or a core has no clock.
void set_core(const CoreArguments& arguments, const Target& target, DeviceDescription& device);

// What a core with these costs reads its weights in: portable, dsp or mve.
[[nodiscard]] std::string pack_of(const Target& target, const DeviceDescription& device);

}  // namespace pianola::cli
