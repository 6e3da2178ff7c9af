// Costs of the virtual device's commands, as docs/reference/device.md states them.
#pragma once

#include <cstdint>

namespace pianola::refdev {

inline constexpr std::uint32_t kCommandCycles = 16U;

[[nodiscard]] constexpr std::uint64_t transfer_cycles(std::uint64_t size_bytes) noexcept {
    constexpr std::uint64_t kSetupCycles = 64U;
    constexpr std::uint64_t kBytesPerCycle = 8U;
    return kCommandCycles + kSetupCycles + ((size_bytes + kBytesPerCycle - 1U) / kBytesPerCycle);
}

}  // namespace pianola::refdev
