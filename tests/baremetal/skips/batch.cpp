#include "tests/baremetal/skips/batch.h"

#include <cstring>

#include "hal/arch/arm_m/instructions.h"
#include "hal/arch/arm_m/system_control.h"
#include "hal/arch/mmio.h"
#include "runtime/core/span.h"
#include "tests/baremetal/skips/ends.h"

extern "C" {
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): DEV-032
extern std::uint8_t __text_start[];    // NOLINT(bugprone-reserved-identifier, readability-identifier-naming, modernize-avoid-c-arrays): DEV-032
extern std::uint8_t __rodata_end[];    // NOLINT(bugprone-reserved-identifier, readability-identifier-naming, modernize-avoid-c-arrays): DEV-032
extern std::uint8_t __data_start[];    // NOLINT(bugprone-reserved-identifier, readability-identifier-naming, modernize-avoid-c-arrays): DEV-032
extern std::uint8_t __shared_end[];    // NOLINT(bugprone-reserved-identifier, readability-identifier-naming, modernize-avoid-c-arrays): DEV-032
extern std::uint8_t __stack_ecu_start[];  // NOLINT(bugprone-reserved-identifier, readability-identifier-naming, modernize-avoid-c-arrays): DEV-032
extern const std::array<std::uint32_t, 16U> pianola_skip_vectors;
extern pianola::baremetal::Order pianola_skip_order;
extern std::array<const void*, 8U> pianola_skip_device_words;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables): DEV-032

struct PianolaSkipFrame {
    std::array<std::uint32_t, 6U> registers;
    std::uint32_t pc;
    std::uint32_t xpsr;
};
bool pianola_skip_inject(PianolaSkipFrame* frame) noexcept;
}

