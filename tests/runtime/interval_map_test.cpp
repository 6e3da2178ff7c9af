// IntervalMap against a map of single bytes.
#include "pianola/interval_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "tests/support/random.h"
#include "tests/support/verifies.h"

namespace pianola {
namespace {

constexpr std::uint32_t kTag = 1U;
constexpr std::uint32_t kCapacity = 64U;  // ranges, of the many that the map of a host has

class ByteMap {
  public:
    void assign(std::uint32_t address, std::uint32_t size_bytes, std::uint32_t tag) {
        for (std::uint64_t i = 0U; i < size_bytes; ++i) {
            tags_[address + i] = tag;
        }
    }
    [[nodiscard]] std::uint32_t tag_of(std::uint64_t byte) const {
        const auto found = tags_.find(byte);
        return (found == tags_.end()) ? 0U : found->second;
    }
    [[nodiscard]] std::uint32_t largest_in(std::uint32_t address, std::uint32_t size_bytes,
                                           std::uint32_t except) const {
        std::uint32_t largest = 0U;
        for (std::uint64_t i = 0U; i < size_bytes; ++i) {
            const std::uint32_t tag = tag_of(address + i);
            largest = (tag == except) ? largest : std::max(largest, tag);
        }
        return largest;
    }
    // Whether all bytes are there and one run of one tag holds them.
    [[nodiscard]] bool is_one_run(std::uint32_t address, std::uint32_t size_bytes) const {
        for (std::uint64_t i = 0U; i < size_bytes; ++i) {
            if ((tag_of(address + i) == 0U) || (tag_of(address + i) != tag_of(address))) {
                return false;
            }
        }
        return true;
    }
    // Runs of bytes with equal tags, with one more range.
    [[nodiscard]] std::uint32_t runs_with(std::uint32_t address, std::uint32_t size_bytes, std::uint32_t tag) const {
        ByteMap with = *this;
        with.assign(address, size_bytes, tag);
        std::uint32_t runs = 0U;
        std::uint64_t next = UINT64_MAX;
        std::uint32_t last = 0U;
        for (const auto& [byte, value] : with.tags_) {
            runs += ((byte != next) || (value != last)) ? 1U : 0U;
            next = byte + 1U;
            last = value;
        }
        return runs;
    }

  private:
    std::map<std::uint64_t, std::uint32_t> tags_;
};

struct Window {
    std::uint32_t base;
    std::uint32_t bytes;
    std::uint32_t longest;  // range
    std::uint32_t tags;
};

// Ranges inside a window of the address space, by one random sequence.
void compare(const Window& window, std::uint32_t seed) {
    test::Random random{seed};
    IntervalMap map;
    ByteMap model;
    for (int round = 0; round < 200; ++round) {
        const std::uint32_t offset = random.below(window.bytes);
        const std::uint32_t size_bytes = 1U + random.below(std::min(window.longest, window.bytes - offset));
        const std::uint32_t address = window.base + offset;
        const std::uint32_t tag = 1U + random.below(window.tags);
        ASSERT_EQ(map.contains(address, size_bytes), model.is_one_run(address, size_bytes)) << std::hex << address;
        ASSERT_EQ(map.largest_tag(address, size_bytes, 0U), model.largest_in(address, size_bytes, 0U))
            << std::hex << address;
        ASSERT_EQ(map.largest_tag(address, size_bytes, tag), model.largest_in(address, size_bytes, tag))
            << std::hex << address;
        if (random.one_in(2U)) {
            const bool fits = model.runs_with(address, size_bytes, tag) <= kCapacity;
            ASSERT_EQ(map.assign(address, size_bytes, tag, kCapacity), fits ? Status::kOk : Status::kCapacity);
            if (fits) {
                model.assign(address, size_bytes, tag);
            }
        }
    }
    for (std::uint32_t offset = 0U; offset < window.bytes; ++offset) {
        ASSERT_EQ(map.largest_tag(window.base + offset, 1U, 0U), model.tag_of(std::uint64_t{window.base} + offset))
            << offset;
    }
}

TEST(IntervalMap, AgreesWithAMapOfBytes) {
    test::verifies({"swr~published-extents~1"});
    for (std::uint32_t seed = 1U; seed <= 60U; ++seed) {
        for (const std::uint32_t tags : {1U, 2U, 5U}) {
            compare({0x8000'0000U, 300U, 12U, tags}, seed);
            compare({0x8000'0000U, 900U, 3U, tags}, seed);  // often at its capacity
            compare({0U, 120U, 40U, tags}, seed);
            compare({UINT32_MAX - 119U, 120U, 9U, tags}, seed);
            ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed << ", tags " << tags;
        }
    }
}

TEST(IntervalMap, HoldsBothEndsOfTheAddressSpace) {
    IntervalMap map;
    ASSERT_EQ(map.assign(UINT32_MAX, 1U, kTag, kCapacity), Status::kOk);
    ASSERT_EQ(map.assign(0U, 1U, kTag, kCapacity), Status::kOk);
    EXPECT_TRUE(map.contains(UINT32_MAX, 1U));
    EXPECT_TRUE(map.contains(0U, 1U));
    EXPECT_FALSE(map.contains(0U, 2U));
    EXPECT_EQ(map.largest_tag(1U, UINT32_MAX - 1U, 0U), 0U);
    EXPECT_EQ(map.largest_tag(1U, UINT32_MAX, 0U), kTag);
    ASSERT_EQ(map.assign(1U, UINT32_MAX - 1U, kTag, kCapacity), Status::kOk);
    EXPECT_TRUE(map.contains(0U, UINT32_MAX));
    EXPECT_TRUE(map.contains(1U, UINT32_MAX));
    map.clear();
    EXPECT_EQ(map.largest_tag(0U, UINT32_MAX, 0U), 0U);
}

TEST(IntervalMap, RefusesOneRangeTooManyAndIsThenUnchanged) {
    constexpr std::uint32_t kPitch = 10U;
    IntervalMap map;
    for (std::uint32_t i = 0U; i < kCapacity; ++i) {
        ASSERT_EQ(map.assign(1000U + (i * kPitch), 2U, kTag, kCapacity), Status::kOk) << i;
    }
    EXPECT_EQ(map.assign(0U, 1U, kTag, kCapacity), Status::kCapacity);
    EXPECT_EQ(map.assign(1005U, 1U, kTag, kCapacity), Status::kCapacity);
    EXPECT_EQ(map.assign(1000U, 1U, kTag + 1U, kCapacity), Status::kCapacity);  // would split a range
    EXPECT_EQ(map.largest_tag(0U, 999U, 0U), 0U);
    EXPECT_EQ(map.largest_tag(1005U, 1U, 0U), 0U);
    EXPECT_EQ(map.largest_tag(1000U, 1U, 0U), kTag);
    EXPECT_EQ(map.assign(1002U, 8U, kTag, kCapacity), Status::kOk);  // joins two ranges: now there is room again
    EXPECT_EQ(map.assign(0U, 1U, kTag, kCapacity), Status::kOk);
    EXPECT_EQ(map.assign(UINT32_MAX, 1U, kTag, kCapacity), Status::kCapacity);
}

}  // namespace
}  // namespace pianola
