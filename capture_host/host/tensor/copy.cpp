// Copies between placements and layouts of one device, and filling with a number.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/gather_rows.h"
#include "capture_host/host/tensor/operands.h"
#include "capture_host/host/tensor/tiles.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "pianola_host/tensor.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

// Conversion between rows and tiles. Kernels read and write rows: operations convert an operand in tiles to rows, and a
// result to tiles, except for those that compute each element from elements at the same place.

constexpr std::uint32_t kFacesAcross = kTileSide / kFaceSide;

[[nodiscard]] bool is_padded(const TileGrid& grid) noexcept {
    return ((grid.rows % kTileSide) != 0U) || ((grid.columns % kTileSide) != 0U);
}

// Converts the rows of `source`, which is contiguous, to a contiguous storage.
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
                         {{source_, word(first_address(source_) + (first * element_)), grid_.columns * element_,
                           columns * element_}}};
            if (columns < kFaceSide) {
                band.parts.push_back({zeros_, first_address(zeros_), 0U, (kFaceSide - columns) * element_});
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
            bands.push_back({rows, {{zeros_, first_address(zeros_), 0U, kFaceSide * element_}}});
        } else {
            // The face is full.
        }
    }

    Tensor source_;
    TileGrid grid_;
    std::uint32_t element_;
    Tensor zeros_;  // for padding
};

// Converts the contiguous storage of a tensor of that shape to contiguous rows.
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
                band.parts.push_back({storage, word(first_address(storage) + (first * element)), kFaceSide * element,
                                      std::min(kFaceSide, grid.columns - column) * element});
            }
            bands.push_back(std::move(band));
        }
    }
    return bands;
}

// Between layouts, on one device, of one shape and type.
void convert_layout(const Tensor& source, const Tensor& destination, std::uint32_t queue) {
    if (source.layout() == ElementLayout::kTile) {
        static_cast<void>(into_contiguous(destination, queue, [&](const Tensor& run) {
            gather_rows(run, rows_of_tiles(as_contiguous(source.storage(), queue), source.shape()), "untilize", queue);
        }));
        return;
    }
    static_cast<void>(into_contiguous(destination.storage(), queue, [&](const Tensor& run) {
        gather_rows(run, Tilizer{as_contiguous(source, queue), queue}.bands(), "tilize", queue);
    }));
}

// Copies in stages are a few launches of many rows, through DRAM. copy() makes them where moving row by row takes more
// commands than the dispatch area holds, or where the cores touch more separate byte ranges than the proof of a capture
// holds: there each core reads a part of each shard, which is cores x shards ranges. Here a shard, or all pages of a
// core of a tensor that is interleaved over L1, is one part of each row: at most four ranges a core, or one a shard.

// Whether consecutive pages are on the cores in turn. As a matrix whose rows have one page of each core, such a tensor
// is width-sharded.
[[nodiscard]] bool is_paged(const Tensor& tensor) {
    const MemoryConfig& memory = tensor.memory_config();
    return (memory.memory == host::Memory::kL1) && (memory.layout == host::Layout::kInterleaved);
}

[[nodiscard]] std::uint32_t page_bytes(const Tensor& tensor) {
    return tensor.buffer()->pieces().front().bytes;
}

[[nodiscard]] std::vector<RowBand> bands_of_pages(const Tensor& source) {
    const host::Buffer& buffer = *source.buffer();
    const std::uint32_t page = page_bytes(source);
    RowBand whole{word(buffer.size_bytes() / (std::uint64_t{page} * buffer.shard_count())), {}};
    RowBand rest{1U, {}};
    for (std::uint32_t shard = 0U; shard < buffer.shard_count(); ++shard) {
        const std::uint32_t begin = buffer.shard_address(shard);
        const std::uint32_t done = whole.rows * page;
        whole.parts.push_back({source, begin, page, page});
        if (buffer.shard_bytes(shard) > done) {
            const std::uint32_t left = buffer.shard_bytes(shard) - done;
            rest.parts.push_back({source, begin + done, left, left});
        }
    }
    std::vector<RowBand> bands;
    for (RowBand* band : {&whole, &rest}) {
        if ((band->rows > 0U) && !band->parts.empty()) {
            bands.push_back(std::move(*band));
        }
    }
    return bands;
}