namespace pianola::baremetal {
namespace {

constexpr std::uint32_t kUndefined = 0xDE00U;          // UDF #0
constexpr std::uint32_t kCfsrUndefined = 1U << 16U;    // UNDEFINSTR
constexpr std::uint32_t kCfsrNotPushed = (1U << 4U) | (1U << 12U);
constexpr std::uintptr_t kHfsr = 0xE000'ED2CU;
constexpr std::uintptr_t kVtor = 0xE000'ED08U;
constexpr std::uint32_t kStackInUse = 256U;  // by run_one() and what it calls itself
constexpr std::uint8_t kPaint = 0xA5U;       // of start-up code

Batch& batch() noexcept {
    return *in_load_area<Batch>(kBatchOffset);
}
Trial& trial(std::uint32_t index) noexcept {
    return *in_load_area<Trial>(kTrialsOffset + (index * static_cast<std::uint32_t>(sizeof(Trial))));
}

std::uint32_t halfword(std::uint32_t address) noexcept {
    const std::uint32_t word = mmio::read(address & ~3U);
    return ((address & 2U) != 0U) ? (word >> 16U) : (word & 0xFFFFU);
}
void set_halfword(std::uint32_t address, std::uint32_t value) noexcept {
    const std::uint32_t word = mmio::read(address & ~3U);
    mmio::write(address & ~3U, ((address & 2U) != 0U) ? ((word & 0xFFFFU) | (value << 16U))
                                                      : ((word & 0xFFFF'0000U) | value));
    arm_m::data_synchronization_barrier();
    arm_m::instruction_synchronization_barrier();
}

// Bits of xPSR behind one more instruction of an IT block: ITAdvance() of the Armv7-M Architecture Reference Manual.
std::uint32_t advanced(std::uint32_t xpsr) noexcept {
    const std::uint32_t state = ((xpsr >> 8U) & 0xFCU) | ((xpsr >> 25U) & 0x03U);
    const std::uint32_t next = ((state & 7U) == 0U) ? 0U : ((state & 0xE0U) | ((state << 1U) & 0x1FU));
    return (xpsr & ~0x0600'FC00U) | ((next & 0xFCU) << 8U) | ((next & 3U) << 25U);
}

struct Memory {
    MutableByteSpan data;
    MutableByteSpan data_copy;
    MutableByteSpan text;
    MutableByteSpan text_copy;
};
Memory memory() noexcept {
    const auto data_bytes = static_cast<std::size_t>(__shared_end - __data_start);
    const auto text_bytes = static_cast<std::size_t>(__rodata_end - __text_start);
    return {{__data_start, data_bytes},
            {in_load_area<std::uint8_t>(kDataCopyOffset), data_bytes},
            {__text_start, text_bytes},
            {in_load_area<std::uint8_t>(kTextCopyOffset), text_bytes}};
}

// True where the batch may go on.
[[gnu::noinline]] bool run_one(std::uint32_t index) noexcept {
    const Memory all = memory();
    Batch& state = batch();
    const Trial& now = trial(index);
    std::memcpy(all.data.data(), all.data_copy.data(), all.data.size());
    std::uint8_t* const top = static_cast<std::uint8_t*>(__builtin_frame_address(0)) - kStackInUse;
    std::memset(__stack_ecu_start, kPaint, static_cast<std::size_t>(top - __stack_ecu_start));
    evidence() = Evidence{};
    state.is_injected = 0U;
    state.original = halfword(now.address);
    set_halfword(now.address, kUndefined);
    start_watchdog(pianola_skip_order.watchdog_ticks);
    pianola_skip_isolate();
    if (state.is_injected == 0U) {
        set_halfword(now.address, state.original);
    }
    TrialResult& result = *in_load_area<TrialResult>(kResultsOffset + (index * static_cast<std::uint32_t>(sizeof(TrialResult))));
    result.injected = state.is_injected;
    result.device_words = 0U;
    for (const void* const word : pianola_skip_device_words) {
        std::uint32_t value = 0U;
        std::memcpy(&value, word, sizeof(value));
        result.device_words |= value;
    }
    result.evidence = evidence();
    const bool is_quiet = (result.device_words | result.evidence.regions | result.evidence.doorbells |
                           result.evidence.output_bytes) == 0U;
    return is_quiet && (std::memcmp(all.text.data(), all.text_copy.data(), all.text.size()) == 0);
}

}  // namespace

void run_batch() noexcept {
    const Memory all = memory();
    std::memcpy(all.data_copy.data(), all.data.data(), all.data.size());
    std::memcpy(all.text_copy.data(), all.text.data(), all.text.size());
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-034
    mmio::write(kVtor, reinterpret_cast<std::uintptr_t>(&pianola_skip_vectors));
    arm_m::data_synchronization_barrier();
    while ((batch().next < batch().count) && (batch().is_running == 0U) && (batch().is_stopped == 0U)) {
        const std::uint32_t index = batch().next;
        batch().next = index + 1U;
        batch().is_running = 1U;
        batch().is_stopped = run_one(index) ? 0U : 1U;
        batch().is_running = 0U;
    }
}

}  // namespace pianola::baremetal

// True where the fault is the one that was planted: the core goes on behind what it skips.
extern "C" bool pianola_skip_inject(PianolaSkipFrame* frame) noexcept {
    namespace baremetal = pianola::baremetal;
    baremetal::Batch& state = baremetal::batch();
    const std::uint32_t cause = pianola::mmio::read(pianola::arm_m::kCfsr);
    if (((cause & baremetal::kCfsrUndefined) == 0U) || ((cause & baremetal::kCfsrNotPushed) != 0U) ||
        (state.is_running == 0U) || (state.is_injected != 0U)) {
        return false;
    }
    const baremetal::Trial& now = baremetal::trial(state.next - 1U);
    if (frame->pc != now.address) {
        return false;
    }
    baremetal::set_halfword(now.address, state.original);
    state.is_injected = 1U;
    for (std::uint32_t i = 0U; i < now.width; ++i) {
        constexpr std::uint32_t kFirstWidePrefix = 0b11101U;
        frame->xpsr = baremetal::advanced(frame->xpsr);
        frame->pc += ((baremetal::halfword(frame->pc) >> 11U) >= kFirstWidePrefix) ? 4U : 2U;
    }
    pianola::mmio::write(pianola::arm_m::kCfsr, baremetal::kCfsrUndefined);  // writing ones clears
    pianola::mmio::write(baremetal::kHfsr, 1U << 30U);
    return true;
}
