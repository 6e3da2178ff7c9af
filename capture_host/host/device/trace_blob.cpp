// Blobs of traces: collecting, loading and copying traces.
//
// docs/guide/host_api.md gives the layout of a blob. Blobs are untrusted input.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "capture_host/binary/openssl_digest.h"
#include "capture_host/host/device/device_state.h"
#include "pianola/bytes.h"

namespace pianola::host {
namespace {

constexpr std::uint32_t kMagic = 0x43525450U;  // "PTRC"
constexpr std::uint32_t kBlobVersion = 3U;
constexpr std::size_t kWordBytes = sizeof(std::uint32_t);
constexpr std::uint32_t kWordBits = 32U;
constexpr std::size_t kDigestWords = kSha256Bytes / kWordBytes;

[[noreturn]] void refuse_blob(HostRule rule, const std::string& message) {
    throw HostError{rule, message};
}

struct NamedWord {
    const char* name;
    std::uint32_t value;
};

// The properties of a device that must be equal for a trace to mean the same.
std::vector<NamedWord> identity_of(const DeviceDescription& device) {
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
                                                                  {"cost model", device.cost_model},
                                                                  {"queue count", device.queue_count},
                                                                  {"grid columns", device.grid_columns},
                                                                  {"grid rows", device.grid_rows},
                                                                  {"DRAM banks", device.dram_banks}}) {
        words.push_back(word);
    }
    return words;
}

class BlobWriter {
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
    [[nodiscard]] std::vector<std::uint8_t> bytes() const { return targets::bytes_of(words_); }

  private:
    std::vector<std::uint32_t> words_;
};

// Reads words up to the end of the blob.
class BlobReader {
  public:
    explicit BlobReader(ByteSpan bytes) : bytes_{bytes} {}

