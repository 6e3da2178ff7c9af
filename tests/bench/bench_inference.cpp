// One inference, one validation, one digest: the pieces of work whose instructions tests/bench/measure.py counts.
//
// Runs one of them between two marks; callgrind counts only what is between. Each mark is a function that the optimiser
// must leave alone. The work is done once before it is counted, so that the dynamic linker's work at a first call does
// not count.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "capture_host/binary/verify.h"
#include "pianola/development_config.h"
#include "tests/models/replay.h"

namespace {

using pianola::ByteSpan;
using pianola::MutableByteSpan;
using pianola::Session;
using pianola::Status;

// Counted: everything from submit() to the poll() that completes the step.
[[gnu::noinline]] Status pianola_counted_inference(Session& session, pianola::Span<const ByteSpan> inputs,
                                                   pianola::Span<const MutableByteSpan> outputs) {
    Status status = session.submit(inputs, outputs);
    if (status == Status::kOk) {
        do {
            status = session.poll();
        } while (status == Status::kPending);
    }
    return status;
}

// Counted: what `pianola verify` does with a file that it has read.
[[gnu::noinline]] bool pianola_counted_verify(ByteSpan file, const pianola::DeviceDescription& device,
                                              pianola::capture::Verification& proofs) {
    const pianola::refdev::RefdevCommandSet command_set;
    return is_ok(proofs.verify(file, device, command_set, pianola::kDevelopmentTrust));
}

// Counted: the yardstick for verify.
[[gnu::noinline]] pianola::Sha256Digest pianola_counted_digest(ByteSpan file) {
    return pianola::sha256(file);
}

// The commands that a queue executes count as commands, transfers and events included.
std::uint32_t commands_of(const pianola::Plan& plan) {
    std::uint32_t commands = 0U;
    for (const std::uint32_t executed : plan.step.executed_commands.at(0U)) {
        commands += executed;
    }
    return commands;
}

int infer(const pianola::replay::Bytes& file, pianola::Release release) {
    const pianola::SessionConfig config{pianola::kDevelopmentTrust, release};
    pianola::replay::Player player{file, {}, config};
    const pianola::replay::Tensors inputs = player.seeded_inputs(1U);
    const pianola::replay::Tensors expected = player.run(inputs);
    pianola::replay::Tensors outputs;
    std::vector<ByteSpan> input_views;
    std::vector<MutableByteSpan> output_views;
    for (const auto& input : inputs) {
        input_views.emplace_back(input.data(), input.size());
    }
    for (const auto& output : expected) {
        outputs.emplace_back(output.size());
    }
    for (auto& output : outputs) {
        output_views.emplace_back(output.data(), output.size());
    }
    const Status status = pianola_counted_inference(player.session(), {input_views.data(), input_views.size()},
                                                    {output_views.data(), output_views.size()});
    fmt::print("{{\"commands\": {}, \"slices\": {}}}\n", commands_of(player.plan()), player.session().scrub_calls());
    return (is_ok(status) && (outputs == expected)) ? 0 : 1;
}

int verify(const pianola::replay::Bytes& bytes) {
    const pianola::files::AlignedBytes file{bytes};
    pianola::DeviceDescription device;
    pianola::refdev::describe({}, device);
    pianola::capture::Verification proofs;
    // Once before it counts, so that lazy binding and the allocator's first pages are not in the count.
    const bool warm =
        is_ok(proofs.verify(file.view(), device, pianola::refdev::RefdevCommandSet{}, pianola::kDevelopmentTrust));
    const bool accepted = warm && pianola_counted_verify(file.view(), device, proofs);
    const pianola::Sha256Digest digest = pianola_counted_digest(file.view());
    fmt::print("{{\"file_bytes\": {}, \"first_digest_byte\": {}}}\n", bytes.size(), digest[0]);
    return accepted ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const std::vector<std::string> arguments(argv, argv + argc);
        if (arguments.size() != 3U) {
            fmt::print(stderr, "usage: pianola_bench infer|infer-verified|verify FILE.ptb\n");
            return 2;
        }
        const auto file = pianola::files::load_file(arguments[2]);
        if (arguments[1] == "verify") {
            return verify(file);
        }
        return infer(file, (arguments[1] == "infer") ? pianola::Release::kAtCompletion : pianola::Release::kVerified);
    } catch (const std::exception& error) {
        fmt::print(stderr, "pianola_bench: {}\n", error.what());
        return 1;
    }
}
