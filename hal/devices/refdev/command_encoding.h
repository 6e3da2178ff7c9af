// The reference device's command words.
//
// The single definition of the encoding that docs/reference/device.md specifies; shared by the command set (which
// decodes for the proofs), the command processor (which executes) and the capture side (which writes). Words are 32-bit
// little-endian. The first word of a trace command: bits 0-7 opcode, bits 8-15 zero, bits 16-31 length in words, itself
// included. In a ring, a queue command has a check in bits 8-31 instead (queue_command.h); its opcode alone gives its
// length.
#pragma once

#include <cstdint>

#include "pianola/device.h"

namespace pianola::refdev {

inline constexpr char kDeviceFamily[] = "pianola-refdev";    // NOLINT(cppcoreguidelines-avoid-c-arrays): DEV-008
inline constexpr std::uint32_t kCommandSetId = 0x50524631U;  // "PRF1"
inline constexpr std::uint32_t kCommandSetVersion = 1U;

// Words of the extended Hamming (8,4) code: any two differ in at least four bits, so that no three flips make one
// command another.
enum class Opcode : std::uint8_t {
    kInvalid = 0x00U,
    // Trace commands.
    kLaunch = 0x17U,    // kernel id, cost in cycles, argument words
    kDispatch = 0xC3U,  // core, kernel id, cost in cycles, argument words
    kCopy = 0x2BU,      // destination, source, bytes
    kFill = 0x3CU,      // destination, bytes, value (0-255)
    kBarrier = 0x4DU,   // no operands
    kEnd = 0x5AU,       // no operands
    // Queue commands.
    kWrite = 0x66U,        // destination, bytes, slot, offset in slot
    kRead = 0x71U,         // source, bytes, slot, offset in slot
    kReplay = 0x8EU,       // address, bytes
    kRecordEvent = 0x99U,  // event, value
    kWaitEvent = 0xA5U,    // event, value
    kNotify = 0xB2U,       // token
};

inline constexpr std::uint32_t kLaunchHeadWords = 3U;    // header, kernel id, cost
inline constexpr std::uint32_t kDispatchHeadWords = 4U;  // header, core, kernel id, cost
inline constexpr std::uint32_t kCopyWords = 4U;
inline constexpr std::uint32_t kFillWords = 4U;
inline constexpr std::uint32_t kTransferWords = 5U;  // kWrite, kRead
inline constexpr std::uint32_t kReplayWords = 3U;
inline constexpr std::uint32_t kEventWords = 3U;
inline constexpr std::uint32_t kNotifyWords = 2U;
inline constexpr std::uint32_t kMaxQueueCommandWords = kTransferWords;

inline constexpr std::uint32_t kLengthShift = 16U;
inline constexpr std::uint32_t kOpcodeMask = 0xFFU;
inline constexpr std::uint32_t kReservedMask = 0xFF00U;

[[nodiscard]] constexpr std::uint32_t header_word(Opcode opcode, std::uint32_t length_words) noexcept {
    return static_cast<std::uint32_t>(opcode) | (length_words << kLengthShift);
}
[[nodiscard]] constexpr std::uint32_t length_words_of(std::uint32_t header) noexcept {
    return header >> kLengthShift;
}

// The word of a launch that has its kernel's cycles holds no more.
inline constexpr std::uint64_t kMaxKernelCycles = UINT32_MAX;

// Words of the queue command with this opcode; 0 if it is none.
[[nodiscard]] constexpr std::uint32_t queue_command_words(Opcode opcode) noexcept {
    if ((opcode == Opcode::kWrite) || (opcode == Opcode::kRead)) {
        return kTransferWords;
    }
    if (opcode == Opcode::kReplay) {
        return kReplayWords;
    }
    if (opcode == Opcode::kNotify) {
        return kNotifyWords;
    }
    return ((opcode == Opcode::kRecordEvent) || (opcode == Opcode::kWaitEvent)) ? kEventWords : 0U;
}

}  // namespace pianola::refdev
