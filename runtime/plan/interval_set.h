// IntervalSet: a set of bytes of the 32-bit device address space, as disjoint ranges in fixed memory.
//
// Place in the whole: what the proofs use to know which bytes have been written.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/core/config.h"
#include "runtime/core/span.h"
#include "runtime/core/status.h"

namespace pianola {

class IntervalSet {
  public:
    struct Interval {
        std::uint32_t first{0U};
        std::uint32_t last{0U};  // inclusive, so that the last byte of the address space can be in the set
    };

    void clear() noexcept { count_ = 0U; }

    // Adds [address, address + size_bytes): not empty, does not wrap. Ranges that touch become one. kOk, or kCapacity where
    // kMaxIntervals disjoint ranges are not enough (the set is then unchanged). Time: O(kMaxIntervals).
    Status add(std::uint32_t address, std::uint32_t size_bytes) noexcept;

    // True where every byte of [address, address + size_bytes) is in the set.
    [[nodiscard]] bool contains(std::uint32_t address, std::uint32_t size_bytes) const noexcept;
    // True where any byte of it is in the set.
    [[nodiscard]] bool intersects(std::uint32_t address, std::uint32_t size_bytes) const noexcept;

  private:
    // Index of the first interval that ends at or behind the address. Binary search.
    [[nodiscard]] std::uint32_t first_reaching(std::uint32_t address) const noexcept;

    std::array<Interval, kMaxIntervals> intervals_{};  // sorted, disjoint, not touching
    std::uint32_t count_{0U};
};

}  // namespace pianola
