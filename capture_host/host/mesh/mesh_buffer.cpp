#include "pianola_host/mesh_buffer.h"

#include <fmt/format.h>

#include "pianola_host/mesh_error.h"

namespace pianola::host {
namespace {

// How often a shard fits a side of the matrix. One: the side is not cut.
std::uint64_t cuts(const char* side, std::uint64_t whole, std::uint64_t shard, std::uint64_t devices) {
    if ((shard == 0U) || ((whole % shard) != 0U)) {
        throw MeshError{MeshRule::kUneven,
                        fmt::format("{} {} of the matrix cannot be cut into shards of {}", whole, side, shard)};
    }
    const std::uint64_t count = whole / shard;
    if ((count > 1U) && (count > devices)) {
        throw MeshError{MeshRule::kUneven, fmt::format("{} {} in shards of {} are {} shards, for {} devices", whole,
                                                       side, shard, count, devices)};
    }
    return count;
}

}  // namespace

const BufferPtr& MeshBuffer::on(const MeshCoordinate& coordinate) const {
    const auto found = parts_.find(coordinate);
    if (found == parts_.end()) {
        throw MeshError{MeshRule::kShape, fmt::format("the buffer has no shard at {}", to_string(coordinate))};
    }
    return found->second.buffer;
}

std::vector<BufferPtr> MeshBuffer::shards() const {
    std::vector<BufferPtr> all;
    for (const auto& [place, part] : parts_) {
        all.push_back(part.buffer);
    }
    return all;
}

std::map<MeshCoordinate, MeshBuffer::Part> plan_parts(const MeshShape& mesh, const MeshBufferConfig& config) {
    std::map<MeshCoordinate, MeshBuffer::Part> parts;
    for (const MeshCoordinate& coordinate : MeshCoordinateRange{mesh}.coordinates()) {
        parts[coordinate] = {};
    }
    if (!config.global.has_value()) {
        return parts;
    }
    if (mesh.dims() > 2U) {
        throw MeshError{MeshRule::kShape,
                        fmt::format("a matrix is cut over 1 or 2 dimensions, the mesh is {}", to_string(mesh))};
    }
    const bool is_line = mesh.dims() == 1U;
    const std::uint32_t mesh_rows = is_line ? 1U : mesh[0U];
    const std::uint32_t mesh_columns = is_line ? mesh[0U] : mesh[1U];
    const bool is_turned = config.global->order == ShardOrder::kColumnMajor;
    const std::uint64_t down =
        cuts("rows", config.global->rows, config.shard.rows, is_turned ? mesh_columns : mesh_rows);
    const std::uint64_t across =
        cuts("bytes of a row", config.global->row_bytes, config.shard.row_bytes, is_turned ? mesh_rows : mesh_columns);
    for (auto& [coordinate, part] : parts) {
        const std::uint32_t row = is_line ? 0U : coordinate[0U];
        const std::uint32_t column = is_line ? coordinate[0U] : coordinate[1U];
        const std::uint64_t i = (down == 1U) ? 0U : (is_turned ? column : row);
        const std::uint64_t k = (across == 1U) ? 0U : (is_turned ? row : column);
        part.is_used = (i < down) && (k < across);
        part.row_begin = i * config.shard.rows;
        part.column_begin_bytes = k * config.shard.row_bytes;
    }
    return parts;
}

}  // namespace pianola::host
