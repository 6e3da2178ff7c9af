// DeviceMemory: access of kernels and copies to the reference device's memory.
//
// The device's bus and its region protection unit. Device addresses are 32-bit; memory is reachable only through
// regions, which the runtime programs from the binary that it has proved. A kernel requests each operand once, with its
// whole size; an operand that no single region permits is a bus fault.
#pragma once

#include <array>
#include <cstdint>

#include "pianola/config.h"
#include "pianola/span.h"
#include "pianola/status.h"

namespace pianola::refdev {

// One programmed region. `host` is this core's pointer to the region's first byte.
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

// The protection unit's registers are in plain memory here, so each is kept twice and is valid only while it equals its
// copy: a damaged one permits nothing.
class DeviceMemory {
  public:
    void clear() noexcept {
        count_ = 0U;
        registers_.fill(Registers{});
        copies_.fill(Registers{});
    }

    // kCapacity if kMaxRegions are already programmed.
    Status program(const MemoryRegion& region) noexcept {
        if (count_ >= kMaxRegions) {
            return Status::kCapacity;
        }
        const Registers registers{region.base, region.size_bytes, region.host,
                                  bit_if(region.device_reads, kDeviceReads) |
                                      bit_if(region.device_writes, kDeviceWrites) |
                                      bit_if(region.queue_reads, kQueueReads) |
                                      bit_if(region.queue_writes, kQueueWrites) | bit_if(region.fetch, kFetch)};
        registers_[count_] = registers;
        copies_[count_] = registers;
        count_ += 1U;
        return Status::kOk;
    }

    // Number `index` since clear(); without host memory if there are fewer, or if it is damaged.
    [[nodiscard]] MemoryRegion programmed(std::uint32_t index) const noexcept {
        if ((index >= count_) || (index >= kMaxRegions) || !is_whole(registers_[index], copies_[index])) {
            return MemoryRegion{};
        }
        const Registers& region = registers_[index];
        const auto permits = [&region](std::uint32_t bit) { return (region.permissions & bit) != 0U; };
        return {region.base,           region.size_bytes,      region.host,
                permits(kDeviceReads), permits(kDeviceWrites), permits(kQueueReads),
                permits(kQueueWrites), permits(kFetch)};
    }

    // Where the region that begins at this address lies in this core's memory: empty if it is damaged. False if there
    // is no such region.
    [[nodiscard]] bool find_place(std::uint32_t base, ByteSpan& place) const noexcept {
        for (std::uint32_t i = 0U; (i < count_) && (i < kMaxRegions); ++i) {
            const Registers& region = registers_[i];
            if (region.base == base) {
                place = is_whole(region, copies_[i]) ? ByteSpan{region.host, region.size_bytes} : ByteSpan{};
                return true;
            }
        }
        return false;
    }

    // nullptr if [address, address + size) is not entirely inside one region that permits the access.
    [[nodiscard]] const std::uint8_t* readable(std::uint32_t address, std::uint32_t size_bytes) const noexcept {
        return find(address, size_bytes, kDeviceReads);
    }
    [[nodiscard]] std::uint8_t* writable(std::uint32_t address, std::uint32_t size_bytes) const noexcept {
        return find(address, size_bytes, kDeviceWrites);
    }
    [[nodiscard]] const std::uint8_t* queue_readable(std::uint32_t address, std::uint32_t size_bytes) const noexcept {
        return find(address, size_bytes, kQueueReads);
    }
    [[nodiscard]] std::uint8_t* queue_writable(std::uint32_t address, std::uint32_t size_bytes) const noexcept {
        return find(address, size_bytes, kQueueWrites);
    }
    [[nodiscard]] const std::uint8_t* fetchable(std::uint32_t address, std::uint32_t size_bytes) const noexcept {
        return find(address, size_bytes, kFetch);
    }

  private:
    // Permissions, one bit each.
    static constexpr std::uint32_t kDeviceReads = 1U;
    static constexpr std::uint32_t kDeviceWrites = 2U;
    static constexpr std::uint32_t kQueueReads = 4U;
    static constexpr std::uint32_t kQueueWrites = 8U;
    static constexpr std::uint32_t kFetch = 16U;

    struct Registers {
        std::uint32_t base{0U};
        std::uint32_t size_bytes{0U};
        std::uint8_t* host{nullptr};
        std::uint32_t permissions{0U};
    };

    [[nodiscard]] static constexpr std::uint32_t bit_if(bool is_set, std::uint32_t bit) noexcept {
        return is_set ? bit : 0U;
    }

    [[nodiscard]] std::uint8_t* find(std::uint32_t address, std::uint32_t size_bytes,
                                     std::uint32_t permission) const noexcept {
        // Both bounds: the count may be damaged as well.
        for (std::uint32_t i = 0U; (i < count_) && (i < kMaxRegions); ++i) {
            const Registers& region = registers_[i];
            const std::uint32_t offset = address - region.base;  // wraps to a large value below the base: refused next
            if ((offset < region.size_bytes) && (size_bytes <= (region.size_bytes - offset))) {
                const bool is_permitted = is_whole(region, copies_[i]) && ((region.permissions & permission) != 0U);
                // NOLINTNEXTLINE(cppcoreguidelines-pro-bounds-pointer-arithmetic): DEV-002
                return is_permitted ? (region.host + offset) : nullptr;
            }
        }
        return nullptr;
    }
    [[nodiscard]] static bool is_whole(const Registers& region, const Registers& copy) noexcept {
        return (region.base == copy.base) && (region.size_bytes == copy.size_bytes) && (region.host == copy.host) &&
               (region.permissions == copy.permissions);
    }

    std::array<Registers, kMaxRegions> registers_{};
    std::array<Registers, kMaxRegions> copies_{};
    std::uint32_t count_{0U};
};

// Device memory is bytes, tensors are int8: these two functions convert between them.
[[nodiscard]] inline const std::int8_t* tensor_of(const std::uint8_t* bytes) noexcept {
    return reinterpret_cast<const std::int8_t*>(bytes);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): DEV-021
}

[[nodiscard]] inline std::int8_t* tensor_of(std::uint8_t* bytes) noexcept {
    return reinterpret_cast<std::int8_t*>(bytes);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): DEV-021
}

}  // namespace pianola::refdev
