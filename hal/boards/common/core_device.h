// CoreLink: the DeviceLink of one device core, on boards whose device cores are separate devices.
//
// Images that are linked with DEVICE_PER_CORE (toolchains/cmake/board.cmake). There core n is device n: it serves all
// queues of that device and has its own SharedState and device memory, and an application has one BoardDevice per
// device that it drives. Owned by the application; used by the ECU core.
#pragma once

#include <cstdint>

#include "hal/boards/common/board_link.h"
#include "hal/devices/refdev/device_spec.h"
#include "hal/devices/refdev/shared_state.h"
#include "pianola/span.h"

namespace pianola::board {

class CoreLink final : public BoardLinkBase {
  public:
    // For device `core` (0 <= core < device_cores()) of boards whose devices are all of this spec. There is no memory
    // after the last device: memory_at() gives nullptr.
    CoreLink(const refdev::DeviceSpec& spec, std::uint32_t core) noexcept;
    ~CoreLink() = default;
    CoreLink(const CoreLink&) = delete;
    CoreLink(CoreLink&&) = delete;
    CoreLink& operator=(const CoreLink&) = delete;
    CoreLink& operator=(CoreLink&&) = delete;

    [[nodiscard]] std::uint8_t* memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept override;
    void signal(std::uint32_t queue) noexcept override;
    Status service() noexcept override;

  private:
    MutableByteSpan dram_;
    MutableByteSpan l1_;
    std::uint32_t dram_base_;
    std::uint32_t l1_base_;
    std::uint32_t core_;
};

// State shared by the ECU core and device `core`. core < kMaxMeshDevices.
[[nodiscard]] refdev::SharedState& core_state(std::uint32_t core) noexcept;

}  // namespace pianola::board
