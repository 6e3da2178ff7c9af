// An ECU application that drives two devices, on the simulator: what docs/guide/integration.md says of several devices.
// The binary is that of docs/examples/host_api/capture_mesh.cpp. On a board, SimDevice and SimPlatform are replaced by
// the board's own Device and Platform; nothing else changes (docs/guide/boards.md).

#include <array>
#include <iostream>
#include <memory>

#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "pianola/development_config.h"
#include "pianola/session.h"
#include "pianola_host/files.h"

namespace {

constexpr std::size_t kBytes = 128U;  // of the input, and of the output: a half for each device

pianola::PlanWorkspace g_workspace;
std::array<std::uint8_t, kBytes> g_input;
std::array<std::uint8_t, kBytes> g_output;

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: ecu_mesh FILE.ptb\n";
        return 2;
    }
    const pianola::files::AlignedBytes file{pianola::files::load_file(argv[1])};  // on target: an address in flash
    pianola::sim::SimOptions options;                          // the usual device, for which the binary was captured
    options.time = std::make_shared<pianola::sim::SimTime>();  // one for both
    pianola::sim::SimDevice first{options};
    pianola::sim::SimDevice second{options};
    pianola::sim::SimPlatform platform{first};
    const pianola::refdev::RefdevCommandSet command_set;
    const pianola::SessionConfig& config = pianola::kDevelopmentConfig;

    std::array<pianola::Device*, 2> devices{&first, &second};  // in row-major order
    pianola::Session session{pianola::DeviceSet{{devices.data(), devices.size()}, 1U, 2U}, platform, command_set,
                             config};

    pianola::Verdict verdict;
    if (!is_ok(session.load(file.view(), g_workspace, verdict))) {
        std::cout << "not loaded: " << pianola::rule_id(verdict.rule) << " at offset " << verdict.file_offset << '\n';
        return 3;
    }
    for (std::size_t i = 0U; i < g_input.size(); ++i) {
        g_input.at(i) = static_cast<std::uint8_t>(i % 100U);
    }
    const std::array<pianola::ByteSpan, 1> inputs{pianola::ByteSpan{g_input.data(), g_input.size()}};
    const std::array<pianola::MutableByteSpan, 1> outputs{pianola::MutableByteSpan{g_output.data(), g_output.size()}};
    if (!is_ok(session.run(inputs, outputs))) {
        std::cout << "fault on device (" << session.fault().row << ", " << session.fault().column << ")\n";
        return 4;
    }
    bool is_right = true;
    for (std::size_t i = 0U; i < g_output.size(); ++i) {
        is_right = is_right && (g_output.at(i) == (g_input.at(i) + 1U));
    }
    std::cout << "two devices, " << (is_right ? "right" : "wrong") << '\n';
    return is_right ? 0 : 1;
}
