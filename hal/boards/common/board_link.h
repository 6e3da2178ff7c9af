// BoardLink: the reference device's DeviceLink on every board; and its common part with the links of boards on which
// each device core is a device (core_device.h).
//
// Implements RefdevDriver's link with the functions of board.h. Owned by the application; used by the ECU core.
#pragma once

#include <cstdint>

#include "hal/boards/common/device_server.h"
#include "hal/devices/refdev/device_link.h"
#include "hal/devices/refdev/device_spec.h"

namespace pianola::board {

// Shared by all devices of a board.
class BoardLinkBase : public refdev::DeviceLink {
  public:
    BoardLinkBase(const BoardLinkBase&) = delete;
    BoardLinkBase(BoardLinkBase&&) = delete;
    BoardLinkBase& operator=(const BoardLinkBase&) = delete;
    BoardLinkBase& operator=(BoardLinkBase&&) = delete;

    void relax() noexcept final;
    [[nodiscard]] std::uint64_t now_us() noexcept final;
    void clean(ByteSpan memory) noexcept final;
    void invalidate(MutableByteSpan memory) noexcept final;

  protected:
    BoardLinkBase() = default;
    ~BoardLinkBase() = default;
};

class BoardLink final : public BoardLinkBase {
  public:
    BoardLink(const refdev::DeviceSpec& spec, refdev::SharedState& shared) noexcept
        : BoardLinkBase{}, spec_{spec}, own_device_{shared} {}
    ~BoardLink() = default;
    BoardLink(const BoardLink&) = delete;
    BoardLink(BoardLink&&) = delete;
    BoardLink& operator=(const BoardLink&) = delete;
    BoardLink& operator=(BoardLink&&) = delete;

    [[nodiscard]] std::uint8_t* memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept override;
    void signal(std::uint32_t queue) noexcept override;
    Status service() noexcept override;

  private:
    refdev::DeviceSpec spec_;
    DeviceServer own_device_;  // idle on boards that have device cores
};

}  // namespace pianola::board
