#include "capture_host/binary/names.h"

#include <algorithm>

namespace pianola {

const char* name_of(ElementType type) {
    constexpr std::array<const char*, 10> kNames{"?",       "int8", "uint8",  "int16",  "int32",
                                                 "float32", "bool", "uint16", "uint32", "bfloat16"};
    static_assert(kNames.size() == (static_cast<std::size_t>(ElementType::kBfloat16) + 1U));
    return name_in(kNames, type);
}
const char* name_of(Placement placement) {
    constexpr std::array<const char*, 3> kNames{"?", "replicated", "sharded"};
    static_assert(kNames.size() == (static_cast<std::size_t>(Placement::kSharded) + 1U));
    return name_in(kNames, placement);
}
const char* name_of(RegionKind kind) {
    constexpr std::array<const char*, 8> kNames{"?",          "weights", "input",  "output",
                                                "activation", "trace",   "shared", "state"};
    static_assert(kNames.size() == (static_cast<std::size_t>(RegionKind::kState) + 1U));
    return name_in(kNames, kind);
}
const char* name_of(MemoryKind kind) {
    constexpr std::array<const char*, 4> kNames{"?", "DRAM", "L1", "file"};
    static_assert(kNames.size() == (static_cast<std::size_t>(MemoryKind::kFile) + 1U));
    return name_in(kNames, kind);
}
const char* name_of(ScriptKind kind) {
    constexpr std::array<const char*, 5> kNames{"?", "setup", "step", "prologue", "epilogue"};
    static_assert(kNames.size() == (static_cast<std::size_t>(ScriptKind::kEpilogue) + 1U));
    return name_in(kNames, kind);
}
const char* name_of(CapacityProfile profile) {
    const Capacities* const found = find_profile(profile);
    return (found != nullptr) ? found->name : "unspecified";
}
const Capacities* find_profile(CapacityProfile number) noexcept {
    const auto* const found = std::find_if(kProfiles.begin(), kProfiles.end(), [number](const Capacities* each) {
        return each->number == static_cast<std::uint32_t>(number);
    });
    return (found != kProfiles.end()) ? *found : nullptr;
}
const Capacities* find_profile(const std::string& name) noexcept {
    const auto* const found = std::find_if(kProfiles.begin(), kProfiles.end(),
                                           [&name](const Capacities* each) { return name == each->name; });
    return (found != kProfiles.end()) ? *found : nullptr;
}

std::string list_profiles(const std::string& quote, const std::string& conjunction) {
    std::string text;
    for (const Capacities* const each : kProfiles) {
        if (!text.empty()) {
            text += (each == kProfiles.back()) ? (" " + conjunction + " ") : ", ";
        }
        text.append(quote).append(each->name).append(quote);
    }
    return text;
}

const char* name_of(ParameterKind kind) {
    constexpr std::array<const char*, 3> kNames{"?", "runtime_argument", "buffer_address"};
    static_assert(kNames.size() == (static_cast<std::size_t>(ParameterKind::kBufferAddress) + 1U));
    return name_in(kNames, kind);
}
const char* name_of(ScriptCommandKind kind) {
    constexpr std::array<const char*, 8> kNames{
        "?", "write_buffer", "load_trace", "write_input", "replay_trace", "read_output", "record_event", "wait_event"};
    static_assert(kNames.size() == (static_cast<std::size_t>(ScriptCommandKind::kWaitEvent) + 1U));
    return name_in(kNames, kind);
}

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

}  // namespace pianola
