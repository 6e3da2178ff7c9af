// MeshError: refusals of meshes.
//
// The exception of capture_host/host/mesh and of distributed tensors. Refusals of a single device stay HostErrors,
// and their text names the device by its coordinate.
#pragma once

#include <array>
#include <cstdint>

#include "pianola_host/rule_error.h"

namespace pianola::host {

enum class MeshRule : std::uint32_t {
    kUnspecified = 0U,
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_MESH_RULE(name, id, text) name,
#include "pianola_host/mesh_rules.inc"
#undef PIANOLA_MESH_RULE
};

[[nodiscard]] inline const char* id_of(MeshRule rule) {
    static constexpr std::array kIds{
        "API-MESH-UNSPECIFIED",
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_MESH_RULE(name, id, text) id,
#include "pianola_host/mesh_rules.inc"
#undef PIANOLA_MESH_RULE
    };
    return kIds.at(static_cast<std::uint32_t>(rule));
}

using MeshError = Refusal<MeshRule>;

}  // namespace pianola::host
