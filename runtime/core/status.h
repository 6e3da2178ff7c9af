// Status: what every fallible function on target returns.
//
// Place in the whole: the lowest header of the runtime. A Status says how the caller should react; the details of a
// refusal are in a Verdict (runtime/verdict/verdict.h), those of a failure while replaying in a FaultRecord
// (runtime/session/fault.h).
#pragma once

#include <cstdint>

namespace pianola {

// Values are grouped by the reaction they ask for. Success is a wide non-zero pattern, so that memory which was cleared,
// or never written, does not read as success. Every two values differ in at least 8 bits.
enum class [[nodiscard]] Status : std::uint32_t {
    kOk = 0x5AC3'96A5U,               // done
    kInvalidArgument = 0x0000'11EEU,  // caller's bug: correct the call
    kInvalidState = 0x0000'22DDU,     // caller's bug: the call does not belong in this state
    kRefused = 0x0000'33CCU,          // the binary is not acceptable; the Verdict says why
    kCapacity = 0x0000'44BBU,         // a fixed capacity is exhausted; the caller may enlarge it and rebuild
    kBusy = 0x0000'55AAU,             // nothing was started; try again later
    kPending = 0x0000'6699U,          // started and not finished; poll again
    kTimeout = 0x0000'7788U,          // a deadline passed
    kDeviceFault = 0x0000'8877U,      // the device reported an error or broke its contract
    kIntegrity = 0x0000'9966U,        // data differ from what was proved at load
    kFaultLatched = 0x0000'AA55U,     // an earlier fault is latched; only a new load clears it
    kInternal = 0x0000'BB44U,         // broken invariant: a defect in Pianola
};

[[nodiscard]] constexpr bool is_ok(Status status) noexcept {
    return status == Status::kOk;
}

}  // namespace pianola
