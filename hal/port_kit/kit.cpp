#include "hal/port_kit/kit.h"

#include <cstring>

namespace pianola::port {
namespace {

constexpr std::uint32_t kSourceSlot = 0U;

[[nodiscard]] constexpr std::uint32_t least(std::uint32_t one, std::uint32_t other) noexcept {
    return (one < other) ? one : other;
}

// Whether the byte is in one of the extent's runs.
[[nodiscard]] bool contains(const Extent& extent, std::uint32_t address) noexcept {
    if ((address - extent.address) >= hull_bytes(extent)) {
        return false;
    }
    for (std::uint32_t outer = 0U; outer < extent.outer.count; ++outer) {
        for (std::uint32_t inner = 0U; inner < extent.inner.count; ++inner) {
            const std::uint32_t first =
                extent.address + (outer * extent.outer.stride_bytes) + (inner * extent.inner.stride_bytes);
            if ((address - first) < extent.size_bytes) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

bool Trace::touches(std::uint32_t address, Access access) const noexcept {
    for (std::uint32_t i = 0U; i < extent_count; ++i) {
        const Extent& extent = extents[i];
        if ((extent.access == access) && contains(extent, address)) {
            return true;
        }
    }
    return false;
}

std::uint8_t Fill::at(std::uint32_t address) const noexcept {
    const bool is_read = (reads == nullptr) || reads->touches(address, Access::kRead);
    const std::uint8_t byte = pattern(is_read ? seed : other_seed, address);
    return ((reads != nullptr) && !is_read) ? static_cast<std::uint8_t>(byte ^ flip) : byte;
}

QueueCommand transfer(QueueCommandKind kind, std::uint32_t address, std::uint32_t size_bytes, std::uint32_t slot,
                      std::uint32_t slot_offset) noexcept {
    QueueCommand command;
    command.kind = kind;
    command.address = address;
    command.size_bytes = size_bytes;
    command.slot = slot;
    command.slot_offset = slot_offset;
    return command;
}

QueueCommand event_command(QueueCommandKind kind, std::uint32_t event, std::uint32_t value) noexcept {
    QueueCommand command;
    command.kind = kind;
    command.event = event;
    command.value = value;
    return command;
}

QueueCommand notify_command(std::uint32_t token) noexcept {
    QueueCommand command;
    command.kind = QueueCommandKind::kNotify;
    command.value = token;
    return command;
}

QueueCommand replay_command(std::uint32_t address, std::uint32_t size_bytes) noexcept {
    QueueCommand command;
    command.kind = QueueCommandKind::kReplay;
    command.address = address;
    command.size_bytes = size_bytes;
    return command;
}

bool is_same(ByteSpan one, ByteSpan other) noexcept {
    return (one.size() == other.size()) && (one.empty() || (one.data() == other.data()));
}

bool is_same(const RegionConfig& one, const RegionConfig& other) noexcept {
    return (one.base == other.base) && (one.size_bytes == other.size_bytes) &&
           (one.kernels_read == other.kernels_read) && (one.kernels_write == other.kernels_write) &&
           (one.queues_read == other.queues_read) && (one.queues_write == other.queues_write) &&
           (one.fetch == other.fetch);
}

void Kit::begin(const PortUnderTest& port) noexcept {
    port_ = &port;
    outcome_ = Outcome::kPassed;
    why_ = "";
    actual_ = 0U;
    wanted_ = 0U;
    description_ = DeviceDescription{};
    const Status described = device().describe(description_);
    static_cast<void>(expect_ok(described, "describe() is not kOk"));
    // What follows counts on it.
    if (!expect((description_.queue_count != 0U) && (description_.queue_count <= kMaxQueues),
                "describe() names no queue, or more than the runtime takes", description_.queue_count, kMaxQueues)) {
        description_.queue_count = kMaxQueues;
    }
}

bool Kit::expect(bool holds, const char* what, std::uint64_t actual, std::uint64_t wanted) noexcept {
    if (!holds && (outcome_ != Outcome::kFailed)) {
        outcome_ = Outcome::kFailed;
        why_ = what;
        actual_ = actual;
        wanted_ = wanted;
        is_status_ = false;
    }
    return holds;
}

bool Kit::expect_status(Status actual, Status wanted, const char* what) noexcept {
    const bool is_first = outcome_ != Outcome::kFailed;
    const bool holds = expect_equal(static_cast<std::uint32_t>(actual), static_cast<std::uint32_t>(wanted), what);
    is_status_ = (is_first && !holds) || is_status_;
    return holds;
}

void Kit::not_offered(const char* why) noexcept {
    if (outcome_ == Outcome::kPassed) {
        outcome_ = Outcome::kNotOffered;
        why_ = why;
    }
}

bool Kit::offers_count() noexcept {
    if (!attests_count()) {
        not_offered("the device attests no number of commands");
    }
    return attests_count();
}

bool Kit::offers_digest() noexcept {
    if (!attests_digest()) {
        not_offered("the device attests no digest");
    }
    return attests_digest();
}

bool Kit::reset() noexcept {
    numbers_.fill(0U);
    executed_.fill(0U);
    digests_.fill(0U);
    return expect_ok(device().reset(), "reset() is not kOk");
}

RegionConfig Kit::memory_region() const noexcept {
    return {port_->memory.base, port_->memory.size_bytes, true, true, true, true, false};
}

RegionConfig Kit::trace_region() const noexcept {
    return {trace_base(), description_.trace_region_bytes, false, false, false, true, true};
}

bool Kit::program(const RegionConfig& region) noexcept {
    return expect_ok(device().program_region(region), "program_region() refuses a region");
}

bool Kit::start() noexcept {
    bool is_ready = reset() && program(memory_region()) && program(trace_region());
    for (const Range& range : port_->watched) {
        is_ready = is_ready && program({range.base, range.size_bytes, true, true, true, true, false});
    }
    fill_source(0U);
    clear_destination();
    return is_ready;
}

Status Kit::enqueue(std::uint32_t queue, QueueCommand command) noexcept {
    const std::uint64_t digest = command_set().seal(digests_[queue], numbers_[queue], 0U, command);
    const Status status = device().enqueue(queue, command);
    if (is_ok(status)) {
        digests_[queue] = digest;
        numbers_[queue] += 1U;
        executed_[queue] += 1U;
    }
    return status;
}

Status Kit::enqueue_replay(std::uint32_t queue, const Trace& trace) noexcept {
    QueueCommand command = replay_command(trace_base(), trace.size_bytes());
    const std::uint64_t digest = command_set().seal(digests_[queue], numbers_[queue], trace.digest, command);
    const Status status = device().enqueue(queue, command);
    if (is_ok(status)) {
        digests_[queue] = digest;
        numbers_[queue] += 1U;
        executed_[queue] += 1U + trace.commands;
    }
    return status;
}

Status Kit::notify(std::uint32_t queue) noexcept {
    token_ += 1U;
    return enqueue(queue, notify_command(token_));
}

Status Kit::wait(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept {
    for (std::uint32_t poll = 0U; poll < port_->polls; ++poll) {
        // First without service(): what is published before it is done would be seen here.
        Status status = device().completion(queue, token, completion);
        if (status == Status::kPending) {
            if (!expect_ok(device().service(), "service() is not kOk")) {
                return Status::kInternal;
            }
            status = device().completion(queue, token, completion);
        }
        if (status != Status::kPending) {
            return status;
        }
        platform().idle();
    }
    return Status::kTimeout;
}

Status Kit::complete(std::uint32_t queue, Completion& completion) noexcept {
    Status status = notify(queue);
    status = is_ok(status) ? doorbell(queue) : status;
    return is_ok(status) ? wait(queue, token_, completion) : status;
}

bool Kit::expect_completes(std::uint32_t queue, const char* what) noexcept {
    Completion completion;
    return expect_ok(complete(queue, completion), what);
}

bool Kit::expect_fault(std::uint32_t queue, DeviceFault fault, const char* what) noexcept {
    Completion completion;
    return expect_status(complete(queue, completion), Status::kDeviceFault, what) &&
           expect_equal(static_cast<std::uint32_t>(completion.fault), static_cast<std::uint32_t>(fault), what);
}

void Kit::be_quiet() noexcept {
    for (std::uint32_t poll = 0U; poll < port_->quiet_polls; ++poll) {
        static_cast<void>(expect_ok(device().service(), "service() is not kOk"));
        platform().idle();
    }
}

bool Kit::expect_held(std::uint32_t queue, std::uint32_t token, const char* what) noexcept {
    be_quiet();
    Completion completion;
    return expect_status(device().completion(queue, token, completion), Status::kPending, what);
}

void Kit::fill_source(std::uint32_t seed) noexcept {
    for (std::uint32_t i = 0U; i < kBufferBytes; ++i) {
        source_[i] = pattern(seed, i);
    }
}

void Kit::clear_destination() noexcept {
    destination_.fill(0U);
}

bool Kit::study(Trace& trace) noexcept {
    trace.commands = 0U;
    trace.digest = 0U;
    trace.cost_cycles = 0U;
    trace.has_dispatch = false;
    trace.extent_count = 0U;
    Decoder decoder{command_set()};
    std::uint32_t at = 0U;
    CommandKind last = CommandKind::kUnspecified;
    while (at < trace.count) {
        DecodedCommand command;
        DecodeError error;
        const WordSpan words = trace.view().subspan(at, trace.count - at);
        if (!expect_ok(decoder.next(words, command, error), "decode() refuses a sample") ||
            !expect((command.length_words != 0U) && (command.length_words <= words.size()),
                    "decode() gives a command of a sample a length that is none", command.length_words, words.size())) {
            return false;
        }
        trace.digest = command_set().trace_digest(trace.digest, words.subspan(0U, command.length_words));
        trace.cost_cycles += command.cost_cycles;
        trace.commands += 1U;
        trace.has_dispatch = trace.has_dispatch || (command.kind == CommandKind::kDispatch);
        last = command.kind;
        for (const Extent& extent : command.extents.view()) {
            if (trace.extent_count < kMaxSampleExtents) {  // repeated samples have the same ones again
                trace.extents[trace.extent_count] = extent;
                trace.extent_count += 1U;
            }
        }
        at += command.length_words;
    }
    return expect(last == CommandKind::kEnd, "decode() takes the end of a trace for another command");
}

bool Kit::sample(std::uint32_t index, std::uint32_t base, Trace& trace) noexcept {
    const Span<std::uint32_t> words{trace.words.data(), kTraceWords - port_->end.size()};
    trace.body_words = (index < kMaxSamples) ? port_->sample(port_->context, index, base, words) : 0U;
    if ((trace.body_words == 0U) || (trace.body_words > words.size())) {
        static_cast<void>(expect(index != 0U, "the port gives no samples"));
        return false;
    }
    trace.count = trace.body_words;
    for (const std::uint32_t word : port_->end) {
        trace.words[trace.count] = word;
        trace.count += 1U;
    }
    return study(trace);
}

bool Kit::repeat(Trace& trace, std::uint32_t words) noexcept {
    const std::uint32_t room = least(words, kTraceWords) - static_cast<std::uint32_t>(port_->end.size());
    std::uint32_t count = trace.body_words;
    while ((count + trace.body_words) <= room) {
        for (std::uint32_t i = 0U; i < trace.body_words; ++i) {
            trace.words[count + i] = trace.words[i];
        }
        count += trace.body_words;
    }
    for (const std::uint32_t word : port_->end) {
        trace.words[count] = word;
        count += 1U;
    }
    trace.count = count;
    return study(trace);
}

bool Kit::place(const Trace& trace) noexcept {
    std::memcpy(source_.data(), trace.words.data(), trace.size_bytes());
    return expect_ok(device().bind_source(kSourceSlot, ByteSpan{source_.data(), trace.size_bytes()}),
                     "bind_source() refuses a trace") &&
           expect_ok(enqueue(0U, transfer(QueueCommandKind::kWrite, trace_base(), trace.size_bytes(), kSourceSlot)),
                     "enqueue() refuses to write a trace") &&
           expect_completes(0U, "a trace cannot be written");
}

bool Kit::fill_range(const Range& range, const Fill& fill) noexcept {
    bool is_filled = true;
    for (std::uint32_t done = 0U; is_filled && (done < range.size_bytes); done += kBufferBytes) {
        const std::uint32_t bytes = least(kBufferBytes, range.size_bytes - done);
        for (std::uint32_t i = 0U; i < bytes; ++i) {
            source_[i] = fill.at(range.base + done + i);
        }
        is_filled = expect_ok(device().bind_source(kSourceSlot, ByteSpan{source_.data(), bytes}),
                              "bind_source() refuses memory") &&
                    expect_ok(enqueue(0U, transfer(QueueCommandKind::kWrite, range.base + done, bytes, kSourceSlot)),
                              "enqueue() refuses to fill memory") &&
                    expect_completes(0U, "memory cannot be filled");
    }
    return is_filled;
}

bool Kit::fill(const Fill& fill) noexcept {
    bool is_filled = start() && fill_range(port_->memory, fill);
    for (const Range& range : port_->watched) {
        is_filled = is_filled && fill_range(range, fill);
    }
    return is_filled;
}

bool Kit::peek(std::uint32_t address, MutableByteSpan out) noexcept {
    return expect_ok(device().read_back(address, out), "read_back() refuses memory");
}

bool Kit::expect_range(const Range& range, const Fill& fill, const char* what) noexcept {
    Trace& nothing = other_trace_;
    nothing.extent_count = 0U;
    return expect_unwritten(nothing, range, fill, what);
}

bool Kit::expect_unwritten(const Trace& trace, const Range& range, const Fill& fill, const char* what) noexcept {
    for (std::uint32_t done = 0U; done < range.size_bytes; done += kSampleBytes) {
        const MutableByteSpan bytes{chunk_.data(), least(kSampleBytes, range.size_bytes - done)};
        if (!peek(range.base + done, bytes)) {
            return false;
        }
        for (std::uint32_t i = 0U; i < bytes.size(); ++i) {
            const std::uint32_t address = range.base + done + i;
            if ((bytes[i] != fill.at(address)) && !trace.touches(address, Access::kWrite)) {
                return expect(false, what, address, fill.at(address));
            }
        }
    }
    return true;
}

bool Kit::expect_only_written(const Trace& trace, const Fill& fill, const char* what) noexcept {
    bool is_only = expect_unwritten(trace, port_->memory, fill, what);
    for (const Range& range : port_->watched) {
        is_only = is_only && expect_unwritten(trace, range, fill, what);
    }
    return is_only;
}

}  // namespace pianola::port
