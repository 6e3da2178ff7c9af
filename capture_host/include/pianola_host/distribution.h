// Distribution: how one tensor is distributed over the devices of a mesh, and put together again.
//
// A mapper says for each dimension of a mesh whether it cuts a dimension of the tensor, or repeats it; all shards are
// equal. A composer says along which dimensions shards are put together; nothing is guessed from how they were cut.
// Throws API-MESH-*.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pianola_host/mesh_shape.h"

namespace pianola::tensor {

class Tensor;

// A dimension of the mesh cuts this dimension of the tensor (from the back if it is negative), or repeats it.
struct Placement {
    std::optional<std::int32_t> dimension;

    friend bool operator==(const Placement& left, const Placement& right) noexcept {
        return left.dimension == right.dimension;
    }
};
[[nodiscard]] std::string to_string(const Placement& placement);

// The places of shards: shard i, row-major in `shape`, is at coordinate i of the mesh. It belongs to a tensor; the
// result of an operation has that of the first operand that is cut.
struct Topology {
    host::MeshShape shape{1U};
    std::vector<Placement> placements;  // one for each dimension of `shape`
    std::vector<host::MeshCoordinate> coordinates;

    // The coordinate so many steps after that place in `shape`, in one dimension, as in a ring.
    [[nodiscard]] host::MeshCoordinate neighbour(const host::MeshCoordinate& place, std::int32_t steps,
                                                 std::uint32_t dimension) const;
};

// One placement for each dimension of the mesh, or of `shape` if that is given. That shape takes the corner of the mesh
// at the origin if it fits in every dimension, else the devices in row-major order.
struct MapperConfig {
    std::vector<Placement> placements;
    std::optional<host::MeshShape> shape;
};
// One dimension of the tensor for each dimension of `shape`; without one, of the shape of the tensor's topology.
struct ComposerConfig {
    std::vector<std::int32_t> dimensions;
    std::optional<host::MeshShape> shape;
};

// The places of the mapper's shards on a mesh.
[[nodiscard]] Topology topology_for(const host::MeshShape& mesh, const MapperConfig& config);
// Host tensors.
[[nodiscard]] Tensor distribute(const Tensor& whole, const host::MeshShape& mesh, const MapperConfig& config);
[[nodiscard]] Tensor aggregate(const Tensor& distributed, const ComposerConfig& config);

// Usual mappers.
[[nodiscard]] MapperConfig replicate_all(const host::MeshShape& mesh);
[[nodiscard]] MapperConfig shard_all(const host::MeshShape& mesh, std::int32_t dimension);  // over all devices

}  // namespace pianola::tensor
