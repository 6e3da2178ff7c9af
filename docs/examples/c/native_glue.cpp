// The application in C on the simulator: the simulator's objects as tables of C functions, and a file as the flash.
//
//     pianola_example_c FILE.ptb INPUT_BYTES OUTPUT_BYTES SCENARIO
#include <chrono>
#include <cstdlib>
#include <iostream>

#include "docs/examples/c/app.h"
#include "docs/examples/c/tables.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "pianola_host/files.h"

namespace {

std::uint64_t now_us() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

void idle() {}

void print(const char* text) {
    std::cout << text;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::cerr << "usage: pianola_example_c FILE.ptb INPUT_BYTES OUTPUT_BYTES SCENARIO\n";
        return EXIT_FAILURE;
    }
    const pianola::files::AlignedBytes file{pianola::files::load_file(argv[1])};
    pianola::files::AlignedBytes spare{pianola::files::load_file(argv[1])};
    pianola::sim::SimDevice device{pianola::sim::SimOptions{}};
    const pianola::refdev::RefdevCommandSet command_set;

    app_environment_t environment{};
    environment.device = &pianola::tables::device();
    environment.device_context = static_cast<pianola::Device*>(&device);
    environment.command_set = &pianola::tables::command_set();
    environment.command_set_context = static_cast<const pianola::CommandSet*>(&command_set);
    environment.signatures = PNL_SIGNATURE_POLICY_OPTIONAL;  // what is not signed, for development
    environment.binary = file.view().data();
    environment.binary_bytes = file.view().size();
    environment.input_bytes = std::strtoul(argv[2], nullptr, 10);
    environment.output_bytes = std::strtoul(argv[3], nullptr, 10);
    environment.spare = {spare.mutable_view().data(), spare.mutable_view().size()};
    environment.now_us = now_us;
    environment.idle = idle;
    environment.print = print;
    return app_run(&environment, argv[4]);
}
