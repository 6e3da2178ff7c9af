#include "capture_host/host/capture/call_log.h"

#include <fmt/format.h>

#include <algorithm>

namespace pianola::host {

bool Call::is_like(const Call& other) const {
    if ((kind != other.kind) || (queue != other.queue) || (object != other.object)) {
        return false;
    }
    if (kind == CallKind::kProgram) {
        return trace->programs.front().words == other.trace->programs.front().words;
    }
    return (kind != CallKind::kReplay) || (trace->words == other.trace->words);
}

std::string Call::text() const {
    switch (kind) {
        case CallKind::kWrite:
            return fmt::format("a write of buffer {} on queue {}{}", object, queue, place);
        case CallKind::kRead:
            return fmt::format("a read of buffer {} on queue {}{}", object, queue, place);
        case CallKind::kProgram:
            return fmt::format("program '{}' on queue {}{}", trace->programs.front().name, queue, place);
        case CallKind::kReplay:
            return fmt::format("an execution of trace {} on queue {}{}", object, queue, place);
        case CallKind::kRecordEvent:
            return fmt::format("a record of event {} on queue {}{}", (event != 0U) ? event : object, queue, place);
        case CallKind::kWaitEvent:
        default:
            return fmt::format("a wait for event {} on queue {}{}", (event != 0U) ? event : object, queue, place);
    }
}

const Section* first_section(const std::vector<Section>& sections, ScriptKind kind) {
    const auto found =
        std::find_if(sections.begin(), sections.end(), [kind](const Section& section) { return section.kind == kind; });
    return (found == sections.end()) ? nullptr : &*found;
}

std::shared_ptr<const CapturedBuffer> captured_buffer(const Buffer& buffer) {
    auto captured = std::make_shared<CapturedBuffer>();
    const BufferConfig& config = buffer.config();
    if (config.type != ElementType::kUnspecified) {
        captured->type = config.type;
        captured->shape = config.shape;
    } else {
        captured->shape = {static_cast<std::uint32_t>(config.rows), static_cast<std::uint32_t>(config.row_bytes)};
    }
    captured->row_bytes = config.row_bytes;
    captured->pieces = buffer.pieces();
    captured->runs = buffer.runs();
    captured->host_runs = buffer.host_runs();
    return captured;
}

RangeSet addresses_of(const CapturedBuffer& buffer) {
    RangeSet set;
    for (const AddressRange& run : buffer.runs) {
        set.add(run.address, std::uint64_t{run.address} + run.bytes);
    }
    return set;
}

void CallLog::append(Call call) {
    const std::lock_guard<std::mutex> lock{mutex_};
    call.number = ++calls_;
    if (call.kind == CallKind::kWrite) {
        note_seen(call.number);
    } else if (call.kind == CallKind::kRead) {
        unseen_.emplace_back(sections_.size() - 1U, sections_.back().calls.size());
    } else {
        // The host transfers nothing.
    }
    sections_.back().calls.push_back(std::move(call));
}

// After the host has seen data, it may write what depends on it.
void CallLog::note_seen(std::uint64_t write) {
    const auto look = [&](const std::pair<std::size_t, std::size_t>& place) {
        Call& read = sections_[place.first].calls[place.second];
        read.seen = read.handle.is_seen() ? write : 0U;
        return read.seen != 0U;
    };
    unseen_.erase(std::remove_if(unseen_.begin(), unseen_.end(), look), unseen_.end());
}

void CallLog::begin_section(ScriptKind kind) {
    const std::lock_guard<std::mutex> lock{mutex_};
    sections_.push_back({kind, {}});
}

Call DeviceRecorder::call(CallKind kind, std::uint32_t queue, std::uint64_t object) const {
    Call made;
    made.kind = kind;
    made.queue = queue;
    made.object = object;
    made.device = number_;
    made.place = place_;
    made.mesh_call = device_.call.transfer;
    return made;
}

void DeviceRecorder::on_write(std::uint32_t queue, const Buffer& buffer, ByteSpan data) {
    Call made = call(CallKind::kWrite, queue, buffer.id().value);
    made.buffer = captured_buffer(buffer);
    made.twin = buffer.first_twin().value;
    made.replicas = device_.call.replicas;
    made.data.assign(data.begin(), data.end());
    log_->append(std::move(made));
}

void DeviceRecorder::on_read(std::uint32_t queue, const Buffer& buffer, const ReadHandle& handle) {
    Call made = call(CallKind::kRead, queue, buffer.id().value);
    made.buffer = captured_buffer(buffer);
    made.twin = buffer.first_twin().value;
    made.handle = handle;
    log_->append(std::move(made));
}

void DeviceRecorder::on_program(std::uint32_t queue, const Assembled& program) {
    auto trace = std::make_shared<CapturedTrace>();
    trace->programs.push_back(program);
    Call made = call(CallKind::kProgram, queue, 0U);
    made.trace = std::move(trace);
    log_->append(std::move(made));
}

void DeviceRecorder::on_replay(std::uint32_t queue, TraceId trace) {
    const TraceState& source = device_.trace(trace);
    auto captured = std::make_shared<CapturedTrace>();
    captured->source = trace;
    captured->words = source.words;
    captured->names = source.programs;
    Call made = call(CallKind::kReplay, queue, trace.value);
    made.trace = std::move(captured);
    log_->append(std::move(made));
}

void DeviceRecorder::on_record_event(std::uint32_t queue, EventId event) {
    log_->append(call(CallKind::kRecordEvent, queue, event.value));
}

void DeviceRecorder::on_wait_event(std::uint32_t queue, EventId event) {
    log_->append(call(CallKind::kWaitEvent, queue, event.value));
}

}  // namespace pianola::host
