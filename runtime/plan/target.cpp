#include <cstring>

#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

[[nodiscard]] bool equals(NameView name, const char* text) noexcept {
    // NOLINTNEXTLINE(pianola-misra-21.2.2): DEV-062
    return (name.size() == std::strlen(text)) && (std::memcmp(name.data(), text, name.size()) == 0);
}

// A number that the binary and the device must agree on.
struct Comparison {
    Rule rule;
    Field field;
    std::uint32_t TargetView::* binary;
    std::uint32_t DeviceDescription::* device;
};

constexpr std::array<Comparison, 2> kCommandSet{{
    {Rule::kTgtCommandSet, Field::kCommandSetId, &TargetView::command_set_id, &DeviceDescription::command_set_id},
    {Rule::kTgtCommandSet, Field::kCommandSetVersion, &TargetView::command_set_version,
     &DeviceDescription::command_set_version},
}};
constexpr std::array<Comparison, 17> kMachine{{
    {Rule::kTgtMemory, Field::kDramBase, &TargetView::dram_base, &DeviceDescription::dram_base},
    {Rule::kTgtMemory, Field::kDramBytes, &TargetView::dram_bytes, &DeviceDescription::dram_bytes},
    {Rule::kTgtMemory, Field::kL1Base, &TargetView::l1_base, &DeviceDescription::l1_base},
    {Rule::kTgtMemory, Field::kL1Bytes, &TargetView::l1_bytes, &DeviceDescription::l1_bytes},
    {Rule::kTgtMemory, Field::kFileBase, &TargetView::file_base, &DeviceDescription::file_base},
    {Rule::kTgtMemory, Field::kFileBytes, &TargetView::file_bytes, &DeviceDescription::file_bytes},
    {Rule::kTgtTraceRegion, Field::kTraceRegionBytes, &TargetView::trace_region_bytes,
     &DeviceDescription::trace_region_bytes},
    {Rule::kTgtClock, Field::kClockKhz, &TargetView::clock_khz, &DeviceDescription::clock_khz},
    {Rule::kTgtClock, Field::kCoreKhz, &TargetView::core_khz, &DeviceDescription::core_khz},
    {Rule::kTgtClock, Field::kMillicyclesPerInstruction, &TargetView::millicycles_per_instruction,
     &DeviceDescription::millicycles_per_instruction},
    {Rule::kTgtQueues, Field::kQueueCount, &TargetView::queue_count, &DeviceDescription::queue_count},
    {Rule::kTgtQueues, Field::kRingWords, &TargetView::ring_words, &DeviceDescription::ring_words},
    {Rule::kTgtGrid, Field::kGridColumns, &TargetView::grid_columns, &DeviceDescription::grid_columns},
    {Rule::kTgtGrid, Field::kGridRows, &TargetView::grid_rows, &DeviceDescription::grid_rows},
    {Rule::kTgtGrid, Field::kDramBanks, &TargetView::dram_banks, &DeviceDescription::dram_banks},
    {Rule::kTgtCosts, Field::kCostModel, &TargetView::cost_model, &DeviceDescription::cost_model},
    {Rule::kTgtWeightsLayout, Field::kWeightsLayout, &TargetView::weights_layout, &DeviceDescription::weights_layout},
}};
// If a session has set the shape that it drives.
constexpr std::array<Comparison, 2> kMesh{{
    {Rule::kTgtMesh, Field::kMeshRows, &TargetView::mesh_rows, &DeviceDescription::mesh_rows},
    {Rule::kTgtMesh, Field::kMeshColumns, &TargetView::mesh_columns, &DeviceDescription::mesh_columns},
}};

bool compare(Context& context, const TargetView& target, Span<const Comparison> comparisons) noexcept {
    for (const Comparison& comparison : comparisons) {
        const std::uint32_t binary = target.*comparison.binary;
        const std::uint32_t device = context.device.*comparison.device;
        if (binary != device) {
            return refuse_at(context, comparison.rule, comparison.field, binary, device);
        }
    }
    return true;
}

