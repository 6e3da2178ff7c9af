// Capture: makes a trace binary from a recorded workload, validates it and tries it.
//
// `pianola capture` and the tests call it after an importer.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "capture_host/capture/expected.h"
#include "capture_host/capture/link.h"

namespace pianola::capture {

struct CaptureOptions {
    LinkOptions link;
    std::uint32_t self_tests{0U};  // vectors of seeded inputs, with the outputs that the simulator gives
    std::function<void(std::uint32_t done, std::uint32_t all)> progress;  // may be empty
    // What the binary must compute, to the byte. These vectors come first, those of seeded inputs follow.
    std::vector<ExpectedInference> expected;
};

struct Capture {
    std::vector<std::uint8_t> file;
    LinkSummary summary;
    std::size_t vectors{0U};   // self-test vectors in the file
    std::size_t expected{0U};  // of them, at the beginning
};

// Throws LinkError if the workload does not fit, NotAsExpected if an output differs from the expected one, and
// std::logic_error if the runtime refuses the result: a defect.
[[nodiscard]] Capture capture_workload(const Recorder& recorder, const CaptureOptions& options);

// One input of a self-test vector, or of any reproducible trial: xorshift32 bytes, one stream per vector.
void fill_with_seed(std::uint32_t seed, std::vector<std::vector<std::uint8_t>>& tensors);

}  // namespace pianola::capture
