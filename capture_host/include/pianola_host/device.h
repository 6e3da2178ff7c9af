// Device: the host API. Buffers, transfers, programs, events and traces on a simulated device.
//
// C++ applications, the tensor library and the Python package use it; docs/guide/host_api.md is its manual. Everything
// may be called from several threads; calls of one device take turns. Every call can throw HostError. Only explicit
// waits block (`blocking`, finish, synchronize, event_synchronize, ReadHandle::data), and a queue or a staging arena
// that is full. Queue numbers start at 0.
//
// Virtual time. Every enqueued program takes the host host_cost.dispatch_ns, also one that goes into a trace, every
// queue command of other calls host_cost.replay_ns, and the device sees them no earlier; so a program that is bound by
// the host shows gaps on the device, and a trace closes them. The same with threads and without.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hal/registry/registry.h"
#include "pianola/span.h"
#include "pianola_host/buffer.h"
#include "pianola_host/host_cost.h"
#include "pianola_host/host_error.h"
#include "pianola_host/memory_holder.h"
#include "pianola_host/program.h"
#include "pianola_host/trace.h"

namespace pianola {

// For DeviceOptions::vulkan: the number in "vulkan" (0) or "vulkan:N"; nothing for other text.
[[nodiscard]] std::optional<std::uint32_t> vulkan_number(const std::string& text);

}  // namespace pianola

namespace pianola::host {

// The reaction to operations of two queues that touch the same bytes, one of them writing, if no event and no wait of
// the host orders them. kRaise refuses the later one, before it is enqueued (API-RACE); kWarn names it in warnings(),
// each pair of operations once.
enum class Races : std::uint8_t { kRaise, kWarn, kOff };

struct DeviceOptions {
    // The usual target's; its trace_region_bytes and queue_count are replaced by the two below.
    DeviceDescription spec{usual_target().usual_device()};
    std::uint32_t trace_region_size{0U};   // bytes at the top of DRAM; a multiple of 64; 0: no trace can be kept
    std::uint32_t num_command_queues{1U};  // 1 or 2
    bool threaded{false};                  // one thread per queue; otherwise queues run inside calls, in a fixed order
    HostCost host_cost{kDefaultHostCost};
    std::uint32_t dispatch_area_bytes{64U * 1024U};  // of each queue, below the trace region: the longest eager program
    bool allow_allocation_under_trace{false};        // allocate where a live trace reads or writes, with a warning
    bool keep_log{false};                            // of every device command, with times: Device::log()
    Races races{Races::kRaise};                      // checked if there is more than one queue
    std::function<std::string()> call_site;          // the program's call site, for reports of races; may be empty
    std::optional<std::uint32_t> vulkan;             // the Vulkan device with this number executes everything
    bool check_accesses{false};                      // hold kernels to their extents; slow, not threaded
    std::chrono::milliseconds stall_limit{
        20'000};  // real time that a blocking call waits for a device that does not get on
};

struct MemoryUse {
    std::uint64_t total_bytes{0U};
    std::uint64_t used_bytes{0U};
    std::uint64_t largest_free_bytes{0U};
    std::uint64_t free_under_trace_bytes{0U};  // free, but used by live traces
    std::uint32_t allocations{0U};
};
struct MemoryReport {
    MemoryUse dram;
    MemoryUse l1;  // of each core
    MemoryUse trace_region;
};

struct DeviceTime {
    std::uint64_t host_ns{0U};
    std::uint64_t device_cycles{0U};  // of the latest completion that the host has seen
};

// The result of a read. Copies share it. May outlive the buffer and, once it is ready, the device.
class ReadHandle {
  public:
    ReadHandle() = default;
    [[nodiscard]] bool is_ready() const;                          // lets the device run
    [[nodiscard]] const std::vector<std::uint8_t>& data() const;  // row-major; waits until the read has completed

    [[nodiscard]] bool is_seen() const noexcept;  // whether data() was called

    struct State;
    explicit ReadHandle(std::shared_ptr<State> state) : state_{std::move(state)} {}

  private:
    std::shared_ptr<State> state_;
};

struct DeviceState;

class Device final : public MemoryHolder, public std::enable_shared_from_this<Device> {
  public:
    ~Device() override;

    // Waits for all work, and frees everything. Buffers and handles stay valid objects of a closed device.
    void close();
    [[nodiscard]] bool is_open() const noexcept;
    [[nodiscard]] const DeviceOptions& options() const noexcept;
    [[nodiscard]] const DeviceDescription& spec() const noexcept;  // with the options' trace region and queues

    // Memory. First fit, 64-byte aligned, deterministic: the same calls give the same addresses. Contents are
    // undefined.
    [[nodiscard]] BufferPtr allocate(const BufferConfig& config);
    // Frees now, even if the buffer has other owners; any later use of it is refused.
    void deallocate(const BufferPtr& buffer);
    [[nodiscard]] MemoryReport memory_report() const;  // at any time, also while capturing

    // Transfers. The host's data are copied before the call returns.
    void enqueue_write(std::uint32_t queue, const BufferPtr& buffer, ByteSpan host_row_major, bool blocking = false);
    ReadHandle enqueue_read(std::uint32_t queue, const BufferPtr& buffer, bool blocking = false);

