#include "capture_host/link/capture.h"

#include <fmt/format.h>

#include "capture_host/replay/replay.h"
#include "pianola/config.h"

namespace pianola::capture {
namespace {

using replay::Replay;
using replay::Tensors;

void load(Replay& trial) {
    try {
        trial.load();
    } catch (const replay::Refused& refused) {
        throw std::logic_error{
            fmt::format("the runtime refuses the binary that was just captured: {}", refused.what())};
    }
}

std::vector<std::uint8_t> record_self_tests(Replay& trial, const CaptureOptions& options) {
    std::vector<std::uint8_t> vectors;
    const auto append = [&vectors](const Tensors& tensors) {
        for (const std::vector<std::uint8_t>& tensor : tensors) {
            vectors.insert(vectors.end(), tensor.begin(), tensor.end());
        }
    };
    for (std::uint32_t i = 0U; i < options.self_tests; ++i) {
        Tensors inputs = trial.empty_inputs();
        fill_with_seed(i + 1U, inputs);
        append(inputs);
        append(trial.run({inputs}).front());
        if (options.progress) {
            options.progress(i + 1U, options.self_tests);
        }
    }
    return vectors;
}

}  // namespace

void fill_with_seed(std::uint32_t seed, std::vector<std::vector<std::uint8_t>>& tensors) {
    std::uint32_t state = seed;
    for (auto& tensor : tensors) {
        for (std::uint8_t& byte : tensor) {
            state ^= state << 13U;
            state ^= state >> 17U;
            state ^= state << 5U;
            byte = static_cast<std::uint8_t>(state);
        }
    }
}

Capture capture_workload(const Recorder& recorder, const CaptureOptions& options) {
    if (options.self_tests > kMaxSelfTests) {
        throw LinkError{fmt::format("too many self-tests: {} are wanted, {} fit", options.self_tests, kMaxSelfTests)};
    }
    LinkedWorkload workload = link(recorder, options.link);
    Capture capture;
    capture.summary = workload.summary;
    capture.file = write_trace_binary(workload.manifest, workload.segments);
    const auto trial_of = [&capture, &options] {
        return std::make_unique<Replay>(ByteSpan{capture.file.data(), capture.file.size()}, refdev::target(),
                                        options.link.spec);
    };
    const std::unique_ptr<Replay> trial = trial_of();
    load(*trial);
    if (options.self_tests > 0U) {
        workload.segments.self_tests = record_self_tests(*trial, options);
        workload.manifest.self_test_count = options.self_tests;
        capture.file = write_trace_binary(workload.manifest, workload.segments);
        load(*trial_of());
    }
    return capture;
}

}  // namespace pianola::capture
