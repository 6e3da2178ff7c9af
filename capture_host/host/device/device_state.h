// The state of a device.
//
// The calls of Device are in device*.cpp and trace_blob.cpp, by subject. `mutex` guards all members.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "capture_host/host/device/allocator.h"
#include "capture_host/host/device/queue_driver.h"
#include "capture_host/host/device/race_detector.h"
#include "capture_host/host/device/recording.h"
#include "capture_host/host/device/transfers.h"
#include "capture_host/host/program/compile.h"
#include "pianola_host/device.h"

namespace pianola::host {

// Checks a buffer's configuration, and lays its pieces out.
struct BufferPlacement {
    std::uint64_t bytes{0U};  // to allocate; L1: on every core
    std::uint32_t alignment{0U};

    // Throws API-BUFFER-CONFIG.
    [[nodiscard]] static BufferPlacement plan(const DeviceDescription& spec, const BufferConfig& config);
    // A buffer that lies at `offset` of its memory.
    [[nodiscard]] static BufferPtr make(const DeviceDescription& spec, const BufferConfig& config,
                                        const BufferPlacement& placement, std::uint32_t offset, BufferId id,
                                        const std::shared_ptr<Device>& device);
};

struct EventState {
    bool recorded{false};
    std::uint32_t queue{0U};
    std::uint32_t value{0U};  // of the queue's counter
    std::uint32_t token{0U};  // of the completion record after it, for the host
    RaceDetector::Clock clock{};
};

struct ExpectedInput {
    std::weak_ptr<Buffer> buffer;
    BufferId id;
    std::uint32_t address{0U};
};

// A buffer that a trace touches, and that was allocated when its capture ended.
struct TracedBuffer {
    std::string name;
    BufferConfig config;
    std::uint32_t offset{0U};  // in its memory
    BufferPtr buffer;          // where load_trace() has allocated it
};

// A buffer that was allocated during a trace's capture where the trace writes.
struct Overwritten {
    std::weak_ptr<Buffer> buffer;
    bool destroyed{false};  // an execution has been enqueued, and the buffer was not written since
};

struct TraceState {
    TraceId id;
    std::uint32_t queue{0U};       // that captured it, or loaded it
    std::uint32_t last_queue{0U};  // that last executed it, or set a parameter
    std::uint32_t region_offset{0U};
    std::vector<std::uint32_t> words;
    std::vector<CommandInfo> commands;
    std::vector<TraceProgramInfo> programs;
    std::vector<TracedBuffer> buffers;
    std::uint64_t cost_cycles{0U};
    // Device addresses, with the present and all earlier values of its parameters.
    RangeSet reads;
    RangeSet writes;
    std::optional<std::pair<RangeSet, RangeSet>> moved;  // reads and writes, if a parameter has moved operands
    std::map<std::string, ExpectedInput> inputs;
    std::vector<TraceParameter> parameters;
    std::vector<std::string> consequences;  // of allocations that were made over it; each is named once
    RangeSet needs;                         // bytes that it reads and has not written before
    std::vector<Overwritten> overwritten;   // each is named once
};

// The call of a mesh that a call on one of its devices is part of; all zero for a call on the device alone.
struct MeshCall {
    std::uint64_t mesh{0U};
    std::uint64_t replicas{0U};  // number of the call that gives all devices the same bytes
    std::uint64_t transfer{0U};  // number of the call that transfers all parts of a tensor
};

// Changes a value until the end of its scope.
template <typename Value>
class TemporaryValue {
  public:
    TemporaryValue(Value& place, const Value& value) : place_{place}, former_{std::exchange(place, value)} {}
    ~TemporaryValue() { place_ = former_; }
    TemporaryValue(const TemporaryValue&) = delete;
    TemporaryValue& operator=(const TemporaryValue&) = delete;

