#include "capture_host/base/status_name.h"

namespace pianola::capture {

const char* status_name(Status status) noexcept {
    switch (status) {
        case Status::kOk:
            return "kOk";
        case Status::kInvalidArgument:
            return "kInvalidArgument";
        case Status::kInvalidState:
            return "kInvalidState";
        case Status::kRefused:
            return "kRefused";
        case Status::kCapacity:
            return "kCapacity";
        case Status::kBusy:
            return "kBusy";
        case Status::kPending:
            return "kPending";
        case Status::kTimeout:
            return "kTimeout";
        case Status::kDeviceFault:
            return "kDeviceFault";
        case Status::kIntegrity:
            return "kIntegrity";
        case Status::kFaultLatched:
            return "kFaultLatched";
        case Status::kInternal:
            return "kInternal";
    }
    return "no status";
}

}  // namespace pianola::capture
