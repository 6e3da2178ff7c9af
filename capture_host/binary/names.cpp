#include "capture_host/binary/names.h"

#include "pianola/config.h"

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
    constexpr std::array<const char*, 3> kNames{"?", "DRAM", "L1"};
    static_assert(kNames.size() == (static_cast<std::size_t>(MemoryKind::kL1) + 1U));
    return name_in(kNames, kind);
}
const char* name_of(ScriptKind kind) {
    constexpr std::array<const char*, 5> kNames{"?", "setup", "step", "prologue", "epilogue"};
    static_assert(kNames.size() == (static_cast<std::size_t>(ScriptKind::kEpilogue) + 1U));
    return name_in(kNames, kind);
}
const char* name_of(CapacityProfile profile) {
    for (const Capacities* const each : kProfiles) {
        if (each->number == static_cast<std::uint32_t>(profile)) {
            return each->name;
        }
    }
    return "unspecified";
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

}  // namespace pianola
