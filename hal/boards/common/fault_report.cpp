#include "hal/boards/common/fault_report.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "hal/boards/common/semihosting.h"

namespace pianola::board {
namespace {

// Those that a session latches.
const char* name_of(Status status) noexcept {
    switch (status) {
        case Status::kTimeout:
            return "kTimeout";
        case Status::kDeviceFault:
            return "kDeviceFault";
        case Status::kIntegrity:
            return "kIntegrity";
        default:
            return "no fault";
    }
}

const char* name_of(FaultStage stage) noexcept {
    constexpr std::array<const char*, 12U> kNames{"none", "reset",     "program",   "set-up", "read-back", "submit",
                                                  "step", "self-test", "parameter", "scrub",  "state",     "arm"};
    static_assert(kNames.size() == (static_cast<std::size_t>(FaultStage::kArm) + 1U), "a name for each");
    const auto index = static_cast<std::size_t>(stage);
    return (index < kNames.size()) ? kNames[index] : "unknown";
}

void print_field(const char* label, std::uint64_t value) noexcept {
    semihosting::print(label);
    semihosting::print_number(value);
}

}  // namespace

void print_fault(const FaultRecord& fault) noexcept {
    semihosting::print("fault: ");
    semihosting::print(name_of(fault.status));
    semihosting::print(", stage ");
    semihosting::print(name_of(fault.stage));
    print_field(", queue ", fault.queue);
    if (fault.deadline_us != 0U) {
        print_field(", deadline ", fault.deadline_us);
        print_field(" us, after ", fault.time_us - fault.started_us);
        semihosting::print(" us");
    }
    semihosting::print("\n");
}

}  // namespace pianola::board
