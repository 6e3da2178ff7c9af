// Trace binaries that take the validator as long as the schema and the runtime's capacities admit.
//
// maxima.cpp makes files that are accepted, with one thing at its maximum or all together; hostile.cpp makes files that
// look for the most instructions per byte, accepted or not. measure.py counts the instructions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pianola/rule.h"
#include "tests/support/workload.h"
#include "tests/worst_case/trace_words.h"
#include "tests/worst_case/worst_device.h"

namespace pianola::test {

// The profile that the page is about, and what makes files of the same kind as before.
inline constexpr const Capacities& kJudged = profiles::kSmallEcu;
inline constexpr std::uint32_t kLongestTraceWords = 1U << 20U;
inline constexpr std::uint32_t kTracePrograms = 16384U;

struct WorstCase {
    const char* name{""};
    Rule expected{Rule::kNotRun};  // kNotRun: it is accepted
    std::function<Workload()> make;
    bool shares_tables{false};  // the manifest has each program and each name once, however often it is named
    bool is_long{false};        // takes minutes to count
    refdev::DeviceSpec spec{worst_device()};  // that the workload is for
    std::uint32_t devices{1U};                // of a mesh with one row
};

[[nodiscard]] const std::vector<WorstCase>& maxima();
[[nodiscard]] const std::vector<WorstCase>& hostile();

// What the formula of docs/evidence/worst_case.md counts, but for bytes of the file and work of the proofs.
struct Counts {
    std::uint64_t tables{0U};
    std::uint64_t name_bytes{0U};
    std::uint64_t script_commands{0U};  // transfers of a tensor in several buffers count for each
    std::uint64_t tensor_buffers{0U};
};
[[nodiscard]] Counts counts_of(const Workload& workload);

// The file. Sets the length of the step to what the proof says.
[[nodiscard]] std::vector<std::uint8_t> file_of(const WorstCase& worst);

// builder.cpp: the smallest workload: a region of memory, the trace region, an empty set-up and an empty step.
[[nodiscard]] Workload empty_workload();
void add_trace(Workload& workload, TraceWords trace);  // with its end command; set-up loads it
[[nodiscard]] capture::ManifestCommand replay(std::uint32_t queue, std::uint32_t trace);
[[nodiscard]] capture::ManifestCommand record(std::uint32_t queue, std::uint32_t event);
[[nodiscard]] capture::ManifestCommand wait(std::uint32_t queue, std::uint32_t event);
using Commands = std::vector<capture::ManifestCommand>;

// shared_manifest.cpp: a manifest in which equal names and equal programs of a trace lie once.
[[nodiscard]] std::vector<std::uint8_t> encode_shared(const capture::Manifest& manifest);

}  // namespace pianola::test