  private:
    Value& place_;
    Value former_;
};

struct DeviceState;

// Devices that get memory at the same offsets, so that one address names a buffer, or temporary memory of an operation,
// on all of them.
//
// The first device takes what is free on all; the others then get the same offsets in the same order. Holds the
// devices' locks. Without a mesh, a device is the only one in the list.
class Lockstep {
  public:
    // Different devices, at least one; none of them is in another Lockstep.
    explicit Lockstep(const std::vector<std::shared_ptr<Device>>& devices);
    ~Lockstep();
    Lockstep(const Lockstep&) = delete;
    Lockstep& operator=(const Lockstep&) = delete;

    // The calls that follow are those of the next device, the first device's before all others.
    void next_device() noexcept;

    [[nodiscard]] const std::vector<DeviceState*>& devices() const noexcept { return devices_; }
    // The first device got this offset.
    void note(std::uint32_t offset) { offsets_.push_back(offset); }
    // What the first device got by the same call. Throws API-MEMORY-FULL if it made no such call.
    [[nodiscard]] std::uint32_t repeat();
    // The first device's buffer by the same call; `buffer` itself for the first device.
    [[nodiscard]] BufferId first_buffer(BufferId buffer);

  private:
    std::vector<DeviceState*> devices_;
    std::vector<std::unique_lock<std::recursive_mutex>> locks_;
    std::vector<std::uint32_t> offsets_;
    std::vector<BufferId> buffers_;  // of the first device
    std::size_t next_offset_{0U};
    std::size_t next_buffer_{0U};
};

using Lock = std::lock_guard<std::recursive_mutex>;  // of DeviceState::mutex

// For DeviceOptions::vulkan.
[[nodiscard]] ExecutorDevice executor_for(std::optional<std::uint32_t> vulkan);

struct DeviceState {
    explicit DeviceState(const DeviceOptions& device_options);

    mutable std::recursive_mutex mutex;
    DeviceOptions options;
    DeviceDescription spec;
    const Target& family{usual_target(spec)};
    const CommandSet& command_set{family.command_set()};
    bool open{true};
    std::unique_ptr<Simulator> sim;
    std::unique_ptr<QueueDriver> queues;
    std::unique_ptr<Transfers> transfers;
    std::uint32_t dispatch_base{0U};

    Allocator dram;
    Allocator l1;  // offsets inside every core's share
    Allocator trace_region;
    // By memory and owner: memory that was allocated since the device was last idle. Only with several queues. It only
    // grows while a workload is captured, so that all its steps get the same addresses.
    std::map<Memory, std::array<RangeSet, kMaxQueues + kMaxQueues>> claims;
    std::map<std::uint64_t, Buffer*> buffers;  // alive and allocated
    std::set<Sha256Digest> compiled;
    bool cache_enabled{true};
    std::map<std::uint64_t, EventState> events;
    std::array<std::uint32_t, kMaxQueues> records{};  // on each queue; its event counter's value
    std::map<std::uint64_t, TraceState> traces;
    struct Capturing {
        TraceId id;
        TraceWords words;
        RangeSet writes;         // of the programs so far
        RangeSet needs;          // bytes that they read and that none of them has written before
        std::uint64_t mesh{0U};  // that began the capture; 0: the device alone
        // Allocated during the capture where earlier programs of it write, and written by no later one.
        std::vector<Overwritten> overwritten;

        void append(const Assembled& program);
    };
    std::array<std::optional<Capturing>, kMaxQueues> capturing;
    std::vector<std::string> warnings;
    std::shared_ptr<CallRecorder> recorder;
    std::optional<RaceDetector> races;  // none: races are not checked
    std::set<std::string> reported_races;
    MeshCall call;
    Lockstep* lockstep{nullptr};  // while a mesh makes the same calls on several devices

    // Calls on queues. Throw HostError.
    void check_open() const;
    void check_queue(std::uint32_t queue) const;
    void check_not_capturing(std::uint32_t queue, const char* what) const;
    void finish_call(std::uint32_t queue, bool blocking);  // rings, and waits
    void drain();                                          // waits for all queues

