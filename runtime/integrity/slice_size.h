// What a slice counts against the limit of a call.
#pragma once

#include <cstdint>

#include "pianola/config.h"
#include "pianola/slice_check.h"

namespace pianola {

static_assert((kScrubSliceBytes % SliceSum::kBlockBytes) == 0U);

[[nodiscard]] constexpr std::uint32_t whole_chunks(std::uint32_t bytes) noexcept {
    constexpr std::uint32_t kChunk = SliceSum::kBlockBytes;
    return ((bytes + kChunk - 1U) / kChunk) * kChunk;
}

// The minimum share of a call per slice, so that many short ranges do not make a call long.
inline constexpr std::uint32_t kLeastSliceBytes = whole_chunks(kScrubSliceBytes / 64U);

[[nodiscard]] constexpr std::uint32_t counted_bytes(std::uint32_t slice_bytes) noexcept {
    return (slice_bytes < kLeastSliceBytes) ? kLeastSliceBytes : whole_chunks(slice_bytes);
}

}  // namespace pianola
