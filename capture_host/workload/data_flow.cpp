#include "capture_host/workload/data_flow.h"

#include <algorithm>

namespace pianola::host {
namespace {

constexpr std::uint64_t kAnyAddress = UINT64_MAX;

const std::vector<std::uint32_t>& words_of(const Call& call) {
    return (call.kind == CallKind::kProgram) ? call.trace->programs.front().words : call.trace->words;
}

// The words of the call's commands; of those that are an operand's address, that they are one.
void say_words(const std::vector<std::uint32_t>& words, const CommandSet& command_set,
               std::vector<std::uint64_t>& said) {
    const WordSpan all{words.data(), words.size()};
    (void)targets::for_each_command(command_set, words, [&](std::uint32_t at, const DecodedCommand& command) {
        const WordSpan own = all.subspan(at, command.length_words);
        for (std::uint32_t i = 0U; i < command.length_words; ++i) {
            const bool is_address = command_set.patch_kind(own, i) == PatchKind::kAddress;
            said.push_back(is_address ? kAnyAddress : own[i]);
        }
    });
}

}  // namespace

std::vector<std::uint64_t> call_shape(const Call& call, const CommandSet& command_set) {
    std::vector<std::uint64_t> said{static_cast<std::uint64_t>(call.kind), call.queue};
    switch (call.kind) {
        case CallKind::kWrite:
        case CallKind::kRead:
            said.push_back(call.buffer->row_bytes);
            for (const Piece& piece : call.buffer->pieces) {
                said.insert(said.end(), {piece.row_begin, piece.rows, piece.column_begin_bytes, piece.column_bytes});
            }
            break;
        case CallKind::kProgram:
            say_words(words_of(call), command_set, said);
            break;
        case CallKind::kReplay:
            said.push_back(call.object);
            say_words(words_of(call), command_set, said);
            break;
        case CallKind::kRecordEvent:
        case CallKind::kWaitEvent:
        default:
            said.push_back(call.object);
            break;
    }
    return said;
}

std::vector<DataFlow::Source> DataFlow::sources(std::uint64_t begin, std::uint64_t end) const {
    std::vector<Source> found;
    std::uint64_t at = begin;
    auto next = written_.upper_bound(begin);
    if ((next != written_.begin()) && (std::prev(next)->second.end > begin)) {
        --next;
    }
    while (at < end) {
        const bool is_written = (next != written_.end()) && (next->first <= at);
        const std::uint64_t until =
            std::min(end, is_written ? next->second.end : ((next != written_.end()) ? std::max(next->first, at) : end));
        const std::uint64_t writer = is_written ? next->second.writer : 0U;
        const std::uint64_t offset = is_written ? (next->second.offset + (at - next->first)) : at;
        // One piece with the one before, where it goes on there.
        if (!found.empty() && (found.back().writer == writer) &&
            ((found.back().offset + found.back().bytes) == offset)) {
            found.back().bytes += until - at;
        } else {
            found.push_back({writer, offset, until - at});
        }
        at = until;
        if (is_written) {
            ++next;
        }
    }
    return found;
}

void DataFlow::say_source(std::uint64_t begin, std::uint64_t end) {
    for (const Source& source : sources(begin, end)) {
        said_.insert(said_.end(), {source.writer, source.offset, source.bytes});
        read_.push_back(source);
        reads_given_ = reads_given_ || (given_.count(source.writer) != 0U);
    }
}

void DataFlow::read(std::uint64_t begin, std::uint64_t end) {
    for (const ByteRange& range : written_set_.missing(begin, end)) {
        found_.add(range.begin, range.end);
    }
    say_source(begin, end);
}

void DataFlow::write(std::uint64_t begin, std::uint64_t end) {
    auto at = written_.lower_bound(begin);
    if ((at != written_.begin()) && (std::prev(at)->second.end > begin)) {
        Written& before = std::prev(at)->second;
        const std::uint64_t start = std::prev(at)->first;
        if (before.end > end) {
            written_.emplace(end, Written{before.end, before.writer, before.offset + (end - start)});
        }
        before.end = begin;
        at = written_.lower_bound(begin);
    }
    while ((at != written_.end()) && (at->first < end)) {
        if (at->second.end > end) {
            const Written rest{at->second.end, at->second.writer, at->second.offset + (end - at->first)};
            written_.emplace(end, rest);
        }
        at = written_.erase(at);
    }
    written_[begin] = Written{end, ++writers_, 0U};
    if (reads_given_) {
        given_.insert(writers_);
    }
    written_set_.add(begin, end);
}

void DataFlow::commands(const std::vector<std::uint32_t>& words) {
    (void)targets::for_each_command(command_set_, words, [this](std::uint32_t /*at*/, const DecodedCommand& command) {
        reads_given_ = false;
        for (const Extent& extent : command.extents.view()) {
            if (extent.access == Access::kRead) {
                read(extent.address, extent.address + hull_bytes(extent));
            }
        }
        for (const Extent& extent : command.extents.view()) {
            if (extent.access == Access::kWrite) {
                write(extent.address, extent.address + hull_bytes(extent));
            }
        }
    });
}

void DataFlow::add(const Call& call) {
    const std::vector<std::uint64_t> shape = call_shape(call, command_set_);
    said_.insert(said_.end(), shape.begin(), shape.end());
    read_.clear();
    reads_given_ = call.kind == CallKind::kWrite;
    switch (call.kind) {
        case CallKind::kWrite:
            for (const AddressRange& run : call.buffer->runs) {
                write(run.address, std::uint64_t{run.address} + run.bytes);
                host_writers_.insert(writers_);
                host_written_.add(run.address, std::uint64_t{run.address} + run.bytes);
            }
            break;
        case CallKind::kRead:
            for (const AddressRange& run : call.buffer->runs) {
                read(run.address, std::uint64_t{run.address} + run.bytes);
            }
            answers_ = answers_ || reads_given_;
            break;
        case CallKind::kProgram:
        case CallKind::kReplay:
            commands(words_of(call));
            break;
        case CallKind::kRecordEvent:
        case CallKind::kWaitEvent:
        default:
            break;
    }
}

std::vector<DataFlow::Source> DataFlow::add_named(const Call& call) {
    writers_ = call.number << kWriterBits;
    add(call);
    said_.clear();
    return read_;
}

std::optional<ByteRange> DataFlow::recomputed(const RangeSet& bytes) const {
    const RangeSet given = bytes.common(host_written_);
    for (const auto& [begin, written] : written_) {
        RangeSet here;
        here.add(begin, written.end);
        const RangeSet both = given.common(here);
        if ((host_writers_.count(written.writer) == 0U) && !both.empty()) {
            return both.ranges().front();
        }
    }
    return std::nullopt;
}

std::vector<std::uint64_t> DataFlow::end() {
    const std::vector<ByteRange> found = found_.ranges();
    for (const ByteRange& range : found) {
        said_.insert(said_.end(), {range.begin, range.end});
        say_source(range.begin, range.end);
    }
    return std::move(said_);
}

}  // namespace pianola::host
