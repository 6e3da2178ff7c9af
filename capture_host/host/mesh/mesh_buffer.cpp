// Buffers of a mesh, and transfers to and from them.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "capture_host/host/mesh/mesh_family.h"

namespace pianola::host {
namespace {

// How many shards fit a side of the matrix. One: the side is not cut.
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

// Calls copy(offset in the matrix, offset in the shard, bytes) for each row of a shard.
template <typename Copy>
void for_rows(const MeshBuffer& buffer, const MeshBuffer::Part& part, const Copy& copy) {
    const std::uint64_t bytes = buffer.config().shard.row_bytes;
    const std::uint64_t row_bytes = buffer.config().global.value_or(GlobalMatrix{}).row_bytes;
    for (std::uint64_t row = 0U; row < buffer.config().shard.rows; ++row) {
        const std::uint64_t there = ((part.row_begin + row) * row_bytes) + part.column_begin_bytes;
        copy(static_cast<std::ptrdiff_t>(there), static_cast<std::ptrdiff_t>(row * bytes),
             static_cast<std::ptrdiff_t>(bytes));
    }
}

void require_size(const MeshBuffer& buffer, std::uint64_t given) {
    if (given != buffer.size_bytes()) {
        throw HostError{HostRule::kBufferSize, fmt::format("{} bytes are given, the mesh buffer at 0x{:08X} takes {}",
                                                           given, buffer.address(), buffer.size_bytes())};
    }
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

MeshBufferPtr MeshDevice::allocate(const MeshBufferConfig& config) {
    const FamilyLock lock = lock_working();
    std::map<MeshCoordinate, MeshBuffer::Part> parts = plan_parts(shape_, config);
    const std::vector<MeshCoordinate> all = coordinates();
    in_step(all, [&](const std::shared_ptr<Device>& device, std::size_t i) {
        parts.at(all[i]).buffer = device->allocate(config.shard);
    });
    for (auto known = family_->buffers.begin(); known != family_->buffers.end();) {
        known = known->second.expired() ? family_->buffers.erase(known) : std::next(known);
    }
    auto buffer = std::make_shared<MeshBuffer>(config, std::move(parts));
    for (const auto& [place, part] : buffer->parts()) {
        family_->buffers[part.buffer->id().value] = buffer;
    }
    return buffer;
}

void MeshDevice::require_mine(const MeshBuffer& buffer) const {
    for (const auto& [place, part] : buffer.parts()) {
        const std::shared_ptr<Device> owner = part.buffer->device();
        const bool is_mine =
            std::any_of(ids_.begin(), ids_.end(), [&](std::uint32_t id) { return family_->devices.at(id) == owner; });
        if (!is_mine) {
            throw MeshError{MeshRule::kForeign,
                            fmt::format("the buffer at 0x{:08X} belongs to devices that are not part of {}",
                                        buffer.address(), name())};
        }
    }
}

void MeshDevice::deallocate(const MeshBufferPtr& buffer) {
    const FamilyLock lock = lock_open();
    require_mine(*buffer);
    for (const auto& [place, part] : buffer->parts()) {
        part.buffer->device()->deallocate(part.buffer);
    }
}

void MeshDevice::write_shard(std::uint32_t queue, const MeshBufferPtr& buffer, const MeshCoordinate& coordinate,
                             ByteSpan bytes, bool blocking) {
    const FamilyLock lock = lock_working();
    require_mine(*buffer);
    const BufferPtr& shard = buffer->on(coordinate);
    on(device_id(coordinate), [&](Device& device) { device.enqueue_write(queue, shard, bytes, blocking); });
}

ReadHandle MeshDevice::read_shard(std::uint32_t queue, const MeshBufferPtr& buffer, const MeshCoordinate& coordinate,
                                  bool blocking) {
    const FamilyLock lock = lock_open();
    require_mine(*buffer);
    const BufferPtr& shard = buffer->on(coordinate);
    return on(device_id(coordinate), [&](Device& device) { return device.enqueue_read(queue, shard, blocking); });
}

void MeshDevice::write(std::uint32_t queue, const MeshBufferPtr& buffer, ByteSpan bytes, bool blocking,
                       const MeshRange& range) {
    const FamilyLock lock = lock_working();
    require_mine(*buffer);
    require_size(*buffer, bytes.size());
    const std::vector<MeshCoordinate> places = coordinates(range);
    const TemporaryValue<std::uint64_t> transfer = one_transfer(*family_, places.size());
    const auto write_part = [&](const MeshCoordinate& place) {
        const MeshBuffer::Part& part = buffer->parts().at(place);
        if (part.is_used) {
            std::vector<std::uint8_t> shard(buffer->shard_bytes());
            for_rows(*buffer, part, [&](std::ptrdiff_t there, std::ptrdiff_t here, std::ptrdiff_t count) {
                std::copy_n(bytes.data() + there, count, shard.begin() + here);
            });
            write_shard(queue, buffer, place, ByteSpan{shard.data(), shard.size()});
        }
    };
    if (buffer->is_sharded()) {
        std::for_each(places.begin(), places.end(), write_part);
    } else {
        as_replicas([&] {
            std::for_each(places.begin(), places.end(),
                          [&](const MeshCoordinate& place) { write_shard(queue, buffer, place, bytes); });
        });
    }
    if (blocking) {
        finish(queue);
    }
}

std::vector<std::uint8_t> MeshDevice::read(std::uint32_t queue, const MeshBufferPtr& buffer) {
    const FamilyLock lock = lock_working();
    require_mine(*buffer);
    if (!buffer->is_sharded()) {
        return read_shard(queue, buffer, buffer->parts().begin()->first, true).data();
    }
    const TemporaryValue<std::uint64_t> transfer = one_transfer(*family_, buffer->parts().size());
    std::map<MeshCoordinate, ReadHandle> reads;  // all are under way before the first is waited for
    for (const auto& [place, part] : buffer->parts()) {
        if (part.is_used) {
            reads[place] = read_shard(queue, buffer, place);
        }
    }
    std::vector<std::uint8_t> bytes(buffer->size_bytes());
    for (const auto& [place, handle] : reads) {
        on(device_id(place), [&, read = handle](Device& /*device*/) { static_cast<void>(read.data()); });
        const std::vector<std::uint8_t>& shard = handle.data();
        for_rows(*buffer, buffer->parts().at(place),
                 [&](std::ptrdiff_t there, std::ptrdiff_t here, std::ptrdiff_t count) {
                     std::copy_n(shard.begin() + here, count, bytes.begin() + there);
                 });
    }
    return bytes;
}

}  // namespace pianola::host
