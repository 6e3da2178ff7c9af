#include "hal/arch/arm_m/data_cache.h"

#include <cstddef>
#include <cstdint>

#include "hal/arch/arm_m/instructions.h"
#include "hal/arch/arm_m/system_control.h"
#include "hal/arch/mmio.h"

namespace pianola::arm_m {
namespace {

constexpr std::size_t kLineBytes = 32U;  // Cortex-M7 and Cortex-M55

// Writes the address of every line of `memory` to `operation`. Regions of the runtime begin at multiples of 64 bytes,
// so rounding outwards to whole lines touches only padding.
void maintain(std::uintptr_t operation, ByteSpan memory) noexcept {
    if (((mmio::read(kCcr) & kCcrDataCacheEnabled) == 0U) || memory.empty()) {
        return;
    }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-030
    const auto start = reinterpret_cast<std::uintptr_t>(memory.data());
    const std::uintptr_t first_line = start & ~(kLineBytes - 1U);
    const std::size_t size_bytes = memory.size() + (start - first_line);
    data_synchronization_barrier();  // earlier stores have reached the cache
    for (std::size_t offset = 0U; offset < size_bytes; offset += kLineBytes) {
        mmio::write(operation, first_line + offset);
    }
    data_synchronization_barrier();  // the operation has ended before a later doorbell or load
}

}  // namespace

void clean_data_cache(ByteSpan memory) noexcept {
    maintain(kDccmvac, memory);
}

void clean_and_invalidate_data_cache(MutableByteSpan memory) noexcept {
    maintain(kDccimvac, memory);
}

}  // namespace pianola::arm_m
