#include "capture_host/host/tensor/layout.h"

#include <fmt/format.h>

#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/gather_rows.h"
#include "capture_host/host/tensor/row_work.h"
#include "capture_host/host/tensor/tiles.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

constexpr std::uint32_t kFacesAcross = kTileSide / kFaceSide;

[[nodiscard]] bool is_padded(const TileGrid& grid) noexcept {
    return ((grid.rows % kTileSide) != 0U) || ((grid.columns % kTileSide) != 0U);
}

// Rows of `source`, which lies in one run, as storage in one run.
class Tilizer {
  public:
    Tilizer(const Tensor& source, std::uint32_t queue)
        : source_{source},
          grid_{tile_grid(source.shape())},
          element_{bytes_per_element(source.type())},
          zeros_{is_padded(grid_) ? zeros_for_parts(source, kFaceSide * element_, queue) : source} {}

    [[nodiscard]] std::vector<RowBand> bands() const {
        std::vector<RowBand> bands;
        for (std::uint32_t matrix = 0U; matrix < grid_.matrices; ++matrix) {
            for (std::uint32_t row = 0U; row < grid_.tile_rows; ++row) {
                for (std::uint32_t column = 0U; column < grid_.tile_columns; ++column) {
                    add_tile(bands, matrix, row * kTileSide, column * kTileSide);
                }
            }
        }
        return bands;
    }

  private:
    void add_tile(std::vector<RowBand>& bands, std::uint32_t matrix, std::uint32_t row, std::uint32_t column) const {
        for (std::uint32_t face = 0U; face < (kFacesAcross * kFacesAcross); ++face) {
            add_face(bands, matrix, row + ((face / kFacesAcross) * kFaceSide),
                     column + ((face % kFacesAcross) * kFaceSide));
        }
    }

    void add_face(std::vector<RowBand>& bands, std::uint32_t matrix, std::uint32_t row, std::uint32_t column) const {
        const std::uint32_t rows = std::min(kFaceSide, grid_.rows - std::min(row, grid_.rows));
        const std::uint32_t columns = std::min(kFaceSide, grid_.columns - std::min(column, grid_.columns));
        const std::uint32_t used = (columns == 0U) ? 0U : rows;
        if (used > 0U) {
            const std::uint64_t first = (((std::uint64_t{matrix} * grid_.rows) + row) * grid_.columns) + column;
            RowBand band{used,
                         {{source_, word(run_address(source_) + (first * element_)), grid_.columns * element_,
                           columns * element_}}};
            if (columns < kFaceSide) {
                band.parts.push_back({zeros_, run_address(zeros_), 0U, (kFaceSide - columns) * element_});
            }
            bands.push_back(std::move(band));
        }
        add_zeros(bands, kFaceSide - used);
    }

    void add_zeros(std::vector<RowBand>& bands, std::uint32_t rows) const {
        const bool follows_zeros = !bands.empty() && (bands.back().parts.front().stride_bytes == 0U);
        if (follows_zeros) {
            bands.back().rows += rows;
        } else if (rows > 0U) {
            bands.push_back({rows, {{zeros_, run_address(zeros_), 0U, kFaceSide * element_}}});
        } else {
            // The face is full.
        }
    }

    Tensor source_;
    TileGrid grid_;
    std::uint32_t element_;
    Tensor zeros_;  // where there is padding
};

// Storage in one run, of a tensor of that shape, as rows in one run.
[[nodiscard]] std::vector<RowBand> rows_of_tiles(const Tensor& storage, const Shape& shape) {
    const TileGrid grid = tile_grid(shape);
    const std::uint32_t element = bytes_per_element(storage.type());
    std::vector<RowBand> bands;
    for (std::uint32_t matrix = 0U; matrix < grid.matrices; ++matrix) {
        for (std::uint32_t row = 0U; row < grid.rows; row += kFaceSide) {
            const std::uint64_t tile_row = (std::uint64_t{matrix} * grid.tile_rows) + (row / kTileSide);
            const std::uint32_t face_row = (row % kTileSide) / kFaceSide;
            RowBand band{std::min(kFaceSide, grid.rows - row), {}};
            for (std::uint32_t column = 0U; column < grid.columns; column += kFaceSide) {
                const std::uint64_t tile = (tile_row * grid.tile_columns) + (column / kTileSide);
                const std::uint32_t face = (face_row * kFacesAcross) + ((column % kTileSide) / kFaceSide);
                const std::uint64_t first = (tile * kTileElements) + (std::uint64_t{face} * kFaceElements);
                band.parts.push_back({storage, word(run_address(storage) + (first * element)), kFaceSide * element,
                                      std::min(kFaceSide, grid.columns - column) * element});
            }
            bands.push_back(std::move(band));
        }
    }
    return bands;
}

}  // namespace

void convert_layout(const Tensor& source, const Tensor& destination, std::uint32_t queue) {
    if (source.layout() == ElementLayout::kTile) {
        static_cast<void>(through_one_run(destination, queue, [&](const Tensor& run) {
            gather_rows(run, rows_of_tiles(in_one_run(source.storage(), queue), source.shape()), "untilize", queue);
        }));
        return;
    }
    static_cast<void>(through_one_run(destination.storage(), queue, [&](const Tensor& run) {
        gather_rows(run, Tilizer{in_one_run(source, queue), queue}.bands(), "tilize", queue);
    }));
}

Tensor to_layout(const Tensor& operand, ElementLayout layout, const std::optional<MemoryConfig>& memory,
                 std::uint32_t queue) {
    if (is_distributed(operand)) {
        return for_each_device(
            "to_layout", [](const auto&... each) { return to_layout(each...); }, operand, layout, memory, queue);
    }
    const bool stays = !memory.has_value() || (operand.is_on_device() && (*memory == operand.memory_config()));
    if ((operand.layout() == layout) && stays) {
        return operand;
    }
    if (!operand.is_on_device()) {
        if (memory.has_value()) {
            throw TensorError{TensorRule::kDevice,
                              "to_layout: a tensor of the host has no memory configuration; bring it to a device with "
                              "to() first"};
        }
        return Tensor::on_host({operand.shape(), operand.type(), operand.memory_config(), layout}, operand.bytes());
    }
    Tensor result = Tensor::on_device(
        {operand.shape(), operand.type(), memory.value_or(operand.memory_config()), layout}, operand.device(), {queue});
    copy(operand, result, queue);
    return result;
}

}  // namespace pianola::tensor
