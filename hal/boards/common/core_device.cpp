// Devices of one core each: their firmware, the memory shared with the ECU core, and their link.
#include "hal/boards/common/core_device.h"

#include <array>
#include <cstdint>

#include "hal/boards/common/board.h"
#include "hal/boards/common/device_server.h"
#include "pianola/config.h"

namespace pianola::board {
namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): DEV-033
[[gnu::section(".shared")]] std::array<refdev::SharedState, kMaxMeshDevices> g_core_states;

// The device's part of a memory that is divided into consecutive parts of this size. Empty if the memory ends before
// the part's end.
MutableByteSpan share(MutableByteSpan memory, std::uint32_t size_bytes, std::uint32_t core) noexcept {
    return memory.subspan(std::size_t{size_bytes} * core, size_bytes);
}

}  // namespace

refdev::SharedState& core_state(std::uint32_t core) noexcept {
    return g_core_states[core];
}

CoreLink::CoreLink(const refdev::DeviceSpec& spec, std::uint32_t core) noexcept
    : BoardLinkBase{},
      dram_{share(device_dram(), spec.dram_bytes, core)},
      l1_{share(device_l1(), spec.l1_bytes, core)},
      dram_base_{spec.dram_base},
      l1_base_{spec.l1_base},
      core_{core} {}

// An address below a base wraps to a large offset, which is in no memory.
std::uint8_t* CoreLink::memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept {
    std::uint8_t* const in_dram = dram_.subspan(address - dram_base_, size_bytes).data();
    return (in_dram != nullptr) ? in_dram : l1_.subspan(address - l1_base_, size_bytes).data();
}

// One core serves all of the device's queues.
void CoreLink::signal(std::uint32_t /*queue*/) noexcept {
    signal_device(core_);
}

Status CoreLink::service() noexcept {
    return Status::kOk;
}

}  // namespace pianola::board

// A core's number is its device's number. A core beyond the devices that a session could drive serves none.
extern "C" void pianola_device_main(std::uint32_t core) noexcept {
    namespace board = pianola::board;
    if (core < pianola::kMaxMeshDevices) {
        board::DeviceServer server{board::core_state(core)};
        board::serve(server);
    }
    for (;;) {
        board::wait_for_signal();
    }
}