bool check_kinds(Context& context, const TargetView& target) noexcept {
    const DeviceDescription& device = context.device;
    const auto refuse_kind = [&context](Rule rule, Field field, auto binary, auto other) noexcept {
        return refuse_at(context, rule, field, static_cast<std::uint32_t>(binary), static_cast<std::uint32_t>(other));
    };
    if (target.attestation != device.attestation) {
        return refuse_kind(Rule::kTgtAttestation, Field::kAttestation, target.attestation, device.attestation);
    }
    if (target.costs != device.costs) {
        return refuse_kind(Rule::kTgtCosts, Field::kCosts, target.costs, device.costs);
    }
    if (static_cast<std::uint32_t>(target.profile) > device.capacities->number) {
        return refuse_kind(Rule::kTgtProfile, Field::kProfile, target.profile, device.capacities->number);
    }
    context.plan.attestation = device.attestation;
    context.plan.costs = device.costs;
    return true;
}

// A core's clock and its cycles for an instruction give the device's clock.
bool check_clock(Context& context) noexcept {
    constexpr std::uint32_t kPerMilli = 1000U;
    const DeviceDescription& device = context.device;
    const std::uint32_t millicycles = device.millicycles_per_instruction;
    const std::uint64_t core = std::uint64_t{device.core_khz} * kPerMilli;
    const std::uint64_t clock = std::uint64_t{device.clock_khz} * millicycles;
    // Without a division, which is slow on a 32-bit core. Both are 0, or clock is the multiple that is nearest below.
    return (((device.core_khz | millicycles) == 0U) || ((clock <= core) && ((core - clock) < millicycles)))
               ? true
               : refuse_at(context, Rule::kTgtClock, Field::kCoreKhz, device.core_khz, device.clock_khz);
}

// A number of a kernel that the binary and the command set must agree on.
struct KernelComparison {
    Field field;
    std::uint32_t KernelIdentity::* member;
};
constexpr std::array<KernelComparison, 3> kKernelNumbers{{
    {Field::kVersion, &KernelIdentity::version},
    {Field::kArgumentWords, &KernelIdentity::argument_words},
    {Field::kCostVersion, &KernelIdentity::cost_version},
}};

// The command set has every kernel that the binary names, and they are in ascending order.
bool check_kernels(Context& context, std::uint32_t count) noexcept {
    std::uint32_t previous = 0U;
    for (std::uint32_t i = 0U; i < count; ++i) {
        const KernelView kernel = context.image.kernel(i);
        enter_inner(context, Field::kKernels, i, kernel.file_offset);
        if (kernel.id <= previous) {
            return refuse_at(context, Rule::kTgtKernelOrder, Field::kId, kernel.id, previous);
        }
        const KernelIdentity own = context.command_set.kernel(kernel.id);
        if (own.version == 0U) {
            return refuse_at(context, Rule::kTgtKernel, Field::kId, kernel.id);
        }
        for (const KernelComparison& number : kKernelNumbers) {
            if (kernel.identity.*number.member != own.*number.member) {
                return refuse_at(context, Rule::kTgtKernel, number.field, kernel.identity.*number.member,
                                 own.*number.member);
            }
        }
        previous = kernel.id;
    }
    return true;
}

// The devices that the session drives; by default their number.
bool check_mesh(Context& context, const TargetView& target) noexcept {
    const DeviceDescription& device = context.device;
    const std::uint32_t devices = target.mesh_rows * target.mesh_columns;  // of two bytes
    if ((devices == 0U) || (devices > device.capacities->mesh_devices)) {
        return refuse_at(context, Rule::kTgtMesh, Field::kMeshRows, devices, device.capacities->mesh_devices);
    }
    if ((device.mesh_rows != 0U) && !compare(context, target, kMesh)) {
        return false;
    }
    context.plan.device_count = devices;
    context.workspace.mesh = DeviceRange{0U, 0U, static_cast<std::uint8_t>(target.mesh_rows),
                                         static_cast<std::uint8_t>(target.mesh_columns)};
    return true;
}

