// The planner's contract as properties of random instances, and known instances.
#include "capture_host/capture/memory_planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace pianola::capture {
namespace {

// Whether one of the overlaps permits the two buffers where they are.
bool is_permitted(const std::vector<Overlap>& overlaps, const MemoryPlan& plan, std::size_t i, std::size_t j) {
    return std::any_of(overlaps.begin(), overlaps.end(), [&](const Overlap& each) {
        const std::uint64_t input = plan.offsets[each.input];
        const std::uint64_t output = plan.offsets[each.output];
        const bool is_pair = ((each.input == i) && (each.output == j)) || ((each.input == j) && (each.output == i));
        const std::uint64_t units = (input - output) / 64U;
        return is_pair && (output <= input) && (units < each.distances.size()) && each.distances[units];
    });
}

// Empty where the plan keeps the contract; otherwise what it breaks.
std::string broken_rule(const std::vector<Lifetime>& lifetimes, const MemoryPlan& plan,
                        const std::vector<Overlap>& overlaps = {}) {
    if (plan.offsets.size() != lifetimes.size()) {
        return "number of offsets";
    }
    std::uint64_t sum = 0U;
    for (std::size_t i = 0U; i < lifetimes.size(); ++i) {
        sum += (lifetimes[i].size_bytes + 63U) / 64U * 64U;
        if ((plan.offsets[i] % 64U) != 0U) {
            return "alignment of " + std::to_string(i);
        }
        if ((plan.offsets[i] + lifetimes[i].size_bytes) > plan.planned_bytes) {
            return "buffer " + std::to_string(i) + " leaves the arena";
        }
        for (std::size_t j = 0U; j < i; ++j) {
            const bool alive_together =
                (lifetimes[i].first <= lifetimes[j].last) && (lifetimes[j].first <= lifetimes[i].last);
            const bool overlap = (plan.offsets[i] < (plan.offsets[j] + lifetimes[j].size_bytes)) &&
                                 (plan.offsets[j] < (plan.offsets[i] + lifetimes[i].size_bytes));
            if (alive_together && overlap && !is_permitted(overlaps, plan, i, j)) {
                return "overlap of " + std::to_string(j) + " and " + std::to_string(i);
            }
        }
    }
    if (plan.sum_bytes != sum) {
        return "sum";
    }
    return ((plan.lower_bound_bytes <= plan.planned_bytes) && (plan.planned_bytes <= plan.sum_bytes)) ? "" : "bounds";
}

// Most aligned bytes alive at one time, by looking at every time.
std::uint64_t most_alive(const std::vector<Lifetime>& lifetimes, std::uint32_t end) {
    std::uint64_t most = 0U;
    for (std::uint32_t time = 0U; time < end; ++time) {
        std::uint64_t alive = 0U;
        for (const Lifetime& lifetime : lifetimes) {
            if ((lifetime.first <= time) && (time <= lifetime.last)) {
                alive += (lifetime.size_bytes + 63U) / 64U * 64U;
            }
        }
        most = std::max(most, alive);
    }
    return most;
}

std::vector<Lifetime> random_lifetimes(std::mt19937& random, std::size_t count, std::uint32_t end,
                                       std::uint32_t max_size) {
    std::vector<Lifetime> lifetimes;
    for (std::size_t i = 0U; i < count; ++i) {
        const auto first = static_cast<std::uint32_t>(random() % end);
        const auto span = static_cast<std::uint32_t>(random() % 6U);
        lifetimes.push_back(Lifetime{random() % max_size, first, std::min(first + span, end - 1U)});
    }
    return lifetimes;
}

TEST(MemoryPlanner, RandomPlansKeepTheContract) {
    std::mt19937 random{1U};
    for (std::uint32_t round = 0U; round < 300U; ++round) {
        const std::uint32_t end = 1U + static_cast<std::uint32_t>(random() % 40U);
        const std::vector<Lifetime> lifetimes = random_lifetimes(random, random() % 60U, end, 5'000U);
        const MemoryPlan plan = plan_memory(lifetimes);
        ASSERT_EQ(broken_rule(lifetimes, plan), "") << "round " << round;
        ASSERT_EQ(plan.lower_bound_bytes, most_alive(lifetimes, end)) << "round " << round;
    }
}

// Of some pairs of which one ends with the command that begins the other: a least distance, or any set of distances.
std::vector<Overlap> random_overlaps(std::mt19937& random, const std::vector<Lifetime>& lifetimes) {
    std::vector<Overlap> overlaps;
    for (std::size_t i = 0U; i < lifetimes.size(); ++i) {
        for (std::size_t j = 0U; j < lifetimes.size(); ++j) {
            const bool meet = (lifetimes[i].last == lifetimes[j].first) && (i != j) && (lifetimes[j].size_bytes != 0U);
            const std::size_t units = (lifetimes[j].size_bytes + 63U) / 64U;
            if (meet && ((random() % 2U) == 0U)) {
                std::vector<bool> distances(units);
                const std::size_t least = random() % units;
                const bool is_any = (random() % 3U) == 0U;
                for (std::size_t k = 0U; k < units; ++k) {
                    distances[k] = is_any ? ((random() % 5U) == 0U) : (k >= least);
                }
                overlaps.push_back({i, j, distances});
            }
        }
    }
    return overlaps;
}

TEST(MemoryPlanner, OverlapsAreThoseThatAreGivenAndMakePlansSmaller) {
    std::mt19937 random{5U};
    std::uint64_t apart = 0U;
    std::uint64_t planned = 0U;
    for (std::uint32_t round = 0U; round < 300U; ++round) {
        const std::uint32_t end = 1U + static_cast<std::uint32_t>(random() % 20U);
        const std::vector<Lifetime> lifetimes = random_lifetimes(random, random() % 25U, end, 3'000U);
        const std::vector<Overlap> overlaps = random_overlaps(random, lifetimes);
        const MemoryPlan plan = plan_memory(lifetimes, overlaps);
        ASSERT_EQ(broken_rule(lifetimes, plan, overlaps), "") << "round " << round;
        const MemoryPlan without = plan_memory(lifetimes);
        ASSERT_LE(plan.planned_bytes, without.planned_bytes) << "round " << round;
        ASSERT_LE(plan.lower_bound_bytes, without.lower_bound_bytes) << "round " << round;
        apart += without.planned_bytes;
        planned += plan.planned_bytes;
    }
    EXPECT_LT(planned, apart - (apart / 50U));
}

// Each buffer may lie 128 bytes below the one that it is computed from; the third in place.
TEST(MemoryPlanner, AChainOfOverlapsTakesItsDistances) {
    const std::vector<Lifetime> chain{{4'096U, 0U, 1U}, {4'096U, 1U, 2U}, {4'096U, 2U, 3U}};
    std::vector<bool> from_128(64U, true);
    from_128[0] = false;
    from_128[1] = false;
    std::vector<bool> in_place(64U, false);
    in_place[0] = true;
    const std::vector<Overlap> overlaps{{0U, 1U, from_128}, {1U, 2U, in_place}};
    const MemoryPlan plan = plan_memory(chain, overlaps);
    EXPECT_EQ(broken_rule(chain, plan, overlaps), "");
    EXPECT_EQ(plan.planned_bytes, 4'096U + 128U);
    EXPECT_EQ(plan.lower_bound_bytes, 4'096U + 128U);
    EXPECT_EQ(plan.peak_command, 1U);
}

TEST(MemoryPlanner, SameLifetimesGiveSameOffsets) {
    std::mt19937 random{2U};
    for (std::uint32_t round = 0U; round < 20U; ++round) {
        const std::vector<Lifetime> lifetimes = random_lifetimes(random, 50U, 30U, 100'000U);
        EXPECT_EQ(plan_memory(lifetimes).offsets, plan_memory(lifetimes).offsets);
    }
}

TEST(MemoryPlanner, RandomPlansAreNearTheLowerBound) {
    std::mt19937 random{3U};
    std::uint64_t planned = 0U;
    std::uint64_t bound = 0U;
    for (std::uint32_t round = 0U; round < 50U; ++round) {
        const MemoryPlan plan = plan_memory(random_lifetimes(random, 40U, 30U, 100'000U));
        planned += plan.planned_bytes;
        bound += plan.lower_bound_bytes;
    }
    EXPECT_LE(planned, bound + (bound / 20U)) << "more than 5 % above the lower bound on average";
}

TEST(MemoryPlanner, NothingToPlan) {
    const MemoryPlan plan = plan_memory({});
    EXPECT_TRUE(plan.offsets.empty());
    EXPECT_EQ(plan.planned_bytes, 0U);
    EXPECT_EQ(plan_memory({Lifetime{0U, 1U, 2U}, Lifetime{0U, 0U, 9U}}).planned_bytes, 0U);
}

// A chain: each buffer is read by the next command, so that two buffers are alive at once. By size, each of the two
// largest neighbours gets one end of the arena.
TEST(MemoryPlanner, ChainReachesItsLargestNeighbours) {
    const std::vector<Lifetime> chain{
        {1'024U, 0U, 1U}, {4'096U, 1U, 2U}, {2'048U, 2U, 3U}, {512U, 3U, 4U}, {64U, 4U, 5U}};
    const MemoryPlan plan = plan_memory(chain);
    EXPECT_EQ(broken_rule(chain, plan), "");
    EXPECT_EQ(plan.planned_bytes, 6'144U);
    EXPECT_EQ(plan.lower_bound_bytes, 6'144U);
}

TEST(MemoryPlanner, ResidualBlocksReachTheLowerBound) {
    std::vector<Lifetime> blocks;
    for (std::uint32_t block = 0U; block < 8U; ++block) {
        const std::uint32_t start = block * 3U;
        blocks.push_back(Lifetime{16'384U, start, start + 3U});  // skip connection
        blocks.push_back(Lifetime{16'384U, start + 1U, start + 2U});
        blocks.push_back(Lifetime{16'384U, start + 2U, start + 3U});
    }
    const MemoryPlan plan = plan_memory(blocks);
    EXPECT_EQ(broken_rule(blocks, plan), "");
    EXPECT_EQ(plan.planned_bytes, plan.lower_bound_bytes);
}

// The plain method: largest buffer first, each as low as it can go.
std::uint64_t greedy_by_size(const std::vector<Lifetime>& lifetimes) {
    std::vector<std::size_t> order(lifetimes.size());
    std::iota(order.begin(), order.end(), std::size_t{0U});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return (lifetimes[a].size_bytes > lifetimes[b].size_bytes) ||
               ((lifetimes[a].size_bytes == lifetimes[b].size_bytes) && (a < b));
    });
    std::map<std::size_t, std::uint64_t> placed;
    std::uint64_t top = 0U;
    for (const std::size_t index : order) {
        const Lifetime& lifetime = lifetimes[index];
        std::uint64_t offset = 0U;
        for (bool moved = true; moved;) {
            moved = false;
            for (const auto& [other, start] : placed) {
                const std::uint64_t end = start + lifetimes[other].size_bytes;
                const bool alive_together =
                    (lifetime.first <= lifetimes[other].last) && (lifetimes[other].first <= lifetime.last);
                if (alive_together && (offset < end) && (start < (offset + lifetime.size_bytes))) {
                    offset = end;
                    moved = true;
                }
            }
        }
        placed[index] = offset;
        top = std::max(top, offset + lifetime.size_bytes);
    }
    return top;
}

TEST(MemoryPlanner, NeverWorseThanGreedyBySizeAndOftenBetter) {
    std::mt19937 random{5U};
    std::uint32_t better = 0U;
    for (std::uint32_t round = 0U; round < 100U; ++round) {
        std::vector<Lifetime> lifetimes = random_lifetimes(random, 30U, 25U, 100U);
        for (Lifetime& lifetime : lifetimes) {
            lifetime.size_bytes = (lifetime.size_bytes + 1U) * 64U;
        }
        const std::uint64_t planned = plan_memory(lifetimes).planned_bytes;
        const std::uint64_t greedy = greedy_by_size(lifetimes);
        ASSERT_LE(planned, greedy) << "round " << round;
        better += (planned < greedy) ? 1U : 0U;
    }
    EXPECT_GE(better, 25U);
}

TEST(MemoryPlanner, LifetimesThatOnlyTouchDoNotShare) {
    const MemoryPlan plan = plan_memory({Lifetime{64U, 0U, 1U}, Lifetime{64U, 1U, 2U}});
    EXPECT_EQ(plan.planned_bytes, 128U);
    EXPECT_EQ(plan_memory({Lifetime{64U, 0U, 0U}, Lifetime{64U, 1U, 2U}}).planned_bytes, 64U);
}

TEST(MemoryPlanner, LastTimeOfAll) {
    const MemoryPlan plan = plan_memory({Lifetime{1U, UINT32_MAX, UINT32_MAX}, Lifetime{1U, 0U, UINT32_MAX}});
    EXPECT_EQ(plan.planned_bytes, 128U);
}

TEST(MemoryPlanner, RefusesImpossibleLifetimes) {
    EXPECT_THROW(static_cast<void>(plan_memory({Lifetime{64U, 2U, 1U}})), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(plan_memory({Lifetime{UINT64_MAX, 0U, 1U}})), std::invalid_argument);
    const std::uint64_t half = std::uint64_t{1} << 62U;
    EXPECT_THROW(static_cast<void>(plan_memory({Lifetime{half, 0U, 1U}, Lifetime{half, 2U, 3U}})),
                 std::invalid_argument);
}

TEST(MemoryPlanner, ManyBuffersStayWithinBounds) {
    std::mt19937 random{4U};
    const std::vector<Lifetime> lifetimes = random_lifetimes(random, 4'096U, 2'000U, 1U << 20U);
    EXPECT_EQ(broken_rule(lifetimes, plan_memory(lifetimes)), "");
}

}  // namespace
}  // namespace pianola::capture
