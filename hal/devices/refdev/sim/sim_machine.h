// SimMachine: the reference device's hardware inside a host process: memories, command processors, threads.
//
// SimDevice uses it in place of a board.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "hal/devices/refdev/command_processor.h"
#include "hal/devices/refdev/device_link.h"
#include "hal/devices/refdev/device_spec.h"
#include "hal/devices/refdev/shared_state.h"
#include "hal/devices/refdev/sim/faulty_driver.h"
#include "hal/devices/refdev/sim/write_back_cache.h"

namespace pianola::sim {

using refdev::FaultScript;

enum class Threading {
    kInProcess,  // queues run inside service(), in a fixed order
    kThreaded,   // one thread per queue
};

// Time of one device, or of all devices of a mesh: time that this side has seen of one has passed for all.
struct SimTime {
    std::uint64_t cycles{0U};
    std::atomic<std::uint64_t> moves{0U};  // rises whenever a queue of any of them advances
};

struct SimOptions {
    refdev::DeviceSpec spec;
    Threading threading{Threading::kInProcess};
    // Proves for every command that it touched no byte outside its published extents: writes by comparing all memory,
    // reads and writes through AddressSanitizer if the program is built with it. In process only; slow.
    bool check_accesses{false};
    // Models a write-back cache of the application's memory that is not coherent with the device: without a clean the
    // device sees stale data, without an invalidation the application does, and a superfluous invalidation loses later
    // writes.
    bool write_back_cache{false};
    bool memory_is_visible{true};    // to the ECU core; otherwise only queues move tensors
    bool keep_log{false};            // with times, without limit: SimDevice::log()
    bool keep_completions{false};    // every notification's time: SimDevice::take_completions()
    bool keep_execution_log{false};  // the ring that boards keep: SimDevice::execution_logs()
    FaultScript faults;
    std::shared_ptr<SimTime> time;  // of the device's mesh; empty: a separate time
};

class AccessChecker;

struct CompletedToken {
    std::uint32_t token{0U};
    std::uint64_t time_cycles{0U};
};

class SimMachine final : public refdev::DeviceLink {
  public:
    explicit SimMachine(const SimOptions& options);
    ~SimMachine();

    [[nodiscard]] std::uint8_t* memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept override;
    void signal(std::uint32_t /*queue*/) noexcept override {}  // threads poll by themselves
    Status service() noexcept override;
    void relax() noexcept override;
    [[nodiscard]] std::uint64_t now_us() noexcept override;
    // One process has one view of memory: nothing to do if no cache is modelled.
    void clean(ByteSpan memory) noexcept override {
        if (options_.write_back_cache) {
            cache_.clean(memory);
        }
    }
    void invalidate(MutableByteSpan memory) noexcept override {
        if (options_.write_back_cache) {
            cache_.invalidate(memory);
        }
    }

    // Conversion between the memory bound to a slot and the device's copy.
    [[nodiscard]] ByteSpan lend_source(std::uint32_t slot, ByteSpan memory) {
        return options_.write_back_cache ? cache_.lend_source(slot, memory) : memory;
    }
    [[nodiscard]] MutableByteSpan lend_destination(std::uint32_t slot, MutableByteSpan memory) {
        return options_.write_back_cache ? cache_.lend_destination(slot, memory) : memory;
    }
    [[nodiscard]] ByteSpan lender_of(ByteSpan memory) const noexcept {
        return options_.write_back_cache ? cache_.lender_of(memory) : memory;
    }

    [[nodiscard]] const SimOptions& options() const noexcept { return options_; }
    [[nodiscard]] SimTime& time() noexcept { return *options_.time; }
    [[nodiscard]] refdev::SharedState& shared() noexcept { return *shared_; }
    [[nodiscard]] const refdev::SharedState& shared() const noexcept { return *shared_; }
    [[nodiscard]] const std::vector<refdev::ExecutedCommand>& log(std::uint32_t queue) const;
    void clear_log();
    [[nodiscard]] std::vector<CompletedToken> take_completions(std::uint32_t queue);
    [[nodiscard]] std::uint64_t access_violations() const noexcept;
    // All or part of the memory was changed by something other than a command.
    void refresh_checker();
    void refresh_checker(ByteSpan part);

  private:
    struct Queue;
    void run_queue(Queue& queue);

    SimOptions options_;
    std::unique_ptr<refdev::SharedState> shared_;
    std::vector<std::uint8_t> dram_;
    std::vector<std::uint8_t> l1_;
    WriteBackCache cache_;
    std::unique_ptr<AccessChecker> checker_;
    std::vector<std::unique_ptr<Queue>> queues_;
    std::atomic<bool> stop_{false};
};

}  // namespace pianola::sim