[[nodiscard]] std::vector<RowBand> bands_of_shards(const Tensor& source) {
    const host::BufferConfig& config = source.buffer()->config();
    std::vector<RowBand> bands;
    for (const Band& band : bands_of(*source.buffer(), Block{0U, config.rows, 0U, config.row_bytes})) {
        RowBand& rows = bands.emplace_back(RowBand{word(band.rows), {}});
        for (const Strip& strip : band.strips) {
            rows.parts.push_back({source, strip.address, strip.stride_bytes, word(strip.column_bytes)});
        }
    }
    return bands;
}

// Divides bands, so that the first stage has work for each core.
[[nodiscard]] std::vector<RowBand> shared_out(const std::vector<RowBand>& bands, std::size_t cores) {
    std::size_t launches = 0U;
    for (const RowBand& band : bands) {
        launches += ((band.parts.size() + refdev::kMaxGatherSegments) - 1U) / refdev::kMaxGatherSegments;
    }
    const std::uint32_t shares = word(std::max<std::size_t>(cores / std::max<std::size_t>(launches, 1U), 1U));
    std::vector<RowBand> result;
    for (const RowBand& band : bands) {
        const std::uint32_t share = ((band.rows + shares) - 1U) / shares;
        for (std::uint32_t row = 0U; row < band.rows; row += share) {
            RowBand& part = result.emplace_back(band);
            part.rows = std::min(share, band.rows - row);
            for (RowPart& each : part.parts) {
                each.address += row * each.stride_bytes;
            }
        }
    }
    return result;
}

// Copies a contiguous tensor to pages or shards: a launch for each core or shard, and for each page that is not whole.
class StagedWriter {
  public:
    StagedWriter(const Tensor& run, const Tensor& destination)
        : run_{run}, destination_{destination}, launches_{*destination.device()} {}

    void write(std::uint32_t queue) {
        if (is_paged(destination_)) {
            add_pages();
        } else {
            add_shards();
        }
        enqueue(destination_, launches_, "copy", queue);
    }

  private:
    void add(const std::optional<host::CoreCoord>& core, std::uint32_t to, std::uint64_t from, std::uint64_t rows,
             const std::pair<std::uint64_t, std::uint64_t>& stride_and_bytes) {
        const auto& [stride, bytes] = stride_and_bytes;
        add_gather(launches_, core, address_in(destination_.buffer(), to),
                   RowBand{word(rows), {{run_, word(first_address(run_) + from), word(stride), word(bytes)}}});
    }

    void add_shards() {
        const std::uint64_t row_bytes = destination_.buffer()->config().row_bytes;
        for (const host::Piece& piece : destination_.buffer()->pieces()) {
            add(piece.core, piece.device_address, (piece.row_begin * row_bytes) + piece.column_begin_bytes, piece.rows,
                {row_bytes, piece.column_bytes});
        }
    }

    void add_pages() {
        const host::Buffer& buffer = *destination_.buffer();
        const std::uint64_t page = page_bytes(destination_);
        const std::uint64_t turn = page * buffer.shard_count();
        for (std::uint32_t shard = 0U; shard < buffer.shard_count(); ++shard) {
            const std::uint64_t pages = buffer.shard_bytes(shard) / page;
            const std::uint64_t left = buffer.shard_bytes(shard) % page;
            const std::uint32_t to = buffer.shard_address(shard);
            if (pages > 0U) {
                add(buffer.shard_core(shard), to, shard * page, pages, {turn, page});
            }
            if (left > 0U) {
                add(buffer.shard_core(shard), word(to + (pages * page)), (shard * page) + (pages * turn), 1U,
                    {left, left});
            }
        }
    }

    Tensor run_;
    Tensor destination_;
    Launches launches_;
};

// Tensors in rows, on one device, of one shape and type, in different buffers.
void copy_in_stages(const Tensor& source, const Tensor& destination, std::uint32_t queue) {
    if (is_contiguous(source)) {
        StagedWriter{source, destination}.write(queue);
        return;
    }
    static_cast<void>(into_contiguous(destination, queue, [&](const Tensor& run) {
        const std::vector<RowBand> bands = is_paged(source) ? bands_of_pages(source) : bands_of_shards(source);
        gather_rows(run, shared_out(bands, Launches{*source.device()}.core_count()), "copy", queue);
    }));
}

using refdev::KernelId;

constexpr std::size_t kGatherSegments = refdev::kMaxGatherSegments;
constexpr std::uint32_t kFillUnitBytes = 4U;

// Assembles rows from strips, as many at a time as the kernel takes.
class Mover {
  public:
    Mover(Launches& launches, const Tensor& source, const Tensor& destination)
        : launches_{launches}, source_{source}, destination_{destination.buffer()} {}

