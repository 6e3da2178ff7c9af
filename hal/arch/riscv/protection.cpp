// Memory protection by RISC-V PMP: any range of whole granules, two of the unit's sixteen entries each.
//
// PMP is meant to confine less privileged code; M mode is subject to locked entries only, and those stay until reset.
// So that windows can change while the core runs, entries stay unlocked, and mstatus.MPRV with MPP = U makes the core's
// loads and stores count as U mode's, which can access only what an entry permits. A trap sets MPP to M, which lifts
// protection for its handler, and mret sets it to U again, which restores protection, so trap.S and trap.cpp need no
// code for it.
//
// Instruction fetches are not covered: MPRV affects loads and stores only, so a jump to any address is executed.
// Access::kReadExecute is read-only here, and kReadWrite does not forbid execution. An application that needs this runs
// in U mode.
#include "hal/arch/protection.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "hal/arch/riscv/instructions.h"
#include "hal/arch/window_check.h"

namespace pianola::protection {
namespace {

constexpr std::size_t kEntries = 16U;
constexpr std::size_t kEntriesPerConfiguration = 4U;  // one byte each in a pmpcfg register
constexpr std::uint32_t kWindows = kEntries / 2U;

constexpr std::uint32_t kPmpcfg0 = 0x3A0U;
constexpr std::uint32_t kPmpaddr0 = 0x3B0U;

// An entry's byte.
constexpr std::uint32_t kRead = 1U << 0U;
constexpr std::uint32_t kWrite = 1U << 1U;
constexpr std::uint32_t kExecute = 1U << 2U;
constexpr std::uint32_t kUpToHere = 1U << 3U;  // from the previous entry's address up to its own, exclusive

// Values of the registers. An address register holds an address divided by 4.
struct Entries {
    std::array<std::uint32_t, kEntries> address{};
    std::array<std::uint32_t, kEntries / kEntriesPerConfiguration> configuration{};
};

std::uint32_t permissions_of(Access access) noexcept {
    switch (access) {
        case Access::kReadOnly:
            return kRead;
        case Access::kReadWrite:
        case Access::kReadWriteShared:  // the machine's memory map determines caching and ordering
        case Access::kPeripheral:
            return kRead | kWrite;
        case Access::kReadExecute:
            return kRead | kExecute;
        case Access::kNone:
        default:
            return 0U;
    }
}

// The lower entry of a window only holds its base. Halves are added, because the end of the last window may be 2^32.
Entries entries_for(Span<const Window> windows) noexcept {
    Entries entries;
    for (std::size_t index = 0U; index < windows.size(); ++index) {
        const Window& window = windows[index];
        const std::size_t upper = (2U * index) + 1U;
        entries.address[upper - 1U] = window.base >> 2U;
        entries.address[upper] = (window.base >> 2U) + (window.size_bytes >> 2U);
        const std::uint32_t shift = static_cast<std::uint32_t>(upper % kEntriesPerConfiguration) * 8U;
        entries.configuration[upper / kEntriesPerConfiguration] |= (kUpToHere | permissions_of(window.access)) << shift;
    }
    return entries;
}

// The number of a control register is part of an instruction, so these are lists and not loops.
template <std::size_t... kIndices>
void write_addresses(const Entries& entries, std::index_sequence<kIndices...> /*indices*/) noexcept {
    (riscv::Csr<kPmpaddr0 + kIndices>::write(entries.address[kIndices]), ...);  // NOLINT(pianola-misra-8.19.1): DEV-068
}
template <std::size_t... kIndices>
void write_configurations(const Entries& entries, std::index_sequence<kIndices...> /*indices*/) noexcept {
    // NOLINTNEXTLINE(pianola-misra-8.19.1): DEV-068
    (riscv::Csr<kPmpcfg0 + kIndices>::write(entries.configuration[kIndices]), ...);
}

}  // namespace

std::uint32_t capacity() noexcept {
    return kWindows;
}

bool is_supported(const Window& window) noexcept {
    return is_well_formed(window);
}

Status protect(Span<const Window> windows) noexcept {
    const Status status = check_windows(windows);
    if (!is_ok(status)) {
        return status;
    }
    const Entries entries = entries_for(windows);
    // Off while entries change: an address and its permissions are written separately.
    riscv::Mstatus::clear_bits(riscv::kModifyPrivilege);
    write_addresses(entries, std::make_index_sequence<kEntries>{});
    write_configurations(entries, std::make_index_sequence<kEntries / kEntriesPerConfiguration>{});
    riscv::Mstatus::clear_bits(riscv::kPreviousPrivilege);
    riscv::Mstatus::set_bits(riscv::kModifyPrivilege);
    return Status::kOk;
}

}  // namespace pianola::protection
