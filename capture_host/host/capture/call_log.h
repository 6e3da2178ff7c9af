// CallLog: the API calls of a captured section, in order.
//
// WorkloadCapture records it while a program runs; the binary is made from it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "capture_host/host/device/device_state.h"

namespace pianola::host {

// The words of a single program, or of an executed trace.
struct CapturedTrace {
    TraceId source;                    // of an executed trace
    std::vector<Assembled> programs;   // a single program
    std::vector<std::uint32_t> words;  // an executed trace's
    std::vector<TraceProgramInfo> names;
};

// The place of a buffer when it was used.
struct CapturedBuffer {
    ElementType type{ElementType::kUint8};  // bytes, if the buffer has no element type
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
    std::uint64_t event{0U};   // for messages: the event's own id where `object` is a slot; else 0
    std::shared_ptr<const CapturedBuffer> buffer;
    std::shared_ptr<const CapturedTrace> trace;
    std::vector<std::uint8_t> data;  // of a write
    ReadHandle handle;               // of a read
    std::uint32_t device{0U};        // row-major
    std::string place;               // of several devices: " of device (0, 1)"
    std::uint64_t twin{0U};          // of a buffer: Buffer::first_twin()
    std::uint64_t replicas{0U};      // of a write: the call of a mesh that gave its devices the same data; 0: none
    std::uint64_t mesh_call{0U};     // the call of a mesh that transfers all parts of a tensor; 0: none
    std::uint64_t seen{0U};          // of a read: the first write after the host has seen the data; 0: none

    // The same call, ignoring its data.
    [[nodiscard]] bool is_like(const Call& other) const;
    [[nodiscard]] std::string text() const;
};

struct Section {
    ScriptKind kind{ScriptKind::kUnspecified};  // kUnspecified: before the first mark
    std::vector<Call> calls;
};
// The first section of a kind; nullptr if there is none.
[[nodiscard]] const Section* first_section(const std::vector<Section>& sections, ScriptKind kind);

// The calls of all devices of a capture; calls may come from several threads.
class CallLog {
  public:
    // Appends the call and numbers it.
    void append(Call call);
    void begin_section(ScriptKind kind);
    [[nodiscard]] const std::vector<Section>& sections() const noexcept { return sections_; }

  private:
    void note_seen(std::uint64_t write);

    std::mutex mutex_;
    std::vector<Section> sections_{Section{}};
    std::vector<std::pair<std::size_t, std::size_t>> unseen_;  // reads: section, call
    std::uint64_t calls_{0U};
};

// Appends the calls of one device to the log.
class DeviceRecorder final : public CallRecorder {
  public:
    // `place`: see Call.
    DeviceRecorder(std::shared_ptr<CallLog> log, DeviceState& device, std::uint32_t number, std::string place)
        : log_{std::move(log)}, device_{device}, number_{number}, place_{std::move(place)} {}

    void on_write(std::uint32_t queue, const Buffer& buffer, ByteSpan data) override;
    void on_read(std::uint32_t queue, const Buffer& buffer, const ReadHandle& handle) override;
    void on_program(std::uint32_t queue, const Assembled& program) override;
    void on_replay(std::uint32_t queue, TraceId trace) override;
    void on_record_event(std::uint32_t queue, EventId event) override;
    void on_wait_event(std::uint32_t queue, EventId event) override;

  private:
    [[nodiscard]] Call call(CallKind kind, std::uint32_t queue, std::uint64_t object) const;

    std::shared_ptr<CallLog> log_;
    DeviceState& device_;
    std::uint32_t number_;
    std::string place_;
};

[[nodiscard]] std::shared_ptr<const CapturedBuffer> captured_buffer(const Buffer& buffer);
[[nodiscard]] RangeSet addresses_of(const CapturedBuffer& buffer);

}  // namespace pianola::host
