// The conformance kit on the Vulkan device. usage: pianola_port_vulkan [PREFIX]
#include <array>
#include <iostream>

#include "hal/port_kit/conformance.h"
#include "hal/port_kit/stdout_sink.h"
#include "tests/port/refdev_samples.h"
#include "tests/vulkan/vulkan_port.h"

namespace pianola::port {
namespace {

constexpr std::uint32_t kOffset = 8192U;  // of the kit's memory in DRAM
constexpr std::uint32_t kBytes = 16384U;

// Small memories, so that all of them can be watched.
vulkan::MachineOptions small_machine() {
    vulkan::MachineOptions options;
    options.spec.dram_bytes = 64U * 1024U;
    options.spec.trace_region_bytes = 16U * 1024U;
    options.spec.l1_bytes = 16U * 1024U;
    return options;
}

int conform(const char* prefix) {
    static Kit kit;
    vulkan::Opened opened{small_machine()};
    const refdev::DeviceSpec& spec = opened.device.spec();
    PortUnderTest port{opened.device, opened.platform,     opened.command_set, {spec.dram_base + kOffset, kBytes},
                       refdev_sample, WordSpan{kRefdevEnd}};
    const std::array<Range, 3U> watched{
        Range{spec.dram_base, kOffset},
        Range{spec.dram_base + kOffset + kBytes, spec.dram_bytes - spec.trace_region_bytes - (kOffset + kBytes)},
        Range{spec.l1_base, spec.l1_bytes}};
    port.watched = Span<const Range>{watched};
    port.not_offered = Span<const char* const>{kRefdevNotOffered};
    port.context = &opened;
    port.polls = 500'000U;  // a driver's threads may get no time of a busy host for a while
    port.damage = [](void* context, Damage damage, std::uint32_t index) noexcept {
        return damage_refdev(static_cast<vulkan::Opened*>(context)->device.machine().shared(), damage, index);
    };
    port.safe_state_entries = [](void* context) noexcept {
        return static_cast<vulkan::Opened*>(context)->platform.safe_state_entries();
    };
    port.watchdog_services = [](void* context) noexcept {
        return static_cast<vulkan::Opened*>(context)->platform.watchdog_services();
    };
    port.may_raise_counter = true;
    StdoutSink sink;
    return run_conformance(port, kit, sink, prefix).conforms() ? 0 : 1;
}

}  // namespace
}  // namespace pianola::port

int main(int argc, char** argv) {
    try {
        return pianola::port::conform((argc > 1) ? argv[1] : "");
    } catch (const std::exception& error) {
        std::cout << error.what() << '\n';
        return 2;
    }
}
