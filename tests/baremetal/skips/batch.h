// Many runs in one go: the board itself makes the skips that the host has listed, each at the first execution of its instruction.
//
// Place in the whole: on-target tests only. Through the debug stub a run costs the emulator the translation of all code, three times; here it costs
// the run. An instruction is replaced by one that is undefined; the fault's handler puts it back, and returns behind what is to be skipped. Memory
// is put back before every run, text and file are compared afterwards. Whatever ends otherwise than by returning - an exception, the watchdog - and
// every run that starts the device or leaves text or file changed ends the batch: the host looks at it, resets the board and goes on behind it.
#pragma once

#include <cstdint>

#include "runtime/core/span.h"
#include "tests/baremetal/skips/order.h"

// NOLINTNEXTLINE(bugprone-reserved-identifier, readability-identifier-naming, modernize-avoid-c-arrays): DEV-032
extern "C" std::uint8_t __load_area_start[];

namespace pianola::baremetal {

struct Trial {
    std::uint32_t address;
    std::uint32_t width;  // instructions
};
struct TrialResult {
    std::uint32_t injected;  // 0: the instruction was never executed, or only under a condition that did not hold
    std::uint32_t device_words;  // all of them together
    Evidence evidence;
};

// All of this lies in the load area, which a reset leaves as it is.
struct Batch {
    std::uint32_t count;  // of trials; written by the host, which clears the rest
    std::uint32_t next;   // the trial behind the one that is under way
    std::uint32_t is_running;
    std::uint32_t is_injected;
    std::uint32_t original;  // halfword at the address
    std::uint32_t is_stopped;
};

// Offsets in the load area. What is there is far from everything that a run writes to.
inline constexpr std::uint32_t kBatchOffset = 0x10'0000U;
inline constexpr std::uint32_t kTrialsOffset = 0x10'0100U;
inline constexpr std::uint32_t kResultsOffset = 0x30'0000U;
inline constexpr std::uint32_t kDataCopyOffset = 0x50'0000U;
inline constexpr std::uint32_t kTextCopyOffset = 0x60'0000U;
inline constexpr std::uint32_t kEvidenceOffset = 0x70'0000U;

// Inline, and of the linker's making: no function that a run executes may be needed to make its skip.
template <typename Object>
[[nodiscard]] Object* in_load_area(std::uint32_t offset) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast, cppcoreguidelines-pro-bounds-pointer-arithmetic): DEV-034
    return reinterpret_cast<Object*>(__load_area_start + offset);
}
[[nodiscard]] inline Evidence& evidence() noexcept {
    return *in_load_area<Evidence>(kEvidenceOffset);
}

// Runs the trials of the list from `next` on. The image's data are as every run must find them.
void run_batch() noexcept;

// Watches over a run: see main.cpp.
void start_watchdog(std::uint32_t ticks) noexcept;

}  // namespace pianola::baremetal

extern "C" {
// Defined in main.cpp: one run.
void pianola_skip_attempt() noexcept;
// Defined in isolate_arm_m.S: calls it, and returns with the caller's registers and stack whatever it has made of them.
void pianola_skip_isolate() noexcept;
}
