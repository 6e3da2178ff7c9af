// The smallest complete ECU application, on the simulator: load once, then one inference per cycle of a periodic task.
// docs/guide/integration.md explains it; CI runs it. On a board, SimDevice and SimPlatform are replaced by the board's
// own Device and Platform; nothing else changes.

#include <array>
#include <iostream>

#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "pianola/development_config.h"
#include "pianola/session.h"
#include "pianola_host/files.h"

namespace {

using pianola::ByteSpan;
using pianola::MutableByteSpan;
using pianola::Status;

// Static memory, as on target: the session, the workspace that loading needs, and one input and output.
pianola::PlanWorkspace g_workspace;
std::array<std::uint8_t, 65536> g_input;
std::array<std::uint8_t, 1024U> g_output;

// One call of the cyclic task. Never blocks.
Status cycle(pianola::Session& session, ByteSpan input, MutableByteSpan output) {
    const std::array<ByteSpan, 1> inputs{input};
    const std::array<MutableByteSpan, 1> outputs{output};
    const Status polled = session.poll();
    if (polled == Status::kInvalidState) {  // nothing under way: start
        return session.submit(inputs, outputs);
    }
    return polled;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: ecu_application FILE.ptb\n";
        return 2;
    }
    const pianola::files::AlignedBytes file{pianola::files::load_file(argv[1])};  // on target: an address in flash
    pianola::sim::SimDevice device{pianola::sim::SimOptions{}};
    pianola::sim::SimPlatform platform{device};
    const pianola::refdev::RefdevCommandSet command_set;
    pianola::Session session{device, platform, command_set, pianola::kDevelopmentConfig};

    pianola::Verdict verdict;
    if (!is_ok(session.load(file.view(), g_workspace, verdict))) {
        std::cout << "not loaded: " << pianola::rule_id(verdict.rule) << " at offset " << verdict.file_offset << '\n';
        return 3;
    }
    const pianola::Plan& plan = session.plan();
    if ((plan.input_count != 1U) || (plan.output_count != 1U) || (plan.inputs[0].bytes > g_input.size()) ||
        (plan.outputs[0].bytes > g_output.size())) {
        std::cerr << "this application has memory for one small input and one small output\n";
        return 2;
    }
    const ByteSpan input{g_input.data(), plan.inputs[0].bytes};
    const MutableByteSpan output{g_output.data(), plan.outputs[0].bytes};
    while (session.steps_completed() < 3U) {  // on target: once per tick, for ever
        const Status status = cycle(session, input, output);
        if (!is_ok(status) && (status != Status::kPending)) {
            std::cout << "fault in stage " << static_cast<unsigned>(session.fault().stage) << '\n';
            return 4;
        }
    }
    std::cout << session.steps_completed() << " inferences, first output byte " << static_cast<int>(output[0]) << '\n';
    return 0;
}
