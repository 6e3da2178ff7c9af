// What `pianola run` is asked for, and the command behind it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture_host/cli/target_option.h"

namespace pianola::cli {

struct RunArguments {
    std::string file;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::vector<std::string> values;
    TargetArguments target;
    std::uint32_t repeat{1U};
    bool batch{false};
    bool self_test{false};
    bool threaded{false};
    bool check_accesses{false};
    bool views{false};
    std::string log;
    bool json{false};
};

// Replays the binary as asked; kDone, or a CliError.
int run_file(const RunArguments& arguments);

}  // namespace pianola::cli
