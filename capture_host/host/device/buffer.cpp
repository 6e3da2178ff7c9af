#include "pianola_host/buffer.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture_host/base/range_set.h"
#include "pianola_host/host_error.h"
#include "pianola_host/memory_holder.h"

namespace pianola::host {

Buffer::~Buffer() {
    const std::shared_ptr<MemoryHolder> holder = holder_.lock();
    if (holder != nullptr) {
        holder->release(*this);
    }
}

std::uint32_t Buffer::address() const {
    return shards_.front().address;
}

namespace {

[[noreturn]] void no_shard(std::uint32_t shard, std::size_t count) {
    throw HostError{HostRule::kBufferConfig, fmt::format("shard {} is asked for, the buffer has {}", shard, count)};
}

}  // namespace

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

}  // namespace pianola::host
