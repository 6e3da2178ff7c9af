#include "hal/devices/refdev/host/execution_log_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "hal/devices/refdev/execution_log.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "pianola/bytes.h"
#include "pianola/config.h"

namespace pianola::refdev {
namespace {

class Wrong : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

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
static_assert((kHeadBytes + (kEntryBytes * kLogEntries)) == sizeof(ExecutionLog));
static_assert(kEntryBytes == sizeof(LogEntry));

constexpr std::uint32_t kWordBits = 32U;
constexpr std::uint32_t kByteBits = 8U;

class Parser {
  public:
    explicit Parser(ByteSpan dump) : dump_{dump} {}

    [[nodiscard]] std::vector<QueueLog> parse() const {
        const std::uint32_t entries = entries_of_first();
        const std::size_t log_bytes = kHeadBytes + (kEntryBytes * entries);
        if (((dump_.size() % log_bytes) != 0U) || ((dump_.size() / log_bytes) > kMaxQueues)) {
            fail(0U, fmt::format("{} bytes; logs of 1 to {} queues have {} each", dump_.size(), kMaxQueues, log_bytes));
        }
        std::vector<QueueLog> logs;
        for (std::uint32_t queue = 0U; queue < (dump_.size() / log_bytes); ++queue) {
            logs.push_back(parse_log(queue, entries));
        }
        return logs;
    }

  private:
    [[noreturn]] void fail(std::size_t offset, const std::string& what) const {
        throw Wrong{fmt::format("at byte {}: {}", offset, what)};
    }

    void expect(std::size_t offset, std::uint32_t value, const char* what) const {
        const std::uint32_t found = load_le32(dump_, offset);
        if (found != value) {
            fail(offset, fmt::format("{} is 0x{:X}, not 0x{:X}", what, found, value));
        }
    }

    // Capacity of each log, from the first one: it depends on the device's profile.
    [[nodiscard]] std::uint32_t entries_of_first() const {
        if (dump_.size() < kHeadBytes) {
            fail(0U, fmt::format("{} bytes are no log", dump_.size()));
        }
        expect(0U, kLogMagic, "the magic number");
        const std::uint32_t entries = load_le32(dump_, kCapacityOffset);
        if (std::none_of(kProfiles.begin(), kProfiles.end(), [entries](const Capacities* profile) {
                return kept_history(*profile).log_entries == entries;
            })) {
            fail(kCapacityOffset, fmt::format("the capacity is 0x{:X}, which no device has", entries));
        }
        return entries;
    }

    [[nodiscard]] QueueLog parse_log(std::uint32_t queue, std::uint32_t entries) const {
        const std::size_t start = queue * (kHeadBytes + (kEntryBytes * entries));
        expect(start, kLogMagic, "the magic number");
        expect(start + kVersionOffset, kLogVersion, "the version");
        expect(start + kQueueOffset, queue, "the queue");
        expect(start + kCapacityOffset, entries, "the capacity");
        for (std::size_t i = 0U; i < kReservedWords; ++i) {
            expect(start + kReservedOffset + (i * sizeof(std::uint32_t)), 0U, "a reserved word");
        }
        QueueLog log;
        log.written = load_le32(dump_, start + kWrittenOffset);
        const std::uint32_t kept = std::min(log.written, entries);
        for (std::uint32_t index = log.written - kept; index != log.written; ++index) {
            const std::size_t entry = start + kHeadBytes + (kEntryBytes * (index % entries));
            log.commands.push_back(parse_entry(entry, index + 1U));
        }
        return log;
    }

    [[nodiscard]] LoggedCommand parse_entry(std::size_t offset, std::uint32_t sequence) const {
        expect(offset, sequence, "the sequence number");
        const std::uint32_t kernel_id =
            dump_[offset + kKernelOffset] | (std::uint32_t{dump_[offset + kKernelOffset + 1U]} << kByteBits);
        LoggedCommand command = logged_command(static_cast<Opcode>(dump_[offset + kKindOffset]), kernel_id);
        command.sequence = sequence;
        command.fault = static_cast<DeviceFault>(dump_[offset + kFaultOffset]);
        command.digest = load_le32(dump_, offset + kDigestOffset) |
                         (std::uint64_t{load_le32(dump_, offset + kDigestOffset + sizeof(std::uint32_t))} << kWordBits);
        if (command.fault > DeviceFault::kLost) {
            fail(offset + kFaultOffset, fmt::format("no fault has the number {}", dump_[offset + kFaultOffset]));
        }
        // The device logs unknown commands as it found them.
        if ((command.name == nullptr) && (command.fault != DeviceFault::kUnknownCommand)) {
            fail(offset + kKindOffset, fmt::format("no command has the kind 0x{:02X}", dump_[offset + kKindOffset]));
        }
        if (!command.launches && (command.kernel_id != 0U)) {
            fail(offset + kKernelOffset, "a kernel, but neither a launch nor a dispatch");
        }
        return command;
    }

    ByteSpan dump_;
};

const char* name_of(Opcode opcode) {
    switch (opcode) {
        case Opcode::kLaunch:
            return "launch";
        case Opcode::kDispatch:
            return "dispatch";
        case Opcode::kCopy:
            return "copy";
        case Opcode::kFill:
            return "fill";
        case Opcode::kBarrier:
            return "barrier";
        case Opcode::kEnd:
            return "end";
        case Opcode::kWrite:
            return "write";
        case Opcode::kRead:
            return "read";
        case Opcode::kReplay:
            return "replay";
        case Opcode::kRecordEvent:
            return "record_event";
        case Opcode::kWaitEvent:
            return "wait_event";
        case Opcode::kNotify:
            return "notify";
        case Opcode::kInvalid:
        default:
            return nullptr;
    }
}

}  // namespace

std::string read_execution_logs(ByteSpan dump, std::vector<QueueLog>& logs) {
    try {
        logs = Parser{dump}.parse();
        return {};
    } catch (const Wrong& wrong) {
        return wrong.what();
    }
}

LoggedCommand logged_command(Opcode opcode, std::uint32_t kernel_id) {
    LoggedCommand command;
    command.kind = static_cast<std::uint32_t>(opcode);
    command.name = name_of(opcode);
    command.launches = (opcode == Opcode::kLaunch) || (opcode == Opcode::kDispatch);
    command.kernel_id = kernel_id;
    const Kernel* const kernel = find_kernel(kernel_id);
    command.kernel_name = (command.launches && (kernel != nullptr)) ? kernel->name : nullptr;
    return command;
}

}  // namespace pianola::refdev
