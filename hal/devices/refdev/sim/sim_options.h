// SimOptions: configuration of a simulated device.
//
// Passed to SimDevice by tests and tools.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "hal/devices/refdev/device_spec.h"
#include "hal/devices/refdev/sim/faulty_driver.h"

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

}  // namespace pianola::sim
