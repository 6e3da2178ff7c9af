// MeshBuffer: one address on every device of a mesh.
//
// MeshDevice::allocate() makes it. Every device holds a buffer of the same configuration at the same address.
// Replicated: the host writes the same bytes to all. Sharded: each device holds its own part of a matrix of the host.
// Goes with its last owner, or with deallocate(); may outlive its mesh.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "pianola_host/buffer.h"
#include "pianola_host/mesh_shape.h"

namespace pianola::host {

// Which mesh dimension goes through the rows of the matrix: kRowMajor: mesh rows, and mesh columns go through columns.
enum class ShardOrder : std::uint8_t { kRowMajor, kColumnMajor };

// A matrix that is cut over a mesh of at most two dimensions. Where a shard has all rows, or all columns, every device
// along the mesh dimension that would cut them has the same; else there are as many cuts as shards fit, at most as many
// as devices there, and the remaining devices hold nothing.
struct GlobalMatrix {
    std::uint64_t rows{0U};
    std::uint64_t row_bytes{0U};
    ShardOrder order{ShardOrder::kRowMajor};
};

struct MeshBufferConfig {
    BufferConfig shard;                  // what each device holds
    std::optional<GlobalMatrix> global;  // none: replicated
};

class MeshBuffer {
  public:
    // The place of a device's shard in the matrix.
    struct Part {
        BufferPtr buffer;
        std::uint64_t row_begin{0U};
        std::uint64_t column_begin_bytes{0U};
        bool is_used{true};  // false: it holds nothing of the matrix
    };

    // For MeshDevice::allocate(). By coordinate.
    MeshBuffer(const MeshBufferConfig& config, std::map<MeshCoordinate, Part> parts)
        : config_{config}, parts_{std::move(parts)} {}

    [[nodiscard]] const MeshBufferConfig& config() const noexcept { return config_; }
    [[nodiscard]] bool is_sharded() const noexcept { return config_.global.has_value(); }
    [[nodiscard]] std::uint32_t address() const { return parts_.begin()->second.buffer->address(); }
    [[nodiscard]] std::uint64_t shard_bytes() const noexcept { return config_.shard.rows * config_.shard.row_bytes; }
    [[nodiscard]] std::uint64_t size_bytes() const noexcept {
        return config_.global.has_value() ? (config_.global->rows * config_.global->row_bytes) : shard_bytes();
    }
    // The buffer of one device. Throws API-MESH-SHAPE for a coordinate outside.
    [[nodiscard]] const BufferPtr& on(const MeshCoordinate& coordinate) const;
    // The buffer of any device, for the arguments of programs, which use that of the device that they run on.
    [[nodiscard]] const BufferPtr& any() const { return parts_.begin()->second.buffer; }
    [[nodiscard]] std::vector<BufferPtr> shards() const;  // row-major, for declarations of captures
    [[nodiscard]] const std::map<MeshCoordinate, Part>& parts() const noexcept { return parts_; }

  private:
    MeshBufferConfig config_;
    std::map<MeshCoordinate, Part> parts_;
};

using MeshBufferPtr = std::shared_ptr<MeshBuffer>;

// The places of a matrix's shards. Throws API-MESH-UNEVEN, API-MESH-SHAPE.
[[nodiscard]] std::map<MeshCoordinate, MeshBuffer::Part> plan_parts(const MeshShape& mesh,
                                                                    const MeshBufferConfig& config);

}  // namespace pianola::host
