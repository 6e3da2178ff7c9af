// ExecutionLogFile: dumped execution logs, read with care and compared.
//
// Place in the whole: host side of hal/devices/refdev/execution_log.h, which defines the bytes. A dump may come from a
// debugger, a board or `pianola run --log`; nothing in it is trusted. Host only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hal/devices/refdev/command_encoding.h"
#include "pianola/device.h"
#include "pianola/span.h"

namespace pianola::cli {

struct LoggedCommand {
    std::uint32_t sequence{0U};  // counts the queue's commands since reset, from 1
    refdev::Opcode opcode{refdev::Opcode::kInvalid};
    DeviceFault fault{DeviceFault::kNone};
    std::uint32_t kernel_id{0U};
    std::uint64_t digest{0U};

    friend bool operator==(const LoggedCommand& left, const LoggedCommand& right) {
        return (left.sequence == right.sequence) && (left.opcode == right.opcode) && (left.fault == right.fault) &&
               (left.kernel_id == right.kernel_id) && (left.digest == right.digest);
    }
};

// One queue's log: the commands that the ring still holds, oldest first.
struct QueueLog {
    std::uint32_t written{0U};  // since reset
    std::vector<LoggedCommand> commands;

    [[nodiscard]] bool is_complete() const { return commands.size() == written; }
    // Sequence numbers; first() > last() where there are no commands.
    [[nodiscard]] std::uint64_t first() const { return std::uint64_t{written} - commands.size() + 1U; }
    [[nodiscard]] std::uint64_t last() const { return written; }
};

// One log per queue, from a dump. Throws CliError with kFileTrouble, which names the byte, where it is no dump or a
// damaged one.
[[nodiscard]] std::vector<QueueLog> parse_logs(ByteSpan dump, const std::string& file_name);

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

// As docs/DEVICE.md has it, in lower case; nullptr for what is no command.
[[nodiscard]] const char* name_of(refdev::Opcode opcode);

}  // namespace pianola::cli
