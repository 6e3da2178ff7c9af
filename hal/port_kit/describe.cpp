// What the device says it is.
#include <cstring>

#include "hal/port_kit/conformance.h"

namespace pianola::port {
namespace {

[[nodiscard]] bool is_same(const DeviceDescription& one, const DeviceDescription& other) noexcept {
    return (std::strcmp(one.family, other.family) == 0) && (one.command_set_id == other.command_set_id) &&
           (one.command_set_version == other.command_set_version) && (one.kernel_library == other.kernel_library) &&
           (one.dram_base == other.dram_base) && (one.dram_bytes == other.dram_bytes) &&
           (one.l1_base == other.l1_base) && (one.l1_bytes == other.l1_bytes) && (one.file_base == other.file_base) &&
           (one.file_bytes == other.file_bytes) && (one.trace_region_bytes == other.trace_region_bytes) &&
           (one.clock_khz == other.clock_khz) && (one.queue_count == other.queue_count) &&
           (one.ring_words == other.ring_words) && (one.grid_columns == other.grid_columns) &&
           (one.grid_rows == other.grid_rows) && (one.dram_banks == other.dram_banks) &&
           (one.attestation == other.attestation) && (one.costs == other.costs) &&
           (one.cost_model == other.cost_model) && (one.core_khz == other.core_khz) &&
           (one.millicycles_per_instruction == other.millicycles_per_instruction) &&
           (one.weights_layout == other.weights_layout) && (one.capacities == other.capacities);
}

void expect_described_again(Kit& kit, const char* what) noexcept {
    DeviceDescription again;  // filled with other numbers: every field is set
    again.command_set_version = UINT32_MAX;
    again.l1_base = UINT32_MAX;
    again.l1_bytes = UINT32_MAX;
    again.file_base = UINT32_MAX;
    again.file_bytes = UINT32_MAX;
    again.ring_words = UINT32_MAX;
    again.cost_model = UINT32_MAX;
    again.dram_banks = UINT32_MAX;
    again.kernel_library.fill(UINT8_MAX);
    static_cast<void>(kit.expect_ok(kit.device().describe(again), "describe() is not kOk") &&
                      kit.expect(is_same(again, kit.description()), what));
}

void describes_the_same(Kit& kit) noexcept {
    constexpr std::uint32_t kTimes = 256U;  // for a driver that errs now and then
    for (std::uint32_t i = 0U; i < kTimes; ++i) {
        expect_described_again(kit, "describe() has changed, or leaves a member as it finds it");
    }
    if (kit.start()) {
        expect_described_again(kit, "describe() has changed by a reset");
        static_cast<void>(kit.expect_completes(0U, "a notification does not complete"));
        expect_described_again(kit, "describe() has changed by work");
    }
}

[[nodiscard]] bool is_name(const char* name) noexcept {
    if (name == nullptr) {
        return false;
    }
    std::uint32_t length = 0U;
    for (; (length <= kMaxNameBytes) && (name[length] != '\0'); ++length) {
        if ((name[length] <= ' ') || (name[length] > '~')) {
            return false;
        }
    }
    return (length != 0U) && (length <= kMaxNameBytes);
}

[[nodiscard]] bool overlap(std::uint32_t base, std::uint32_t bytes, std::uint32_t other, std::uint32_t other_bytes) {
    return (base < other) ? ((other - base) < bytes) : ((base - other) < other_bytes);
}

void describes_a_machine(Kit& kit) noexcept {
    const DeviceDescription& device = kit.description();
    static_cast<void>(kit.expect(is_name(device.family), "the family has no printable name"));
    static_cast<void>(kit.expect(device.capacities != nullptr, "there are no capacities"));
    static_cast<void>(kit.expect((device.capacities != nullptr) && (device.capacities->intervals <= kMaxIntervals),
                                 "the capacities are more than the runtime was built with"));
    static_cast<void>(kit.expect(device.clock_khz != 0U, "the clock has no frequency"));
    static_cast<void>(kit.expect(device.queue_count != 0U, "there is no queue"));
    static_cast<void>(kit.expect((device.grid_columns != 0U) && (device.grid_rows != 0U) &&
                                     (device.grid_columns <= kMaxCores) &&
                                     (device.grid_rows <= (kMaxCores / device.grid_columns)),
                                 "the grid has no cores, or too many"));
    static_cast<void>(kit.expect(device.dram_banks != 0U, "DRAM has no banks"));
    static_cast<void>(kit.expect((device.dram_bytes <= (UINT32_MAX - device.dram_base)) &&
                                     (device.l1_bytes <= (UINT32_MAX - device.l1_base)) &&
                                     (device.file_bytes <= (UINT32_MAX - device.file_base)),
                                 "a memory wraps around the address space"));
    static_cast<void>(kit.expect((device.dram_bytes == 0U) || (device.l1_bytes == 0U) ||
                                     !overlap(device.dram_base, device.dram_bytes, device.l1_base, device.l1_bytes),
                                 "the memories overlap"));
    static_cast<void>(
        kit.expect((device.file_bytes == 0U) ||
                       (!overlap(device.dram_base, device.dram_bytes, device.file_base, device.file_bytes) &&
                        !overlap(device.l1_base, device.l1_bytes, device.file_base, device.file_bytes)),
                   "the file window overlaps a memory"));
    static_cast<void>(kit.expect(
        (device.trace_region_bytes <= device.dram_bytes) && (device.trace_region_bytes >= kTraceBytes),
        "the trace region is not in DRAM, or too small for the kit", device.trace_region_bytes, kTraceBytes));
    static_cast<void>(kit.expect_equal(kit.trace_base() % kFileAlignmentBytes, 0U, "the trace region is not aligned"));
    static_cast<void>(
        kit.expect((device.attestation != Attestation::kUnspecified) && (device.attestation <= Attestation::kDigest),
                   "the device does not say what it attests"));
    static_cast<void>(kit.expect((device.costs != CostKind::kUnspecified) && (device.costs <= CostKind::kNotPublished),
                                 "the device does not say what its costs are"));
    static_cast<void>(kit.expect(device.cost_model != 0U, "the device does not say whose costs it has"));
    const std::uint64_t core = std::uint64_t{device.core_khz} * 1000U;
    const std::uint32_t millicycles = device.millicycles_per_instruction;
    static_cast<void>(kit.expect(((device.core_khz == 0U) && (millicycles == 0U)) ||
                                     ((millicycles != 0U) && ((core / millicycles) == device.clock_khz)),
                                 "core_khz and millicycles_per_instruction do not give clock_khz", device.clock_khz));
    static_cast<void>(kit.expect(device.weights_layout != 0U, "the device does not say how weights lie in memory"));
    // All of one step's commands and the notification have to fit.
    static_cast<void>(
        kit.expect(device.ring_words >= (kit.command_set().queue_words(transfer(QueueCommandKind::kWrite, 0U, 1U, 0U)) +
                                         kit.command_set().queue_words(notify_command(1U))),
                   "a ring does not hold a transfer and a notification", device.ring_words));
}

void is_what_the_kit_needs(Kit& kit) noexcept {
    const Range memory = kit.port().memory;
    const DeviceDescription& device = kit.description();
    const bool in_dram = ((memory.base - device.dram_base) < device.dram_bytes) &&
                         (memory.size_bytes <= (kit.trace_base() - memory.base));
    const bool in_l1 = ((memory.base - device.l1_base) < device.l1_bytes) &&
                       (memory.size_bytes <= (device.l1_bytes - (memory.base - device.l1_base)));
    static_cast<void>(kit.expect((memory.size_bytes >= kMemoryBytes) && ((memory.base % kFileAlignmentBytes) == 0U),
                                 "the kit's memory is too small, or not aligned", memory.size_bytes, kMemoryBytes));
    static_cast<void>(kit.expect(in_dram || in_l1, "the kit's memory is not the device's", memory.base));
    static_cast<void>(
        kit.expect((kit.port().region_granule != 0U) && (kit.port().polls != 0U) && (kit.port().quiet_polls != 0U),
                   "a number of the port that must not be 0 is"));
    bool writes = false;
    for (std::uint32_t i = 0U; kit.sample(i, kit.base(), kit.trace()); ++i) {
        for (std::uint32_t e = 0U; e < kit.trace().extent_count; ++e) {
            const Extent& extent = kit.trace().extents[e];
            writes = writes || (extent.access == Access::kWrite);
            const std::uint32_t offset = extent.address - kit.base();
            static_cast<void>(kit.expect((offset < kSampleBytes) && (hull_bytes(extent) <= (kSampleBytes - offset)),
                                         "a sample touches memory outside of its window", extent.address, kit.base()));
        }
    }
    static_cast<void>(kit.expect(writes, "no sample writes"));
}

constexpr std::array<Check, 3U> kChecks{{
    {"PORT-DESCRIBE-SAME", "describe() says the same before and after resets and work", nullptr, describes_the_same},
    {"PORT-DESCRIBE-SANE", "the description is of a machine that the runtime can judge for", nullptr,
     describes_a_machine},
    {"PORT-FACTS", "samples and memory are what the kit needs", nullptr, is_what_the_kit_needs},
}};

}  // namespace

Span<const Check> describe_checks() noexcept {
    return kChecks;
}

}  // namespace pianola::port
