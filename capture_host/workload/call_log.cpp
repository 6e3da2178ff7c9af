#include "capture_host/workload/call_log.h"

#include <fmt/format.h>

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
            return fmt::format("a write of buffer {} on queue {}", object, queue);
        case CallKind::kRead:
            return fmt::format("a read of buffer {} on queue {}", object, queue);
        case CallKind::kProgram:
            return fmt::format("program '{}' on queue {}", trace->programs.front().name, queue);
        case CallKind::kReplay:
            return fmt::format("an execution of trace {} on queue {}", object, queue);
        case CallKind::kRecordEvent:
            return fmt::format("a record of event {} on queue {}", object, queue);
        case CallKind::kWaitEvent:
        default:
            return fmt::format("a wait for event {} on queue {}", object, queue);
    }
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

Call& CallLog::append(CallKind kind, std::uint32_t queue, std::uint64_t object) {
    Call call;
    call.kind = kind;
    call.queue = queue;
    call.number = ++calls_;
    call.object = object;
    sections_.back().calls.push_back(std::move(call));
    return sections_.back().calls.back();
}

void CallLog::on_write(std::uint32_t queue, const Buffer& buffer, ByteSpan data) {
    Call& call = append(CallKind::kWrite, queue, buffer.id().value);
    call.buffer = captured_buffer(buffer);
    call.data.assign(data.begin(), data.end());
}

void CallLog::on_read(std::uint32_t queue, const Buffer& buffer, const ReadHandle& handle) {
    Call& call = append(CallKind::kRead, queue, buffer.id().value);
    call.buffer = captured_buffer(buffer);
    call.handle = handle;
}

void CallLog::on_program(std::uint32_t queue, const Assembled& program) {
    auto trace = std::make_shared<CapturedTrace>();
    trace->programs.push_back(program);
    append(CallKind::kProgram, queue, 0U).trace = std::move(trace);
}

void CallLog::on_replay(std::uint32_t queue, TraceId trace) {
    const TraceState& source = device_.trace(trace);
    auto captured = std::make_shared<CapturedTrace>();
    captured->source = trace;
    captured->words = source.words;
    captured->names = source.programs;
    append(CallKind::kReplay, queue, trace.value).trace = std::move(captured);
}

void CallLog::on_record_event(std::uint32_t queue, EventId event) {
    (void)append(CallKind::kRecordEvent, queue, event.value);
}

void CallLog::on_wait_event(std::uint32_t queue, EventId event) {
    (void)append(CallKind::kWaitEvent, queue, event.value);
}

}  // namespace pianola::host
