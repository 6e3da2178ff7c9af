#include "tests/baremetal/board_tests/violations.h"

#include <atomic>

#include "hal/arch/protection.h"

namespace pianola::baremetal {
namespace {

struct Expectation {
    bool armed{false};
    Refusal refusal;
};
// A handler is called by nobody who could hand it an object.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): DEV-033
Expectation g_expectation;

void arm() noexcept {
    g_expectation.refusal = Refusal{};
    g_expectation.armed = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);  // for the handler, which is this core
}

Refusal disarm() noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    g_expectation.armed = false;
    return g_expectation.refusal;
}

volatile std::uint8_t* byte_at(std::uintptr_t address) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast, performance-no-int-to-ptr): DEV-030
    return reinterpret_cast<volatile std::uint8_t*>(address);
}

}  // namespace

Refusal try_to_read(std::uintptr_t address) noexcept {
    arm();
    static_cast<void>(*byte_at(address));
    return disarm();
}

Refusal try_to_write(std::uintptr_t address, std::uint8_t value) noexcept {
    arm();
    *byte_at(address) = value;
    return disarm();
}

}  // namespace pianola::baremetal

extern "C" bool pianola_on_violation(std::uintptr_t address, std::uintptr_t /*instruction*/) noexcept {
    using pianola::baremetal::g_expectation;
    const bool expected = g_expectation.armed && !g_expectation.refusal.refused;
    g_expectation.refusal = {true, address};
    return expected;
}
