// Memory planner: packs buffers whose lifetimes are known into one arena.
//
// Pure function of its input: the same lifetimes give the same offsets on every host.
#pragma once

#include <cstdint>
#include <vector>

namespace pianola::capture {

inline constexpr std::uint64_t kPlanAlignmentBytes = 64U;  // of every offset; sizes are rounded up to it

// A buffer's size and the commands between which it is alive. Both ends are inclusive: a buffer whose last is another's
// first must not share memory with it.
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
// for each of a fixed number of attempts, fewer for large n. Throws std::invalid_argument where last < first or the
// sizes do not add up within 63 bits.
[[nodiscard]] MemoryPlan plan_memory(const std::vector<Lifetime>& lifetimes);

}  // namespace pianola::capture
