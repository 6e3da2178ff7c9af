// Device: the data path to an accelerator.
//
// Place in the whole: one of the three interfaces that a port implements (with Platform and CommandSet). Called by the
// ECU core that owns the session, and by nobody else. No method allocates or calls back. Every method returns at once
// but reset(), which takes a bounded time. kOk from enqueue() means that the device will execute the command after its
// doorbell, unless it stops; kBusy that nothing was started. There are no default bodies.
#pragma once

#include <array>
#include <cstdint>

#include "pianola/config.h"
#include "pianola/sha256.h"
#include "pianola/span.h"
#include "pianola/status.h"

namespace pianola {

// What the device itself says of its work in every completion record, from the weakest to the strongest. What it does
// not say, nobody checks: docs/DESIGN.md has what is lost.
enum class Attestation : std::uint8_t {
    kUnspecified = 0U,
    kNothing,  // that a notification was reached
    kCount,    // and how many commands the queue has executed
    kDigest,   // and a digest over them and their words, which the device computes
};

// What CommandSet's cycles are.
enum class CostKind : std::uint8_t {
    kUnspecified = 0U,
    kExact,
    kUpperBound,
    kNotPublished,  // all are 0: nothing is known of the time that a step takes
};

// What the device is. Compared field by field with the binary's target.
struct DeviceDescription {
    const char* family{""};  // static lifetime
    std::uint32_t command_set_id{0U};
    std::uint32_t command_set_version{0U};
    Sha256Digest kernel_library{};  // identity of the kernels, rounding included
    std::uint32_t dram_base{0U};
    std::uint32_t dram_bytes{0U};
    std::uint32_t l1_base{0U};
    std::uint32_t l1_bytes{0U};
    std::uint32_t trace_region_bytes{0U};  // the last bytes of DRAM
    std::uint32_t clock_khz{0U};
    std::uint32_t queue_count{0U};
    std::uint32_t ring_words{0U};    // capacity of each queue's ring
    std::uint32_t grid_columns{0U};  // compute cores, each with an equal share of L1
    std::uint32_t grid_rows{0U};
    std::uint32_t dram_banks{0U};
    Attestation attestation{Attestation::kUnspecified};
    CostKind costs{CostKind::kUnspecified};
    std::uint32_t weights_layout{0U};  // how weights lie in memory, by the kernel library's own numbers; not 0
    // What its runtime takes; static lifetime. At most what that runtime was built with. No part of the binary's
    // target.
    const Capacities* capacities{&kDeviceCapacities};
    // The shape of the mesh that a session drives: the session fills it in, no device does. 0: any is right.
    std::uint32_t mesh_rows{0U};
    std::uint32_t mesh_columns{0U};
};

// A range of device memory and who may touch it. The device refuses everything else.
struct RegionConfig {
    std::uint32_t base{0U};
    std::uint32_t size_bytes{0U};
    bool kernels_read{false};
    bool kernels_write{false};
    bool queues_read{false};   // ReadOutput may come from here
    bool queues_write{false};  // writes from the host may go here
    bool fetch{false};         // traces may be replayed from here
};

enum class QueueCommandKind : std::uint8_t {
    kUnspecified = 0U,
    kWrite,        // host memory -> device memory
    kRead,         // device memory -> host memory
    kReplay,       // run the trace at `address`
    kRecordEvent,  // all earlier commands of this queue have completed: the event's counter becomes `value`
    kWaitEvent,    // hold this queue back until the event's counter has reached `value` (unsigned difference)
    kNotify,       // publish a completion record with `value` as its token
};

// What moves bytes between host memory and the device's.
[[nodiscard]] constexpr bool is_transfer(QueueCommandKind kind) noexcept {
    return (kind == QueueCommandKind::kWrite) || (kind == QueueCommandKind::kRead);
}

struct QueueCommand {
    QueueCommandKind kind{QueueCommandKind::kUnspecified};
    std::uint32_t address{0U};      // device address: kWrite, kRead, kReplay
    std::uint32_t size_bytes{0U};   // kWrite, kRead, kReplay
    std::uint32_t slot{0U};         // kWrite, kRead: bound host memory
    std::uint32_t slot_offset{0U};  // kWrite, kRead: first byte inside it
    std::uint32_t event{0U};        // kRecordEvent, kWaitEvent
    std::uint32_t value{0U};        // kRecordEvent, kWaitEvent, kNotify
    std::uint32_t check{0U};        // CommandSet::seal()
};

enum class DeviceFault : std::uint32_t {
    kNone = 0U,
    kUnknownCommand,  // a word that is no command
    kBadArgument,     // a command outside its contract
    kUnknownKernel,   // a launch of what the ROM does not have
    kBus,             // an access that no region permits
    kHostMemory,      // a transfer outside the bound host memory
    kTraceOverrun,    // a trace without an end
    kLost,            // it does not answer any more
};

// What a queue publishes with a notification, or when it stops. What the device does not attest stays 0.
struct Completion {
    std::uint32_t token{0U};              // of the last kNotify that completed
    std::uint32_t executed_commands{0U};  // since reset: commands of traces and of the queue, wrapping
    std::uint64_t digest{0U};             // over all that the queue has executed since reset: CommandSet::seal()
    std::uint64_t time_cycles{0U};        // device time of the last completion
    DeviceFault fault{DeviceFault::kNone};
    std::uint32_t fault_command{0U};  // value of executed_commands at the fault
    std::uint32_t fault_address{0U};  // device address, where there is one
};

// Slots of host memory that queue commands may name.
inline constexpr std::uint32_t kFirstInputSlot = 2U;  // behind weights and traces: one per input and step in flight
inline constexpr std::uint32_t kSourceSlots = kFirstInputSlot + (kMaxInputs * kMaxStepsInFlight);
inline constexpr std::uint32_t kDestinationSlots = kMaxOutputs * kMaxStepsInFlight;

class Device {
  public:
    Device(const Device&) = delete;
    Device(Device&&) = delete;
    Device& operator=(const Device&) = delete;
    Device& operator=(Device&&) = delete;

