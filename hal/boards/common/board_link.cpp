#include "hal/boards/common/board_link.h"

#include "hal/boards/common/board.h"

namespace pianola::board {

std::uint8_t* BoardLink::memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept {
    // Wraps to a large offset below the base, which is in no memory.
    const MutableByteSpan in_dram = device_dram().subspan(address - spec_.dram_base, size_bytes);
    const MutableByteSpan in_l1 = device_l1().subspan(address - spec_.l1_base, size_bytes);
    return (in_dram.data() != nullptr) ? in_dram.data() : in_l1.data();
}

void BoardLink::signal(std::uint32_t queue) noexcept {
    if (device_cores() != 0U) {
        signal_device(queue);
    }
}

// At most one command of each queue: a cyclic task advances the device kernel by kernel.
Status BoardLink::service() noexcept {
    if (device_cores() == 0U) {
        static_cast<void>(own_device_.step());
    }
    return Status::kOk;
}

void BoardLinkBase::relax() noexcept {
    if (device_cores() != 0U) {
        wait_for_signal();
    }
}

std::uint64_t BoardLinkBase::now_us() noexcept {
    return board::now_us();
}

void BoardLinkBase::clean(ByteSpan memory) noexcept {
    clean_cache(memory);
}

void BoardLinkBase::invalidate(MutableByteSpan memory) noexcept {
    invalidate_cache(memory);
}

}  // namespace pianola::board