    void move(std::uint32_t to, host::CoreCoord core, const Block& block) {
        for (const Band& band : bands_of(*source_.buffer(), block)) {
            const std::uint32_t begin = word(to + ((band.row_begin - block.row_begin) * block.column_bytes));
            if ((band.strips.size() == 1U) && ((band.rows == 1U) || band.strips.front().is_dense())) {
                copy(begin, core, band.strips.front(), band.rows * block.column_bytes);
            } else if (band.strips.size() <= kGatherSegments) {
                gather(begin, core, band, 0U, band.rows, 0U, band.strips.size());
            } else {
                move_row_by_row(begin, core, band, block.column_bytes);
            }
        }
    }

  private:
    void copy(std::uint32_t to, host::CoreCoord core, const Strip& strip, std::uint64_t bytes) {
        launches_.add(KernelId::kCopy, core,
                      {address_in(source_.buffer(), strip.address), address_in(destination_, to), word(bytes)});
    }

    // Rows of so many strips would not be contiguous in the destination.
    void move_row_by_row(std::uint32_t to, host::CoreCoord core, const Band& band, std::uint64_t row_bytes) {
        for (std::uint64_t row = 0U; row < band.rows; ++row) {
            std::uint64_t offset = 0U;
            for (std::size_t first = 0U; first < band.strips.size(); first += kGatherSegments) {
                const std::size_t count = std::min(kGatherSegments, band.strips.size() - first);
                gather(word(to + (row * row_bytes) + offset), core, band, row, 1U, first, count);
                for (std::size_t i = first; i < (first + count); ++i) {
                    offset += band.strips[i].column_bytes;
                }
            }
        }
    }

    void gather(std::uint32_t to, host::CoreCoord core, const Band& band, std::uint64_t row, std::uint64_t rows,
                std::size_t first, std::size_t count) {
        RowBand part{word(rows), {}};
        for (std::size_t i = first; i < (first + count); ++i) {
            const Strip& strip = band.strips[i];
            part.parts.push_back({source_, word(strip.address + (row * strip.stride_bytes)), strip.stride_bytes,
                                  word(strip.column_bytes)});
        }
        add_gather(launches_, core, address_in(destination_, to), part);
    }

    Launches& launches_;
    Tensor source_;
    host::BufferPtr destination_;
};

// The upper half is the bfloat16 if the value is a bfloat16.
[[nodiscard]] std::uint32_t float_bits(std::int64_t value) {
    const auto number = static_cast<float>(value);
    std::uint32_t bits = 0U;
    std::memcpy(&bits, &number, sizeof(bits));
    return bits;
}

}  // namespace

NumberRange range_of(ElementType type) {
    constexpr std::int64_t kExactFloat = std::int64_t{1} << 24U;
    constexpr std::int64_t kExactBfloat = std::int64_t{1} << 8U;
    switch (type) {
        case ElementType::kInt8:
            return {INT8_MIN, INT8_MAX};
        case ElementType::kUint8:
            return {0, UINT8_MAX};
        case ElementType::kInt32:
            return {INT32_MIN, INT32_MAX};
        case ElementType::kInt16:
            return {INT16_MIN, INT16_MAX};
        case ElementType::kUint16:
            return {0, UINT16_MAX};
        case ElementType::kUint32:
            return {0, UINT32_MAX};
        case ElementType::kFloat32:
            return {-kExactFloat, kExactFloat};
        case ElementType::kBfloat16:
            return {-kExactBfloat, kExactBfloat};
        case ElementType::kBool:
        case ElementType::kUnspecified:
            break;
    }
    static_cast<void>(bytes_per_element(type));  // throws
    return {};
}

std::uint32_t pattern_of(ElementType type, std::int64_t value) {
    const NumberRange range = range_of(type);
    if ((value < range.minimum) || (value > range.maximum)) {
        throw TensorError{TensorRule::kValue, fmt::format("{} takes values from {} to {}, not {}", type_name(type),
                                                          range.minimum, range.maximum, value)};
    }
    constexpr std::uint32_t kEveryByte = 0x0101'0101U;
    constexpr std::uint32_t kBothHalves = 0x0001'0001U;
    constexpr std::uint32_t kHalfBits = 16U;
    if (type == ElementType::kFloat32) {
        return float_bits(value);
    }
    if (type == ElementType::kBfloat16) {
        return (float_bits(value) >> kHalfBits) * kBothHalves;
    }
    const auto number = static_cast<std::uint32_t>(value);
    switch (bytes_per_element(type)) {
        case 1U:
            return (number & UINT8_MAX) * kEveryByte;
        case 2U:
            return (number & UINT16_MAX) * kBothHalves;
        default:
            return number;
    }
}

