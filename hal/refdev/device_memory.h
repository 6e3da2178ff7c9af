// DeviceMemory: how kernels and copies reach the reference device's memory.
//
// Place in the whole: the device's bus and its region protection unit. Device addresses are 32-bit; memory is reachable only
// through regions, which the runtime programs from the binary that it has proved. A kernel asks once per operand, with the
// whole size; an operand which no single region permits is a bus fault.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/core/config.h"
#include "runtime/core/status.h"

namespace pianola::refdev {

// One programmed region. `host` is where the core that runs this code sees the region's first byte.
struct MemoryRegion {
    std::uint32_t base{0U};
    std::uint32_t size_bytes{0U};
    std::uint8_t* host{nullptr};
    bool device_reads{false};   // by kernels and copies
    bool device_writes{false};  // by kernels, copies and fills
    bool queue_reads{false};    // by transfers to the host
    bool queue_writes{false};   // by transfers from the host
    bool fetch{false};          // of trace words
};

class DeviceMemory {
  public:
    void clear() noexcept { count_ = 0U; }

    // kCapacity where kMaxRegions are programmed already.
    Status program(const MemoryRegion& region) noexcept {
        if (count_ >= kMaxRegions) {
            return Status::kCapacity;
        }
        regions_[count_] = region;
        count_ += 1U;
        return Status::kOk;
    }

    // nullptr where [address, address + size) is not wholly inside one region that permits the access.
    [[nodiscard]] const std::uint8_t* readable(std::uint32_t address, std::uint32_t size_bytes) const noexcept {
        const MemoryRegion* const region = find(address, size_bytes);
        return ((region != nullptr) && region->device_reads) ? at(*region, address) : nullptr;
    }
    [[nodiscard]] std::uint8_t* writable(std::uint32_t address, std::uint32_t size_bytes) const noexcept {
        const MemoryRegion* const region = find(address, size_bytes);
        return ((region != nullptr) && region->device_writes) ? at(*region, address) : nullptr;
    }

    [[nodiscard]] const std::uint8_t* queue_readable(std::uint32_t address, std::uint32_t size_bytes) const noexcept {
        const MemoryRegion* const region = find(address, size_bytes);
        return ((region != nullptr) && region->queue_reads) ? at(*region, address) : nullptr;
    }
    [[nodiscard]] std::uint8_t* queue_writable(std::uint32_t address, std::uint32_t size_bytes) const noexcept {
        const MemoryRegion* const region = find(address, size_bytes);
        return ((region != nullptr) && region->queue_writes) ? at(*region, address) : nullptr;
    }
    [[nodiscard]] const std::uint8_t* fetchable(std::uint32_t address, std::uint32_t size_bytes) const noexcept {
        const MemoryRegion* const region = find(address, size_bytes);
        return ((region != nullptr) && region->fetch) ? at(*region, address) : nullptr;
    }

  private:
    [[nodiscard]] const MemoryRegion* find(std::uint32_t address, std::uint32_t size_bytes) const noexcept {
        for (std::uint32_t i = 0U; i < count_; ++i) {
            const MemoryRegion& region = regions_[i];
            const std::uint32_t offset = address - region.base;  // wraps to a large value below the base: refused next
            if ((offset < region.size_bytes) && (size_bytes <= (region.size_bytes - offset))) {
                return &region;
            }
        }
        return nullptr;
    }
    [[nodiscard]] static std::uint8_t* at(const MemoryRegion& region, std::uint32_t address) noexcept {
        // NOLINTNEXTLINE(cppcoreguidelines-pro-bounds-pointer-arithmetic): DEV-002
        return region.host + (address - region.base);
    }

    std::array<MemoryRegion, kMaxRegions> regions_{};
    std::uint32_t count_{0U};
};

}  // namespace pianola::refdev
