// ExecutionLog: the last commands that a queue has executed.
//
// Makes host and target executions comparable. The core that serves a queue appends one entry per command to a ring; no
// allocation. An array of these objects, one per queue, is at the same time the dump format: the little-endian memory
// of a target, saved by a debugger or by the application, is what `pianola log` reads and compares.
#pragma once

#include <array>
#include <cstdint>

#include "hal/devices/refdev/command_processor.h"
#include "hal/devices/refdev/device_spec.h"
#include "pianola/span.h"

namespace pianola::refdev {

inline constexpr std::uint32_t kLogMagic = 0x474F'4C50U;  // "PLOG"
inline constexpr std::uint32_t kLogVersion = 1U;
inline constexpr std::uint32_t kLogEntries = kept_history(kCapacities).log_entries;  // per queue; 16 bytes each

struct LogEntry {
    std::uint32_t sequence{0U};   // counts the queue's commands since reset, from 1
    std::uint8_t kind{0U};        // Opcode
    std::uint8_t fault{0U};       // DeviceFault
    std::uint16_t kernel_id{0U};  // of a launch, else 0
    std::uint64_t digest{0U};     // of the queue since reset, or of the trace that is running; including this command
};
static_assert(sizeof(LogEntry) == 16U, "the entries' memory is the dump format");

// Written by the core that serves the queue; read by others only while that core is idle. All zero until the first
// reset().
struct ExecutionLog {
    std::uint32_t magic{0U};    // kLogMagic
    std::uint32_t version{0U};  // kLogVersion
    std::uint32_t queue{0U};
    std::uint32_t capacity{0U};  // kLogEntries of the device
    std::uint32_t written{0U};   // entries since reset; entry i lies at i modulo capacity
    std::array<std::uint32_t, 3> reserved{};
    std::array<LogEntry, kLogEntries> entries{};

    void reset(std::uint32_t for_queue) noexcept;
    void append(const ExecutedCommand& executed) noexcept;
};
static_assert(sizeof(ExecutionLog) == (32U + (16U * kLogEntries)), "no padding in the dump format");

}  // namespace pianola::refdev
