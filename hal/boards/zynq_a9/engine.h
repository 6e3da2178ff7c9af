// The PL330 of a Zynq-7000 as this board's device.
//
// Applications on zynq_a9 construct a Pl330Driver from these.
#pragma once

#include <cstdint>

#include "hal/devices/pl330/driver.h"

namespace pianola::board {

// Device addresses are bus addresses, equal to this core's: memory.ld, manifest.ld. The profile is that of boards.
inline constexpr pl330::EngineSpec kEngineSpec{0x0100'0000U, 4U * 1024U * 1024U, 0xFFFC'0000U,
                                               128U * 1024U, 64U * 1024U,        &profiles::kSmallEcu};

class ZynqLink final : public pl330::EngineLink {
  public:
    ZynqLink() = default;
    ~ZynqLink() = default;
    ZynqLink(const ZynqLink&) = delete;
    ZynqLink(ZynqLink&&) = delete;
    ZynqLink& operator=(const ZynqLink&) = delete;
    ZynqLink& operator=(ZynqLink&&) = delete;

    [[nodiscard]] std::uint32_t read(std::uint32_t offset) noexcept override;
    void write(std::uint32_t offset, std::uint32_t value) noexcept override;
    [[nodiscard]] std::uint8_t* memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept override;
    [[nodiscard]] std::uint32_t bus_address(const std::uint8_t* memory) noexcept override;
    void clean(ByteSpan memory) noexcept override;
    void invalidate(MutableByteSpan memory) noexcept override;
    [[nodiscard]] std::uint64_t now_us() noexcept override;
};

}  // namespace pianola::board
