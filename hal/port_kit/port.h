// What an integrator tells the conformance kit of a port: docs/guide/porting.md, step "conform".
//
// The three interfaces are the port. The rest is what the kit cannot find out by itself. Every function may be called
// with interrupts on and must not allocate.
#pragma once

#include <cstdint>

#include "pianola/command_set.h"
#include "pianola/device.h"
#include "pianola/digest_engine.h"
#include "pianola/platform.h"
#include "pianola/span.h"

namespace pianola::port {

// Device memory: [base, base + size_bytes).
struct Range {
    std::uint32_t base{0U};
    std::uint32_t size_bytes{0U};
};

// Bytes that the commands of one sample may touch, from its base on.
inline constexpr std::uint32_t kSampleBytes = 1024U;
// What the kit needs of PortUnderTest::memory, and of the trace region.
inline constexpr std::uint32_t kMemoryBytes = 8192U;
inline constexpr std::uint32_t kTraceBytes = 4096U;
// At most so many samples are asked for.
inline constexpr std::uint32_t kMaxSamples = 16U;

// What a port can be made to do for a test, without its driver knowing.
enum class Damage : std::uint8_t {
    kRegion,       // the registers of region `index` no longer hold what was programmed
    kSource,       // the device would use other memory for source slot `index`
    kDestination,  // the same for a destination slot
};

using SampleFunction = std::uint32_t (*)(void* context, std::uint32_t index, std::uint32_t base,
                                         Span<std::uint32_t> words) noexcept;

struct PortUnderTest {
    PortUnderTest(Device& tested_device, Platform& tested_platform, const CommandSet& tested_command_set,
                  const Range& free_memory, SampleFunction sample_function, WordSpan end_words) noexcept
        : device{tested_device},
          platform{tested_platform},
          command_set{tested_command_set},
          memory{free_memory},
          sample{sample_function},
          end{end_words} {}

    Device& device;
    Platform& platform;
    const CommandSet& command_set;

    // Memory that samples work on. The kit overwrites it. At least kMemoryBytes, base a multiple of 64, outside of the
    // trace region.
    Range memory;

    // Writes the words of sample `index`, without the end of the trace, into `words`; all of its commands touch
    // [base, base + kSampleBytes) only; base is a multiple of 64. Returns the number of words, or 0 where there are no
    // more samples. At least one sample writes. One for each kind of command, and for each way in which its extents
    // depend on its words, is what makes the checks of decode() worth something.
    SampleFunction sample;
    // The words that end a trace.
    WordSpan end;

    // Everything below has a default.

    void* context{nullptr};  // handed to all functions
    // Other memory in which no command may change a byte while a sample runs. The kit overwrites it. Outside of
    // `memory` and of the trace region.
    Span<const Range> watched;
    // Names of checks that this port does not offer, each a promise of the integrator: the report gives the assumption
    // of use that it leaves. Checks without an assumption cannot be left out.
    Span<const char* const> not_offered;
    // Bases and sizes of regions are multiples of this.
    std::uint32_t region_granule{1U};
    // How often a completion is looked at, and Platform::idle() called, before it counts as lost.
    std::uint32_t polls{1'000'000U};
    // The same before it counts as shown that a device does nothing.
    std::uint32_t quiet_polls{64U};
    // Changes what the device holds. False where it cannot. nullptr: no such way.
    bool (*damage)(void* context, Damage damage, std::uint32_t index) noexcept {nullptr};
    // How often the platform has entered the safe state, and served the watchdog. nullptr: cannot be seen.
    std::uint32_t (*safe_state_entries)(void* context) noexcept {nullptr};
    std::uint32_t (*watchdog_services)(void* context) noexcept {nullptr};
    // Platform::raise_security_version() may be called: the part's counter is one higher afterwards.
    bool may_raise_counter{false};
    // What computes digests in place of the loading core. nullptr: that core does.
    DigestEngine* digest_engine{nullptr};
};

}  // namespace pianola::port
