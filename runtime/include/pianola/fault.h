// FaultRecord: what went wrong while loading or replaying.
//
// Filled in once, when a fault latches, and kept until the next load.
#pragma once

#include <array>
#include <cstdint>

#include "pianola/config.h"
#include "pianola/device.h"
#include "pianola/status.h"

namespace pianola {

enum class FaultStage : std::uint8_t {
    kNone = 0U,
    kReset,      // the device could not be brought to its initial state
    kProgram,    // regions or host memory were not accepted
    kSetup,      // the set-up script
    kReadBack,   // the device does not hold the weights and traces that were authenticated
    kSubmit,     // the device did not accept a step that was proved to fit
    kStep,       // a step, or the prologue or epilogue around steps
    kSelfTest,   // a self-test vector gave another output
    kParameter,  // a parameter's words could not all be set
    kScrub,      // traces or weights no longer match the binary, or state is not what the last step has left
    kState,      // the session's own state has changed since the last call
    kArm,        // the two validations of one binary disagree
};

struct FaultRecord {
    Status status{Status::kOk};  // kTimeout, kDeviceFault, kIntegrity; kOk while there is no fault
    FaultStage stage{FaultStage::kNone};
    // The reset that follows every fault succeeded. If not, the device may still write to the outputs.
    bool device_stopped{false};  // every device, if there are several
    // Position in the mesh of the device on which it was noticed; (0, 0) if it was none.
    std::uint8_t row{0U};
    std::uint8_t column{0U};
    std::uint32_t queue{0U};    // the queue on which it was noticed
    std::uint32_t step{0U};     // token of the script: 1 is the set-up, 2 the first script that is started
    std::uint64_t time_us{0U};  // platform time at which it was noticed
    // Platform time at which the step's deadline started: its submission, or the completion of the previous step if
    // that is later.
    std::uint64_t started_us{0U};
    std::uint32_t deadline_us{0U};  // of the step
    DeviceFault device_fault{DeviceFault::kNone};
    std::uint32_t command{0U};  // commands that the queue had executed in this script
    // Device address, where there is one; after kReadBack, kScrub the start of the slice (kCheckedBytes, in its range)
    // that differs, or of the 128 bytes of it that cannot be read or hold a parameter with another value.
    std::uint32_t address{0U};
};

// The last faults, oldest overwritten first.
class FaultHistory {
  public:
    void add(const FaultRecord& fault) noexcept {
        records_[count_ % kMaxFaultRecords] = fault;
        count_ += 1U;
    }
    // index 0 is the last one.
    [[nodiscard]] const FaultRecord& last(std::uint32_t index) const noexcept {
        return records_[(count_ - 1U - index) % kMaxFaultRecords];
    }
    [[nodiscard]] std::uint32_t count() const noexcept { return count_; }  // total number; wraps

  private:
    static_assert((kMaxFaultRecords & (kMaxFaultRecords - 1U)) == 0U, "the count wraps");
    std::array<FaultRecord, kMaxFaultRecords> records_{};
    std::uint32_t count_{0U};
};

}  // namespace pianola
