// DeviceSpec: the sizes in which reference devices may differ.
//
// A board or simulator is built from one; capture is made for one. docs/reference/device.md gives the memory map.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/costs/virtual.h"
#include "pianola/config.h"
#include "pianola/device.h"

namespace pianola::refdev {

inline constexpr std::uint32_t kRingWords = 512U;  // of each queue; a power of two
inline constexpr std::uint32_t kRingMask = kRingWords - 1U;
// Every command has two words or more.
inline constexpr std::uint32_t kRingCommands = kRingWords / 2U;

// Numbers of records that a device keeps for others, each a power of two. They change neither results nor order. The
// smallest profile keeps fewer, to save RAM of the ECU.
struct KeptHistory {
    std::uint32_t records;      // of each event, with their times
    std::uint32_t doorbells;    // of each queue, with their times
    std::uint32_t log_entries;  // of each queue
};
[[nodiscard]] constexpr KeptHistory kept_history(const Capacities& capacities) noexcept {
    // Device time is exact as long as no queue is further behind than this. Otherwise it is the time of a later record
    // or doorbell, and the command counts as started later than it was.
    constexpr KeptHistory kSmall{8U, 32U, 64U};
    // Exact: no session has more records under way than scripts have commands, in all its steps, or a ring has room
    // for: each record has its wait in the same scripts. And no two commands in a ring share a doorbell's slot.
    const std::uint32_t records = capacities.steps_in_flight * (capacities.script_commands / 2U);
    const KeptHistory all{(records < kRingCommands) ? records : kRingCommands, kRingCommands, 256U};
    return (capacities.number == profiles::kSmallEcu.number) ? kSmall : all;
}

inline constexpr std::uint32_t kMaxGridEdge = 8U;  // columns, and rows
static_assert((kMaxGridEdge * kMaxGridEdge) <= kMaxCores);
inline constexpr std::uint32_t kMaxDramBanks = 8U;
// Consecutive granules of DRAM lie in consecutive banks.
inline constexpr std::uint32_t kBankGranuleBytes = 1024U;

struct DeviceSpec {
    std::uint32_t dram_base{0x8000'0000U};
    std::uint32_t dram_bytes{4U * 1024U * 1024U};
    std::uint32_t l1_base{0x1000'0000U};
    std::uint32_t l1_bytes{256U * 1024U};
    std::uint32_t file_base{0U};                    // DeviceDescription::file_base
    std::uint32_t file_bytes{0U};                   // 0: weights are copied to DRAM
    std::uint32_t trace_region_bytes{64U * 1024U};  // the last bytes of DRAM; a multiple of 64
    std::uint32_t clock_khz{500'000U};
    std::uint32_t core_khz{0U};  // these two: of a core that gives clock_khz; else 0
    std::uint32_t millicycles_per_instruction{0U};
    std::uint32_t queue_count{2U};
    std::uint32_t grid_columns{2U};  // compute cores: 1 to 8 each way
    std::uint32_t grid_rows{2U};
    std::uint32_t dram_banks{4U};                      // 1 to 8
    const CostModel* cost_model{&kVirtualCosts};       // static lifetime
    const Capacities* capacities{&kDeviceCapacities};  // of its runtime; static lifetime
};

[[nodiscard]] constexpr std::uint32_t core_count(const DeviceSpec& spec) noexcept {
    return spec.grid_columns * spec.grid_rows;
}
// L1 consists of the cores' consecutive L1s, row by row; every core reaches all of it. Size of one core's share in
// bytes, and the start of the share of core y * grid_columns + x.
[[nodiscard]] constexpr std::uint32_t core_l1_bytes(const DeviceSpec& spec) noexcept {
    return spec.l1_bytes / core_count(spec);
}
[[nodiscard]] constexpr std::uint32_t core_l1_base(const DeviceSpec& spec, std::uint32_t core) noexcept {
    return spec.l1_base + (core * core_l1_bytes(spec));
}
// The bank of a DRAM address.
[[nodiscard]] constexpr std::uint32_t bank_of(const DeviceSpec& spec, std::uint32_t address) noexcept {
    return ((address - spec.dram_base) / kBankGranuleBytes) % spec.dram_banks;
}

// The description of a device of this spec.
void describe(const DeviceSpec& spec, DeviceDescription& description) noexcept;

}  // namespace pianola::refdev
