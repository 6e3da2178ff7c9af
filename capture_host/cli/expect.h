// --expect IN OUT: outputs that something else has computed, and how they differ from the binary's.
#pragma once

#include <CLI/ConfigFwd.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "capture_host/capture/expected.h"
#include "capture_host/capture/recorder.h"

namespace pianola::cli {

// The files of one --expect.
using ExpectedFiles = std::pair<std::string, std::string>;

void add_expect_option(CLI::App& command, std::vector<ExpectedFiles>& files);

// The inferences of all files, in their order, and where each pair of files ends.
struct ExpectedRecords {
    std::vector<capture::ExpectedInference> inferences;
    std::vector<std::size_t> ends;  // for each pair of files, the number after its last inference
};
// `others`: how many more self-tests there will be. Throws CliError, files::FileError.
[[nodiscard]] ExpectedRecords load_expected(const std::vector<ExpectedFiles>& files, const capture::Recorder& recorder,
                                            std::uint32_t others);

[[nodiscard]] std::string describe_difference(const capture::OutputDifference& difference,
                                              const std::vector<ExpectedFiles>& files, const ExpectedRecords& records);
[[nodiscard]] nlohmann::json difference_to_json(const capture::OutputDifference& difference,
                                                const std::vector<ExpectedFiles>& files,
                                                const ExpectedRecords& records);

}  // namespace pianola::cli
