#include "tests/baremetal/board_tests/painted_stack.h"

#include <algorithm>

#include "hal/arch/mmio.h"

// NOLINTNEXTLINE(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032
extern "C" std::uint8_t __stack_ecu_start;

namespace pianola::baremetal {
namespace {

constexpr std::uint32_t kPaint = 0xA5A5'A5A5U;
// Above the stack pointer's place as measured_at() sees it, which is a few words off; never painted.
constexpr std::uintptr_t kMarginBytes = 32U;

[[gnu::noinline]] std::uintptr_t measured_at() noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-034
    return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

}  // namespace

[[gnu::noinline]] Status call_on_paint(Status (*call)() noexcept, std::uint32_t& used) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-034
    const auto bottom = reinterpret_cast<std::uintptr_t>(&__stack_ecu_start);
    const std::uintptr_t top = measured_at() & ~std::uintptr_t{3U};
    for (std::uintptr_t address = bottom; address < (top - kMarginBytes); address += sizeof(kPaint)) {
        mmio::write(address, kPaint);
    }
    const Status status = call();
    std::uintptr_t lowest = bottom;
    while ((lowest < (top - kMarginBytes)) && (mmio::read(lowest) == kPaint)) {
        lowest += sizeof(kPaint);
    }
    used = std::max(used, static_cast<std::uint32_t>(top - lowest));
    return status;
}

}  // namespace pianola::baremetal
