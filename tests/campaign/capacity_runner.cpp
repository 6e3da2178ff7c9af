// capacity_runner FILE.ptb [ROWS COLUMNS]: loads a file on a simulator, or on the simulators of a mesh of that shape,
// replays some steps, and says what came of it.
//
// capacity_sweep.py compiles it with the runtime and the simulator, each time with another capacity made smaller. One
// line: the rule that refused the file, a digest of all outputs, or the stage of a fault.
#include <array>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "pianola/development_config.h"
#include "pianola/sha256.h"
#include "pianola_host/files.h"

namespace pianola {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kSteps = 3U;

using Devices = std::vector<std::unique_ptr<sim::SimDevice>>;

Devices devices_of(std::uint32_t count) {
    sim::SimOptions options;
    options.time = std::make_shared<sim::SimTime>();
    Devices devices;
    for (std::uint32_t i = 0U; i < count; ++i) {
        devices.push_back(std::make_unique<sim::SimDevice>(options));
    }
    return devices;
}

Session session_of(const Devices& devices, std::uint32_t rows, std::uint32_t columns, Platform& platform,
                   const CommandSet& command_set) {
    std::vector<Device*> pointers;
    for (const auto& device : devices) {
        pointers.push_back(device.get());
    }
    return Session{DeviceSet{{pointers.data(), pointers.size()}, rows, columns}, platform, command_set,
                   kDevelopmentConfig};
}

struct Machine {
    Machine(std::uint32_t rows, std::uint32_t columns)
        : devices{devices_of(rows * columns)},
          platform{*devices.front()},
          session{session_of(devices, rows, columns, platform, command_set)} {}

    Devices devices;
    sim::SimPlatform platform;
    refdev::RefdevCommandSet command_set;
    Session session;
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

std::uint32_t number(const std::string& word) {
    return static_cast<std::uint32_t>(std::stoul(word));
}

// The words of the command line.
void judge(const std::vector<std::string>& words) {
    const files::AlignedBytes file{files::load_file(words.at(0U))};
    const bool is_mesh = words.size() > 1U;
    const std::uint32_t rows = is_mesh ? number(words.at(1U)) : 1U;
    const std::uint32_t columns = is_mesh ? number(words.at(2U)) : 1U;
    const auto machine = std::make_unique<Machine>(rows, columns);
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
        pianola::judge({argv + 1, argv + argc});
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "capacity_runner: " << error.what() << std::endl;
        return 2;
    }
}
