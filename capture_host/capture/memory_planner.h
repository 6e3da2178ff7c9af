// Memory planner: packs buffers whose lifetimes are known into one arena.
//
// A pure function: the same lifetimes give the same offsets on every host.
#pragma once

#include <cstdint>
#include <vector>

namespace pianola::capture {

inline constexpr std::uint64_t kPlanAlignmentBytes = 64U;  // of every offset; sizes are rounded up to it

// A buffer's size and the first and last command of its life. Both are inclusive: two buffers must not share memory if
// one's last command is the other's first.
struct Lifetime {
    std::uint64_t size_bytes{0U};
    std::uint32_t first{0U};
    std::uint32_t last{0U};
};

struct MemoryPlan {
    std::vector<std::uint64_t> offsets;   // one per lifetime, in the order given
    std::uint64_t planned_bytes{0U};      // arena size
    std::uint64_t sum_bytes{0U};          // arena size without any sharing
    std::uint64_t lower_bound_bytes{0U};  // most bytes alive at once: no plan can be smaller
};

// lower_bound_bytes <= planned_bytes <= sum_bytes. Finding the smallest plan is NP-hard; the effort is bounded: O(n^2)
// for each of a fixed number of attempts, fewer for large n. Throws std::invalid_argument if last < first or the sum of
// the sizes needs more than 63 bits.
[[nodiscard]] MemoryPlan plan_memory(const std::vector<Lifetime>& lifetimes);

}  // namespace pianola::capture
