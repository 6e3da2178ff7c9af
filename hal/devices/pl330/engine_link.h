// EngineLink: the driver's access to one PL330 and its memory.
//
// Pl330Driver is common to every PL330; each board implements this link. Called only by the core that owns the session.
// No method blocks.
#pragma once

#include <cstdint>

#include "pianola/span.h"

namespace pianola::pl330 {

class EngineLink {
  public:
    EngineLink(const EngineLink&) = delete;
    EngineLink(EngineLink&&) = delete;
    EngineLink& operator=(const EngineLink&) = delete;
    EngineLink& operator=(EngineLink&&) = delete;

    // A register, by its offset.
    [[nodiscard]] virtual std::uint32_t read(std::uint32_t offset) noexcept = 0;
    virtual void write(std::uint32_t offset, std::uint32_t value) noexcept = 0;

    // This core's pointer to [address, address + size_bytes) of device memory; nullptr if that is not entirely inside
    // one of the device's memories.
    [[nodiscard]] virtual std::uint8_t* memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept = 0;
    // The engine's address of this core's memory.
    [[nodiscard]] virtual std::uint32_t bus_address(const std::uint8_t* memory) noexcept = 0;

    // Cache maintenance and ordering: makes this core's stores visible to the engine, and the reverse.
    virtual void clean(ByteSpan memory) noexcept = 0;
    virtual void invalidate(MutableByteSpan memory) noexcept = 0;

    // Monotonic time in microseconds; bounds the wait for a reset.
    [[nodiscard]] virtual std::uint64_t now_us() noexcept = 0;

  protected:
    EngineLink() = default;
    ~EngineLink() = default;
};

}  // namespace pianola::pl330
