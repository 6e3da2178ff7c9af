#include "capture_host/host/tensor/staged_copy.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "capture_host/host/tensor/gather_rows.h"
#include "capture_host/host/tensor/row_work.h"

namespace pianola::tensor {
namespace {

// Page after page, the cores in turn. Seen as a matrix that has one page of every core in a row, such a tensor is
// width-sharded.
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

// The same rows in more bands, so that the first stage has work for each core.
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

// From one run to pages or shards: a launch for each core or shard, and for each page that is not whole.
class Spreader {
  public:
    Spreader(const Tensor& run, const Tensor& destination)
        : run_{run}, destination_{destination}, launches_{*destination.device()} {}

    void spread(std::uint32_t queue) {
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
                   RowBand{word(rows), {{run_, word(run_address(run_) + from), word(stride), word(bytes)}}});
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

}  // namespace

void copy_in_stages(const Tensor& source, const Tensor& destination, std::uint32_t queue) {
    if (is_one_run(source)) {
        Spreader{source, destination}.spread(queue);
        return;
    }
    static_cast<void>(through_one_run(destination, queue, [&](const Tensor& run) {
        const std::vector<RowBand> bands = is_paged(source) ? bands_of_pages(source) : bands_of_shards(source);
        gather_rows(run, shared_out(bands, Launches{*source.device()}.core_count()), "copy", queue);
    }));
}

}  // namespace pianola::tensor
