// Tiles: where elements are in the memory of a tensor whose layout is kTile.
//
// The last two dimensions are cut into tiles of 32 x 32, and the tensor is padded to whole tiles; a tensor of one
// dimension is one row. A tile is four faces of 16 x 16, left before right, upper before lower; a face is row-major.
// Tiles are stored from left to right in rows of tiles. For the device, such a tensor is a row-major matrix with a row
// for each row of tiles: its storage. So shards hold whole tiles. Padding is 0 after a transfer or a conversion, and
// has any value after an operation.
#pragma once

#include <cstdint>
#include <vector>

#include "pianola/span.h"
#include "pianola_host/tensor_spec.h"

namespace pianola::tensor {

inline constexpr std::uint32_t kTileSide = 32U;
inline constexpr std::uint32_t kFaceSide = 16U;
inline constexpr std::uint32_t kTileElements = kTileSide * kTileSide;
inline constexpr std::uint32_t kFaceElements = kFaceSide * kFaceSide;

// The last two dimensions, and how many such matrices there are.
struct TileGrid {
    std::uint32_t matrices{1U};
    std::uint32_t rows{1U};     // of a matrix, in elements
    std::uint32_t columns{1U};  // the same
    std::uint32_t tile_rows{1U};
    std::uint32_t tile_columns{1U};
};
[[nodiscard]] TileGrid tile_grid(const Shape& shape) noexcept;

// The shape with padding: at least two dimensions.
[[nodiscard]] Shape tile_padded(const Shape& shape);

// A tensor's memory as a row-major matrix; a row-major tensor is its own storage. Throws TENSOR-LAYOUT if a shard would
// cut a tile.
[[nodiscard]] TensorSpec storage_spec(const TensorSpec& spec);

// Convert all data of a tensor to tiles and to rows, on the host. Padding becomes 0.
[[nodiscard]] std::vector<std::uint8_t> tilized(ByteSpan rows, const TensorSpec& spec);
[[nodiscard]] std::vector<std::uint8_t> untilized(ByteSpan tiles, const TensorSpec& spec);

}  // namespace pianola::tensor
