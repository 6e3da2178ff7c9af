// The memory that every board's linker script sets aside, under symbols that are the same on all boards.
#include <cstddef>
#include <cstdint>

#include "hal/boards/common/board.h"
#include "pianola/span.h"

// The linker gives these symbols their addresses; the memory has no other contents.
// NOLINTBEGIN(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032
extern "C" std::uint8_t __device_dram_start;
extern "C" std::uint8_t __device_dram_end;
extern "C" std::uint8_t __device_l1_start;
extern "C" std::uint8_t __device_l1_end;
extern "C" std::uint8_t __load_area_start;
extern "C" std::uint8_t __load_area_end;
// NOLINTEND(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032

namespace pianola::board {
namespace {

// In C++ two symbols are two objects whose distance is undefined, so it is computed from integers.
MutableByteSpan between(std::uint8_t& start, std::uint8_t& end) noexcept {
    // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): DEV-032
    const std::size_t size_bytes = reinterpret_cast<std::uintptr_t>(&end) - reinterpret_cast<std::uintptr_t>(&start);
    // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast): DEV-032
    return MutableByteSpan{&start, size_bytes};
}

}  // namespace

MutableByteSpan device_dram() noexcept {
    return between(__device_dram_start, __device_dram_end);
}

MutableByteSpan device_l1() noexcept {
    return between(__device_l1_start, __device_l1_end);
}

MutableByteSpan load_area() noexcept {
    return between(__load_area_start, __load_area_end);
}

}  // namespace pianola::board
