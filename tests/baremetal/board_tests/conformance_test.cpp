// conformance [PREFIX]: the conformance kit for ports on the board's own device, driver and platform.
#include "hal/port_kit/conformance.h"

#include "hal/boards/common/shared_memory.h"
#include "tests/baremetal/board_tests/bench.h"
#include "tests/baremetal/board_tests/console_sink.h"
#include "tests/port/refdev_samples.h"

namespace pianola::baremetal {
namespace {

constexpr refdev::DeviceSpec kSpec{file_device()};

Bench& bench() noexcept {
    static Bench the_bench{refdev::FaultScript{}, kPatientResetLimitUs, kSpec};
    return the_bench;
}

port::Kit& kit() noexcept {
    static port::Kit the_kit;
    return the_kit;
}

// A sample of what lies around: all memory would take an emulator minutes.
constexpr std::uint32_t kOffset = 4096U;  // of the kit's memory in DRAM
constexpr std::array<port::Range, 3U> kWatched{
    {{kSpec.dram_base, kOffset}, {kSpec.dram_base + kOffset + port::kMemoryBytes, 1024U}, {kSpec.l1_base, 1024U}}};
// On boards with device cores idle() may sleep for a millisecond: work of a few microseconds is over after a few.
constexpr std::uint32_t kQuietPolls = 16U;

}  // namespace

std::int32_t test_conformance(const Arguments& arguments) noexcept {
    port::PortUnderTest under_test{bench().device,      bench().platform,
                                   bench().command_set, {kSpec.dram_base + kOffset, port::kMemoryBytes},
                                   port::refdev_sample, WordSpan{port::kRefdevEnd}};
    under_test.watched = Span<const port::Range>{kWatched};
    under_test.not_offered = Span<const char* const>{port::kRefdevNotOffered};
    under_test.quiet_polls = kQuietPolls;
    under_test.damage = [](void* /*context*/, port::Damage damage, std::uint32_t index) noexcept {
        return port::damage_refdev(board::shared_state(), damage, index);
    };
    under_test.safe_state_entries = [](void* /*context*/) noexcept { return bench().platform.safe_state_entries(); };
    under_test.watchdog_services = [](void* /*context*/) noexcept { return bench().platform.watchdog_services(); };
    ConsoleSink sink;
    const char* const prefix = (arguments.count() > 1U) ? arguments.at(1U) : "";
    return run_conformance(under_test, kit(), sink, prefix).conforms() ? kPassed : kFailed;
}

}  // namespace pianola::baremetal
