// HostError: refusals of the host API.
//
// The one exception of capture_host/host/device. what() begins with the id of the broken rule, names need and limit,
// and says what to do; nothing was changed by the call that throws it, unless its header says otherwise.
#pragma once

#include <array>
#include <cstdint>

#include "pianola_host/rule_error.h"

namespace pianola::host {

enum class HostRule : std::uint32_t {
    kUnspecified = 0U,
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_HOST_RULE(name, id, text) name,
#include "pianola_host/host_rules.inc"
#undef PIANOLA_HOST_RULE
};

[[nodiscard]] inline const char* id_of(HostRule rule) {
    static constexpr std::array kIds{
        "API-UNSPECIFIED",
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_HOST_RULE(name, id, text) id,
#include "pianola_host/host_rules.inc"
#undef PIANOLA_HOST_RULE
    };
    return kIds.at(static_cast<std::uint32_t>(rule));
}

using HostError = Refusal<HostRule>;

}  // namespace pianola::host
