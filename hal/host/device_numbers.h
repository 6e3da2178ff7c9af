// The numbers and promises of a device, by name: the host's only list of them.
//
// DeviceDescription, a binary's target and a manifest's have the same members; code that shows, reads or copies them
// uses this list.
#pragma once

#include <cstdint>
#include <string>

#include "pianola/config.h"
#include "pianola/device.h"

namespace pianola {

// Calls visit(name, member of each device...), for the members in which devices of one family may differ.
template <typename Visit, typename... Devices>
constexpr void for_each_size(Visit visit, Devices&... devices) {
    visit("dram_base", devices.dram_base...);
    visit("dram_bytes", devices.dram_bytes...);
    visit("l1_base", devices.l1_base...);
    visit("l1_bytes", devices.l1_bytes...);
    visit("file_base", devices.file_base...);
    visit("file_bytes", devices.file_bytes...);
    visit("trace_region_bytes", devices.trace_region_bytes...);
    visit("clock_khz", devices.clock_khz...);
    visit("core_khz", devices.core_khz...);
    visit("millicycles_per_instruction", devices.millicycles_per_instruction...);
    visit("queue_count", devices.queue_count...);
    visit("grid_columns", devices.grid_columns...);
    visit("grid_rows", devices.grid_rows...);
    visit("dram_banks", devices.dram_banks...);
}
// The members that all devices of the family share.
template <typename Visit, typename... Devices>
constexpr void for_each_number(Visit visit, Devices&... devices) {
    visit("command_set_id", devices.command_set_id...);
    visit("command_set_version", devices.command_set_version...);
    for_each_size(visit, devices...);
    visit("ring_words", devices.ring_words...);
    visit("weights_layout", devices.weights_layout...);
    visit("cost_model", devices.cost_model...);
}

template <typename To, typename From>
constexpr void copy_sizes(const From& from, To& to) {
    for_each_size([](const char* /*name*/, std::uint32_t& target, std::uint32_t value) { target = value; }, to, from);
}
template <typename To, typename From>
constexpr void copy_numbers(const From& from, To& to) {
    for_each_number([](const char* /*name*/, std::uint32_t& target, std::uint32_t value) { target = value; }, to, from);
}

// For Target::what_is_wrong_with(): the problem of the memories of a device of any family, with member names; empty if
// there is none.
[[nodiscard]] inline std::string what_is_wrong_with_memories(const DeviceDescription& device) {
    constexpr std::uint32_t kLargestMemoryBytes = 1U << 30U;
    const std::uint64_t dram_end = std::uint64_t{device.dram_base} + device.dram_bytes;
    const std::uint64_t l1_end = std::uint64_t{device.l1_base} + device.l1_bytes;
    if ((device.dram_bytes > kLargestMemoryBytes) || (device.l1_bytes > kLargestMemoryBytes) ||
        (dram_end > UINT32_MAX) || (l1_end > UINT32_MAX)) {
        return "memories must be at most 1 GiB, and end below 4 GiB";
    }
    if ((device.l1_base < dram_end) && (device.dram_base < l1_end)) {
        return "DRAM and L1 overlap";
    }
    const std::uint64_t file_end = std::uint64_t{device.file_base} + device.file_bytes;
    if ((device.file_bytes > kLargestMemoryBytes) || (file_end > UINT32_MAX)) {
        return "the file window (file_base, file_bytes) must be at most 1 GiB, and end below 4 GiB";
    }
    if ((device.file_bytes != 0U) && (((device.file_base < dram_end) && (device.dram_base < file_end)) ||
                                      ((device.file_base < l1_end) && (device.l1_base < file_end)))) {
        return "the file window (file_base, file_bytes) overlaps DRAM or L1";
    }
    for (const std::uint32_t value : {device.dram_base, device.dram_bytes, device.l1_base, device.l1_bytes,
                                      device.file_base, device.file_bytes, device.trace_region_bytes}) {
        if ((value % kFileAlignmentBytes) != 0U) {
            return "bases and sizes must be multiples of " + std::to_string(kFileAlignmentBytes);
        }
    }
    return (device.trace_region_bytes > device.dram_bytes) ? "the trace region must fit into DRAM" : "";
}

// Other promises of a device: names for JSON, and texts for users. Static lifetime.
[[nodiscard]] constexpr const char* attestation_name(Attestation attestation) noexcept {
    switch (attestation) {
        case Attestation::kDigest:
            return "digest";
        case Attestation::kCount:
            return "count";
        case Attestation::kNothing:
            return "nothing";
        case Attestation::kUnspecified:
        default:
            return "unspecified";
    }
}
[[nodiscard]] constexpr const char* attestation_text(Attestation attestation) noexcept {
    switch (attestation) {
        case Attestation::kDigest:
            return "digest and count of what it has executed";
        case Attestation::kCount:
            return "count of what it has executed; a session must accept less than a digest (least_evidence)";
        case Attestation::kNothing:
            return "nothing but the notification; a session must accept that (least_evidence)";
        case Attestation::kUnspecified:
        default:
            return "unspecified";
    }
}
[[nodiscard]] constexpr const char* costs_name(CostKind costs) noexcept {
    switch (costs) {
        case CostKind::kExact:
            return "exact";
        case CostKind::kUpperBound:
            return "upper_bound";
        case CostKind::kNotPublished:
            return "not_published";
        case CostKind::kUnspecified:
        default:
            return "unspecified";
    }
}
[[nodiscard]] constexpr const char* costs_text(CostKind costs) noexcept {
    switch (costs) {
        case CostKind::kExact:
            return "exact";
        case CostKind::kUpperBound:
            return "upper bounds";
        case CostKind::kNotPublished:
            return "not published: deadlines come from the integrator";
        case CostKind::kUnspecified:
        default:
            return "unspecified";
    }
}
// Whose cycles they are, for people. `model` is Target::cost_model_name().
[[nodiscard]] inline std::string costs_label(CostKind costs, const std::string& model) {
    if (model.empty() || ((costs != CostKind::kExact) && (costs != CostKind::kUpperBound))) {
        return costs_text(costs);
    }
    return (costs == CostKind::kExact) ? (model + ", exact") : ("bound for " + model);
}

}  // namespace pianola
