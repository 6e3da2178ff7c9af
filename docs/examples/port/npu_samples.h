// Step 6 of docs/guide/porting.md: what the conformance kit is told of the NPU.
#pragma once

#include <array>
#include <cstdint>

#include "hal/port_kit/port.h"
#include "npu.h"

namespace npu {

// Samples of every command, on [base, base + kSampleBytes).
std::uint32_t sample(void* context, std::uint32_t index, std::uint32_t base,
                     pianola::Span<std::uint32_t> words) noexcept;

inline constexpr std::array<std::uint32_t, 1U> kEndWords{kEnd};
inline constexpr pianola::port::Range kKitMemory{kDramBase + 4096U, 16384U};
inline constexpr std::array<pianola::port::Range, 2U> kWatched{
    {{kDramBase, 4096U}, {kDramBase + 20480U, kDramBytes - kTraceRegionBytes - 20480U}}};

}  // namespace npu
