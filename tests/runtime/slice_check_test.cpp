// The sum of a slice: its definition, computed anew, and what it is promised to find.
#include "pianola/slice_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "runtime/integrity/slice_blocks.h"
#include "tests/support/random.h"
#include "tests/support/verifies.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes random_bytes(Random& random, std::size_t count) {
    Bytes bytes(count);
    std::generate(bytes.begin(), bytes.end(), [&random] { return random.byte(); });
    return bytes;
}

ByteSpan span_of(const Bytes& bytes) {
    return ByteSpan{bytes.data(), bytes.size()};
}

// The first 32 bits of the fractional parts of the cube roots of the first 16 primes, made odd: FIPS 180-4 has them as
// digits; here they are computed.
std::uint32_t key_of(std::uint32_t index) {
    constexpr std::array<long double, 16> kPrimes{2.0L,  3.0L,  5.0L,  7.0L,  11.0L, 13.0L, 17.0L, 19.0L,
                                                  23.0L, 29.0L, 31.0L, 37.0L, 41.0L, 43.0L, 47.0L, 53.0L};
    constexpr long double kWord = 4294967296.0L;
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(std::cbrt(kPrimes.at(index)) * kWord)) | 1U;
}

// As the page of the format says it: byte by byte.
std::uint64_t defined(const Bytes& bytes) {
    std::uint64_t sum = 0x6A09E667F3BCC909U;
    for (std::size_t block = 0U; block < bytes.size(); block += 64U) {
        sum *= 0x9E3779B1U;
        for (std::uint32_t i = 0U; i < 64U; ++i) {
            const std::uint64_t byte = ((block + i) < bytes.size()) ? bytes[block + i] : 0U;
            sum += (byte << (8U * (i % 4U))) * key_of(i / 4U);
        }
    }
    return sum;
}

TEST(SliceCheck, IsTheSumThatTheFormatDefines) {
    verifies({"swr~authenticated-constants~2"});
    Random random{3U};
    for (std::size_t count = 0U; count < 300U; ++count) {
        const Bytes bytes = random_bytes(random, count);
        ASSERT_EQ(slice_sum(span_of(bytes)), defined(bytes)) << count;
    }
    const Bytes large = random_bytes(random, kCheckedBytes);
    EXPECT_EQ(slice_sum(span_of(large)), defined(large));
}

TEST(SliceCheck, DoesNotDependOnWhereBytesLieOrHowTheyAreGiven) {
    Random random{5U};
    const Bytes bytes = random_bytes(random, 1000U);
    const std::uint64_t expected = slice_sum(span_of(bytes));
    for (std::size_t shift = 1U; shift < 9U; ++shift) {
        Bytes moved(shift);
        moved.insert(moved.end(), bytes.begin(), bytes.end());
        EXPECT_EQ(slice_sum(span_of(moved).subspan(shift, bytes.size())), expected) << shift;
    }
    for (std::size_t blocks = 1U; blocks < 9U; ++blocks) {
        SliceSum sum;
        for (std::size_t done = 0U; done < bytes.size(); done += blocks * SliceSum::kBlockBytes) {
            sum.update(span_of(bytes).subspan(done, std::min(blocks * SliceSum::kBlockBytes, bytes.size() - done)));
        }
        EXPECT_EQ(sum.value(), expected) << blocks;
    }
}

// A key that is odd makes any change of its word change the sum: for each bit alone, and for random changes.
TEST(SliceCheck, FindsEveryChangeOfOneWord) {
    verifies({"swr~authenticated-constants~2"});
    Random random{7U};
    Bytes bytes = random_bytes(random, kCheckedBytes);
    const std::uint64_t expected = slice_sum(span_of(bytes));
    for (std::size_t bit = 0U; bit < (std::size_t{kCheckedBytes} * 8U); ++bit) {
        bytes[bit / 8U] ^= static_cast<std::uint8_t>(1U << (bit % 8U));
        ASSERT_NE(slice_sum(span_of(bytes)), expected) << bit;
        bytes[bit / 8U] ^= static_cast<std::uint8_t>(1U << (bit % 8U));
    }
    for (std::uint32_t word = 0U; word < kBlockWords; ++word) {
        EXPECT_EQ(kSliceKeys.at(word), key_of(word));
        EXPECT_EQ(kSliceKeys.at(word) % 2U, 1U);
    }
    EXPECT_EQ(kSliceFactor % 2U, 1U);
}

