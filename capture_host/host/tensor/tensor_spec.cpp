#include "pianola_host/tensor_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "capture_host/host/tensor/tiles.h"
#include "pianola/config.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

constexpr std::uint64_t kMaxTensorBytes = (std::uint64_t{1} << 31U) - 1U;

[[nodiscard]] bool same_ranges(const host::CoreRangeSet& left, const host::CoreRangeSet& right) noexcept {
    return std::equal(
        left.begin(), left.end(), right.begin(), right.end(),
        [](const host::CoreRange& a, const host::CoreRange& b) { return (a.first == b.first) && (a.last == b.last); });
}

[[nodiscard]] const char* layout_name(host::Layout layout) noexcept {
    switch (layout) {
        case host::Layout::kInterleaved:
            return "interleaved";
        case host::Layout::kHeightSharded:
            return "height-sharded";
        case host::Layout::kWidthSharded:
            return "width-sharded";
        case host::Layout::kBlockSharded:
            return "block-sharded";
    }
    return "unknown";
}

[[nodiscard]] std::uint32_t shares(std::uint64_t total, std::uint64_t parts) noexcept {
    return static_cast<std::uint32_t>((total + parts - 1U) / parts);
}

}  // namespace

bool operator==(const MemoryConfig& left, const MemoryConfig& right) noexcept {
    if ((left.layout != right.layout) || (left.memory != right.memory) ||
        (left.shard.has_value() != right.shard.has_value())) {
        return false;
    }
    return !left.shard.has_value() ||
           ((left.shard->rows == right.shard->rows) && (left.shard->columns == right.shard->columns) &&
            same_ranges(left.shard->cores, right.shard->cores));
}

std::string to_string(const MemoryConfig& config) {
    const char* const memory = (config.memory == host::Memory::kL1) ? "L1" : "DRAM";
    if (!config.shard.has_value()) {
        return fmt::format("{}, {}", memory, layout_name(config.layout));
    }
    return fmt::format("{}, {} in shards of {} x {}", memory, layout_name(config.layout), config.shard->rows,
                       config.shard->columns);
}

MemoryConfig sharded(const Shape& shape, const host::CoreRangeSet& cores, host::Layout layout, host::Memory memory) {
    if (shape.empty()) {
        throw TensorError{TensorRule::kShape, "a shape without dimensions cannot be sharded"};
    }
    const std::uint64_t count = host::cores_of(cores).size();
    if (count == 0U) {
        throw TensorError{TensorRule::kMemory, "shards need at least one core; name the cores, or the device's grid"};
    }
    host::ShardSpec shard;
    shard.rows = static_cast<std::uint32_t>(rows_of(shape));
    shard.columns = columns_of(shape);
    switch (layout) {
        case host::Layout::kInterleaved:
            throw TensorError{TensorRule::kMemory,
                              "interleaved memory has no shards; use the interleaved configuration itself"};
        case host::Layout::kHeightSharded:
            shard.rows = shares(rows_of(shape), count);
            break;
        case host::Layout::kWidthSharded:
            shard.columns = shares(columns_of(shape), count);
            break;
        case host::Layout::kBlockSharded: {
            if (cores.size() != 1U) {
                throw TensorError{
                    TensorRule::kMemory,
                    fmt::format("block shards need one rectangle of cores, and were given {} ranges", cores.size())};
            }
            const host::CoreRange range = cores.front();
            shard.rows = shares(rows_of(shape), (range.last.y - range.first.y) + 1U);
            shard.columns = shares(columns_of(shape), (range.last.x - range.first.x) + 1U);
            break;
        }
    }
    if (memory == host::Memory::kL1) {
        shard.cores = cores;
    }
    return MemoryConfig{layout, memory, shard};
}

