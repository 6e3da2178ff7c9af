#include "capture_host/api/trace_blob.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "hal/refdev/command_encoding.h"
#include "runtime/core/bytes.h"

namespace pianola::host {
namespace {

constexpr std::uint32_t kMagic = 0x43525450U;  // "PTRC"
constexpr std::uint32_t kBlobVersion = 1U;
constexpr std::size_t kWordBytes = sizeof(std::uint32_t);
constexpr std::uint32_t kWordBits = 32U;
// Magic, version, words of the whole blob; command set id and version; kernel library.
constexpr std::size_t kDigestWords = kSha256Bytes / kWordBytes;
constexpr std::size_t kFixedWords = 32U;

[[noreturn]] void refuse(HostRule rule, const std::string& message) {
    throw HostError{rule, message};
}

struct NamedWord {
    const char* name;
    std::uint32_t value;
};

// What must be equal for a trace to mean the same.
std::vector<NamedWord> identity_of(const refdev::DeviceSpec& spec) {
    DeviceDescription device;
    refdev::describe(spec, device);
    std::vector<NamedWord> words{{"command set", device.command_set_id},
                                 {"command set version", device.command_set_version}};
    for (std::size_t i = 0U; i < kDigestWords; ++i) {
        words.push_back({"kernel library", load_le32(device.kernel_library, i * kWordBytes)});
    }
    const std::string family = std::string{device.family} + std::string(kSha256Bytes, '\0');
    for (std::size_t i = 0U; i < kDigestWords; ++i) {
        std::array<std::uint8_t, kWordBytes> four{};
        std::copy_n(family.begin() + static_cast<std::ptrdiff_t>(i * kWordBytes), kWordBytes, four.begin());
        words.push_back({"device family", load_le32(four, 0U)});
    }
    for (const NamedWord& word : std::initializer_list<NamedWord>{{"DRAM base", device.dram_base},
                                                                  {"DRAM size", device.dram_bytes},
                                                                  {"L1 base", device.l1_base},
                                                                  {"L1 size", device.l1_bytes},
                                                                  {"clock", device.clock_khz},
                                                                  {"queue count", device.queue_count},
                                                                  {"grid columns", device.grid_columns},
                                                                  {"grid rows", device.grid_rows},
                                                                  {"DRAM banks", device.dram_banks}}) {
        words.push_back(word);
    }
    return words;
}

class Writer {
  public:
    void word(std::uint64_t value) { words_.push_back(static_cast<std::uint32_t>(value)); }
    void text(const std::string& value) {
        word(value.size());
        for (std::size_t at = 0U; at < value.size(); at += kWordBytes) {
            std::array<std::uint8_t, kWordBytes> four{};
            std::copy_n(value.begin() + static_cast<std::ptrdiff_t>(at), std::min(kWordBytes, value.size() - at),
                        four.begin());
            word(load_le32(four, 0U));
        }
    }
    void set_word(std::size_t index, std::uint32_t value) { words_.at(index) = value; }
    [[nodiscard]] std::size_t size() const { return words_.size(); }
    [[nodiscard]] std::vector<std::uint8_t> bytes() const {
        std::vector<std::uint8_t> bytes(words_.size() * kWordBytes);
        for (std::size_t i = 0U; i < words_.size(); ++i) {
            store_le32({bytes.data(), bytes.size()}, i * kWordBytes, words_[i]);
        }
        return bytes;
    }

  private:
    std::vector<std::uint32_t> words_;
};

// Reads words, and knows where the blob ends.
class Reader {
  public:
    explicit Reader(ByteSpan bytes) : bytes_{bytes} {}

    std::uint32_t word() {
        if (!bytes_.contains(at_, kWordBytes)) {
            refuse(HostRule::kBlobFormat,
                   fmt::format("the blob ends at byte {}, in the middle of something", bytes_.size()));
        }
        at_ += kWordBytes;
        return load_le32(bytes_, at_ - kWordBytes);
    }
    // A count of things that take at least `words_each` words each.
    std::uint32_t count(std::size_t words_each) {
        const std::uint32_t value = word();
        if (value > (remaining_words() / words_each)) {
            refuse(HostRule::kBlobFormat,
                   fmt::format("the blob counts {} entries where {} words are left", value, remaining_words()));
        }
        return value;
    }
    std::string text() {
        const std::uint32_t size = word();
        if (size > kMaxNameBytes) {
            refuse(HostRule::kBlobFormat, fmt::format("a name of {} bytes; {} are admitted", size, kMaxNameBytes));
        }
        std::string value;
        while (value.size() < size) {
            const std::uint32_t four = word();
            for (std::uint32_t i = 0U; i < kWordBytes; ++i) {
                const auto byte = static_cast<char>((four >> (i * 8U)) & 0xFFU);
                if (value.size() < size) {
                    value.push_back(byte);
                } else if (byte != '\0') {
                    refuse(HostRule::kBlobFormat, "padding behind a name is not zero");
                }
            }
        }
        return value;
    }
    [[nodiscard]] std::size_t remaining_words() const { return (bytes_.size() - at_) / kWordBytes; }

