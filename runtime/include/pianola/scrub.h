// Scrubber: compares what the device holds with the binary that it was loaded from: once with what was authenticated,
// then with the file, a slice at a time.
//
// Place in the whole: a part of the session. Traces and weights do not change while a binary is loaded, but for the
// words of declared parameters: what differs was damaged, on the device or in the binary's own memory.
#pragma once

#include <array>
#include <cstdint>

#include "pianola/config.h"
#include "pianola/device.h"
#include "pianola/plan.h"

namespace pianola {

// Values of declared parameters that hold now. What was never set has the binary's own value.
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

// What the set-up has written: first what stays as it is, then state, which is compared once only.
struct ConstantRanges {
    std::uint32_t count{0U};       // of all
    std::uint32_t kept_count{0U};  // of what stays
    std::array<ConstantRange, kPlannedCommands> ranges{};
};

// How far they have been compared.
struct ScrubCursor {
    std::uint32_t range{0U};
    std::uint32_t device{0U};  // of those that hold the range
    std::uint32_t offset_bytes{0U};
};

// Of a mesh, in row-major order: all that constant ranges name.
using Devices = Span<Device* const>;
[[nodiscard]] constexpr std::uint32_t count_of(Devices devices) noexcept {
    return kDrivesOneDevice ? 1U : static_cast<std::uint32_t>(devices.size());
}

// What the set-up writes, of the file that `workspace` and `plan` were proved of. Weights, state and traces lie in it
// where its envelope says.
void find_constants(const PlanWorkspace& workspace, const Plan& plan, const Envelope& envelope,
                    ConstantRanges& constants) noexcept;

// Whether every device holds what was authenticated: the digest of the file is computed anew, with what lies on the
// devices in the place of the file's own bytes. The file may have been changed since it was authenticated, by damage or
// by another bus master: then this does not come to kOk. O(file bytes): a digest, and reading back every constant once.
//   kOk           device and file are as `envelope`, which the file was authenticated with, says
//   kIntegrity    one of them is not, or two constants that come from the same bytes differ, be it on two devices
//   kDeviceFault  the device's memory can not be read
// The digest is the engine's where there is one; one that fails has found a difference.
// `suspect` is the first device that can not be read, or, of several, that holds something else than the file; their
// number where there is none.
Status authenticate_constants(Devices devices, ByteSpan file, const Envelope& envelope, const ConstantRanges& constants,
                              DigestEngine* engine, std::uint32_t& suspect) noexcept;

// What a comparison looks at. References are the caller's.
struct ScrubSource {
    ByteSpan file;
    const Plan& plan;
    const ConstantRanges& constants;
    const ParameterValues& values;
};

// Compares the next slice: kScrubSliceBytes of the ranges that stay, one after the other, on each device that holds
// them. A range takes 256 bytes of a slice at least. Bytes are looked at where Device::host_view() shows them, and
// through read_back() where it does not, where they do not lie at multiples of 4, and where they differ.
// Behind the last range it ends, and begins anew.
// O(kScrubSliceBytes): at most 64 pieces, and each byte read at most once each way.
//   kOk           equal, and it was the last slice, or there is nothing to compare
//   kPending      equal
//   kIntegrity    not equal: `address` is the device address of the first 64 bytes that differ
//   kDeviceFault  the device's memory can not be read there
Status compare_slice(Devices devices, const ScrubSource& source, ScrubCursor& cursor, std::uint32_t& address) noexcept;

// How many slices that takes, from the first to the last.
[[nodiscard]] std::uint32_t scrub_calls(const ConstantRanges& constants) noexcept;

}  // namespace pianola