[[nodiscard]] bool are_equal(const DeviceDescription& one, const DeviceDescription& other,
                             Span<const Comparison> comparisons) noexcept {
    bool equal = true;
    for (const Comparison& comparison : comparisons) {
        equal = equal && (one.*comparison.device == other.*comparison.device);
    }
    return equal;
}

[[nodiscard]] bool has_sane_window(const DeviceDescription& device) noexcept {
    return (device.file_bytes == 0U) ||
           ((device.file_bytes <= (UINT32_MAX - device.file_base)) &&
            !overlap(device.file_base, device.file_bytes, device.dram_base, device.dram_bytes) &&
            !overlap(device.file_base, device.file_bytes, device.l1_base, device.l1_bytes));
}

// A device with an invalid description is refused, so that later checks can rely on it.
[[nodiscard]] bool is_sane(const DeviceDescription& device) noexcept {
    return (device.clock_khz != 0U) && (device.queue_count != 0U) && (device.queue_count <= kMaxQueues) &&
           (device.grid_columns != 0U) && (device.grid_columns <= kMaxCores) && (device.grid_rows != 0U) &&
           (device.grid_rows <= (kMaxCores / device.grid_columns)) &&
           (device.trace_region_bytes <= device.dram_bytes) && (device.dram_bytes <= (UINT32_MAX - device.dram_base)) &&
           (device.l1_bytes <= (UINT32_MAX - device.l1_base)) && has_sane_window(device) &&
           (device.weights_layout != 0U) && (device.cost_model != 0U) &&
           (device.capacities->intervals <= kMaxIntervals) &&
           (device.capacities->steps_in_flight <= kMaxStepsInFlight) &&
           (device.capacities->patch_points <= kMaxPatchPoints) &&
           (device.capacities->script_commands <= kPlannedCommands) &&
           (device.capacities->mesh_devices <= kMaxMeshDevices);
}

}  // namespace

bool check_target(Context& context) noexcept {
    const TargetView target = context.image.target();
    const DeviceDescription& device = context.device;
    enter(context, Field::kTarget, target.file_offset);
    if (!equals(target.device_family, device.family)) {
        return refuse_at(context, Rule::kTgtFamily, Field::kDeviceFamily);
    }
    if (!compare(context, target, kCommandSet)) {
        return false;
    }
    if (!digests_equal(target.kernel_library, ByteSpan{device.kernel_library})) {
        return refuse_at(context, Rule::kTgtKernelLibrary, Field::kKernelLibrary);
    }
    if (!compare(context, target, kMachine) || !check_kinds(context, target)) {
        return false;
    }
    if (!is_sane(device)) {
        return refuse_at(context, Rule::kTgtMemory, Field::kNone);
    }
    if (!check_clock(context) || !check_mesh(context, target)) {
        return false;
    }
    context.plan.queue_count = device.queue_count;
    context.plan.trace_region_base = device.dram_base + (device.dram_bytes - device.trace_region_bytes);
    return check_kernels(context, target.kernel_count);
}

}  // namespace pianola::proof

namespace pianola {

bool are_alike(const DeviceDescription& one, const DeviceDescription& other) noexcept {
    return proof::are_equal(one, other, proof::kCommandSet) && proof::are_equal(one, other, proof::kMachine) &&
           // NOLINTNEXTLINE(pianola-misra-21.2.2): DEV-062
           (std::strncmp(one.family, other.family, kMaxNameBytes + 1U) == 0) &&
           digests_equal(ByteSpan{one.kernel_library}, ByteSpan{other.kernel_library}) &&
           (one.attestation == other.attestation) && (one.costs == other.costs) &&
           (one.capacities->number == other.capacities->number) &&
           (one.capacities->intervals == other.capacities->intervals);
}

}  // namespace pianola