void check_spec(const TensorSpec& spec) {
    if (spec.shape.empty() || (spec.shape.size() > kMaxRank)) {
        throw TensorError{TensorRule::kShape,
                          fmt::format("a tensor has 1 to {} dimensions, and this one {}", kMaxRank, spec.shape.size())};
    }
    const std::uint64_t limit = kMaxTensorBytes / bytes_per_element(spec.type);
    const bool tiles = spec.layout == ElementLayout::kTile;
    std::uint64_t count = (tiles && (spec.shape.size() == 1U)) ? kTileSide : 1U;
    for (std::size_t i = 0U; i < spec.shape.size(); ++i) {
        // Tiles include padding.
        const std::uint64_t side = (tiles && ((i + 2U) >= spec.shape.size())) ? kTileSide : 1U;
        const std::uint64_t dimension = ((spec.shape[i] + side) - 1U) / side * side;
        if (dimension == 0U) {
            throw TensorError{
                TensorRule::kShape,
                fmt::format("{} has a dimension of 0; every dimension must be at least 1", to_string(spec.shape))};
        }
        if (count > limit / dimension) {
            throw TensorError{TensorRule::kShape,
                              fmt::format("{} of {} is larger than {} bytes{}", to_string(spec.shape),
                                          type_name(spec.type), kMaxTensorBytes, tiles ? " in tiles" : "")};
        }
        count *= dimension;
    }
    if ((spec.memory.layout == host::Layout::kInterleaved) && spec.memory.shard.has_value()) {
        throw TensorError{TensorRule::kMemory, "interleaved memory has no shards; leave the shard specification out"};
    }
}

std::uint32_t bytes_per_element(ElementType type) {
    switch (type) {
        case ElementType::kInt8:
        case ElementType::kUint8:
            return 1U;
        case ElementType::kInt16:
        case ElementType::kUint16:
        case ElementType::kBfloat16:
            return 2U;
        case ElementType::kInt32:
        case ElementType::kUint32:
        case ElementType::kFloat32:
            return 4U;
        case ElementType::kBool:
        case ElementType::kUnspecified:
            break;
    }
    throw TensorError{TensorRule::kType, "tensors hold int8, uint8, int16, uint16, int32, uint32, bfloat16 or float32"};
}

const char* type_name(ElementType type) noexcept {
    constexpr std::array<const char*, 10> kNames{"no type", "int8", "uint8",  "int16",  "int32",
                                                 "float32", "bool", "uint16", "uint32", "bfloat16"};
    static_assert(kNames.size() == (static_cast<std::size_t>(ElementType::kBfloat16) + 1U));
    const auto index = static_cast<std::size_t>(type);
    return (index < kNames.size()) ? kNames.at(index) : kNames.front();
}

std::uint64_t element_count(const Shape& shape) noexcept {
    std::uint64_t count = 1U;
    for (std::uint32_t const dimension : shape) {
        count *= dimension;
    }
    return count;
}

std::uint32_t columns_of(const Shape& shape) noexcept {
    return shape.back();
}

std::uint64_t rows_of(const Shape& shape) noexcept {
    return element_count(shape) / columns_of(shape);
}

std::uint64_t size_bytes(const TensorSpec& spec) {
    return element_count(spec.shape) * bytes_per_element(spec.type);
}

std::string to_string(const Shape& shape) {
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

const char* layout_name(ElementLayout layout) noexcept {
    return (layout == ElementLayout::kTile) ? "tiles" : "rows";
}

MemoryConfig resolved(const MemoryConfig& memory, const Shape& shape, ElementLayout layout,
                      const host::CoreRangeSet& cores) {
    if ((memory.layout == host::Layout::kInterleaved) || memory.shard.has_value()) {
        return memory;
    }
    if (layout == ElementLayout::kRowMajor) {
        return sharded(shape, cores, memory.layout, memory.memory);
    }
    const TileGrid grid = tile_grid(shape);
    MemoryConfig tiles =
        sharded({grid.matrices * grid.tile_rows, grid.tile_columns}, cores, memory.layout, memory.memory);
    tiles.shard->rows *= kTileSide;
    tiles.shard->columns *= kTileSide;
    return tiles;
}

host::BufferConfig buffer_config(const TensorSpec& spec) {
    const TensorSpec stored = storage_spec(spec);
    host::BufferConfig config;
    config.rows = rows_of(stored.shape);
    config.element_bytes = bytes_per_element(stored.type);
    config.row_bytes = std::uint64_t{columns_of(stored.shape)} * config.element_bytes;
    config.memory = stored.memory.memory;
    config.layout = stored.memory.layout;
    config.shard = stored.memory.shard;
    config.type = stored.type;
    config.shape = stored.shape;
    return config;
}

}  // namespace pianola::tensor
