// SimOptions: how a simulated device is built.
//
// Place in the whole: what tests and tools say to SimDevice. Host only.
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

// Of one device, or of all that make up a mesh: what this side has seen of one of them has passed for all.
struct SimTime {
    std::uint64_t cycles{0U};
    std::atomic<std::uint64_t> moves{0U};  // rises whenever a queue of any of them gets on
};

struct SimOptions {
    refdev::DeviceSpec spec;
    Threading threading{Threading::kInProcess};
    // Proves for every command that it touched no byte outside its published extents: writes by comparing all memory,
    // reads and writes through AddressSanitizer where the program is built with it. In process only; slow.
    bool check_accesses{false};
    // The application's memory lies behind a write-back cache that is not coherent with the device: without a clean the
    // device sees something else, without an invalidation the application does, and one too many takes what it has
    // written since.
    bool write_back_cache{false};
    bool memory_is_visible{true};    // to the ECU core; if not, only queues move tensors
    bool keep_log{false};            // with times, without limit: SimDevice::log()
    bool keep_completions{false};    // every notification's time: SimDevice::take_completions()
    bool keep_execution_log{false};  // the ring that boards keep: SimDevice::execution_logs()
    FaultScript faults;
    std::shared_ptr<SimTime> time;  // of the mesh that the device belongs to; empty: a time of its own
};

}  // namespace pianola::sim
