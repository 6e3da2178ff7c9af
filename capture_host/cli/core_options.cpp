#include "capture_host/cli/core_options.h"

#include <fmt/format.h>

#include <cmath>

#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/options.h"
#include "hal/registry/registry.h"

namespace pianola::cli {
namespace {

constexpr double kMostMhz = 4'000'000.0;
constexpr double kMostCycles = 1'000.0;
constexpr double kMillis = 1'000.0;
constexpr const char* kCoreMhz = "--core-mhz";
constexpr const char* kCyclesPerInstruction = "--cycles-per-instruction";

// A number of three decimals may be a little more or less in binary: 1.1 x 1000 is 1100.0000000000002.
constexpr double kBinaryError = 1e-6;

// Both round so that the core is no faster than the numbers say.
std::uint32_t khz_of(double mhz) {
    return static_cast<std::uint32_t>(std::floor((mhz * kMillis) + kBinaryError));
}
std::uint32_t millicycles_of(double cycles) {
    return static_cast<std::uint32_t>(std::ceil((cycles * kMillis) - kBinaryError));
}

// Work on several cores, or on queues that one core serves, is not parallel.
void use_cost_model(const std::string& name, const Target& target, DeviceDescription& device) {
    const Target* const found = with_cost_model(target, name);
    if (found == nullptr) {
        throw CliError{kUsage, fmt::format("--cost-model {}: must be one of {}", name, cost_model_names(target))};
    }
    const DeviceDescription usual = found->usual_device();
    device.costs = usual.costs;
    device.cost_model = usual.cost_model;
    device.queue_count = usual.queue_count;
    device.grid_columns = usual.grid_columns;
    device.grid_rows = usual.grid_rows;
}

}  // namespace

void add_core_options(CLI::App& command, CoreArguments& arguments) {
    add_text(command, "--board", arguments.board, kSaysName,
             fmt::format("Board whose core executes the kernels ({}): its costs and clock, the smallest memories that "
                         "the binary needs, weights in the file, packed for its core, profile small_ecu",
                         board_names())
                 .c_str());
    add_text(command, "--cost-model", arguments.cost_model, kSaysName,
             fmt::format("Core that executes the kernels, for bounds in its instructions: {}",
                         cost_model_names(usual_target()))
                 .c_str());
    command
        .add_option(kCoreMhz, arguments.core_mhz,
                    "The core's clock, together with --cycles-per-instruction: with --cost-model both are needed, "
                    "with --board both or none")
        ->check(complaint_of_no_number, "")
        ->check(CLI::Range(0.001, kMostMhz));
    command
        .add_option(
            kCyclesPerInstruction, arguments.cycles_per_instruction,
            "The core's worst mean over the kernels, at the clock of --core-mhz, with its caches and its bus as "
            "they are in use")
        ->check(complaint_of_no_number, "")
        ->check(CLI::Range(0.001, kMostCycles));
}

const KnownBoard* known_board(const std::string& name) {
    for (const KnownBoard& board : known_boards()) {
        if (name == board.name) {
            return &board;
        }
    }
    return nullptr;
}

std::string board_names() {
    std::string names;
    for (const KnownBoard& board : known_boards()) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", board.name);
    }
    return names;
}

const KnownBoard* board_of(const CoreArguments& arguments) {
    const KnownBoard* const board = known_board(arguments.board);
    if ((board == nullptr) && !arguments.board.empty()) {
        throw CliError{kUsage, fmt::format("--board {}: must be one of {}", arguments.board, board_names())};
    }
    return board;
}

void set_core(const CoreArguments& arguments, const Target& target, DeviceDescription& device) {
    std::uint32_t core_khz = device.core_khz;
    std::uint32_t millicycles = device.millicycles_per_instruction;
    if (const KnownBoard* const board = board_of(arguments)) {
        use_cost_model(board->cost_model, target, device);
        device.queue_count = board->queues;
        device.capacities = &profiles::kSmallEcu;
        device.dram_bytes = board->dram_bytes;
        device.l1_bytes = board->l1_bytes;
        device.file_base = board->file_base;
        device.file_bytes = board->file_bytes;
        core_khz = board->core_khz;
        millicycles = board->millicycles_per_instruction;
    }
    if (!arguments.cost_model.empty()) {
        use_cost_model(arguments.cost_model, target, device);
    }
    const bool has_core = device.costs == CostKind::kUpperBound;
    if (has_core && ((arguments.core_mhz != 0.0) != (arguments.cycles_per_instruction != 0.0))) {
        const bool lacks_clock = arguments.core_mhz == 0.0;
        throw CliError{kUsage, fmt::format("{} is needed beside {}: both are of one core, and neither has a default",
                                           lacks_clock ? kCoreMhz : kCyclesPerInstruction,
                                           lacks_clock ? kCyclesPerInstruction : kCoreMhz)};
    }
    core_khz = (arguments.core_mhz != 0.0) ? khz_of(arguments.core_mhz) : core_khz;
    millicycles =
        (arguments.cycles_per_instruction != 0.0) ? millicycles_of(arguments.cycles_per_instruction) : millicycles;
    if (has_core && ((core_khz == 0U) || (millicycles == 0U))) {
        throw CliError{kUsage, fmt::format("{} is needed: times of cost model {} are those of a core",
                                           (core_khz == 0U) ? kCoreMhz : kCyclesPerInstruction,
                                           target.with_cost_model(device.cost_model)->cost_model_name())};
    }
    if (!has_core && ((core_khz != 0U) || (millicycles != 0U))) {
        throw CliError{kUsage, "--core-mhz and --cycles-per-instruction need --board or --cost-model"};
    }
    set_core_clock(core_khz, millicycles, device);
    if (has_core && (device.clock_khz == 0U)) {
        throw CliError{kUsage, fmt::format("{} and {}: fewer than 1000 instructions in a second", kCoreMhz,
                                           kCyclesPerInstruction)};
    }
}

std::string pack_of(const Target& target, const DeviceDescription& device) {
    const Target* const with_costs = target.with_cost_model(device.cost_model);
    const std::string name = (with_costs != nullptr) ? with_costs->cost_model_name() : "";
    const std::size_t dot = name.rfind('.');
    return (dot == std::string::npos) ? "portable" : name.substr(dot + 1U);
}

}  // namespace pianola::cli
