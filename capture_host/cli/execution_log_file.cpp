#include "capture_host/cli/execution_log_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture_host/cli/cli.h"
#include "hal/devices/refdev/execution_log.h"
#include "pianola/bytes.h"
#include "pianola/config.h"

namespace pianola::cli {
namespace {

// Byte offsets in a log, and in one of its entries.
constexpr std::size_t kVersionOffset = 4U;
constexpr std::size_t kQueueOffset = 8U;
constexpr std::size_t kCapacityOffset = 12U;
constexpr std::size_t kWrittenOffset = 16U;
constexpr std::size_t kReservedOffset = 20U;
constexpr std::size_t kReservedWords = 3U;
constexpr std::size_t kHeadBytes = 32U;
constexpr std::size_t kKindOffset = 4U;
constexpr std::size_t kFaultOffset = 5U;
constexpr std::size_t kKernelOffset = 6U;
constexpr std::size_t kDigestOffset = 8U;
constexpr std::size_t kEntryBytes = 16U;
constexpr std::size_t kLogBytes = kHeadBytes + (kEntryBytes * refdev::kLogEntries);
static_assert(kLogBytes == sizeof(refdev::ExecutionLog));
static_assert(kEntryBytes == sizeof(refdev::LogEntry));

constexpr std::uint32_t kWordBits = 32U;
constexpr std::uint32_t kByteBits = 8U;

class Parser {
  public:
    Parser(ByteSpan dump, const std::string& file_name) : dump_{dump}, file_name_{file_name} {}

    [[nodiscard]] std::vector<QueueLog> parse() const {
        if (dump_.empty() || ((dump_.size() % kLogBytes) != 0U) || ((dump_.size() / kLogBytes) > kMaxQueues)) {
            fail(0U, fmt::format("{} bytes; logs of 1 to {} queues have {} each", dump_.size(), kMaxQueues, kLogBytes));
        }
        std::vector<QueueLog> logs;
        for (std::uint32_t queue = 0U; queue < (dump_.size() / kLogBytes); ++queue) {
            logs.push_back(parse_log(queue));
        }
        return logs;
    }

  private:
    [[noreturn]] void fail(std::size_t offset, const std::string& what) const {
        throw CliError{kFileTrouble, fmt::format("{}: not an execution log: at byte {}: {}", file_name_, offset, what)};
    }

    void expect(std::size_t offset, std::uint32_t value, const char* what) const {
        const std::uint32_t found = load_le32(dump_, offset);
        if (found != value) {
            fail(offset, fmt::format("{} is 0x{:X}, not 0x{:X}", what, found, value));
        }
    }

    [[nodiscard]] QueueLog parse_log(std::uint32_t queue) const {
        const std::size_t start = queue * kLogBytes;
        expect(start, refdev::kLogMagic, "the magic number");
        expect(start + kVersionOffset, refdev::kLogVersion, "the version");
        expect(start + kQueueOffset, queue, "the queue");
        expect(start + kCapacityOffset, refdev::kLogEntries, "the capacity");
        for (std::size_t i = 0U; i < kReservedWords; ++i) {
            expect(start + kReservedOffset + (i * sizeof(std::uint32_t)), 0U, "a reserved word");
        }
        QueueLog log;
        log.written = load_le32(dump_, start + kWrittenOffset);
        const std::uint32_t kept = std::min(log.written, refdev::kLogEntries);
        for (std::uint32_t index = log.written - kept; index != log.written; ++index) {
            const std::size_t entry = start + kHeadBytes + (kEntryBytes * (index % refdev::kLogEntries));
            log.commands.push_back(parse_entry(entry, index + 1U));
        }
        return log;
    }

