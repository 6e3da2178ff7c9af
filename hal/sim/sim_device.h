// SimDevice: the reference device inside a host process.
//
// Place in the whole: where captures are tried, self-tests recorded and tests run. The command processors, kernels and region
// protection are the very sources that boards run; this adds memory, threads, scripted faults and observation. Virtual time is
// the device's own cost model, so that logs are the same in every run, in one thread or in several. Host only.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "hal/refdev/command_processor.h"
#include "hal/refdev/device_memory.h"
#include "hal/refdev/device_spec.h"
#include "hal/refdev/queue_memory.h"
#include "runtime/device/device.h"

namespace pianola::sim {

class AccessChecker;

enum class Threading {
    kInProcess,  // queues run inside service(), in a fixed order
    kThreaded,   // one thread per queue
};

// What goes wrong on purpose. Counters count from 1; 0 is never.
struct FaultScript {
    std::uint32_t lose_doorbell{0U};     // the n-th doorbell does not arrive
    std::uint32_t lose_completion{0U};   // the n-th completion that would be reported is not, nor any after it
    std::uint32_t refuse_enqueue{0U};    // the n-th enqueue() answers kBusy
    std::uint32_t refuse_region{0U};     // the n-th program_region() answers kCapacity
    std::uint32_t refuse_bind{0U};       // the n-th bind answers kInvalidArgument
    std::uint32_t damage_read_back{0U};  // the n-th read_back() differs in one bit
    std::uint32_t fail_reset{0U};        // the n-th reset() answers kTimeout
};

struct SimOptions {
    refdev::DeviceSpec spec;
    Threading threading{Threading::kInProcess};
    // Proves for every command that it touched no byte outside its published extents: writes by comparing all memory, reads and
    // writes through AddressSanitizer where the program is built with it. In process only; slow.
    bool check_accesses{false};
    bool keep_log{false};
    FaultScript faults;
};

class SimDevice final : public Device {
  public:
    explicit SimDevice(const SimOptions& options);
    ~SimDevice();
    SimDevice(const SimDevice&) = delete;
    SimDevice(SimDevice&&) = delete;
    SimDevice& operator=(const SimDevice&) = delete;
    SimDevice& operator=(SimDevice&&) = delete;

    Status describe(DeviceDescription& description) const noexcept override;
    Status reset() noexcept override;
    Status program_region(const RegionConfig& region) noexcept override;
    Status read_back(std::uint32_t address, MutableByteSpan out) noexcept override;
    Status bind_source(std::uint32_t slot, ByteSpan memory) noexcept override;
    Status bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept override;
    Status enqueue(std::uint32_t queue, const QueueCommand& command) noexcept override;
    Status ring_doorbell(std::uint32_t queue) noexcept override;
    Status service() noexcept override;
    Status completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept override;

    // Virtual time that the host side has seen: of the latest completion that it was given.
    [[nodiscard]] std::uint64_t now_cycles() const noexcept { return now_cycles_; }
    [[nodiscard]] const refdev::DeviceSpec& spec() const noexcept { return options_.spec; }
    // Rises whenever a queue gets on; for telling a slow host from a stuck device.
    [[nodiscard]] std::uint64_t progress() const noexcept;
    [[nodiscard]] Threading threading() const noexcept { return options_.threading; }

    // With keep_log: what a queue has executed since the log was last cleared. Only while the device is idle.
    [[nodiscard]] const std::vector<refdev::ExecutedCommand>& log(std::uint32_t queue) const;
    void clear_log();

    // Commands that touched bytes outside their extents, with check_accesses.
    [[nodiscard]] std::uint64_t access_violations() const noexcept;

    // Device memory as the control path sees it; nullptr outside. For tests that damage it.
    [[nodiscard]] std::uint8_t* memory_at(std::uint32_t address, std::uint64_t size_bytes) noexcept;

  private:
    struct Queue;

    [[nodiscard]] bool is_scripted(std::uint32_t& counter, std::uint32_t wanted) noexcept;
    void stop_threads() noexcept;
    void start_threads();
    void run_queue(Queue& queue);

    SimOptions options_;
    std::vector<std::uint8_t> dram_;
    std::vector<std::uint8_t> l1_;
    refdev::DeviceMemory memory_;
    refdev::HostMemory host_;
    refdev::EventFile events_;
    std::unique_ptr<AccessChecker> checker_;
    std::vector<std::unique_ptr<Queue>> queues_;
    std::atomic<bool> stop_{false};
    std::uint64_t now_cycles_{0U};
    FaultScript counters_;
};

}  // namespace pianola::sim
