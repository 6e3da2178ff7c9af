// capacity_runner FILE.ptb...: loads each file on a simulator of its own, replays some steps, and says what came of it.
//
// Place in the whole: tests only. capacity_sweep.py compiles it with the runtime and the simulator, each time with
// another capacity made smaller. One line for each file: the rule that refused it, a digest of all outputs, or the
// stage of a fault.
#include <array>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "capture_host/files/files.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/sim/sim_device.h"
#include "hal/sim/sim_platform.h"
#include "pianola/development_config.h"
#include "pianola/sha256.h"

namespace pianola {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kSteps = 3U;

struct Machine {
    sim::SimDevice device{sim::SimOptions{}};
    sim::SimPlatform platform{device};
    refdev::RefdevCommandSet command_set;
    Session session{device, platform, command_set, kDevelopmentConfig};
    PlanWorkspace workspace;
    Verdict verdict;
};

// Inputs that differ from step to step.
void fill(Bytes& bytes, std::size_t seed) {
    for (std::size_t i = 0U; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::uint8_t>((i * 7U) + (seed * 13U));
    }
}

Status replay(Machine& machine, Sha256& outputs_digest) {
    Session& session = machine.session;
    const Plan& plan = session.plan();
    std::vector<Bytes> inputs;
    std::vector<Bytes> outputs;
    std::vector<ByteSpan> input_views;
    std::vector<MutableByteSpan> output_views;
    for (std::uint32_t i = 0U; i < plan.input_count; ++i) {
        inputs.emplace_back(plan.inputs.at(i).bytes);
        input_views.emplace_back(inputs.back().data(), inputs.back().size());
    }
    for (std::uint32_t i = 0U; i < plan.output_count; ++i) {
        outputs.emplace_back(plan.outputs.at(i).bytes);
        output_views.emplace_back(outputs.back().data(), outputs.back().size());
    }
    Bytes scratch(session.output_bytes());
    Status status = session.self_test({scratch.data(), scratch.size()});
    for (std::uint32_t step = 0U; is_ok(status) && (step < kSteps); ++step) {
        for (Bytes& input : inputs) {
            fill(input, step);
        }
        status = session.run({input_views.data(), input_views.size()}, {output_views.data(), output_views.size()});
        for (const Bytes& output : outputs) {
            outputs_digest.update({output.data(), output.size()});
        }
    }
    return is_ok(status) ? session.scrub() : status;
}

void judge(const std::string& name) {
    const files::AlignedBytes file{files::load_file(name)};
    const auto machine = std::make_unique<Machine>();
    const Status loaded = machine->session.load(file.view(), machine->workspace, machine->verdict);
    std::string outcome;
    if (loaded == Status::kRefused) {
        outcome = rule_id(machine->verdict.rule);
    } else {
        Sha256 digest;
        const Status status = is_ok(loaded) ? replay(*machine, digest) : loaded;
        if (is_ok(status)) {
            outcome = "outputs ";
            for (const std::uint8_t byte : digest.finish()) {
                outcome += "0123456789abcdef"[byte >> 4U];
                outcome += "0123456789abcdef"[byte & 15U];
            }
        } else {
            outcome = "fault in stage " + std::to_string(static_cast<int>(machine->session.fault().stage));
        }
    }
    std::cout << outcome << std::endl;
}

}  // namespace
}  // namespace pianola

int main(int argc, char** argv) {
    try {
        for (const std::string& name : std::vector<std::string>(argv + 1, argv + argc)) {
            pianola::judge(name);
        }
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "capacity_runner: " << error.what() << std::endl;
        return 2;
    }
}