    virtual Status describe(DeviceDescription& description) const noexcept = 0;

    // Stops the queues, empties the rings, forgets regions, host memory, faults and events (counters become 0). Memory
    // keeps its contents. kOk, kTimeout where a queue does not stop.
    virtual Status reset() noexcept = 0;

    // kOk, kCapacity. Only between reset() and the first enqueue().
    virtual Status program_region(const RegionConfig& region) noexcept = 0;

    // What the device enforces as its region number `index` since the reset, from its own registers: the session
    // compares. kOk, kInvalidArgument where there are fewer.
    virtual Status programmed_region(std::uint32_t index, RegionConfig& region) const noexcept = 0;

    // Device memory through the control path, for checks: [address, address + out.size()) inside the device's memories.
    // kOk, kInvalidArgument.
    virtual Status read_back(std::uint32_t address, MutableByteSpan out) noexcept = 0;

    // Sets one word of the trace region, through the control path; the device fetches it from the next doorbell on.
    // Only while no command is under way. kOk; kInvalidArgument where the address is not that of a word of the region.
    virtual Status patch_word(std::uint32_t address, std::uint32_t word) noexcept = 0;

    // Memory that queue commands may read from, or write to, until it is bound anew or, with an empty one, not at all:
    // a transfer from or to a slot without memory is a fault. The caller keeps it alive and untouched meanwhile. The
    // port does its cache maintenance here and nowhere else: what is bound is visible to the device, and what the
    // device has written is visible to the caller once the binding has ended, after which neither the device nor
    // maintenance touches that memory. kOk, kInvalidArgument, kDeviceFault where what was bound is not known any more.
    virtual Status bind_source(std::uint32_t slot, ByteSpan memory) noexcept = 0;
    virtual Status bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept = 0;

    // What the device will use for a slot, as this core sees it, from the device's own registers: the session compares
    // before a doorbell, and before it gives memory back. Empty where there is none.
    [[nodiscard]] virtual ByteSpan bound_source(std::uint32_t slot) const noexcept = 0;
    [[nodiscard]] virtual ByteSpan bound_destination(std::uint32_t slot) const noexcept = 0;

    // Zero-copy I/O: where the ECU core sees [address, address + size_bytes) of device memory, for reading and writing;
    // empty where it does not, and only queue commands move data. Valid as long as the device.
    [[nodiscard]] virtual MutableByteSpan host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept = 0;
    // A view changes hands: before the doorbell of a step that may read it or write over it, after the completion of a
    // step that may have written it; and before the session compares weights and traces in it, which this core has
    // never written through one, also while a step is under way. The port does a view's cache maintenance here. A view
    // may begin and end inside of a cache line: what this core has written beside it stays, an input for one.
    virtual void give_to_device(ByteSpan view) noexcept = 0;
    virtual void take_from_device(MutableByteSpan view) noexcept = 0;

    // Appends to the queue's ring; the device sees it after ring_doorbell(), and executes it only where its check fits
    // what has arrived and how many commands the queue has executed before: of several steps in flight the first could
    // be given out before it is noticed what the second one has done. kOk, kBusy where the ring is full (nothing was
    // started), kInvalidArgument.
    virtual Status enqueue(std::uint32_t queue, const QueueCommand& command) noexcept = 0;
    virtual Status ring_doorbell(std::uint32_t queue) noexcept = 0;

    // Gives a device that shares this core its chance to run, for a bounded time; others return at once.
    virtual Status service() noexcept = 0;

    // kOk: the queue has completed everything up to the notification with `token`, and `completion` is its record;
    // records of the last kMaxStepsInFlight notifications are kept. A queue may have been idle for any number of
    // tokens: by their order alone, an old record could be taken for this one. kPending: the queue is still at work,
    // and only completion.executed_commands says something: how far it was when it was looked at. kDeviceFault:
    // `completion` says which fault; the queue has stopped.
    virtual Status completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept = 0;

  protected:
    Device() = default;
    ~Device() = default;
};

}  // namespace pianola
