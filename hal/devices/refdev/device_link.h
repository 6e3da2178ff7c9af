// DeviceLink: what connects the ECU core with the reference device's cores on one machine.
//
// RefdevDriver implements the common part (rings, regions, events, resets); a port implements this interface: access to
// device memory, doorbells, cache maintenance. Called only by the core that owns the session. No method blocks.
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

    // Pointer of the ECU core and of the device's cores to [address, address + size_bytes) of device memory; nullptr if
    // that is not entirely inside one of the device's memories. All cores see the same bytes there without maintenance:
    // the memory is coherent, or no core caches it.
    [[nodiscard]] virtual std::uint8_t* memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept = 0;

    // Makes every earlier store of this core visible to the core that serves `queue`, and wakes it.
    virtual void signal(std::uint32_t queue) noexcept = 0;

    // Lets a device that shares this core run for a bounded time; other devices return at once. kOk, kDeviceFault.
    virtual Status service() noexcept = 0;

    // One iteration of a bounded wait for the device: may sleep, must return by itself.
    virtual void relax() noexcept = 0;

    // Monotonic time in microseconds; bounds the wait for a reset.
    [[nodiscard]] virtual std::uint64_t now_us() noexcept = 0;

    // Cache maintenance of this core's memory, if its caches and the device's view of memory are not coherent.
    virtual void clean(ByteSpan memory) noexcept = 0;              // before the device reads it
    virtual void invalidate(MutableByteSpan memory) noexcept = 0;  // before this core reads the device's writes

  protected:
    DeviceLink() = default;
    ~DeviceLink() = default;
};

}  // namespace pianola::refdev
