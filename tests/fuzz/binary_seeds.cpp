// Envelopes, trace binaries and traces: seeds for the fuzzers behind them.
#include "hal/devices/refdev/command_encoding.h"
#include "tests/fuzz/seeds.h"
#include "tests/hostile/mutator.h"
#include "tests/kernels/launch.h"
#include "tests/proofs/patterns.h"
#include "tests/support/mesh_workload.h"
#include "tests/support/trace_file.h"
#include "tests/support/workload.h"

namespace pianola::fuzz {
namespace {

using Bytes = std::vector<std::uint8_t>;
using refdev::header_word;
using refdev::Opcode;

// Words of the first launch, a requantisation, of the small workload's trace.
constexpr std::uint32_t kLaunchMultiplier = refdev::kLaunchHeadWords + 4U;
constexpr std::uint32_t kLaunchOutput = refdev::kLaunchHeadWords + 1U;

Bytes with_parameters() {
    test::Workload workload = test::make_small_workload(1U);
    const std::vector<std::uint32_t> words = test::words_of(workload.segments.traces);
    const std::uint32_t output = words.at(kLaunchOutput);
    workload.manifest.parameters = {
        {"multiplier", ParameterKind::kRuntimeArgument, 0U, INT32_MAX, 1U, {{0U, kLaunchMultiplier}}},
        {"where", ParameterKind::kBufferAddress, output, output, 4U, {{0U, kLaunchOutput}}}};
    return workload.file();
}

// Traces with every kind of command, on the guide's two patterns for two queues.
Bytes pattern(bool two, bool shared, std::uint32_t in_flight) {
    test::SmallCase small = test::plain_memory(1U, 1U, 2U);
    small.shared = shared;
    small.in_flight = in_flight;
    if (two) {
        test::script_pattern_two(small);
    } else {
        test::script_pattern_one(small);
    }
    return test::binary_of(small);
}

Bytes one_queue(std::uint32_t inputs, std::uint32_t outputs, std::uint32_t traces) {
    test::SmallCase small = test::plain_memory(inputs, outputs, traces);
    test::script_one_queue(small);
    return test::binary_of(small);
}

std::vector<std::uint32_t> launch_words(const refdev::Sample& sample, bool dispatched) {
    const auto arguments = static_cast<std::uint32_t>(sample.words.size());
    std::vector<std::uint32_t> words;
    if (dispatched) {
        words = {header_word(Opcode::kDispatch, refdev::kDispatchHeadWords + arguments), 1U};
    } else {
        words = {header_word(Opcode::kLaunch, refdev::kLaunchHeadWords + arguments)};
    }
    words.insert(words.end(), {static_cast<std::uint32_t>(sample.id), 0U});
    words.insert(words.end(), sample.words.begin(), sample.words.end());
    test::repair_costs(words);
    return words;
}

}  // namespace

std::vector<Seed> envelope_seeds() {
    const Bytes some(70U, 0x5AU);
    return {{"empty_segments.ptb", test::assemble({}, {})},
            {"one_byte.ptb", test::assemble({1U}, {})},
            {"all_segments.ptb", test::assemble(some, {some, some, some})},
            {"full_segments.ptb", test::assemble(Bytes(64U, 1U), {Bytes(64U, 2U), Bytes(64U, 3U), Bytes(64U, 4U)})}};
}

std::vector<Seed> manifest_seeds() {
    return {{"one_queue.ptb", test::make_small_workload(1U).file()},
            {"two_queues.ptb", test::make_small_workload(2U, 1U).file()},
            {"parameters.ptb", with_parameters()},
            {"several_tensors.ptb", one_queue(2U, 2U, 3U)},
            {"pattern_one.ptb", pattern(false, false, 1U)},
            {"pattern_one_overlapping.ptb", pattern(false, false, 2U)},
            {"pattern_two.ptb", pattern(true, false, 2U)},
            {"pattern_two_shared.ptb", pattern(true, true, 1U)},
            {"mesh_of_two.ptb", test::make_mesh_workload({1U, 2U}, 1U).file()},
            {"mesh_of_four.ptb", test::make_replicated_workload({2U, 2U}, 2U).file()}};
}

std::vector<Seed> decoder_seeds() {
    std::vector<Seed> seeds;
    for (const refdev::Sample& sample : refdev::sample_launches()) {
        seeds.push_back({refdev::sample_name(sample) + ".bin", test::bytes_of(launch_words(sample, false))});
    }
    std::vector<std::uint32_t> words = launch_words(refdev::sample_launches().front(), true);
    words.insert(words.end(), {header_word(Opcode::kBarrier, 1U), header_word(Opcode::kFill, refdev::kFillWords),
                               refdev::kBase, 64U, 7U, header_word(Opcode::kCopy, refdev::kCopyWords),
                               refdev::kBase + 128U, refdev::kBase, 64U, header_word(Opcode::kEnd, 1U)});
    seeds.push_back({"every_command.bin", test::bytes_of(words)});
    return seeds;
}

}  // namespace pianola::fuzz
