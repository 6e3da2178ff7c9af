// RangeMap and RangeSet against a value for every byte.
#include "capture_host/base/range_map.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>

#include "capture_host/base/range_set.h"

namespace pianola {
namespace {

using host::ByteRange;
using host::RangeMap;
using host::RangeSet;

constexpr std::uint64_t kBytes = 64U;
constexpr std::uint32_t kSeeds = 200U;
constexpr std::uint32_t kActions = 40U;

using Bytes = std::array<std::uint32_t, kBytes>;

ByteRange some_range(std::mt19937& random) {
    const std::uint64_t one = random() % (kBytes + 1U);
    const std::uint64_t other = random() % (kBytes + 1U);
    return {std::min(one, other), std::max(one, other)};
}

void expect_equal(const RangeMap<std::uint32_t>& map, const Bytes& bytes, const ByteRange& range) {
    std::uint64_t next = range.begin;
    map.for_each(range.begin, range.end, [&](std::uint64_t begin, std::uint64_t end, std::uint32_t value) {
        EXPECT_EQ(begin, next);
        EXPECT_LT(begin, end);
        for (std::uint64_t at = begin; at < end; ++at) {
            EXPECT_EQ(bytes.at(at), value) << "byte " << at;
        }
        next = end;
    });
    EXPECT_EQ(next, range.end);
}

TEST(RangeMap, HoldsAValueForEveryByte) {
    for (std::uint32_t seed = 0U; seed < kSeeds; ++seed) {
        std::mt19937 random{seed};
        RangeMap<std::uint32_t> map;
        Bytes bytes{};
        for (std::uint32_t action = 1U; action <= kActions; ++action) {
            const ByteRange range = some_range(random);
            const bool sets = (random() % 2U) == 0U;
            if (sets) {
                map.set(range.begin, range.end, action);
            } else {
                map.update(range.begin, range.end, [](std::uint32_t& value) { value += 1000U; });
            }
            for (std::uint64_t at = range.begin; at < range.end; ++at) {
                bytes.at(at) = sets ? action : (bytes.at(at) + 1000U);
            }
            expect_equal(map, bytes, {0U, kBytes});
            expect_equal(map, bytes, some_range(random));
        }
    }
}

TEST(RangeMap, JoinsNeighboursOfOneValue) {
    for (std::uint32_t seed = 0U; seed < kSeeds; ++seed) {
        std::mt19937 random{seed};
        RangeMap<std::uint32_t> map;
        Bytes bytes{};
        for (std::uint32_t action = 1U; action <= kActions; ++action) {
            const ByteRange range = some_range(random);
            map.set(range.begin, range.end, action);
            std::fill(bytes.begin() + range.begin, bytes.begin() + range.end, action);
        }
        map.update_all([](std::uint32_t& value) { value = (value > (kActions / 2U)) ? 1U : 0U; });
        std::uint64_t changes = 1U;
        for (std::uint64_t at = 0U; at < kBytes; ++at) {
            bytes.at(at) = (bytes.at(at) > (kActions / 2U)) ? 1U : 0U;
            changes += ((at > 0U) && (bytes.at(at) != bytes.at(at - 1U))) ? 1U : 0U;
        }
        expect_equal(map, bytes, {0U, kBytes});
        EXPECT_EQ(map.size(), changes + ((bytes.back() != 0U) ? 1U : 0U));  // after the last byte: 0
    }
}

TEST(RangeSet, HoldsBytes) {
    for (std::uint32_t seed = 0U; seed < kSeeds; ++seed) {
        std::mt19937 random{seed};
        RangeSet set;
        std::set<std::uint64_t> bytes;
        for (std::uint32_t action = 0U; action < kActions; ++action) {
            const ByteRange range = some_range(random);
            const bool adds = (random() % 2U) == 0U;
            adds ? set.add(range.begin, range.end) : set.remove(range.begin, range.end);
            for (std::uint64_t at = range.begin; at < range.end; ++at) {
                adds ? static_cast<void>(bytes.insert(at)) : static_cast<void>(bytes.erase(at));
            }
            EXPECT_EQ(set.size(), bytes.size());
            for (std::uint64_t at = 0U; at < kBytes; ++at) {
                EXPECT_EQ(set.contains(at, at + 1U), bytes.count(at) != 0U) << "byte " << at;
            }
            const ByteRange part = some_range(random);
            EXPECT_EQ(
                set.size_in(part.begin, part.end),
                static_cast<std::uint64_t>(std::distance(bytes.lower_bound(part.begin), bytes.lower_bound(part.end))));
            for (std::size_t i = 1U; i < set.ranges().size(); ++i) {
                EXPECT_LT(set.ranges()[i - 1U].end, set.ranges()[i].begin);
            }
        }
    }
}

}  // namespace
}  // namespace pianola
