// IntervalMap: bytes of the 32-bit device address space, each with a tag, as disjoint ranges in fixed memory.
//
// The proofs use it to track which bytes have been written, and which command touched bytes last. With equal tags it is
// a set.
#pragma once

#include <array>
#include <cstdint>

#include "pianola/config.h"
#include "pianola/span.h"
#include "pianola/status.h"

namespace pianola {

class IntervalMap {
  public:
    void clear() noexcept { count_ = 0U; }
    [[nodiscard]] std::uint32_t count() const noexcept { return count_; }

    // Gives every byte of [address, address + size_bytes) the tag, which is not 0: not empty, does not wrap. Ranges
    // that touch and have equal tags become one. kOk, or kCapacity where `capacity` ranges, at most kMaxIntervals, are
    // not enough (the map is then unchanged). Time: O(count()).
    Status assign(std::uint32_t address, std::uint32_t size_bytes, std::uint32_t tag, std::uint32_t capacity) noexcept;

    // Removes every range whose tag is not larger. Time: O(count()).
    void forget_up_to(std::uint32_t tag) noexcept;

    // True where one range holds every byte of [address, address + size_bytes); in a map with one tag: if all are in
    // it.
    [[nodiscard]] bool contains(std::uint32_t address, std::uint32_t size_bytes) const noexcept;
    // The largest tag of any byte of the range, excluding `except`; 0 if there is none.
    [[nodiscard]] std::uint32_t largest_tag(std::uint32_t address, std::uint32_t size_bytes,
                                            std::uint32_t except) const noexcept;
    // Bitwise OR of the tags of all bytes of the range; 0 if there is none.
    [[nodiscard]] std::uint32_t all_tags(std::uint32_t address, std::uint32_t size_bytes) const noexcept;

  private:
    struct Interval {
        std::uint32_t first{0U};
        std::uint32_t last{0U};  // inclusive, so that the last byte of the address space can be in the map
        std::uint32_t tag{0U};
    };

    // Index of the first interval that ends at or after the address. Binary search.
    [[nodiscard]] std::uint32_t first_reaching(std::uint32_t address) const noexcept;
    // Makes room for `added` intervals where `removed` are, from `index` on. False if there is none.
    [[nodiscard]] bool resize(std::uint32_t index, std::uint32_t removed, std::uint32_t added,
                              std::uint32_t capacity) noexcept;

    std::uint32_t count_{0U};
    std::array<Interval, kMaxIntervals> intervals_{};  // sorted, disjoint
};

}  // namespace pianola
