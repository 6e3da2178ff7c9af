#include "pianola_host/buffer.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture_host/host/device/device_state.h"

namespace pianola::host {
namespace {

[[noreturn]] void no_shard(std::uint32_t shard, std::size_t count) {
    throw HostError{HostRule::kBufferConfig, fmt::format("shard {} is asked for, the buffer has {}", shard, count)};
}

[[noreturn]] void refuse_config(const std::string& message) {
    throw HostError{HostRule::kBufferConfig, message};
}

// One block of host data; `slot` is the shard or core that takes it.
struct Block {
    std::uint32_t slot{0U};
    Piece piece;
};

Block make_block(std::uint64_t slot, std::uint64_t row, std::uint64_t rows, std::uint64_t column,
                 std::uint64_t columns) {
    Block block;
    block.slot = static_cast<std::uint32_t>(slot);
    block.piece.row_begin = row;
    block.piece.rows = rows;
    block.piece.column_begin_bytes = column;
    block.piece.column_bytes = columns;
    block.piece.bytes = static_cast<std::uint32_t>(rows * columns);
    return block;
}

std::vector<Block> pages_of(const BufferConfig& config, std::uint64_t page, std::uint32_t slots) {
    std::vector<Block> blocks;
    const std::uint64_t total = config.rows * config.row_bytes;
    for (std::uint64_t at = 0U; at < total; at += page) {
        const std::uint64_t slot = (at / page) % slots;
        const std::uint64_t row = at / config.row_bytes;
        if (page >= config.row_bytes) {
            blocks.push_back(
                make_block(slot, row, std::min(page / config.row_bytes, config.rows - row), 0U, config.row_bytes));
        } else {
            blocks.push_back(make_block(slot, row, 1U, at % config.row_bytes, page));
        }
    }
    return blocks;
}

std::vector<Block> shards_of(const BufferConfig& config, std::uint64_t shard_rows, std::uint64_t shard_row_bytes) {
    std::vector<Block> blocks;
    for (std::uint64_t row = 0U; row < config.rows; row += shard_rows) {
        for (std::uint64_t column = 0U; column < config.row_bytes; column += shard_row_bytes) {
            blocks.push_back(make_block(blocks.size(), row, std::min(shard_rows, config.rows - row), column,
                                        std::min(shard_row_bytes, config.row_bytes - column)));
        }
    }
    return blocks;
}

// The blocks, cores and sizes that a configuration leads to.
struct Distribution {
    std::vector<Block> blocks;
    std::vector<CoreCoord> cores;  // L1: by slot
    std::uint64_t slot_bytes{0U};  // reserved for one shard, or for one core's pages
    std::uint32_t slots{1U};
};

std::uint64_t page_bytes_of(const BufferConfig& config) {
    const std::uint64_t page = (config.page_bytes == 0U) ? config.row_bytes : config.page_bytes;
    if (((config.row_bytes % page) != 0U) && ((page % config.row_bytes) != 0U)) {
        refuse_config(
            fmt::format("a page of {} bytes is neither a part nor a multiple of a row of {}; choose one that is", page,
                        config.row_bytes));
    }
    return page;
}

Distribution interleave(const DeviceDescription& spec, const BufferConfig& config) {
    Distribution result;
    const std::uint64_t total = config.rows * config.row_bytes;
    if (config.shard.has_value()) {
        refuse_config("an interleaved buffer has no shards; leave `shard` out, or choose a sharded layout");
    }
    if (config.memory == Memory::kDram) {
        result.blocks.push_back(make_block(0U, 0U, config.rows, 0U, config.row_bytes));
        result.slot_bytes = total;
        return result;
    }
    const std::uint64_t page = page_bytes_of(config);
    const std::uint64_t pages = divide_up(total, page);
    result.cores = cores_of(all_cores(spec));
    result.slots = static_cast<std::uint32_t>(std::min<std::uint64_t>(result.cores.size(), pages));
    result.cores.resize(result.slots);
    result.slot_bytes = divide_up(pages, result.slots) * page;
    result.blocks = pages_of(config, page, result.slots);
    return result;
}

void check_direction(const BufferConfig& config, const ShardSpec& shard, std::uint64_t shard_row_bytes) {
    if ((config.layout == Layout::kHeightSharded) && (shard_row_bytes != config.row_bytes)) {
        refuse_config(fmt::format("a height-sharded buffer's shards have its {} columns; the shard has {}",
                                  config.row_bytes / config.element_bytes, shard.columns));
    }
    if ((config.layout == Layout::kWidthSharded) && (shard.rows != config.rows)) {
        refuse_config(
            fmt::format("a width-sharded buffer's shards have its {} rows; the shard has {}", config.rows, shard.rows));
    }
}

Distribution divide(const DeviceDescription& spec, const BufferConfig& config) {
    if (!config.shard.has_value()) {
        refuse_config("a sharded buffer needs `shard`: its cores (L1), and rows and columns of one shard");
    }
    Distribution result;
    const ShardSpec& shard = *config.shard;
    const std::uint64_t shard_row_bytes = std::uint64_t{shard.columns} * config.element_bytes;
    if ((shard.rows == 0U) || (shard.columns == 0U)) {
        refuse_config("a shard has no rows or no columns");
    }
    check_direction(config, shard, shard_row_bytes);
    const std::uint64_t count = divide_up(config.rows, shard.rows) * divide_up(config.row_bytes, shard_row_bytes);
    if (config.memory == Memory::kL1) {
        check_cores(spec, shard.cores, "a sharded buffer");
        result.cores = cores_of(shard.cores);
        if (count > result.cores.size()) {
            refuse_config(fmt::format("{} shards are needed, {} cores are named; larger shards or more cores", count,
                                      result.cores.size()));
        }
        result.cores.resize(count);
    } else if (!shard.cores.empty()) {
        refuse_config("shards in DRAM lie in banks; leave `cores` empty");
    } else if (count > spec.dram_bytes / kShardAlignment) {
        refuse_config(
            fmt::format("{} shards of at least {} bytes do not fit DRAM; larger shards", count, kShardAlignment));
    }
    result.slots = static_cast<std::uint32_t>(count);
    result.slot_bytes = std::min<std::uint64_t>(shard.rows, config.rows) * std::min(shard_row_bytes, config.row_bytes);
    result.blocks = shards_of(config, shard.rows, shard_row_bytes);
    return result;
}

Distribution distribute(const DeviceDescription& spec, const BufferConfig& config) {
    if ((config.memory != Memory::kDram) && (config.memory != Memory::kL1)) {
        refuse_config("choose a memory: DRAM or L1");
    }
    if ((config.rows == 0U) || (config.row_bytes == 0U)) {
        refuse_config(
            fmt::format("{} rows of {} bytes hold nothing; both must be above 0", config.rows, config.row_bytes));
    }
    const std::uint64_t limit = (config.memory == Memory::kDram) ? spec.dram_bytes : spec.l1_bytes;
    if ((config.rows > limit) || (config.row_bytes > limit) || ((config.rows * config.row_bytes) > limit)) {
        refuse_config(fmt::format("{} rows of {} bytes are more than the {} bytes of the whole memory", config.rows,
                                  config.row_bytes, limit));
    }
    if ((config.element_bytes == 0U) || ((config.row_bytes % config.element_bytes) != 0U)) {
        refuse_config(fmt::format("a row of {} bytes does not hold whole elements of {}", config.row_bytes,
                                  config.element_bytes));
    }
    return (config.layout == Layout::kInterleaved) ? interleave(spec, config) : divide(spec, config);
}

std::uint64_t stride_of(const BufferConfig& config, const Distribution& distribution) {
    return (config.memory == Memory::kDram) ? align_up(distribution.slot_bytes, kShardAlignment) : 0U;
}

}  // namespace

Buffer::~Buffer() {
    const std::shared_ptr<Device> device = device_.lock();
    if (device != nullptr) {
        device->release(*this);
    }
}

std::uint32_t Buffer::address() const {
    return shards_.front().address;
}

std::uint32_t Buffer::shard_address(std::uint32_t shard) const {
    if (shard >= shards_.size()) {
        no_shard(shard, shards_.size());
    }
    return shards_[shard].address;
}

std::uint32_t Buffer::shard_bytes(std::uint32_t shard) const {
    if (shard >= shards_.size()) {
        no_shard(shard, shards_.size());
    }
    return shards_[shard].bytes;
}

std::optional<CoreCoord> Buffer::shard_core(std::uint32_t shard) const {
    if (shard >= shards_.size()) {
        no_shard(shard, shards_.size());
    }
    return shards_[shard].core;
}

std::optional<std::uint32_t> Buffer::shard_on(CoreCoord core) const {
    for (std::uint32_t i = 0U; i < shards_.size(); ++i) {
        if (shards_[i].core == core) {
            return i;
        }
    }
    return std::nullopt;
}

RangeSet addresses_of(const Buffer& buffer) {
    RangeSet addresses;
    for (const AddressRange& run : buffer.runs()) {
        addresses.add(run.address, std::uint64_t{run.address} + run.bytes);
    }
    return addresses;
}

bool touches(const RangeSet& addresses, const Buffer& buffer) {
    return std::any_of(buffer.runs().begin(), buffer.runs().end(), [&addresses](const AddressRange& run) {
        return addresses.intersects(run.address, std::uint64_t{run.address} + run.bytes);
    });
}

std::vector<AddressRange> Buffer::host_runs() const {
    struct Row {
        std::uint64_t host_offset;
        AddressRange range;
    };
    std::vector<Row> rows;
    for (const Piece& piece : pieces_) {
        const bool whole_rows = piece.column_bytes == config_.row_bytes;
        const std::uint64_t count = whole_rows ? 1U : piece.rows;
        const auto bytes = static_cast<std::uint32_t>(whole_rows ? piece.bytes : piece.column_bytes);
        for (std::uint64_t i = 0U; i < count; ++i) {
            rows.push_back({((piece.row_begin + i) * config_.row_bytes) + piece.column_begin_bytes,
                            {static_cast<std::uint32_t>(piece.device_address + (i * bytes)), bytes}});
        }
    }
    std::sort(rows.begin(), rows.end(),
              [](const Row& left, const Row& right) { return left.host_offset < right.host_offset; });
    std::vector<AddressRange> runs;
    for (const Row& row : rows) {
        if (!runs.empty() && ((runs.back().address + runs.back().bytes) == row.range.address)) {
            runs.back().bytes += row.range.bytes;
        } else {
            runs.push_back(row.range);
        }
    }
    return runs;
}

BufferPlacement BufferPlacement::plan(const DeviceDescription& spec, const BufferConfig& config) {
    const Distribution distribution = distribute(spec, config);
    BufferPlacement placement;
    const bool dram_shards = (config.memory == Memory::kDram) && (config.layout != Layout::kInterleaved);
    placement.alignment = dram_shards ? kShardAlignment : kAllocationAlignment;
    placement.bytes = dram_shards
                          ? (stride_of(config, distribution) * (distribution.slots - 1U)) + distribution.slot_bytes
                          : distribution.slot_bytes;
    return placement;
}

BufferPtr BufferPlacement::make(const DeviceDescription& spec, const BufferConfig& config,
                                const BufferPlacement& placement, std::uint32_t offset, BufferId id,
                                const std::shared_ptr<Device>& device) {
    const Distribution distribution = distribute(spec, config);
    const std::uint64_t stride = stride_of(config, distribution);
    const BufferPtr buffer = std::make_shared<Buffer>(Buffer::Key{});
    buffer->id_ = id;
    buffer->config_ = config;
    buffer->device_ = device;
    buffer->allocated_ = true;
    buffer->offset_ = offset;
    buffer->reserved_bytes_ = static_cast<std::uint32_t>(align_up(placement.bytes, kAllocationAlignment));
    for (std::uint32_t slot = 0U; slot < distribution.slots; ++slot) {
        Buffer::Shard shard;
        if (config.memory == Memory::kL1) {
            shard.core = distribution.cores.at(slot);
            shard.address = core_l1_base(spec, *shard.core) + offset;
        } else {
            shard.address = static_cast<std::uint32_t>(spec.dram_base + offset + (slot * stride));
        }
        buffer->shards_.push_back(shard);
    }
    // Slot by slot, so that contiguous device memory stays one run.
    for (std::uint32_t slot = 0U; slot < distribution.slots; ++slot) {
        Buffer::Shard& shard = buffer->shards_[slot];
        for (const Block& block : distribution.blocks) {
            if (block.slot == slot) {
                Piece piece = block.piece;
                piece.device_address = shard.address + shard.bytes;
                piece.core = shard.core;
                shard.bytes += piece.bytes;
                buffer->pieces_.push_back(piece);
            }
        }
        if (!buffer->runs_.empty() && ((buffer->runs_.back().address + buffer->runs_.back().bytes) == shard.address)) {
            buffer->runs_.back().bytes += shard.bytes;
        } else {
            buffer->runs_.push_back({shard.address, shard.bytes});
        }
    }
    return buffer;
}

}  // namespace pianola::host
