// Scrubber: compares the device's memory with the binary that it was loaded from: once with what was authenticated,
// then with the file, a slice at a time.
//
// Traces and weights do not change while a binary is loaded, except for the words of declared parameters: any other
// difference is damage, on the device or in the memory of the binary.
#pragma once

#include <array>
#include <cstdint>

#include "pianola/config.h"
#include "pianola/device.h"
#include "pianola/plan.h"

namespace pianola {

// Current values of declared parameters. A parameter that was never set has the binary's value.
struct ParameterValues {
    std::array<std::uint32_t, kMaxParameters> value{};
    std::array<bool, kMaxParameters> is_set{};
};

// Bytes of the file that lie on devices.
struct ConstantRange {
    std::uint32_t address{0U};      // on each device
    std::uint32_t file_offset{0U};  // both are multiples of 4 for traces
    std::uint32_t size_bytes{0U};
    DeviceBits devices{0U};  // that hold it
};

// Ranges that the set-up has written: first the constant ones, then state, which is compared only once.
struct ConstantRanges {
    std::uint32_t count{0U};       // of all
    std::uint32_t kept_count{0U};  // constant ranges
    std::array<ConstantRange, kPlannedCommands> ranges{};
};

// Progress of the comparison.
struct ScrubCursor {
    std::uint32_t range{0U};
    std::uint32_t device{0U};  // of those that hold the range
    std::uint32_t offset_bytes{0U};
};

// Devices of a mesh in row-major order: all that constant ranges name.
using Devices = Span<Device* const>;
[[nodiscard]] constexpr std::uint32_t count_of(Devices devices) noexcept {
    return kDrivesOneDevice ? 1U : static_cast<std::uint32_t>(devices.size());
}

// Takes what the set-up writes from the file for which `workspace` and `plan` were proved. The file's envelope gives
// the offsets of weights, state and traces.
void find_constants(const PlanWorkspace& workspace, const Plan& plan, const Envelope& envelope,
                    ConstantRanges& constants) noexcept;

// Whether every device holds what was authenticated: the digest of the file is computed again, with the devices'
// contents instead of the file's own bytes. If the file was changed since it was authenticated, by damage or by another
// bus master, the result is not kOk. O(file bytes): a digest, and reading back every constant once.
//   kOk           device and file are as `envelope`, which the file was authenticated with, says
//   kIntegrity    one of them is not, or two constants that come from the same bytes differ, be it on two devices
//   kDeviceFault  the device's memory cannot be read
// The engine computes the digest if there is one; an engine that fails counts as a difference.
// `suspect` is the first device that cannot be read, or, of several, that differs from the file; their number if there
// is none.
Status authenticate_constants(Devices devices, ByteSpan file, const Envelope& envelope, const ConstantRanges& constants,
                              DigestEngine* engine, std::uint32_t& suspect) noexcept;

// Inputs of a comparison. The caller owns what the references name.
struct ScrubSource {
    ByteSpan file;
    const Plan& plan;
    const ConstantRanges& constants;
    const ParameterValues& values;
};

// Compares the next slice: kScrubSliceBytes of the constant ranges in turn, on each device that holds them. A range
// counts as at least 256 bytes of a slice. Bytes are read through Device::host_view(); read_back() is used where there
// is no view, where bytes do not lie at multiples of 4, and where they differ.
// After the last range it starts again.
// O(kScrubSliceBytes): at most 64 pieces, and each byte read at most once each way.
//   kOk           equal, and it was the last slice, or there is nothing to compare
//   kPending      equal
//   kIntegrity    not equal: `address` is the device address of the first 64 bytes that differ
//   kDeviceFault  the device's memory cannot be read there
Status compare_slice(Devices devices, const ScrubSource& source, ScrubCursor& cursor, std::uint32_t& address) noexcept;

// Number of slices of a whole comparison.
[[nodiscard]] std::uint32_t scrub_calls(const ConstantRanges& constants) noexcept;

}  // namespace pianola