    // race_detector.cpp. `operation` is about to be enqueued. Throws API-RACE, or warns.
    void check_race(std::uint32_t queue, const std::string& operation, const RangeSet& reads, const RangeSet& writes);
    // All operations of the queue up to now; and the host has seen `clock` completed.
    [[nodiscard]] RaceDetector::Clock race_clock(std::uint32_t queue) const;
    void complete(const RaceDetector::Clock& clock);
    void follow(std::uint32_t queue, const RaceDetector::Clock& clock);  // the queue waits for `clock`

    // Memory.
    [[nodiscard]] Allocator& allocator(Memory memory) { return (memory == Memory::kDram) ? dram : l1; }
    [[nodiscard]] bool is_allocated(std::uint32_t address, std::uint32_t bytes) const;
    // The part of a set of device addresses that is in that memory, as offsets in its allocator.
    [[nodiscard]] RangeSet offsets_in(Memory memory, const RangeSet& addresses) const;
    // Throws API-BLOB-MEMORY if a device address lies outside the memory of buffers.
    void check_data_memory(const RangeSet& addresses) const;
    // Throws API-BLOB-MEMORY if a loaded trace uses allocated bytes that are not its own, by offsets.
    void check_only_own(const RangeSet& used, const std::map<Memory, RangeSet>& own);
    // Bytes that live traces use.
    [[nodiscard]] RangeSet under_trace(Memory memory) const;
    [[nodiscard]] std::uint32_t allocate(Memory memory, std::uint64_t bytes, std::uint32_t alignment, FromEnd from,
                                         const std::string& what, const MemoryOwner& owner = {});
    // Devices that get memory at the same offsets; this one alone if no mesh calls it.
    [[nodiscard]] std::vector<DeviceState*> in_step();
    // An offset that is free on all devices in step, and keeps clear of others' memory on them if possible.
    [[nodiscard]] std::optional<std::uint32_t> free_place(Memory memory, std::uint64_t bytes, std::uint32_t alignment,
                                                          FromEnd from, const MemoryOwner& owner);
    void claim(Memory memory, std::uint32_t offset, std::uint64_t bytes, const MemoryOwner& owner);
    [[nodiscard]] RangeSet claimed_by_others(Memory memory, const MemoryOwner& owner) const;
    // Memory that programs of the captures on other queues use.
    [[nodiscard]] RangeSet captured_by_others(Memory memory, const MemoryOwner& owner) const;
    // Throws API-MEMORY-UNDER-TRACE if a live trace uses the memory of an allocation; only warns if that is permitted.
    void note_consequences(Memory memory, std::uint32_t offset, std::uint64_t bytes, const std::string& what);
    // The device is idle: memory without an owner may be claimed again.
    void forget_claims();
    // Records a new buffer in each capture that has a program which writes its memory.
    void note_overwritten(const BufferPtr& buffer);
    // Warns if commands read contents that an execution has destroyed, before they are written again.
    void note_access(const RangeSet& reads, const RangeSet& writes);
    void place_local_memory(Program::State& program, const std::shared_ptr<Device>& device);

    // Traces.
    [[nodiscard]] TraceState& trace(TraceId id);
    [[nodiscard]] const TraceState& trace(TraceId id) const;
    [[nodiscard]] std::uint32_t trace_address(const TraceState& trace) const;
    // Puts the words into the trace region. Throws API-TRACE-REGION.
    TraceState& place_trace(TraceState trace);
    void write_words(std::uint32_t queue, std::uint32_t address, const std::vector<std::uint32_t>& words) const;
    void replay(std::uint32_t queue, std::uint32_t address, std::size_t word_count) const;
};

[[nodiscard]] std::uint64_t next_id() noexcept;  // never the same twice

}  // namespace pianola::host
