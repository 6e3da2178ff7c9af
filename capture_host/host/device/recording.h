// Recording of API calls: the hook inside every call.
//
// Calls of Device report to a CallRecorder if they are the outermost ones of their thread. Without PIANOLA_RECORDING
// nothing is recorded, and the calls contain no code for it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "pianola_host/device.h"

namespace pianola::host {

struct Assembled;

// Called with the device's lock held.
class CallRecorder {
  public:
    CallRecorder() = default;
    virtual ~CallRecorder() = default;
    CallRecorder(const CallRecorder&) = delete;
    CallRecorder& operator=(const CallRecorder&) = delete;

    virtual void on_write(std::uint32_t queue, const Buffer& buffer, ByteSpan data) = 0;
    virtual void on_read(std::uint32_t queue, const Buffer& buffer, const ReadHandle& handle) = 0;
    virtual void on_program(std::uint32_t queue, const Assembled& program) = 0;
    virtual void on_replay(std::uint32_t queue, TraceId trace) = 0;
    virtual void on_record_event(std::uint32_t queue, EventId event) = 0;
    virtual void on_wait_event(std::uint32_t queue, EventId event) = 0;
};

#if PIANOLA_RECORDING
// Lives as long as an API call, and holds the device's lock. If calls call others, only the outermost one of the thread
// is recorded.
class RecordingScope {
  public:
    RecordingScope(std::recursive_mutex& mutex, const std::shared_ptr<CallRecorder>& recorder)
        : lock_{mutex}, recorder_{recorder} {
        depth() += 1U;
    }
    ~RecordingScope() { depth() -= 1U; }
    RecordingScope(const RecordingScope&) = delete;
    RecordingScope& operator=(const RecordingScope&) = delete;

    // Calls record(recorder) if this call is to be recorded.
    template <typename Record>
    void operator()(Record record) const {
        if ((depth() == 1U) && (recorder_ != nullptr)) {
            record(*recorder_);
        }
    }

  private:
    static std::uint32_t& depth() noexcept {
        static thread_local std::uint32_t value = 0U;
        return value;
    }

    std::lock_guard<std::recursive_mutex> lock_;
    const std::shared_ptr<CallRecorder>& recorder_;
};
#else
class RecordingScope {
  public:
    RecordingScope(std::recursive_mutex& mutex, const std::shared_ptr<CallRecorder>& /*recorder*/) : lock_{mutex} {}
    template <typename Record>
    void operator()(const Record& /*record*/) const noexcept {}

  private:
    std::lock_guard<std::recursive_mutex> lock_;
};
#endif

}  // namespace pianola::host
