// Checks of slices: a sum over bytes that a capture stores in the file, and that a session computes again over what a
// device holds.
//
// The digest of the file authenticates a check. A check finds damage, at a few instructions a word; it does not
// authenticate by itself, because the keys are public.
//
// Multilinear hashing (D. Lemire, O. Kaser: Strongly universal string hashing is fast, 2014) with fixed odd keys, in
// blocks of 16 little-endian words w: s := s * kFactor + k[0] * w[0] + ... + k[15] * w[15], modulo 2^64. What it finds:
//   always   any change within one word, any burst of at most 32 bits, any two bits of a slice
//   else     all but one of 2^32 changes at least, where bytes change at random; for independent words, of 2^60
// tests/runtime/slice_check_test.cpp and docs/reference/format.md have the reasons.
#pragma once

#include <array>
#include <cstdint>

#include "pianola/span.h"

namespace pianola {

// Bytes that one check covers; less at the end of a range.
inline constexpr std::uint32_t kCheckedBytes = 4096U;
// Bytes of one check in the file, little-endian.
inline constexpr std::uint32_t kCheckBytes = 8U;

class SliceSum {
  public:
    static constexpr std::uint32_t kBlockBytes = 64U;

    // Adds bytes: whole blocks in every call except the last. Bytes that are missing in the last block count as zeros.
    // The bytes may lie at any address; multiples of 4 are faster.
    void update(ByteSpan bytes) noexcept;
    [[nodiscard]] std::uint64_t value() const noexcept { return sum_; }

  private:
    std::uint64_t sum_{0x6A09'E667'F3BC'C909U};  // not zero, so that the check of zeros is not zero
};

[[nodiscard]] std::uint64_t slice_sum(ByteSpan bytes) noexcept;

// Number of checks of a range of that many bytes.
[[nodiscard]] constexpr std::uint32_t check_count(std::uint32_t size_bytes) noexcept {
    return (size_bytes / kCheckedBytes) + (((size_bytes % kCheckedBytes) != 0U) ? 1U : 0U);
}

// The check at an index of the file's segment; a value that no slice has is not reserved, so the caller compares the
// size of the segment first.
[[nodiscard]] std::uint64_t check_at(ByteSpan checks, std::uint32_t index) noexcept;

}  // namespace pianola
