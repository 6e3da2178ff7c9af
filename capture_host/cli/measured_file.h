// What `pianola measure --json` has written, for the commands that show it beside their figures.
#pragma once

#include <CLI/ConfigFwd.hpp>
#include <cstdint>
#include <map>
#include <string>

#include "capture_host/cli/binary_file.h"

namespace pianola::cli {

struct MeasuredFile {
    std::string board;
    std::string counter;                            // the unit of all counts
    std::map<std::uint32_t, std::uint64_t> layers;  // counts by TraceCommand::operation

    [[nodiscard]] bool is_given() const noexcept { return !board.empty(); }
};

void add_measured_option(CLI::App& command, std::string& file_name);
// Empty for an empty name. Throws files::FileError, and CliError if it is no measurement, or one of another binary.
[[nodiscard]] MeasuredFile load_measured(const std::string& file_name, const VerifiedFile& binary);

}  // namespace pianola::cli
