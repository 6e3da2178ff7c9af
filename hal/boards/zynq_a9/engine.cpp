#include "hal/boards/zynq_a9/engine.h"

#include "hal/arch/mmio.h"
#include "hal/boards/common/board.h"

namespace pianola::board {
namespace {

constexpr std::uintptr_t kRegisters = 0xF800'3000U;  // the secure port

}  // namespace

std::uint32_t ZynqLink::read(std::uint32_t offset) noexcept {
    return mmio::read(kRegisters + offset);
}

void ZynqLink::write(std::uint32_t offset, std::uint32_t value) noexcept {
    mmio::write(kRegisters + offset, value);
}

std::uint8_t* ZynqLink::memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept {
    // Wraps to a large offset below the base, which is in no memory.
    const MutableByteSpan in_dram = device_dram().subspan(address - kEngineSpec.dram_base, size_bytes);
    const MutableByteSpan in_l1 = device_l1().subspan(address - kEngineSpec.l1_base, size_bytes);
    return (in_dram.data() != nullptr) ? in_dram.data() : in_l1.data();
}

// The core's table maps every address to itself.
std::uint32_t ZynqLink::bus_address(const std::uint8_t* memory) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-030
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(memory));
}

void ZynqLink::clean(ByteSpan memory) noexcept {
    clean_cache(memory);
}

void ZynqLink::invalidate(MutableByteSpan memory) noexcept {
    invalidate_cache(memory);
}

std::uint64_t ZynqLink::now_us() noexcept {
    return board::now_us();
}

}  // namespace pianola::board
