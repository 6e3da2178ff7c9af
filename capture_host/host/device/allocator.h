// Allocator: first fit over offsets of one memory.
//
// One for DRAM, one for L1 (whose offsets hold on every core), one for the trace region. Deterministic: the
// result depends on the present allocations and on nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "capture_host/base/range_set.h"

namespace pianola::host {

inline constexpr std::uint32_t kAllocationAlignment = 64U;
inline constexpr std::uint32_t kRegionAlignment = 64U;   // of a trace binary's regions
inline constexpr std::uint32_t kShardAlignment = 1024U;  // a DRAM bank's granule

enum class FromEnd : std::uint8_t { kBottom, kTop };

[[nodiscard]] constexpr std::uint64_t divide_up(std::uint64_t value, std::uint64_t by) noexcept {
    return (value + (by - 1U)) / by;
}
[[nodiscard]] constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) noexcept {
    return divide_up(value, alignment) * alignment;
}

class Allocator {
  public:
    explicit Allocator(std::uint32_t bytes) : bytes_{bytes} {}

    // The offset, which is a multiple of alignment; sizes are rounded up to 64. Keeps clear of `avoid`, if given.
    [[nodiscard]] std::optional<std::uint32_t> allocate(std::uint64_t bytes, std::uint32_t alignment,
                                                        const RangeSet* avoid, FromEnd from = FromEnd::kBottom);
    // At exactly that offset. False if it is no multiple of 64, or not all of the range is free.
    [[nodiscard]] bool allocate_at(std::uint32_t offset, std::uint64_t bytes);
    void free(std::uint32_t offset);

    [[nodiscard]] std::uint32_t total_bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::uint64_t used_bytes() const noexcept { return used_bytes_; }
    [[nodiscard]] std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(allocations_.size()); }
    [[nodiscard]] std::uint64_t largest_free_bytes() const;
    [[nodiscard]] RangeSet allocated() const;
    // True if one allocation holds the range.
    [[nodiscard]] bool is_allocated(std::uint64_t begin, std::uint64_t end) const;
    // How many bytes of `set` are free.
    [[nodiscard]] std::uint64_t free_bytes_of(const RangeSet& set) const;

  private:
    std::uint32_t bytes_;
    std::uint64_t used_bytes_{0U};
    std::map<std::uint32_t, std::uint32_t> allocations_;  // offset, size
};

}  // namespace pianola::host