    [[nodiscard]] LoggedCommand parse_entry(std::size_t offset, std::uint32_t sequence) const {
        expect(offset, sequence, "the sequence number");
        LoggedCommand command;
        command.sequence = sequence;
        command.opcode = static_cast<refdev::Opcode>(dump_[offset + kKindOffset]);
        command.fault = static_cast<DeviceFault>(dump_[offset + kFaultOffset]);
        command.kernel_id =
            dump_[offset + kKernelOffset] | (std::uint32_t{dump_[offset + kKernelOffset + 1U]} << kByteBits);
        command.digest = load_le32(dump_, offset + kDigestOffset) |
                         (std::uint64_t{load_le32(dump_, offset + kDigestOffset + sizeof(std::uint32_t))} << kWordBits);
        if (command.fault > DeviceFault::kLost) {
            fail(offset + kFaultOffset, fmt::format("no fault has the number {}", dump_[offset + kFaultOffset]));
        }
        // What the device does not know it logs as it found it.
        if ((name_of(command.opcode) == nullptr) && (command.fault != DeviceFault::kUnknownCommand)) {
            fail(offset + kKindOffset, fmt::format("no command has the kind 0x{:02X}", dump_[offset + kKindOffset]));
        }
        if ((command.opcode != refdev::Opcode::kLaunch) && (command.opcode != refdev::Opcode::kDispatch) &&
            (command.kernel_id != 0U)) {
            fail(offset + kKernelOffset, "a kernel, but neither a launch nor a dispatch");
        }
        return command;
    }

    ByteSpan dump_;
    const std::string& file_name_;
};

// The command with that sequence number, if the ring still holds it.
std::optional<LoggedCommand> command_at(const QueueLog& log, std::uint64_t sequence) {
    if ((sequence < log.first()) || (sequence > log.last())) {
        return std::nullopt;
    }
    return log.commands.at(static_cast<std::size_t>(sequence - log.first()));
}

void note_difference(const QueueLog& left, const QueueLog& right, std::uint64_t sequence, QueueComparison& result) {
    result.differs = true;
    result.sequence = sequence;
    result.left = command_at(left, sequence);
    result.right = command_at(right, sequence);
}

QueueComparison compare_queue(std::uint32_t queue, const QueueLog& left, const QueueLog& right) {
    QueueComparison result;
    result.queue = queue;
    result.first = std::max(left.first(), right.first());
    result.last = std::min(left.last(), right.last());
    result.is_partial = result.first > 1U;
    for (std::uint64_t sequence = result.first; sequence <= result.last; ++sequence) {
        if (!(command_at(left, sequence) == command_at(right, sequence))) {
            note_difference(left, right, sequence, result);
            return result;
        }
    }
    if (left.last() != right.last()) {  // one goes on where the other ends
        note_difference(left, right, std::max(result.first, result.last + 1U), result);
    }
    return result;
}

}  // namespace

std::vector<QueueLog> parse_logs(ByteSpan dump, const std::string& file_name) {
    return Parser{dump, file_name}.parse();
}

std::vector<QueueComparison> compare_logs(const std::vector<QueueLog>& left, const std::vector<QueueLog>& right) {
    const QueueLog empty;
    std::vector<QueueComparison> comparisons;
    for (std::size_t queue = 0U; queue < std::max(left.size(), right.size()); ++queue) {
        comparisons.push_back(compare_queue(static_cast<std::uint32_t>(queue),
                                            (queue < left.size()) ? left[queue] : empty,
                                            (queue < right.size()) ? right[queue] : empty));
    }
    return comparisons;
}

const char* name_of(refdev::Opcode opcode) {
    switch (opcode) {
        case refdev::Opcode::kLaunch:
            return "launch";
        case refdev::Opcode::kDispatch:
            return "dispatch";
        case refdev::Opcode::kCopy:
            return "copy";
        case refdev::Opcode::kFill:
            return "fill";
        case refdev::Opcode::kBarrier:
            return "barrier";
        case refdev::Opcode::kEnd:
            return "end";
        case refdev::Opcode::kWrite:
            return "write";
        case refdev::Opcode::kRead:
            return "read";
        case refdev::Opcode::kReplay:
            return "replay";
        case refdev::Opcode::kRecordEvent:
            return "record_event";
        case refdev::Opcode::kWaitEvent:
            return "wait_event";
        case refdev::Opcode::kNotify:
            return "notify";
        case refdev::Opcode::kInvalid:
        default:
            return nullptr;
    }
}

}  // namespace pianola::cli
