// usage: replay FILE.ptb INPUT OUTPUT. An ECU's part on the simulator: authenticates, validates and replays a binary.
#include <hal/crypto/bearssl_verifier.h>
#include <hal/devices/refdev/refdev_command_set.h>
#include <hal/devices/refdev/sim/sim_device.h>
#include <hal/devices/refdev/sim/sim_platform.h>
#include <pianola/session.h>

#include <array>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

#include "signing_key.h"  // made by `pianola pubkey`

namespace {

struct alignas(pianola::kFileAlignmentBytes) Block {
    std::array<std::uint8_t, pianola::kFileAlignmentBytes> bytes;
};

constexpr std::array<pianola::TrustedKey, 1U> kKeys{kSigningKey};
const pianola::BearSslVerifier kVerifier;
pianola::PlanWorkspace g_workspace;

std::vector<char> contents_of(const char* path) {
    std::ifstream stream{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::cerr << "usage: replay FILE.ptb INPUT OUTPUT\n";
        return 2;
    }
    const std::vector<char> file = contents_of(argv[1]);
    std::vector<Block> blocks(file.size() / sizeof(Block) + 1U);
    std::memcpy(blocks.data(), file.data(), file.size());
    const std::vector<char> input_bytes = contents_of(argv[2]);

    pianola::sim::SimDevice device{pianola::sim::SimOptions{}};
    pianola::sim::SimPlatform platform{device};
    const pianola::refdev::RefdevCommandSet command_set;
    const pianola::SessionConfig config{
        {pianola::SignaturePolicy::kRequired, {kKeys.data(), kKeys.size()}, &kVerifier, 0U},
        pianola::Release::kVerified};
    pianola::Session session{device, platform, command_set, config};
    pianola::Verdict verdict;
    if (!is_ok(session.load({blocks.front().bytes.data(), file.size()}, g_workspace, verdict))) {
        std::cout << "not loaded: " << pianola::rule_id(verdict.rule) << '\n';
        return 3;
    }
    const std::vector<std::uint8_t> input(input_bytes.begin(), input_bytes.end());
    std::vector<std::uint8_t> output(session.output_bytes());
    const std::array<pianola::ByteSpan, 1U> inputs{pianola::ByteSpan{input.data(), input.size()}};
    const std::array<pianola::MutableByteSpan, 1U> outputs{pianola::MutableByteSpan{output.data(), output.size()}};
    if (!is_ok(session.run({inputs.data(), inputs.size()}, {outputs.data(), outputs.size()}))) {
        std::cout << "not run\n";
        return 4;
    }
    std::ofstream{argv[3], std::ios::binary}.write(reinterpret_cast<const char*>(output.data()),
                                                   static_cast<std::streamsize>(output.size()));
    return 0;
}
