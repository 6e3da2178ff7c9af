// Execution logs, compared.
//
// Place in the whole: a target reads dumps of logs (Target::read_execution_logs()); what comes of two of them is found
// here. Host only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hal/devices/target.h"

namespace pianola::cli {

// Two logs of one queue, compared command by command where both have one.
struct QueueComparison {
    std::uint32_t queue{0U};
    std::uint64_t first{1U};  // sequence numbers that both hold; first > last where there are none
    std::uint64_t last{0U};
    bool is_partial{false};  // commands that only one of the rings still holds could not be compared
    bool differs{false};
    std::uint64_t sequence{0U};         // of the first difference
    std::optional<LoggedCommand> left;  // there; nothing where the log ends before
    std::optional<LoggedCommand> right;
};

// One comparison per queue. A queue that is in one dump only counts as empty in the other.
[[nodiscard]] std::vector<QueueComparison> compare_logs(const std::vector<QueueLog>& left,
                                                        const std::vector<QueueLog>& right);

}  // namespace pianola::cli