    // Programs. compile() checks a program's structure and puts it into the cache, which knows programs by content;
    // enqueueing does so by itself, but not while the queue captures a trace.
    void compile(Program& program);
    void enqueue_program(std::uint32_t queue, Program& program, bool blocking = false);
    // Whether the dispatch area holds the program's commands, and the device's profile the byte ranges that its cores
    // touch (CAP-INTERVALS in a capture). For programs without circular buffers and semaphores, whose operands are
    // buffers. Throws the same as enqueueing the program.
    [[nodiscard]] bool fits(const Program& program) const;
    [[nodiscard]] std::size_t program_cache_entries() const;
    void clear_program_cache();
    // Off: every enqueue compiles, and nothing is kept, so that no program can be captured.
    void set_program_cache_enabled(bool enabled);

    // Events. Any number. A wait is for the last record before it; records may be repeated.
    [[nodiscard]] EventId create_event();
    void record_event(std::uint32_t queue, EventId event);
    void wait_for_event(std::uint32_t queue, EventId event);
    void event_synchronize(EventId event);
    [[nodiscard]] bool event_query(EventId event);

    void finish(std::uint32_t queue);
    void synchronize();

    // Traces. Between begin and end, programs enqueued on the queue go into the trace and are not executed.
    [[nodiscard]] TraceId begin_trace_capture(std::uint32_t queue);
    // If it throws API-TRACE-REGION, the capture has ended without a trace.
    void end_trace_capture(std::uint32_t queue, TraceId trace);
    void discard_trace_capture(std::uint32_t queue);  // where the queue captures one
    void execute_trace(std::uint32_t queue, TraceId trace, bool blocking = false);
    void release_trace(TraceId trace);  // its bytes of the region, and its claim on other memory, are free again
    [[nodiscard]] bool is_capturing(std::uint32_t queue) const;
    [[nodiscard]] TraceInfo trace_info(TraceId trace) const;
    [[nodiscard]] std::vector<std::uint32_t> read_back_trace(TraceId trace);  // as they lie in the trace region
    [[nodiscard]] std::uint32_t trace_region_bytes_used() const;

    // From now on the trace is executed only while `buffer` is allocated. Throws API-TRACE-INPUT if the trace does not
    // read the buffer: then it was captured with an input at another place. Another buffer with the same name replaces
    // the first.
    void expect_input(TraceId trace, const BufferPtr& buffer, const std::string& name = "input");

    // With a description of every buffer that the trace touches and that was allocated at the end of its capture, by
    // the given names.
    [[nodiscard]] TraceBlob collect_trace(TraceId trace, const std::vector<NamedBuffer>& names = {});
    // Throws API-BLOB-*. The blob's memory must be free, or belong to `buffers` at the same addresses. Its other
    // buffers are allocated where the trace uses them, and belong to it until it is released.
    [[nodiscard]] TraceId load_trace(std::uint32_t queue, ByteSpan blob, const std::vector<BufferPtr>& buffers = {});
    [[nodiscard]] std::vector<NamedBuffer> trace_buffers(TraceId trace) const;  // that load_trace() has allocated
    // Copies a trace of another device to this one: for every buffer that the trace touches there and that is still
    // allocated, a buffer of the same size must be allocated here at the same address, and nothing else in memory that
    // the trace touches. Throws API-BLOB-*.
    [[nodiscard]] TraceId copy_trace(std::uint32_t queue, Device& source, TraceId trace);

    // Words that may change between executions. Every admitted value must be one that the kernels accept and that
    // touches allocated memory only; a kRuntimeArgument changes neither the memory nor the cost of a command.
    // set_parameter() proves the very value again, and patches the words in the trace region.
    void declare_parameter(TraceId trace, const TraceParameter& parameter);
    void set_parameter(TraceId trace, const std::string& name, std::uint32_t value);
    // For TraceParameter::words. Argument `argument` of kernel `kernel` of the program-th program of the trace, on
    // every core.
    [[nodiscard]] std::vector<std::uint32_t> argument_words(TraceId trace, std::uint32_t program, KernelHandle kernel,
                                                            std::uint32_t argument) const;
    // Every argument that was given as the address of this buffer (its first shard, without offset).
    [[nodiscard]] std::vector<std::uint32_t> address_words(TraceId trace, const BufferPtr& buffer) const;

    // Warnings about permitted calls with consequences, in order; each names them.
    [[nodiscard]] std::vector<std::string> warnings() const;

    [[nodiscard]] DeviceTime now() const;
    // Waits until nothing is under way. The commands that each queue has executed (keep_log), with virtual times.
    [[nodiscard]] std::vector<LoggedCommand> log(std::uint32_t queue);
    void clear_log();
    [[nodiscard]] std::uint64_t access_violations();  // check_accesses

    // For the library itself.
    void check_buffer(const BufferPtr& buffer) const override;
    void release(Buffer& buffer) override;
    void release(LocalMemory& memory) override;
    // For the library itself, and for tests that damage things.
    [[nodiscard]] DeviceState& state() noexcept { return *state_; }
    [[nodiscard]] Simulator& simulator();

  private:
    friend std::shared_ptr<Device> open_device(const DeviceOptions& options);
    explicit Device(const DeviceOptions& options);

    std::unique_ptr<DeviceState> state_;
};

[[nodiscard]] std::shared_ptr<Device> open_device(const DeviceOptions& options);

}  // namespace pianola::host
