// Scrubber: holds the device's memory against the checks that the capture has put into the file, one of each slice.
//
// Traces and weights do not change while a binary is loaded, except for the words of declared parameters: any other
// difference is damage, on the device or in the memory of the binary. The contents themselves are summed, and not
// compared with the file, so that it does not matter whether the device has a copy or reads the file in place.
#pragma once

#include <array>
#include <cstdint>

#include "pianola/config.h"
#include "pianola/device.h"
#include "pianola/plan.h"
#include "pianola/slice_check.h"

namespace pianola {

// Current values of declared parameters. A parameter that was never set has the binary's value.
struct ParameterValues {
    std::array<std::uint32_t, kMaxParameters> value{};
    std::array<bool, kMaxParameters> is_set{};
};

// Whether the region holds what steps hand on to each other: the host writes it and does not read it.
[[nodiscard]] constexpr bool holds_state(const RegionConfig& region) noexcept {
    return region.kernels_read && region.kernels_write && region.queues_write && !region.queues_read;
}

// Progress of the comparison.
struct ScrubCursor {
    std::uint32_t range{0U};
    std::uint32_t device{0U};  // of those that hold the range
    std::uint32_t offset_bytes{0U};
    std::uint32_t first_check{0U};  // of the range
};

// Devices of a mesh in row-major order: all that constant ranges name.
using Devices = Span<Device* const>;
[[nodiscard]] constexpr std::uint32_t count_of(Devices devices) noexcept {
    return kDrivesOneDevice ? 1U : static_cast<std::uint32_t>(devices.size());
}

// Proves that the file has one check of each slice of a plan's constants, and no other, and that each is right: part of
// validate(). kOk, or kRefused with a verdict. Linear in the constants.
Status prove_checks(ByteSpan file, const Segment& checks, const ConstantRanges& constants, Verdict& verdict) noexcept;

// Inputs of a comparison. The caller owns what the references name.
struct ScrubSource {
    Devices devices;
    ByteSpan file;
    ByteSpan checks;  // the file's segment
    const Plan& plan;
    const ParameterValues& values;
    bool may_view{true};  // false: through the control path alone
};

// Compares the next slices, on each device that holds them, until they are at least `limit_bytes` or the range before
// `end_range` ends; then it starts again. A slice counts as whole chunks of 64 bytes, and as 256 bytes at least, so
// that many short ranges do not make a call long. Bytes are read through Device::host_view(); read_back() is used where
// there is no view, where bytes do not lie at multiples of 4, where words of parameters lie, and where the check
// differs.
// O(limit_bytes): a call takes at most kCheckedBytes more, and reads each byte at most once each way.
//   kOk           equal, and it was the last slice, or there is nothing to compare
//   kPending      equal
//   kIntegrity    not equal: `address` is the device address of the slice
//   kDeviceFault  the device's memory cannot be read there
Status compare_slices(const ScrubSource& source, std::uint32_t end_range, std::uint32_t limit_bytes,
                      ScrubCursor& cursor, std::uint32_t& address) noexcept;

// Adds bytes of a device's memory to a sum. False if they cannot be read.
[[nodiscard]] bool add_device_bytes(Device& device, std::uint32_t address, std::uint32_t size_bytes,
                                    SliceSum& sum) noexcept;

// Number of calls of compare_slices() with that limit that compare all constant ranges.
[[nodiscard]] std::uint32_t scrub_calls(const ConstantRanges& constants,
                                        std::uint32_t limit_bytes = kScrubSliceBytes) noexcept;
// What all slices of constant ranges count.
[[nodiscard]] std::uint64_t scrub_bytes(const ConstantRanges& constants) noexcept;

// The bytes that each of `steps` steps verifies so that together they verify all; kNoShare if that is no number of 32
// bits: each verifies everything then. steps: at least 1.
inline constexpr std::uint32_t kNoShare = UINT32_MAX;
template <typename Bytes>
[[nodiscard]] constexpr std::uint32_t share_bytes(Bytes all_bytes, std::uint32_t steps) noexcept {
    const Bytes least = all_bytes / steps;
    const Bytes share = ((least * steps) == all_bytes) ? least : (least + 1U);
    return (share < kNoShare) ? static_cast<std::uint32_t>(share) : kNoShare;
}

}  // namespace pianola
