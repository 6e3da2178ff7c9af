// Memory planner: packs buffers whose lifetimes are known into one arena.
//
// A pure function: the same lifetimes give the same offsets on every host.
#pragma once

#include <cstddef>
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

// A command reads `input` for the last time and writes `output` for the first, in an order that permits an overlap.
struct Overlap {
    std::size_t input{0U};  // indices of lifetimes
    std::size_t output{0U};
    // Whether the input may begin i * kPlanAlignmentBytes above the output; beyond the last entry the two are apart.
    std::vector<bool> distances;
};

struct MemoryPlan {
    std::vector<std::uint64_t> offsets;  // one per lifetime, in the order given
    std::uint64_t planned_bytes{0U};     // arena size
    std::uint64_t sum_bytes{0U};         // arena size without any sharing
    // Most bytes alive at once, less those by which a command's operands can overlap: no plan can be smaller.
    std::uint64_t lower_bound_bytes{0U};
    std::uint32_t peak_command{0U};  // a command that needs lower_bound_bytes
};

// lower_bound_bytes <= planned_bytes <= sum_bytes. Finding the smallest plan is NP-hard; the effort is bounded: O(n^2)
// for each of a fixed number of attempts, fewer for large n; with overlaps O(n) times that, and never a larger plan.
// Throws std::invalid_argument if last < first or the sum of the sizes needs more than 63 bits.
[[nodiscard]] MemoryPlan plan_memory(const std::vector<Lifetime>& lifetimes, const std::vector<Overlap>& overlaps = {});

}  // namespace pianola::capture