  private:
    ByteSpan bytes_;
    std::size_t at_{0U};
};

void write_ranges(Writer& writer, const RangeSet& set) {
    writer.word(set.ranges().size());
    for (const ByteRange& range : set.ranges()) {
        writer.word(range.begin);
        writer.word(range.end - range.begin);
    }
}

RangeSet read_ranges(Reader& reader) {
    RangeSet set;
    const std::uint32_t count = reader.count(2U);
    std::uint64_t last_end = 0U;
    for (std::uint32_t i = 0U; i < count; ++i) {
        const std::uint64_t begin = reader.word();
        const std::uint64_t end = begin + reader.word();
        if ((end <= begin) || ((i != 0U) && (begin <= last_end))) {
            refuse(HostRule::kBlobFormat, "the blob's byte ranges are not sorted and disjoint");
        }
        set.add(begin, end);
        last_end = end;
    }
    return set;
}

void check_identity(Reader& reader, const refdev::DeviceSpec& spec) {
    for (const NamedWord& word : identity_of(spec)) {
        const std::uint32_t value = reader.word();
        if (value != word.value) {
            refuse(
                HostRule::kBlobDevice,
                fmt::format(
                    "the trace was collected on another device: its {} is {} (0x{:X}), this device's is {} (0x{:X}); "
                    "capture it on a device like this one",
                    word.name, value, value, word.value, word.value));
        }
    }
}

// Decodes every word, and compares the sums with what the blob says.
void prove_words(const refdev::DeviceSpec& spec, TraceState& trace) {
    const refdev::RefdevCommandSet command_set;
    RangeSet reads;
    RangeSet writes;
    TraceCost cost;
    std::size_t at = 0U;
    bool ended = false;
    const WordSpan words{trace.words.data(), trace.words.size()};
    while (at < words.size()) {
        DecodedCommand command;
        DecodeError error;
        if (ended || !is_ok(command_set.decode(words.subspan(at, words.size() - at), command, error))) {
            refuse(HostRule::kBlobCommand, fmt::format("word {} of the trace: {}", at,
                                                       ended ? "a command behind the end command" : error.field));
        }
        for (const Extent& extent : command.extents.view()) {
            const std::uint64_t end = std::uint64_t{extent.address} + extent.size_bytes;
            (extent.access == Access::kWrite ? writes : reads).add(extent.address, end);
        }
        if ((command.kind == CommandKind::kDispatch) && (command.core >= core_count(spec))) {
            refuse(HostRule::kBlobCommand, fmt::format("word {} of the trace: core {} is outside the grid of {} cores",
                                                       at, command.core, core_count(spec)));
        }
        const bool launches = command.kernel_id != 0U;
        const bool dispatches = command.kind == CommandKind::kDispatch;
        CommandInfo info;
        info.word = static_cast<std::uint32_t>(at);
        info.argument_word = launches ? (dispatches ? refdev::kDispatchHeadWords : refdev::kLaunchHeadWords) : 0U;
        info.argument_count = launches ? (command.length_words - info.argument_word) : 0U;
        trace.commands.push_back(info);
        cost.add(command);
        at += command.length_words;
        ended = command.kind == CommandKind::kEnd;
    }
    if (!ended) {
        refuse(HostRule::kBlobCommand, "the trace has no end command");
    }
    if (cost.cycles() != trace.cost_cycles) {
        refuse(HostRule::kBlobCommand, fmt::format("the blob states a cost of {} cycles, its commands take {}",
                                                   trace.cost_cycles, cost.cycles()));
    }
    if ((reads.ranges() != trace.reads.ranges()) || (writes.ranges() != trace.writes.ranges())) {
        refuse(HostRule::kBlobCommand, "the byte ranges that the blob states are not those that its commands touch");
    }
}

// Programs follow each other without gap.
void number_programs(TraceState& trace) {
    std::size_t next = 0U;
    for (std::uint32_t i = 0U; i < trace.programs.size(); ++i) {
        const std::uint32_t count = trace.programs[i].command_count;
        if ((count == 0U) || (count > (trace.commands.size() - next))) {
            refuse(HostRule::kBlobFormat,
                   fmt::format("program {} counts {} commands, {} are left", i, count, trace.commands.size() - next));
        }
        for (std::uint32_t k = 0U; k < count; ++k) {
            trace.commands[next + k].program = i;
            trace.commands[next + k].kernel = k;
        }
        next += count;
    }
    if ((next + 1U) != trace.commands.size()) {  // the end command is nobody's
        refuse(HostRule::kBlobFormat, fmt::format("the programs count {} commands, the trace has {} before its end",
                                                  next, trace.commands.size() - 1U));
    }
}

}  // namespace

std::vector<std::uint8_t> write_blob(const refdev::DeviceSpec& spec, const TraceState& trace) {
    Writer writer;
    writer.word(kMagic);
    writer.word(kBlobVersion);
    writer.word(0U);  // bytes, filled in below
    for (const NamedWord& word : identity_of(spec)) {
        writer.word(word.value);
    }
    writer.word(trace.cost_cycles);
    writer.word(trace.cost_cycles >> kWordBits);
    writer.word(trace.programs.size());
    for (const TraceProgramInfo& program : trace.programs) {
        writer.word(program.command_count);
        writer.text(program.name.substr(0U, kMaxNameBytes));
    }
    write_ranges(writer, trace.reads);
    write_ranges(writer, trace.writes);
    writer.word(trace.words.size());
    for (const std::uint32_t word : trace.words) {
        writer.word(word);
    }
    writer.set_word(2U, static_cast<std::uint32_t>((writer.size() + kDigestWords) * kWordBytes));
    std::vector<std::uint8_t> bytes = writer.bytes();
    const Sha256Digest digest = sha256({bytes.data(), bytes.size()});
    bytes.insert(bytes.end(), digest.begin(), digest.end());
    return bytes;
}

TraceState read_blob(const refdev::DeviceSpec& spec, ByteSpan blob) {
    constexpr std::size_t kHeadBytes = 3U * kWordBytes;
    if ((blob.size() < (kHeadBytes + kSha256Bytes)) || (load_le32(blob, 0U) != kMagic)) {
        refuse(
            HostRule::kBlobFormat,
            fmt::format("{} bytes that do not begin like a trace blob; pass what collect_trace() gave", blob.size()));
    }
    if (load_le32(blob, kWordBytes) != kBlobVersion) {
        refuse(HostRule::kBlobFormat,
               fmt::format("the blob has layout version {}, this library reads {}; collect the trace anew",
                           load_le32(blob, kWordBytes), kBlobVersion));
    }
    if (load_le32(blob, 2U * kWordBytes) != blob.size()) {
        refuse(HostRule::kBlobFormat, fmt::format("the blob says that it has {} bytes, {} are there",
                                                  load_le32(blob, 2U * kWordBytes), blob.size()));
    }
    const ByteSpan body = blob.subspan(0U, blob.size() - kSha256Bytes);
    if (!digests_equal(sha256(body), blob.subspan(body.size(), kSha256Bytes))) {
        refuse(HostRule::kBlobDigest,
               "the blob is damaged: its digest is not that of its bytes; collect the trace anew");
    }
    Reader reader{body.subspan(kHeadBytes, body.size() - kHeadBytes)};
    check_identity(reader, spec);
    TraceState trace;
    trace.cost_cycles = reader.word();
    trace.cost_cycles |= std::uint64_t{reader.word()} << kWordBits;
    const std::uint32_t programs = reader.count(2U);
    for (std::uint32_t i = 0U; i < programs; ++i) {
        const std::uint32_t commands = reader.word();
        trace.programs.push_back({reader.text(), commands});
    }
    trace.reads = read_ranges(reader);
    trace.writes = read_ranges(reader);
    const std::uint32_t words = reader.count(1U);
    for (std::uint32_t i = 0U; i < words; ++i) {
        trace.words.push_back(reader.word());
    }
    if (reader.remaining_words() != 0U) {
        refuse(HostRule::kBlobFormat, fmt::format("{} words are behind the trace", reader.remaining_words()));
    }
    prove_words(spec, trace);
    number_programs(trace);
    return trace;
}

TraceBlob Device::collect_trace(TraceId trace) {
    const std::lock_guard<std::recursive_mutex> lock{state_->mutex};
    state_->check_open();
    return {write_blob(state_->spec, state_->trace(trace)), trace_info(trace)};
}

TraceId Device::load_trace(std::uint32_t queue, ByteSpan blob, const std::vector<BufferPtr>& buffers) {
    const std::lock_guard<std::recursive_mutex> lock{state_->mutex};
    const RecordingScope recording{state_->recorder};
    state_->check_not_capturing(queue, "loading a trace");
    TraceState loaded = read_blob(state_->spec, blob);
    RangeSet own;
    for (const BufferPtr& buffer : buffers) {
        check_buffer(buffer);
        for (const AddressRange& run : buffer->runs()) {
            own.add(run.address, std::uint64_t{run.address} + run.bytes);
        }
    }
    RangeSet used = loaded.reads;
    used.add(loaded.writes);
    state_->check_data_memory(used);
    for (const Memory memory : {Memory::kDram, Memory::kL1}) {
        const RangeSet bytes = state_->offsets_in(memory, used);
        const RangeSet held = state_->allocator(memory).allocated();
        const std::uint64_t foreign = bytes.common_bytes(held) - bytes.common_bytes(state_->offsets_in(memory, own));
        if (foreign != 0U) {
            throw HostError{
                HostRule::kBlobMemory,
                fmt::format("{} bytes that the trace uses are allocated, and not by the buffers that were passed; "
                            "pass the trace's buffers to load_trace, or deallocate the others before",
                            foreign)};
        }
    }
    loaded.id = TraceId{next_id()};
    loaded.queue = queue;
    const TraceId id = loaded.id;
    (void)state_->place_trace(std::move(loaded));
    return id;
}

}  // namespace pianola::host
