// BoardLink: the reference device's DeviceLink on every board.
//
// Place in the whole: turns the functions of board.h into what RefdevDriver needs. Owned by the application; used by
// the ECU core.
#pragma once

#include <cstdint>

#include "hal/boards/common/device_server.h"
#include "hal/devices/refdev/device_link.h"
#include "hal/devices/refdev/device_spec.h"

namespace pianola::board {

class BoardLink final : public refdev::DeviceLink {
  public:
    BoardLink(const refdev::DeviceSpec& spec, refdev::SharedState& shared) noexcept
        : spec_{spec}, own_device_{shared} {}
    ~BoardLink() = default;
    BoardLink(const BoardLink&) = delete;
    BoardLink(BoardLink&&) = delete;
    BoardLink& operator=(const BoardLink&) = delete;
    BoardLink& operator=(BoardLink&&) = delete;

    [[nodiscard]] std::uint8_t* memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept override;
    void signal(std::uint32_t queue) noexcept override;
    Status service() noexcept override;
    void relax() noexcept override;
    [[nodiscard]] std::uint64_t now_us() noexcept override;
    void clean(ByteSpan memory) noexcept override;
    void invalidate(MutableByteSpan memory) noexcept override;

  private:
    refdev::DeviceSpec spec_;
    DeviceServer own_device_;  // idle on boards that have device cores
};

}  // namespace pianola::board
