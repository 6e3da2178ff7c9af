// A program of another project: loads a trace binary, and replays its self-test vectors on the simulator.
// docs/guide/integration.md; CI builds it outside of this tree. usage: ecu FILE.ptb

#include <array>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "pianola/development_config.h"
#include "pianola/session.h"

namespace {

// A binary lies at a 64-byte aligned address: on target, in flash.
struct alignas(pianola::kFileAlignmentBytes) Block {
    std::array<std::uint8_t, pianola::kFileAlignmentBytes> bytes;
};

pianola::PlanWorkspace g_workspace;

}  // namespace

int main(int argc, char** argv) {
    std::ifstream stream{(argc == 2) ? argv[1] : "", std::ios::binary};
    const std::vector<char> contents{std::istreambuf_iterator<char>{stream}, {}};
    if (contents.empty()) {
        std::cerr << "usage: ecu FILE.ptb\n";
        return 2;
    }
    std::vector<Block> blocks((contents.size() + sizeof(Block) - 1U) / sizeof(Block));
    std::memcpy(blocks.data(), contents.data(), contents.size());
    const pianola::ByteSpan file{blocks.front().bytes.data(), contents.size()};

    pianola::sim::SimDevice device{pianola::sim::SimOptions{}};
    pianola::sim::SimPlatform platform{device};
    const pianola::refdev::RefdevCommandSet command_set;
    pianola::Session session{device, platform, command_set, pianola::kDevelopmentConfig};
    pianola::Verdict verdict;
    if (!is_ok(session.load(file, g_workspace, verdict))) {
        std::cout << "not loaded: " << pianola::rule_id(verdict.rule) << '\n';
        return 3;
    }
    std::vector<std::uint8_t> scratch(session.output_bytes());
    if (!is_ok(session.self_test({scratch.data(), scratch.size()}))) {
        std::cout << "self-test failed\n";
        return 4;
    }
    std::cout << "profile " << pianola::kCapacities.name << ", " << session.self_test_count()
              << " self-tests passed, workspace of " << sizeof(g_workspace) << " bytes\n";
    return 0;
}
