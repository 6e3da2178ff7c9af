#include "capture_host/host/capture/data_flow.h"

#include <algorithm>

#include "capture_host/base/interrupt.h"

namespace pianola::host {
namespace {

constexpr std::uint64_t kAnyAddress = UINT64_MAX;

}  // namespace

void append(std::vector<Origin>& origins, const Origin& origin) {
    if (!origins.empty() && (origins.back().writer == origin.writer) &&
        ((origins.back().offset + origins.back().bytes) == origin.offset)) {
        origins.back().bytes += origin.bytes;
    } else {
        origins.push_back(origin);
    }
}

std::vector<Origin> Origins::of(std::uint64_t begin, std::uint64_t end) const {
    std::vector<Origin> found;
    bytes_.for_each(begin, end, [&found](std::uint64_t from, std::uint64_t to, const Writer& writer) {
        append(found, {writer.number, from + writer.distance, to - from});
    });
    return found;
}

const std::vector<std::uint32_t>& words_of(const Call& call) {
    return (call.kind == CallKind::kProgram) ? call.trace->programs.front().words : call.trace->words;
}

void append_command(WordSpan words, const CommandSet& command_set, std::vector<std::uint64_t>& description) {
    for (std::uint32_t i = 0U; i < words.size(); ++i) {
        const bool is_address = command_set.patch_kind(words, i) == PatchKind::kAddress;
        description.push_back(is_address ? kAnyAddress : words[i]);
    }
}

std::vector<std::uint64_t> call_shape(const Call& call, const CommandSet& command_set) {
    std::vector<std::uint64_t> description{static_cast<std::uint64_t>(call.kind), call.queue};
    const auto append_words = [&] {
        const std::vector<std::uint32_t>& words = words_of(call);
        const WordSpan all{words.data(), words.size()};
        (void)targets::for_each_command(command_set, words, [&](std::uint32_t at, const DecodedCommand& command) {
            append_command(all.subspan(at, command.length_words), command_set, description);
        });
    };
    switch (call.kind) {
        case CallKind::kWrite:
        case CallKind::kRead:
            description.push_back(call.buffer->row_bytes);
            for (const Piece& piece : call.buffer->pieces) {
                description.insert(description.end(),
                                   {piece.row_begin, piece.rows, piece.column_begin_bytes, piece.column_bytes});
            }
            break;
        case CallKind::kProgram:
            append_words();
            break;
        case CallKind::kReplay:
            description.push_back(call.object);
            append_words();
            break;
        case CallKind::kRecordEvent:
        case CallKind::kWaitEvent:
        default:
            description.push_back(call.object);
            break;
    }
    return description;
}

void DataFlow::describe_source(std::uint64_t begin, std::uint64_t end) {
    for (const Origin& origin : memory_.of(begin, end)) {
        description_.insert(description_.end(), {origin.writer, origin.offset, origin.bytes});
        read_.push_back(origin);
    }
}

void DataFlow::read(std::uint64_t begin, std::uint64_t end) {
    for (const ByteRange& range : written_set_.missing(begin, end)) {
        read_first_.add(range.begin, range.end);
    }
    describe_source(begin, end);
}

void DataFlow::write(std::uint64_t begin, std::uint64_t end) {
    memory_.write(begin, end, ++writers_, 0U);
    written_set_.add(begin, end);
}

void DataFlow::add(const Call& call) {
    interrupt::check();  // a capture of many calls visits them again and again
    const std::vector<std::uint64_t> shape = call_shape(call, command_set_);
    description_.insert(description_.end(), shape.begin(), shape.end());
    read_.clear();
    for_each_access(call, command_set_, [&](Access access, std::uint64_t begin, std::uint64_t end) {
        if (access == Access::kRead) {
            read(begin, end);
            return;
        }
        write(begin, end);
        if (call.kind == CallKind::kWrite) {
            host_writers_.insert(writers_);
            host_written_.add(begin, end);
        }
    });
}

std::vector<Origin> DataFlow::add_named(const Call& call) {
    writers_ = call.number << kWriterBits;
    add(call);
    description_.clear();
    return read_;
}

std::vector<Origin> DataFlow::origins_of(const RangeSet& bytes) const {
    std::vector<Origin> all;
    for (const ByteRange& range : bytes.ranges()) {
        const std::vector<Origin> some = memory_.of(range.begin, range.end);
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

std::optional<ByteRange> DataFlow::recomputed(const RangeSet& bytes) const {
    const RangeSet given = bytes.common(host_written_);
    for (const ByteRange& range : given.ranges()) {
        std::uint64_t begin = range.begin;
        for (const Origin& origin : memory_.of(range.begin, range.end)) {
            if (host_writers_.count(origin.writer) == 0U) {
                return ByteRange{begin, begin + origin.bytes};
            }
            begin += origin.bytes;
        }
    }
    return std::nullopt;
}

std::vector<std::uint64_t> DataFlow::end() {
    const std::vector<ByteRange> found = read_first_.ranges();
    for (const ByteRange& range : found) {
        description_.insert(description_.end(), {range.begin, range.end});
        describe_source(range.begin, range.end);
    }
    return std::move(description_);
}

}  // namespace pianola::host
