#include "capture_host/host/tensor/tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

[[nodiscard]] std::uint32_t sides(std::uint32_t size, std::uint32_t side) noexcept {
    return static_cast<std::uint32_t>((std::uint64_t{size} + (side - 1U)) / side);
}

// Calls visit(element in rows, element in tiles, elements) for each run of up to 16 elements that is dense in both.
template <typename Visit>
void for_each_run(const Shape& shape, const Visit& visit) {
    const TileGrid grid = tile_grid(shape);
    const std::uint64_t tile_row_elements = std::uint64_t{grid.tile_columns} * kTileElements;
    for (std::uint64_t matrix = 0U; matrix < grid.matrices; ++matrix) {
        for (std::uint32_t row = 0U; row < grid.rows; ++row) {
            const std::uint64_t tile_row = (matrix * grid.tile_rows) + (row / kTileSide);
            const std::uint32_t inside = row % kTileSide;
            const std::uint64_t faces_above = std::uint64_t{2U} * (inside / kFaceSide);
            for (std::uint32_t column = 0U; column < grid.columns; column += kFaceSide) {
                const std::uint64_t face =
                    (std::uint64_t{column / kTileSide} * 4U) + faces_above + ((column % kTileSide) / kFaceSide);
                visit((((matrix * grid.rows) + row) * grid.columns) + column,
                      (tile_row * tile_row_elements) + (face * kFaceElements) +
                          (std::uint64_t{inside % kFaceSide} * kFaceSide),
                      std::min(kFaceSide, grid.columns - column));
            }
        }
    }
}

[[nodiscard]] std::uint32_t in_tiles(std::uint32_t shard, const char* what) {
    if ((shard == 0U) || ((shard % kTileSide) != 0U)) {
        throw TensorError{
            TensorRule::kLayout,
            fmt::format("a shard of tiles must have a multiple of {} {}, not {}; give create_sharded_memory_"
                        "config() a padded shape, or use ROW_MAJOR_LAYOUT",
                        kTileSide, what, shard)};
    }
    return shard / kTileSide;
}

}  // namespace

TileGrid tile_grid(const Shape& shape) noexcept {
    TileGrid grid;
    grid.columns = shape.back();
    grid.rows = (shape.size() > 1U) ? shape[shape.size() - 2U] : 1U;
    grid.matrices =
        static_cast<std::uint32_t>(element_count(shape) / (std::uint64_t{grid.rows} * std::uint64_t{grid.columns}));
    grid.tile_rows = sides(grid.rows, kTileSide);
    grid.tile_columns = sides(grid.columns, kTileSide);
    return grid;
}

Shape tile_padded(const Shape& shape) {
    const TileGrid grid = tile_grid(shape);
    Shape padded = shape;
    if (padded.size() == 1U) {
        padded.insert(padded.begin(), 1U);
    }
    padded[padded.size() - 2U] = grid.tile_rows * kTileSide;
    padded.back() = grid.tile_columns * kTileSide;
    return padded;
}

TensorSpec storage_spec(const TensorSpec& spec) {
    if (spec.layout == ElementLayout::kRowMajor) {
        return spec;
    }
    const TileGrid grid = tile_grid(spec.shape);
    TensorSpec storage{{grid.matrices * grid.tile_rows, grid.tile_columns * kTileElements}, spec.type, spec.memory};
    if (storage.memory.shard.has_value()) {
        host::ShardSpec& shard = *storage.memory.shard;
        shard.rows = in_tiles(shard.rows, "rows");
        shard.columns = in_tiles(shard.columns, "columns") * kTileElements;
    }
    return storage;
}

std::vector<std::uint8_t> tilized(ByteSpan rows, const TensorSpec& spec) {
    const std::uint32_t bytes = bytes_per_element(spec.type);
    const TileGrid grid = tile_grid(spec.shape);
    std::vector<std::uint8_t> tiles(
        std::size_t{grid.matrices} * grid.tile_rows * grid.tile_columns * kTileElements * bytes, std::uint8_t{0U});
    for_each_run(spec.shape, [&](std::uint64_t from, std::uint64_t to, std::uint32_t count) {
        std::memcpy(tiles.data() + (to * bytes), rows.data() + (from * bytes), std::size_t{count} * bytes);
    });
    return tiles;
}

std::vector<std::uint8_t> untilized(ByteSpan tiles, const TensorSpec& spec) {
    const std::uint32_t bytes = bytes_per_element(spec.type);
    std::vector<std::uint8_t> rows(size_bytes(spec));
    for_each_run(spec.shape, [&](std::uint64_t to, std::uint64_t from, std::uint32_t count) {
        std::memcpy(rows.data() + (to * bytes), tiles.data() + (from * bytes), std::size_t{count} * bytes);
    });
    return rows;
}

}  // namespace pianola::tensor
