#include "hal/devices/refdev/execution_log.h"

namespace pianola::refdev {

static_assert((kLogEntries & (kLogEntries - 1U)) == 0U, "indices wrap by masking");

void ExecutionLog::reset(std::uint32_t for_queue) noexcept {
    magic = kLogMagic;
    version = kLogVersion;
    queue = for_queue;
    capacity = kLogEntries;
    written = 0U;
    reserved.fill(0U);
    entries.fill(LogEntry{});  // so that a dump does not depend on anything before the reset
}

void ExecutionLog::append(const ExecutedCommand& executed) noexcept {
    entries[written & (kLogEntries - 1U)] = LogEntry{executed.sequence, static_cast<std::uint8_t>(executed.opcode),
                                                     static_cast<std::uint8_t>(executed.fault),
                                                     static_cast<std::uint16_t>(executed.kernel_id), executed.digest};
    written += 1U;
}

}  // namespace pianola::refdev
