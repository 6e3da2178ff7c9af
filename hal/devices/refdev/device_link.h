// DeviceLink: what connects the ECU core with the reference device's cores on one machine.
//
// Place in the whole: RefdevDriver does everything that is the same everywhere (rings, regions, events, resets); a port
// adds one of these: where device memory lies, how a doorbell is rung, what the caches need. Called by the core that
// owns the session, and by nobody else. No method blocks.
#pragma once

#include <cstdint>

#include "pianola/span.h"
#include "pianola/status.h"

namespace pianola::refdev {

class DeviceLink {
  public:
    DeviceLink(const DeviceLink&) = delete;
    DeviceLink(DeviceLink&&) = delete;
    DeviceLink& operator=(const DeviceLink&) = delete;
    DeviceLink& operator=(DeviceLink&&) = delete;

    // Where the ECU core, and the device's cores, see [address, address + size_bytes) of device memory; nullptr where
    // that is not wholly inside one of the device's memories. All of them see the same bytes there without further ado:
    // the memory is coherent, or no core caches it.
    [[nodiscard]] virtual std::uint8_t* memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept = 0;

    // Makes every earlier store of this core visible to the core that serves `queue`, and wakes it.
    virtual void signal(std::uint32_t queue) noexcept = 0;

    // Gives a device that shares this core its chance to run, for a bounded time; others return at once. kOk,
    // kDeviceFault.
    virtual Status service() noexcept = 0;

    // One turn of a bounded wait for the device: may sleep, must return by itself.
    virtual void relax() noexcept = 0;

    // Monotonic time in microseconds; bounds the wait for a reset.
    [[nodiscard]] virtual std::uint64_t now_us() noexcept = 0;

    // Cache maintenance of this core's own memory, where its caches and the device's view of memory are not coherent.
    virtual void clean(ByteSpan memory) noexcept = 0;              // before the device reads it
    virtual void invalidate(MutableByteSpan memory) noexcept = 0;  // before this core reads what the device wrote

  protected:
    DeviceLink() = default;
    ~DeviceLink() = default;
};

}  // namespace pianola::refdev
