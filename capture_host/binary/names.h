// Names of a manifest's enumerators, as in the schema; of profiles; and of statuses.
//
// Printed by all host tools. They are in the namespace of the enumerators, so that a call finds them.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "pianola/config.h"
#include "pianola/image.h"
#include "pianola/status.h"

namespace pianola {

// The name of an enumerator from 0 on; "?" for an unknown value.
template <std::size_t kCount, typename Enumeration>
[[nodiscard]] const char* name_in(const std::array<const char*, kCount>& names, Enumeration value) {
    const auto index = static_cast<std::size_t>(value);
    return (index < kCount) ? names.at(index) : "?";
}

[[nodiscard]] const char* name_of(ElementType type);
[[nodiscard]] const char* name_of(Placement placement);
[[nodiscard]] const char* name_of(RegionKind kind);
[[nodiscard]] const char* name_of(MemoryKind kind);
[[nodiscard]] const char* name_of(ScriptKind kind);
[[nodiscard]] const char* name_of(ScriptCommandKind kind);
[[nodiscard]] const char* name_of(ParameterKind kind);
[[nodiscard]] const char* name_of(CapacityProfile profile);

// The profile of that name, or number; nullptr if there is none.
[[nodiscard]] const Capacities* find_profile(const std::string& name) noexcept;
[[nodiscard]] const Capacities* find_profile(CapacityProfile number) noexcept;
// The names of all profiles, each in two `quote`, with `conjunction` before the last: "small_ecu, default or host".
[[nodiscard]] std::string list_profiles(const std::string& quote, const std::string& conjunction);

// The name of a status, as the runtime's pages write it; "no status" for an unknown value.
[[nodiscard]] const char* status_name(Status status) noexcept;

}  // namespace pianola