void copy(const Tensor& source, const Tensor& destination, std::uint32_t queue) {
    if (is_distributed(source, destination)) {
        return for_each_device("copy", [](const auto&... each) { return copy(each...); }, source, destination, queue);
    }
    require_same_device("copy", source, destination);
    if ((source.shape() != destination.shape()) || (source.type() != destination.type())) {
        throw TensorError{TensorRule::kShape,
                          fmt::format("copy: the source is {} of {}, the destination {} of {}; both must be the same",
                                      to_string(source.shape()), type_name(source.type()),
                                      to_string(destination.shape()), type_name(destination.type()))};
    }
    if (source.buffer() == destination.buffer()) {
        return;
    }
    if (source.layout() != destination.layout()) {
        convert_layout(source, destination, queue);
        return;
    }
    if (source.layout() == ElementLayout::kTile) {
        copy(source.storage(), destination.storage(), queue);
        return;
    }
    Launches launches{*destination.device()};
    Mover mover{launches, source, destination};
    for_dense_rows(launches, destination, [&mover](std::uint32_t to, host::CoreCoord core, const Block& block) {
        mover.move(to, core, block);
    });
    if (!launches.empty() && !enqueue_as_one(destination, launches, "copy", queue)) {
        copy_in_stages(source, destination, queue);
    }
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

Tensor reshard(const Tensor& operand, const MemoryConfig& memory, const std::optional<Tensor>& output,
               std::uint32_t queue) {
    if (is_distributed(operand, output)) {
        return for_each_device(
            "reshard", [](const auto&... each) { return reshard(each...); }, operand, memory, output, queue);
    }
    const OperationOptions options{memory, output, queue};
    Tensor result = result_for("reshard", operand.spec(), options, operand.device());
    copy(operand, result, queue);
    return result;
}

Tensor to_memory_config(const Tensor& operand, const MemoryConfig& memory, std::uint32_t queue) {
    return reshard(operand, memory, std::nullopt, queue);
}

void fill(const Tensor& tensor, std::int64_t value, std::uint32_t queue) {
    if (is_distributed(tensor)) {
        return for_each_device("fill", [](const auto&... each) { return fill(each...); }, tensor, value, queue);
    }
    const std::uint32_t pattern = pattern_of(tensor.type(), value);
    const host::BufferPtr& buffer = tensor.buffer();
    Launches launches{*tensor.device()};
    std::optional<Tensor> unit;  // the last bytes of a shard are copied from here
    for (std::uint32_t shard = 0U; shard < buffer->shard_count(); ++shard) {
        const std::uint32_t bytes = buffer->shard_bytes(shard);
        const std::uint32_t whole = bytes - (bytes % kFillUnitBytes);
        const host::CoreCoord core = buffer->shard_core(shard).value_or(launches.next_core());
        if (whole > 0U) {
            launches.add(KernelId::kFill, core, {host::BufferArgument{buffer, shard, 0U}, whole, pattern});
        }
        if (whole == bytes) {
            continue;
        }
        if (!unit.has_value()) {
            unit =
                Tensor::on_device({{kFillUnitBytes}, tensor.type(), kDramInterleaved}, tensor.device(), {queue, true});
            fill(*unit, value, queue);
        }
        launches.add(
            KernelId::kCopy, core,
            {host::BufferArgument{unit->buffer(), 0U, 0U}, host::BufferArgument{buffer, shard, whole}, bytes - whole});
    }
    enqueue(tensor, launches, "fill", queue);
}

Tensor full(const TensorSpec& spec, std::int64_t value, const std::shared_ptr<host::Device>& device,
            std::uint32_t queue) {
    static_cast<void>(pattern_of(spec.type, value));
    Tensor tensor = Tensor::on_device(spec, device, {queue});
    fill(tensor, value, queue);
    return tensor;
}

Tensor full(const TensorSpec& spec, std::int64_t value, const host::MeshPtr& mesh, std::uint32_t queue) {
    static_cast<void>(pattern_of(spec.type, value));
    Tensor tensor = Tensor::on_mesh(spec, mesh, std::nullopt, {queue});
    fill(tensor, value, queue);
    return tensor;
}

}  // namespace pianola::tensor
