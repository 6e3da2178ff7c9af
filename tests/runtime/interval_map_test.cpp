// IntervalSet against a set of single bytes.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "runtime/plan/interval_set.h"
#include "tests/support/random.h"

namespace pianola {
namespace {

class ByteSet {
  public:
    void add(std::uint32_t address, std::uint32_t size_bytes) {
        for (std::uint64_t i = 0U; i < size_bytes; ++i) {
            bytes_.insert(address + i);
        }
    }
    [[nodiscard]] std::uint32_t count_in(std::uint32_t address, std::uint32_t size_bytes) const {
        std::uint32_t count = 0U;
        for (std::uint64_t i = 0U; i < size_bytes; ++i) {
            count += static_cast<std::uint32_t>(bytes_.count(address + i));
        }
        return count;
    }
    // Runs of bytes, plus one more range.
    [[nodiscard]] std::uint32_t runs_with(std::uint32_t address, std::uint32_t size_bytes) const {
        ByteSet with = *this;
        with.add(address, size_bytes);
        std::uint32_t runs = 0U;
        std::uint64_t next = UINT64_MAX;
        for (const std::uint64_t byte : with.bytes_) {
            runs += (byte != next) ? 1U : 0U;
            next = byte + 1U;
        }
        return runs;
    }

  private:
    std::set<std::uint64_t> bytes_;
};

// All ranges inside a window of the address space, by one random sequence.
void compare(std::uint32_t base, std::uint32_t window, std::uint32_t longest, std::uint32_t seed) {
    test::Random random{seed};
    IntervalSet set;
    ByteSet model;
    for (int round = 0; round < 200; ++round) {
        const std::uint32_t offset = random.below(window);
        const std::uint32_t room = window - offset;
        const std::uint32_t size_bytes = 1U + random.below((longest < room) ? longest : room);
        const std::uint32_t address = base + offset;
        const std::uint32_t inside = model.count_in(address, size_bytes);
        ASSERT_EQ(set.contains(address, size_bytes), inside == size_bytes) << std::hex << address;
        ASSERT_EQ(set.intersects(address, size_bytes), inside != 0U) << std::hex << address;
        if (random.one_in(2U)) {
            const bool fits = model.runs_with(address, size_bytes) <= kMaxIntervals;
            ASSERT_EQ(set.add(address, size_bytes), fits ? Status::kOk : Status::kCapacity);
            if (fits) {
                model.add(address, size_bytes);
            }
        }
    }
    for (std::uint32_t offset = 0U; offset < window; ++offset) {
        ASSERT_EQ(set.contains(base + offset, 1U), model.count_in(base + offset, 1U) == 1U) << offset;
    }
}

TEST(IntervalSet, AgreesWithASetOfBytes) {
    for (std::uint32_t seed = 1U; seed <= 60U; ++seed) {
        compare(0x8000'0000U, 300U, 12U, seed);
        compare(0x8000'0000U, 900U, 3U, seed);  // often at its capacity
        compare(0U, 120U, 9U, seed);
        compare(UINT32_MAX - 119U, 120U, 9U, seed);
        ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed;
    }
}

TEST(IntervalSet, HoldsBothEndsOfTheAddressSpace) {
    IntervalSet set;
    ASSERT_EQ(set.add(UINT32_MAX, 1U), Status::kOk);
    ASSERT_EQ(set.add(0U, 1U), Status::kOk);
    EXPECT_TRUE(set.contains(UINT32_MAX, 1U));
    EXPECT_TRUE(set.contains(0U, 1U));
    EXPECT_FALSE(set.contains(0U, 2U));
    EXPECT_FALSE(set.intersects(1U, UINT32_MAX - 1U));
    EXPECT_TRUE(set.intersects(1U, UINT32_MAX));
    ASSERT_EQ(set.add(1U, UINT32_MAX - 1U), Status::kOk);
    EXPECT_TRUE(set.contains(0U, UINT32_MAX));
    EXPECT_TRUE(set.contains(1U, UINT32_MAX));
    set.clear();
    EXPECT_FALSE(set.intersects(0U, UINT32_MAX));
}

TEST(IntervalSet, RefusesOneRangeTooManyAndIsThenUnchanged) {
    constexpr std::uint32_t kPitch = 10U;
    IntervalSet set;
    for (std::uint32_t i = 0U; i < kMaxIntervals; ++i) {
        ASSERT_EQ(set.add(1000U + (i * kPitch), 2U), Status::kOk) << i;
    }
    EXPECT_EQ(set.add(0U, 1U), Status::kCapacity);
    EXPECT_EQ(set.add(1005U, 1U), Status::kCapacity);
    EXPECT_FALSE(set.intersects(0U, 999U));
    EXPECT_FALSE(set.intersects(1005U, 1U));
    EXPECT_EQ(set.add(1002U, 8U), Status::kOk);  // joins two ranges: now there is room again
    EXPECT_EQ(set.add(0U, 1U), Status::kOk);
    EXPECT_EQ(set.add(UINT32_MAX, 1U), Status::kCapacity);
}

}  // namespace
}  // namespace pianola
