// Status: what every fallible function on target returns.
//
// The lowest header of the runtime. A Status says how the caller should react; the details of a refusal are in a
// Verdict (runtime/include/pianola/verdict.h), those of a failure while replaying in a FaultRecord
// (runtime/include/pianola/fault.h).
#pragma once

#include <cstdint>

namespace pianola {

// Values are grouped by the required reaction. Success is a wide non-zero pattern, so that cleared or unwritten memory
// does not read as success. Every two values differ in at least 8 bits: a word of the extended Hamming (8,4) code and
// its complement, twice.
enum class [[nodiscard]] Status : std::uint32_t {
    kOk = 0x5AC3'96A5U,               // done
    kInvalidArgument = 0x17E8'17E8U,  // caller's bug: correct the call
    kInvalidState = 0x2BD4'2BD4U,     // caller's bug: the call does not belong in this state
    kRefused = 0x3CC3'3CC3U,          // the binary is not acceptable; the Verdict says why
    kCapacity = 0x4DB2'4DB2U,         // a fixed capacity is exhausted; the caller may enlarge it and rebuild
    kBusy = 0x6699'6699U,             // nothing was started; try again later
    kPending = 0x718E'718EU,          // started and not finished; poll again
    kTimeout = 0x8E71'8E71U,          // a deadline passed
    kDeviceFault = 0x9966'9966U,      // the device reported an error or broke its contract
    kIntegrity = 0xB24D'B24DU,        // data differ from what was proved at load
    kFaultLatched = 0xD42B'D42BU,     // an earlier fault is latched; only a new load clears it
    kInternal = 0xE817'E817U,         // broken invariant: a defect in Pianola
};

[[nodiscard]] constexpr bool is_ok(Status status) noexcept {
    return status == Status::kOk;
}

}  // namespace pianola