    std::uint32_t word() {
        if (!bytes_.contains(at_, kWordBytes)) {
            refuse_blob(HostRule::kBlobFormat,
                        fmt::format("the blob ends at byte {}, in the middle of something", bytes_.size()));
        }
        at_ += kWordBytes;
        return load_le32(bytes_, at_ - kWordBytes);
    }
    // A count of things that take at least `words_each` words each.
    std::uint32_t count(std::size_t words_each) {
        const std::uint32_t value = word();
        if (value > (remaining_words() / words_each)) {
            refuse_blob(HostRule::kBlobFormat,
                        fmt::format("the blob counts {} entries where {} words are left", value, remaining_words()));
        }
        return value;
    }
    std::string text() {
        const std::uint32_t size = word();
        if (size > kMaxNameBytes) {
            refuse_blob(HostRule::kBlobFormat, fmt::format("a name of {} bytes; {} are admitted", size, kMaxNameBytes));
        }
        std::string value;
        while (value.size() < size) {
            const std::uint32_t four = word();
            for (std::uint32_t i = 0U; i < kWordBytes; ++i) {
                const auto byte = static_cast<char>((four >> (i * 8U)) & 0xFFU);
                if (value.size() < size) {
                    value.push_back(byte);
                } else if (byte != '\0') {
                    refuse_blob(HostRule::kBlobFormat, "padding behind a name is not zero");
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

void write_buffer(BlobWriter& writer, const TracedBuffer& buffer) {
    const BufferConfig& config = buffer.config;
    writer.text(buffer.name.substr(0U, kMaxNameBytes));
    for (const std::uint64_t value :
         {std::uint64_t{static_cast<std::uint32_t>(config.memory)},
          std::uint64_t{static_cast<std::uint32_t>(config.layout)}, std::uint64_t{buffer.offset}, config.rows,
          config.row_bytes, std::uint64_t{config.element_bytes}, std::uint64_t{config.page_bytes},
          std::uint64_t{static_cast<std::uint32_t>(config.type)}}) {
        writer.word(value);
    }
    writer.word(config.shape.size());
    for (const std::uint32_t dimension : config.shape) {
        writer.word(dimension);
    }
    writer.word(config.shard.has_value() ? 1U : 0U);
    if (config.shard.has_value()) {
        writer.word(config.shard->rows);
        writer.word(config.shard->columns);
        writer.word(config.shard->cores.size());
        for (const CoreRange& range : config.shard->cores) {
            for (const std::uint32_t value : {range.first.x, range.first.y, range.last.x, range.last.y}) {
                writer.word(value);
            }
        }
    }
}

TracedBuffer read_buffer(BlobReader& reader) {
    TracedBuffer buffer;
    BufferConfig& config = buffer.config;
    buffer.name = reader.text();
    const std::uint32_t memory = reader.word();
    config.memory = static_cast<Memory>(memory);
    const std::uint32_t layout = reader.word();
    config.layout = static_cast<Layout>(layout);
    buffer.offset = reader.word();
    config.rows = reader.word();
    config.row_bytes = reader.word();
    config.element_bytes = reader.word();
    config.page_bytes = reader.word();
    const std::uint32_t type = reader.word();
    config.type = static_cast<ElementType>(type);
    for (std::uint32_t left = reader.count(1U); left > 0U; --left) {
        config.shape.push_back(reader.word());
    }
    const std::uint32_t sharded = reader.word();
    if ((layout > static_cast<std::uint32_t>(Layout::kBlockSharded)) || (sharded > 1U) ||
        (type > static_cast<std::uint32_t>(ElementType::kBfloat16)) || (config.shape.size() > kMaxRank) ||
        (memory > static_cast<std::uint32_t>(Memory::kL1))) {
        refuse_blob(HostRule::kBlobFormat,
                    fmt::format("buffer '{}' has a memory, layout, type or rank that there is not", buffer.name));
    }
    if (sharded == 1U) {
        ShardSpec& shard = config.shard.emplace();
        shard.rows = reader.word();
        shard.columns = reader.word();
        for (std::uint32_t left = reader.count(4U); left > 0U; --left) {
            CoreRange& range = shard.cores.emplace_back();
            for (std::uint32_t* const value : {&range.first.x, &range.first.y, &range.last.x, &range.last.y}) {
                *value = reader.word();
            }
        }
    }
    return buffer;
}

void check_identity(BlobReader& reader, const DeviceDescription& spec) {
    for (const NamedWord& word : identity_of(spec)) {
        const std::uint32_t value = reader.word();
        if (value != word.value) {
            refuse_blob(
                HostRule::kBlobDevice,
                fmt::format(
                    "the trace was collected on another device: its {} is {} (0x{:X}), this device's is {} (0x{:X}); "
                    "capture it on a device like this one",
                    word.name, value, value, word.value, word.value));
        }
    }
}

// The kernels that the trace launches, as this device has them: ids and identities.
void write_kernels(BlobWriter& writer, const TraceState& trace) {
    const CommandSet& command_set = usual_target().command_set();
    const std::set<std::uint32_t> ids = targets::measure_trace(command_set, trace.words).kernels;
    writer.word(ids.size());
    for (const std::uint32_t id : ids) {
        const KernelIdentity kernel = command_set.kernel(id);
        for (const std::uint32_t value : {id, kernel.version, kernel.argument_words, kernel.cost_version}) {
            writer.word(value);
        }
    }
}

// Their ids, if this device has the same.
std::set<std::uint32_t> read_kernels(BlobReader& reader) {
    constexpr std::size_t kWordsEach = 4U;
    std::set<std::uint32_t> ids;
    for (std::uint32_t left = reader.count(kWordsEach); left > 0U; --left) {
        const std::uint32_t id = reader.word();
        const KernelIdentity own = usual_target().command_set().kernel(id);
        const std::uint32_t version = reader.word();
        const std::uint32_t argument_words = reader.word();
        const std::uint32_t cost_version = reader.word();
        if ((own.version == 0U) || (version != own.version) || (argument_words != own.argument_words) ||
            (cost_version != own.cost_version)) {
            const char* const name = usual_target().kernel_name(id);
            refuse_blob(HostRule::kBlobDevice,
                        fmt::format("the trace launches kernel {} '{}' of version {}, with {} argument words and costs "
                                    "of version {}; this device's is of version {}, with {} and {}; capture it anew",
                                    id, (name == nullptr) ? "" : name, version, argument_words, cost_version,
                                    own.version, own.argument_words, own.cost_version));
        }
        ids.insert(id);
    }
    return ids;
}

// Decodes every word, compares the cost with that of the blob, and finds the bytes that the trace touches.
void prove_words(const DeviceDescription& spec, const std::set<std::uint32_t>& kernels, TraceState& trace) {
    targets::QueueTime time;
    bool ended = false;
    const auto refuse_word = [](std::size_t at, const char* what) {
        refuse_blob(HostRule::kBlobCommand, fmt::format("word {} of the trace: {}", at, what));
    };
    const auto prove = [&](std::uint32_t at, const DecodedCommand& command) {
        if (ended) {
            refuse_word(at, "a command behind the end command");
        }
        targets::for_each_access(command, [&trace](Access access, std::uint64_t begin, std::uint64_t end) {
            (access == Access::kWrite ? trace.writes : trace.reads).add(begin, end);
        });
        if ((command.kind == CommandKind::kDispatch) && (command.core >= core_count(spec))) {
            refuse_blob(HostRule::kBlobCommand,
                        fmt::format("word {} of the trace: core {} is outside the grid of {} cores", at, command.core,
                                    core_count(spec)));
        }
        if (targets::launches(command) && (kernels.count(command.kernel_id) == 0U)) {
            refuse_word(at, "a launch of a kernel that the blob does not name");
        }
        CommandInfo info;
        info.word = at;
        info.argument_word = kernel_head_words(command);
        info.argument_count = (info.argument_word == 0U) ? 0U : (command.length_words - info.argument_word);
        trace.commands.push_back(info);
        time.execute(command);
        ended = command.kind == CommandKind::kEnd;
    };
    const targets::WalkEnd end = targets::for_each_command(usual_target(spec).command_set(), trace.words, prove);
    if (!end.is_whole()) {
        refuse_word(end.word, ended ? "a command behind the end command" : end.refused);
    }
    if (!ended) {
        refuse_blob(HostRule::kBlobCommand, "the trace has no end command");
    }
    if (time.now() != trace.cost_cycles) {
        refuse_blob(HostRule::kBlobCommand, fmt::format("the blob states a cost of {} cycles, its commands take {}",
                                                        trace.cost_cycles, time.now()));
    }
}

// Programs follow each other without gap.
void number_programs(TraceState& trace) {
    std::size_t next = 0U;
    for (std::uint32_t i = 0U; i < trace.programs.size(); ++i) {
        const std::uint32_t count = trace.programs[i].command_count;
        if ((count == 0U) || (count > (trace.commands.size() - next))) {
            refuse_blob(HostRule::kBlobFormat, fmt::format("program {} counts {} commands, {} are left", i, count,
                                                           trace.commands.size() - next));
        }
        for (std::uint32_t k = 0U; k < count; ++k) {
            trace.commands[next + k].program = i;
            trace.commands[next + k].kernel = k;
        }
        next += count;
    }
    if ((next + 1U) != trace.commands.size()) {  // the end command belongs to no program
        refuse_blob(HostRule::kBlobFormat,
                    fmt::format("the programs count {} commands, the trace has {} before its end", next,
                                trace.commands.size() - 1U));
    }
}

std::vector<std::uint8_t> write_blob(const DeviceDescription& spec, const TraceState& trace) {
    BlobWriter writer;
    writer.word(kMagic);
    writer.word(kBlobVersion);
    writer.word(0U);  // bytes, filled in below
    for (const NamedWord& word : identity_of(spec)) {
        writer.word(word.value);
    }
    write_kernels(writer, trace);
    writer.word(trace.cost_cycles);
    writer.word(trace.cost_cycles >> kWordBits);
    writer.word(trace.programs.size());
    for (const TraceProgramInfo& program : trace.programs) {
        writer.word(program.command_count);
        writer.text(program.name.substr(0U, kMaxNameBytes));
    }
    writer.word(trace.buffers.size());
    for (const TracedBuffer& buffer : trace.buffers) {
        write_buffer(writer, buffer);
    }
    writer.word(trace.words.size());
    for (const std::uint32_t word : trace.words) {
        writer.word(word);
    }
    writer.set_word(2U, static_cast<std::uint32_t>((writer.size() + kDigestWords) * kWordBytes));
    std::vector<std::uint8_t> bytes = writer.bytes();
    const Sha256Digest digest = signing::openssl_sha256({bytes.data(), bytes.size()});
    bytes.insert(bytes.end(), digest.begin(), digest.end());
    return bytes;
}

// Throws API-BLOB-*. Every command has been decoded, and the footprint and costs that the blob states are those of its
// words.
TraceState read_blob(const DeviceDescription& spec, ByteSpan blob) {
    constexpr std::size_t kHeadBytes = 3U * kWordBytes;
    if ((blob.size() < (kHeadBytes + kSha256Bytes)) || (load_le32(blob, 0U) != kMagic)) {
        refuse_blob(
            HostRule::kBlobFormat,
            fmt::format("{} bytes that do not begin like a trace blob; pass what collect_trace() gave", blob.size()));
    }
    if (load_le32(blob, kWordBytes) != kBlobVersion) {
        refuse_blob(HostRule::kBlobFormat,
                    fmt::format("the blob has layout version {}, this library reads {}; collect the trace anew",
                                load_le32(blob, kWordBytes), kBlobVersion));
    }
    if (load_le32(blob, 2U * kWordBytes) != blob.size()) {
        refuse_blob(HostRule::kBlobFormat, fmt::format("the blob says that it has {} bytes, {} are there",
                                                       load_le32(blob, 2U * kWordBytes), blob.size()));
    }
    const ByteSpan body = blob.subspan(0U, blob.size() - kSha256Bytes);
    if (!digests_equal(signing::openssl_sha256(body), blob.subspan(body.size(), kSha256Bytes))) {
        refuse_blob(HostRule::kBlobDigest,
                    "the blob is damaged: its digest is not that of its bytes; collect the trace anew");
    }
    BlobReader reader{body.subspan(kHeadBytes, body.size() - kHeadBytes)};
    check_identity(reader, spec);
    const std::set<std::uint32_t> kernels = read_kernels(reader);
    TraceState trace;
    trace.cost_cycles = reader.word();
    trace.cost_cycles |= std::uint64_t{reader.word()} << kWordBits;
    const std::uint32_t programs = reader.count(2U);
    for (std::uint32_t i = 0U; i < programs; ++i) {
        const std::uint32_t commands = reader.word();
        trace.programs.push_back({reader.text(), commands});
    }
    constexpr std::size_t kLeastBufferWords = 11U;
    for (std::uint32_t left = reader.count(kLeastBufferWords); left > 0U; --left) {
        trace.buffers.push_back(read_buffer(reader));
    }
    const std::uint32_t words = reader.count(1U);
    for (std::uint32_t i = 0U; i < words; ++i) {
        trace.words.push_back(reader.word());
    }
    if (reader.remaining_words() != 0U) {
        refuse_blob(HostRule::kBlobFormat, fmt::format("{} words are behind the trace", reader.remaining_words()));
    }
    prove_words(spec, kernels, trace);
    trace.needs = trace.reads;
    number_programs(trace);
    return trace;
}

// Allocates a buffer of a loaded trace where it was captured. False if one of the caller's buffers has that memory.
bool place(DeviceState& state, const std::shared_ptr<Device>& device, TracedBuffer& traced, const RangeSet& own) {
    const Memory memory = traced.config.memory;
    BufferPlacement placement;
    try {
        placement = BufferPlacement::plan(state.spec, traced.config);
    } catch (const HostError& error) {
        throw HostError{HostRule::kBlobFormat, fmt::format("buffer '{}': {}", traced.name, error.what())};
    }
    if (own.intersects(traced.offset, traced.offset + placement.bytes)) {
        return false;
    }
    if (((traced.offset % placement.alignment) != 0U) ||
        !state.allocator(memory).allocate_at(traced.offset, placement.bytes)) {
        throw HostError{
            HostRule::kBlobMemory,
            fmt::format("'{}' of the trace needs {} bytes at offset {}, which are not free; pass the buffer that "
                        "stands for it to load_trace, or deallocate what lies there before",
                        traced.name, placement.bytes, traced.offset)};
    }
    state.claim(memory, traced.offset, placement.bytes, traced.config.owner);
    traced.buffer =
        BufferPlacement::make(state.spec, traced.config, placement, traced.offset, BufferId{next_id()}, device);
    state.buffers[traced.buffer->id().value] = traced.buffer.get();
    return true;
}

}  // namespace

TraceBlob Device::collect_trace(TraceId trace, const std::vector<NamedBuffer>& names) {
    const Lock lock{state_->mutex};
    state_->check_open();
    std::vector<TracedBuffer>& buffers = state_->trace(trace).buffers;
    for (const NamedBuffer& named : names) {
        check_buffer(named.buffer);
        const auto traced = std::find_if(buffers.begin(), buffers.end(), [&named](const TracedBuffer& candidate) {
            return (candidate.config.memory == named.buffer->config_.memory) &&
                   (candidate.offset == named.buffer->offset_);
        });
        if (traced == buffers.end()) {
            throw HostError{
                HostRule::kBlobMemory,
                fmt::format("'{}' is buffer {} at 0x{:08X}, and no buffer that trace {} uses lay there when its "
                            "capture ended; name the trace's inputs, outputs and weights",
                            named.name, named.buffer->id().value, named.buffer->address(), trace.value)};
        }
        traced->name = named.name;
    }
    for (std::size_t i = 0U; i < buffers.size(); ++i) {
        buffers[i].name = buffers[i].name.empty() ? fmt::format("tensor {}", i) : buffers[i].name;
    }
    return {write_blob(state_->spec, state_->trace(trace)), trace_info(trace)};
}

void DeviceState::check_only_own(const RangeSet& used, const std::map<Memory, RangeSet>& own) {
    for (const Memory memory : {Memory::kDram, Memory::kL1}) {
        const RangeSet bytes = offsets_in(memory, used);
        const auto held = own.find(memory);
        const std::uint64_t foreign = bytes.common_bytes(allocator(memory).allocated()) -
                                      ((held == own.end()) ? 0U : bytes.common_bytes(held->second));
        if (foreign != 0U) {
            throw HostError{
                HostRule::kBlobMemory,
                fmt::format("{} bytes that the trace uses are allocated, and not by the buffers that were passed; "
                            "pass the trace's buffers to load_trace, or deallocate the others before",
                            foreign)};
        }
    }
}

TraceId Device::copy_trace(std::uint32_t queue, Device& source, TraceId trace) {
    const Lock lock{state_->mutex};
    const Lock other{source.state().mutex};
    state_->check_not_capturing(queue, "copying a trace");
    const std::vector<std::uint8_t> blob = source.collect_trace(trace).bytes;
    TraceState copy = read_blob(state_->spec, ByteSpan{blob.data(), blob.size()});
    state_->drain();  // after this, freed memory is not in use
    std::map<Memory, RangeSet> own;
    for (const TracedBuffer& traced : copy.buffers) {
        const auto lies_there = [&traced](const auto& each) {
            return (each.second->config_.memory == traced.config.memory) && (each.second->offset_ == traced.offset);
        };
        const auto& there = source.state().buffers;
        if (std::none_of(there.begin(), there.end(), lies_there)) {
            continue;  // it has been freed
        }
        const auto here = std::find_if(state_->buffers.begin(), state_->buffers.end(), lies_there);
        if ((here == state_->buffers.end()) || (here->second->config_.rows != traced.config.rows) ||
            (here->second->config_.row_bytes != traced.config.row_bytes) ||
            (here->second->config_.layout != traced.config.layout)) {
            throw HostError{
                HostRule::kBlobMemory,
                fmt::format("trace {} uses a buffer of {} rows of {} bytes at offset {} of its memory, and this device "
                            "has no such buffer there; allocate the same buffers in the same order on both",
                            trace.value, traced.config.rows, traced.config.row_bytes, traced.offset)};
        }
        own[traced.config.memory].add(traced.offset, std::uint64_t{traced.offset} + here->second->reserved_bytes_);
    }
    RangeSet used = copy.reads;
    used.add(copy.writes);
    state_->check_only_own(used, own);
    copy.id = TraceId{next_id()};
    copy.queue = queue;
    return state_->place_trace(std::move(copy)).id;
}

TraceId Device::load_trace(std::uint32_t queue, ByteSpan blob, const std::vector<BufferPtr>& buffers) {
    const RecordingScope recording{state_->mutex, state_->recorder};
    state_->check_not_capturing(queue, "loading a trace");
    TraceState loaded = read_blob(state_->spec, blob);
    state_->drain();  // after this, freed memory is not in use
    // Whole allocations: the trace may use bytes after a buffer's last one.
    std::map<Memory, RangeSet> own;
    for (const BufferPtr& buffer : buffers) {
        check_buffer(buffer);
        own[buffer->config_.memory].add(buffer->offset_, std::uint64_t{buffer->offset_} + buffer->reserved_bytes_);
    }
    RangeSet used = loaded.reads;
    used.add(loaded.writes);
    state_->check_data_memory(used);
    state_->check_only_own(used, own);
    for (TracedBuffer& traced : loaded.buffers) {
        const bool is_new = place(*state_, shared_from_this(), traced, own[traced.config.memory]);
        if (is_new && !touches(used, *traced.buffer)) {
            throw HostError{HostRule::kBlobFormat, fmt::format("the trace does not use its buffer '{}'", traced.name)};
        }
    }
    loaded.id = TraceId{next_id()};
    loaded.queue = queue;
    const TraceId id = loaded.id;
    (void)state_->place_trace(std::move(loaded));
    return id;
}

}  // namespace pianola::host
