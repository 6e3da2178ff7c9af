#include "capture_host/host/device/transfers.h"

#include <algorithm>

#include "pianola_host/host_error.h"

namespace pianola::host {
namespace {

constexpr std::size_t kArenaBytes = std::size_t{1} << 20U;
constexpr std::uint32_t kSlot = 0U;

// Calls move(host offset, device-order offset, bytes) for every run that is contiguous on both sides.
template <typename Move>
void for_each_contiguous_run(const std::vector<Piece>& pieces, std::uint64_t row_bytes, Move move) {
    std::size_t packed = 0U;
    for (const Piece& piece : pieces) {
        const bool whole_rows = piece.column_bytes == row_bytes;
        const std::uint64_t runs = whole_rows ? 1U : piece.rows;
        const std::size_t bytes = whole_rows ? piece.bytes : piece.column_bytes;
        for (std::uint64_t i = 0U; i < runs; ++i) {
            move(((piece.row_begin + i) * row_bytes) + piece.column_begin_bytes, packed, bytes);
            packed += bytes;
        }
    }
}

}  // namespace

Transfers::Transfers(pianola::Device& device, QueueDriver& queues)
    : device_{device}, queues_{queues}, source_(kArenaBytes), destination_(kArenaBytes) {
    bind();
}

void Transfers::bind() {
    if (!is_ok(device_.bind_source(kSlot, {source_.data(), source_.size()})) ||
        !is_ok(device_.bind_destination(kSlot, {destination_.data(), destination_.size()}))) {
        throw HostError{HostRule::kDeviceFault, "the device does not take the host's memory for transfers"};
    }
}

std::size_t Transfers::take(std::vector<std::uint8_t>& arena, std::size_t& used, std::size_t bytes) {
    if (bytes > (arena.size() - used)) {
        drain();
        if (bytes > arena.size()) {
            arena.resize(bytes);
            bind();
        }
    }
    const std::size_t offset = used;
    used += bytes;
    return offset;
}

void Transfers::enqueue(std::uint32_t queue, QueueCommandKind kind, const AddressRange& range,
                        std::size_t arena_offset) {
    QueueCommand command;
    command.kind = kind;
    command.address = range.address;
    command.size_bytes = range.bytes;
    command.slot = kSlot;
    command.slot_offset = static_cast<std::uint32_t>(arena_offset);
    queues_.enqueue(queue, command);
}

void Transfers::write(std::uint32_t queue, std::uint32_t address, ByteSpan bytes) {
    const std::size_t offset = take(source_, source_used_, bytes.size());
    std::copy(bytes.begin(), bytes.end(), source_.begin() + static_cast<std::ptrdiff_t>(offset));
    enqueue(queue, QueueCommandKind::kWrite, {address, static_cast<std::uint32_t>(bytes.size())}, offset);
}

void Transfers::write(std::uint32_t queue, const Buffer& buffer, ByteSpan host_row_major) {
    const std::size_t base = take(source_, source_used_, host_row_major.size());
    for_each_contiguous_run(
        buffer.pieces(), buffer.config().row_bytes, [&](std::size_t host, std::size_t packed, std::size_t bytes) {
            const ByteSpan run = host_row_major.subspan(host, bytes);
            std::copy(run.begin(), run.end(), source_.begin() + static_cast<std::ptrdiff_t>(base + packed));
        });
    std::size_t packed = base;
    for (const AddressRange& range : buffer.runs()) {
        enqueue(queue, QueueCommandKind::kWrite, range, packed);
        packed += range.bytes;
    }
}

std::shared_ptr<ReadHandle::State> Transfers::read(std::uint32_t queue, const Buffer& buffer) {
    auto state = std::make_shared<ReadHandle::State>();
    state->device = buffer.device();
    state->queue = queue;
    state->row_bytes = buffer.config().row_bytes;
    state->pieces = buffer.pieces();
    state->arena_offset = take(destination_, destination_used_, buffer.size_bytes());
    std::size_t packed = state->arena_offset;
    for (const AddressRange& range : buffer.runs()) {
        enqueue(queue, QueueCommandKind::kRead, range, packed);
        packed += range.bytes;
    }
    state->token = queues_.notify(queue);
    pending_.push_back(state);
    return state;
}

void Transfers::collect() {
    const auto done = [this](const std::shared_ptr<ReadHandle::State>& state) {
        if (!queues_.is_complete(state->queue, state->token)) {
            return false;
        }
        std::vector<std::uint8_t> data;
        std::size_t total = 0U;
        for (const Piece& piece : state->pieces) {
            total += piece.bytes;
        }
        data.resize(total);
        for_each_contiguous_run(
            state->pieces, state->row_bytes, [&](std::size_t host, std::size_t packed, std::size_t bytes) {
                const auto first = destination_.begin() + static_cast<std::ptrdiff_t>(state->arena_offset + packed);
                std::copy(first, first + static_cast<std::ptrdiff_t>(bytes),
                          data.begin() + static_cast<std::ptrdiff_t>(host));
            });
        state->data = std::move(data);
        state->ready = true;
        return true;
    };
    pending_.erase(std::remove_if(pending_.begin(), pending_.end(), done), pending_.end());
}

void Transfers::drain() {
    queues_.drain();
    collect();
    source_used_ = 0U;
    destination_used_ = 0U;
}

void Transfers::abandon(const std::string& why) noexcept {
    for (const auto& state : pending_) {
        state->failure = why;
    }
    pending_.clear();
}

}  // namespace pianola::host
