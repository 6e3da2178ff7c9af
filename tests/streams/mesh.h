// Random programs on meshes: captured, or refused with a remedy; what is captured is replayed on other inputs.
//
// Every device has data of its own, or the same as all; half of the mesh runs other programs; some results are read of
// one device only.
#pragma once

#include <cstdint>

namespace pianola::streams {

struct MeshCounts {
    std::uint32_t captured{0U};
    std::uint32_t refused{0U};
    std::uint32_t wrong{0U};
};

[[nodiscard]] MeshCounts play_meshes(std::uint32_t seed, std::uint32_t count, bool is_shown, bool is_lying);

}  // namespace pianola::streams
