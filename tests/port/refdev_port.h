// The simulator as a port under test.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "hal/port_kit/port.h"
#include "tests/port/refdev_samples.h"

namespace pianola::port {

class SimulatedPort {
  public:
    explicit SimulatedPort(sim::Threading threading) : device_{options_of(threading)} {}

    [[nodiscard]] sim::SimDevice& device() noexcept { return device_; }
    [[nodiscard]] sim::SimPlatform& platform() noexcept { return platform_; }
    [[nodiscard]] const CommandSet& command_set() const noexcept { return command_set_; }

    // With other interfaces in the place of the simulator's.
    [[nodiscard]] PortUnderTest under_test(Device& device, Platform& platform, const CommandSet& command_set) {
        const refdev::DeviceSpec& spec = device_.spec();
        PortUnderTest port{
            device, platform, command_set, {spec.dram_base + kOffset, kBytes}, refdev_sample, WordSpan{kRefdevEnd}};
        // All that is left of DRAM, and L1.
        watched_ = {
            Range{spec.dram_base, kOffset},
            Range{spec.dram_base + kOffset + kBytes, spec.dram_bytes - spec.trace_region_bytes - (kOffset + kBytes)},
            Range{spec.l1_base, spec.l1_bytes}};
        port.watched = Span<const Range>{watched_};
        port.not_offered = Span<const char* const>{kRefdevNotOffered};
        port.context = this;
        // Threads of the device may get no time of a busy host for a while.
        port.polls = (device_.threading() == sim::Threading::kThreaded) ? 100'000'000U : port.polls;
        port.damage = [](void* context, Damage damage, std::uint32_t index) noexcept {
            return damage_refdev(static_cast<SimulatedPort*>(context)->device_.shared(), damage, index);
        };
        port.safe_state_entries = [](void* context) noexcept {
            return static_cast<SimulatedPort*>(context)->platform_.safe_state_entries();
        };
        port.watchdog_services = [](void* context) noexcept {
            return static_cast<SimulatedPort*>(context)->platform_.watchdog_services();
        };
        port.may_raise_counter = true;
        return port;
    }
    [[nodiscard]] PortUnderTest under_test() { return under_test(device_, platform_, command_set_); }

  private:
    static constexpr std::uint32_t kOffset = 8192U;  // of the kit's memory in DRAM
    static constexpr std::uint32_t kBytes = 16384U;

    // Small memories, so that all of them can be watched.
    static sim::SimOptions options_of(sim::Threading threading) {
        sim::SimOptions options;
        options.spec.dram_bytes = 64U * 1024U;
        options.spec.trace_region_bytes = 16U * 1024U;
        options.spec.l1_bytes = 16U * 1024U;
        options.spec.file_base = 0x4000'0000U;
        options.spec.file_bytes = 4096U;
        options.threading = threading;
        options.write_back_cache = threading == sim::Threading::kInProcess;
        return options;
    }

    sim::SimDevice device_;
    sim::SimPlatform platform_{device_, std::chrono::milliseconds{200}};
    refdev::RefdevCommandSet command_set_;
    std::array<Range, 3U> watched_{};
};

}  // namespace pianola::port
