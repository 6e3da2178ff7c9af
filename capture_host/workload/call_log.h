// CallLog: the API calls of a captured section, in order.
//
// Place in the whole: what WorkloadCapture records while a program runs, and what the binary is made from. Internal to
// the host API.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture_host/api/device_state.h"

namespace pianola::host {

// The words of a program that ran by itself, or of an executed trace.
struct CapturedTrace {
    TraceId source;                    // of an executed trace
    std::vector<Assembled> programs;   // a program that ran by itself
    std::vector<std::uint32_t> words;  // an executed trace's
    std::vector<TraceProgramInfo> names;
};

// Where a buffer lay when it was used.
struct CapturedBuffer {
    ElementType type{ElementType::kUint8};  // bytes, where the buffer does not say what it holds
    std::vector<std::uint32_t> shape;
    std::uint64_t row_bytes{0U};
    std::vector<Piece> pieces;
    std::vector<AddressRange> runs;
    std::vector<AddressRange> host_runs;
};

enum class CallKind : std::uint8_t { kWrite, kRead, kProgram, kReplay, kRecordEvent, kWaitEvent };

struct Call {
    CallKind kind{CallKind::kWrite};
    std::uint32_t queue{0U};
    std::uint64_t number{0U};  // in the order of the calls, from 1
    std::uint64_t object{0U};  // buffer, trace or event; 0 for a program
    std::shared_ptr<const CapturedBuffer> buffer;
    std::shared_ptr<const CapturedTrace> trace;
    std::vector<std::uint8_t> data;  // of a write
    ReadHandle handle;               // of a read

    // The same call, whatever data it moves.
    [[nodiscard]] bool is_like(const Call& other) const;
    [[nodiscard]] std::string text() const;
};

struct Section {
    ScriptKind kind{ScriptKind::kUnspecified};  // kUnspecified: before the first mark
    std::vector<Call> calls;
};

class CallLog final : public CallRecorder {
  public:
    explicit CallLog(DeviceState& device) : device_{device} {}

    void on_write(std::uint32_t queue, const Buffer& buffer, ByteSpan data) override;
    void on_read(std::uint32_t queue, const Buffer& buffer, const ReadHandle& handle) override;
    void on_program(std::uint32_t queue, const Assembled& program) override;
    void on_replay(std::uint32_t queue, TraceId trace) override;
    void on_record_event(std::uint32_t queue, EventId event) override;
    void on_wait_event(std::uint32_t queue, EventId event) override;

    void begin_section(ScriptKind kind) { sections_.push_back({kind, {}}); }
    [[nodiscard]] const std::vector<Section>& sections() const noexcept { return sections_; }

  private:
    Call& append(CallKind kind, std::uint32_t queue, std::uint64_t object);

    DeviceState& device_;
    std::vector<Section> sections_{Section{}};
    std::uint64_t calls_{0U};
};

[[nodiscard]] std::shared_ptr<const CapturedBuffer> captured_buffer(const Buffer& buffer);

}  // namespace pianola::host