// Two bits b and c of words of keys k and m that are n blocks apart cancel where k * F^n * 2^b and m * 2^c are equal or
// opposite modulo 2^64. Keys and factor are odd, so b and c are then equal, and the rest must be equal modulo 2^33 at
// least: all pairs of a slice.
TEST(SliceCheck, FindsAnyTwoBits) {
    verifies({"swr~authenticated-constants~2"});
    constexpr std::uint64_t kMask = (std::uint64_t{1U} << 33U) - 1U;
    std::uint64_t power = 1U;
    for (std::uint32_t apart = 0U; apart < (kCheckedBytes / SliceSum::kBlockBytes); ++apart) {
        for (std::uint32_t one = 0U; one < kBlockWords; ++one) {
            for (std::uint32_t other = 0U; other < kBlockWords; ++other) {
                const std::uint64_t product = kSliceKeys.at(one) * power;
                const bool is_itself = (apart == 0U) && (one == other);
                EXPECT_TRUE(is_itself || (((product - kSliceKeys.at(other)) & kMask) != 0U));
                EXPECT_NE((product + kSliceKeys.at(other)) & kMask, 0U);
            }
        }
        power *= kSliceFactor;
    }
}

// A burst of up to 32 bits lies in one word, or in the upper bits of one and the lower ones of the next: the first
// makes a multiple of a power of two that the second is smaller than.
TEST(SliceCheck, FindsBursts) {
    verifies({"swr~authenticated-constants~2"});
    Random random{9U};
    const Bytes bytes = random_bytes(random, kCheckedBytes);
    const std::uint64_t expected = slice_sum(span_of(bytes));
    for (std::size_t first = 0U; (first + 32U) <= (std::size_t{kCheckedBytes} * 8U); first += 7U) {
        Bytes changed = bytes;
        const std::uint32_t pattern = random.word() | 0x8000'0001U;
        for (std::uint32_t bit = 0U; bit < 32U; ++bit) {
            const std::size_t at = first + bit;
            changed[at / 8U] ^= static_cast<std::uint8_t>(((pattern >> bit) & 1U) << (at % 8U));
        }
        ASSERT_NE(slice_sum(span_of(changed)), expected) << first;
    }
}

// Random changes of everything, of zeros, and of blocks that change places.
TEST(SliceCheck, FindsOtherChanges) {
    Random random{11U};
    const Bytes bytes = random_bytes(random, kCheckedBytes);
    const std::uint64_t expected = slice_sum(span_of(bytes));
    EXPECT_NE(slice_sum(span_of(Bytes(kCheckedBytes))), 0U);
    EXPECT_NE(slice_sum(span_of(Bytes(64U))), slice_sum(span_of(Bytes(128U))));
    for (std::uint32_t trial = 0U; trial < 2000U; ++trial) {
        EXPECT_NE(slice_sum(span_of(random_bytes(random, kCheckedBytes))), expected);
        Bytes moved = bytes;
        const std::uint32_t one = random.below(64U);
        const std::uint32_t other = (one + 1U + random.below(63U)) % 64U;
        const auto first = moved.begin() + std::ptrdiff_t{64} * one;
        std::swap_ranges(first, first + 64, moved.begin() + std::ptrdiff_t{64} * other);
        EXPECT_NE(slice_sum(span_of(moved)), expected) << one << ' ' << other;
    }
}

}  // namespace
}  // namespace pianola::test
