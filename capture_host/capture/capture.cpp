#include "capture_host/capture/capture.h"

#include <fmt/format.h>

#include "capture_host/capture/assembly.h"
#include "pianola/config.h"
#include "pianola_host/replay.h"

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

std::uint64_t bytes_of(const Tensors& tensors) {
    std::uint64_t bytes = 0U;
    for (const std::vector<std::uint8_t>& tensor : tensors) {
        bytes += tensor.size();
    }
    return bytes;
}

// The number of vectors. Throws LinkError if they do not fit the file.
std::size_t count_vectors(const Replay& trial, const CaptureOptions& options) {
    const std::size_t count = options.expected.size() + options.self_tests;
    if (count > kMaxSelfTests) {
        throw LinkError{fmt::format("too many self-tests: {} are wanted, {} fit", count, kMaxSelfTests)};
    }
    if (count == 0U) {
        return count;
    }
    const std::uint64_t vector_bytes = bytes_of(trial.empty_inputs()) + bytes_of(trial.empty_outputs());
    // In the manifest, a byte for each; and rounding.
    const std::uint64_t bytes =
        trial.file().size() + (count * (vector_bytes + 1U)) + (std::uint64_t{2U} * kFileAlignmentBytes);
    if (bytes > kMaxFileBytes) {
        throw LinkError{
            fmt::format("the file would be too long: {} self-tests of {} bytes need {} bytes with the "
                        "rest, {} is the most",
                        count, vector_bytes, bytes, kMaxFileBytes)};
    }
    return count;
}

// The expected vectors, then seeded inputs with the simulator's outputs.
void add_self_tests(Replay& trial, const CaptureOptions& options, LinkedBinary& binary) {
    for (const ExpectedInference& inference : options.expected) {
        add_self_test(inference.inputs, inference.outputs, SelfTestOrigin::kExpected, binary.manifest, binary.segments);
    }
    for (std::uint32_t i = 0U; i < options.self_tests; ++i) {
        Tensors inputs = trial.empty_inputs();
        fill_with_seed(i + 1U, inputs);
        add_self_test(inputs, trial.run({inputs}).front(), SelfTestOrigin::kCaptured, binary.manifest, binary.segments);
        if (options.progress) {
            options.progress(i + 1U, options.self_tests);
        }
    }
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
    LinkedWorkload workload = link(recorder, options.link);
    Capture capture;
    capture.summary = workload.summary;
    capture.file = write_trace_binary(workload.manifest, workload.segments);
    const auto trial_of = [&capture, &options] {
        return std::make_unique<Replay>(ByteSpan{capture.file.data(), capture.file.size()},
                                        refdev::target_of(options.link.spec), options.link.spec);
    };
    const std::unique_ptr<Replay> trial = trial_of();
    load(*trial);
    capture.vectors = count_vectors(*trial, options);
    capture.expected = options.expected.size();
    if (capture.vectors > 0U) {
        compare_expected(*trial, options.expected);
        add_self_tests(*trial, options, workload);
        capture.file = write_trace_binary(workload.manifest, workload.segments);
        const std::unique_ptr<Replay> whole = trial_of();
        load(*whole);
        if (!options.expected.empty()) {
            whole->self_test();
        }
    }
    return capture;
}

}  // namespace pianola::capture
