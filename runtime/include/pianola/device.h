// Device: the data path to an accelerator.
//
// One of the three interfaces that a port implements (with Platform and CommandSet). Called only by the ECU core that
// owns the session. No method allocates or calls back. Every method except reset(), which takes a bounded time, returns
// at once. kOk from enqueue() means that the device will execute the command after its doorbell, unless it stops; kBusy
// that nothing was started. There are no default bodies.
#pragma once

#include <array>
#include <cstdint>

#include "pianola/config.h"
#include "pianola/sha256.h"
#include "pianola/span.h"
#include "pianola/status.h"

namespace pianola {

// What the device attests in every completion record, from the weakest to the strongest. What it does not attest is not
// checked; docs/DESIGN.md says what is lost.
enum class Attestation : std::uint8_t {
    kUnspecified = 0U,
    kNothing,  // that a notification was reached
    kCount,    // and how many commands the queue has executed
    kDigest,   // and a digest over them and their words, which the device computes
};

// Meaning of CommandSet's cycles.
enum class CostKind : std::uint8_t {
    kUnspecified = 0U,
    kExact,
    kUpperBound,
    kNotPublished,  // all are 0: the duration of a step is unknown
};

// What tells a kernel from others of its id. A binary names the kernels that it launches with these, and the target
// compares them with its own.
struct KernelIdentity {
    std::uint32_t version{0U};  // of its results; 0: there is no such kernel
    std::uint32_t argument_words{0U};
    std::uint32_t cost_version{0U};  // of its costs in DeviceDescription::cost_model
};

// Description of the device, compared field by field with the binary's target.
struct DeviceDescription {
    const char* family{""};  // static lifetime
    std::uint32_t command_set_id{0U};
    std::uint32_t command_set_version{0U};
    Sha256Digest kernel_library{};  // identity of what all kernels share, rounding included
    std::uint32_t dram_base{0U};
    std::uint32_t dram_bytes{0U};
    std::uint32_t l1_base{0U};
    std::uint32_t l1_bytes{0U};
    // A window of device addresses, outside DRAM and L1, at which the device reads the file's weights segment in place,
    // wherever that lies: the first byte of what is bound to kWeightsSlot is at file_base. 0 bytes: it cannot.
    std::uint32_t file_base{0U};
    std::uint32_t file_bytes{0U};
    std::uint32_t trace_region_bytes{0U};  // the last bytes of DRAM
    std::uint32_t clock_khz{0U};
    // A device whose clock is that of a processor core: clock_khz is core_khz * 1000 / millicycles_per_instruction,
    // rounded down. Both are 0 for a device with another clock.
    std::uint32_t core_khz{0U};
    std::uint32_t millicycles_per_instruction{0U};
    std::uint32_t queue_count{0U};
    std::uint32_t ring_words{0U};    // capacity of each queue's ring
    std::uint32_t grid_columns{0U};  // compute cores, each with an equal share of L1
    std::uint32_t grid_rows{0U};
    std::uint32_t dram_banks{0U};
    Attestation attestation{Attestation::kUnspecified};
    CostKind costs{CostKind::kUnspecified};
    std::uint32_t cost_model{0U};      // whose costs CommandSet gives, by the family's own numbers; not 0
    std::uint32_t weights_layout{0U};  // how weights lie in memory, by the kernel library's own numbers; not 0
    // Capacities of its runtime; static lifetime. At most those that the runtime was built with. Not part of the
    // binary's target.
    const Capacities* capacities{&kDeviceCapacities};
    // The shape of the mesh that a session drives: filled in by the session, never by a device. 0: any shape.
    std::uint32_t mesh_rows{0U};
    std::uint32_t mesh_columns{0U};
};

// A range of device memory and its permissions. The device refuses every other access.
struct RegionConfig {
    std::uint32_t base{0U};
    std::uint32_t size_bytes{0U};
    bool kernels_read{false};
    bool kernels_write{false};
    bool queues_read{false};               // ReadOutput may come from here
    bool queues_write{false};              // writes from the host may go here
    bool fetch{false};                     // traces may be replayed from here
    std::array<std::uint8_t, 3> unused{};  // plans are compared by bytes
};

// Whether nothing may write to the region, the set-up included: it is the weights segment of the file itself.
[[nodiscard]] constexpr bool is_in_file(const RegionConfig& region) noexcept {
    return region.kernels_read && !region.kernels_write && !region.queues_write;
}

enum class QueueCommandKind : std::uint8_t {
    kUnspecified = 0U,
    kWrite,        // host memory -> device memory
    kRead,         // device memory -> host memory
    kReplay,       // run the trace at `address`
    kRecordEvent,  // all earlier commands of this queue have completed: the event's counter becomes `value`
    kWaitEvent,    // hold this queue back until the event's counter has reached `value` (unsigned difference)
    kNotify,       // publish a completion record with `value` as its token
};

// Commands that move bytes between host memory and device memory.
[[nodiscard]] constexpr bool is_transfer(QueueCommandKind kind) noexcept {
    return (kind == QueueCommandKind::kWrite) || (kind == QueueCommandKind::kRead);
}

struct QueueCommand {
    QueueCommandKind kind{QueueCommandKind::kUnspecified};
    std::array<std::uint8_t, 3> unused{};  // plans are compared by bytes
    std::uint32_t address{0U};             // device address: kWrite, kRead, kReplay
    std::uint32_t size_bytes{0U};          // kWrite, kRead, kReplay
    std::uint32_t slot{0U};                // kWrite, kRead: bound host memory
    std::uint32_t slot_offset{0U};         // kWrite, kRead: first byte inside it
    std::uint32_t event{0U};               // kRecordEvent, kWaitEvent
    std::uint32_t value{0U};               // kRecordEvent, kWaitEvent, kNotify
    std::uint32_t check{0U};               // CommandSet::seal()
};

enum class DeviceFault : std::uint32_t {
    kNone = 0U,
    kUnknownCommand,  // a word that is no command
    kBadArgument,     // a command outside its contract
    kUnknownKernel,   // a launch of what the ROM does not have
    kBus,             // an access that no region permits
    kHostMemory,      // a transfer outside the bound host memory
    kTraceOverrun,    // a trace without an end
    kLost,            // it no longer answers
};

// Published by a queue with a notification, or when it stops. Fields that the device does not attest stay 0.
struct Completion {
    std::uint32_t token{0U};              // of the last kNotify that completed
    std::uint32_t executed_commands{0U};  // since reset: commands of traces and of the queue, wrapping
    std::uint64_t digest{0U};             // over everything that the queue has executed since reset: CommandSet::seal()
    std::uint64_t time_cycles{0U};        // device time of the last completion
    DeviceFault fault{DeviceFault::kNone};
    std::uint32_t fault_command{0U};  // value of executed_commands at the fault
    std::uint32_t fault_address{0U};  // device address, where there is one
};

// Slots of host memory that queue commands may name: two segments of the file, and tensors, one per step in flight; the
// sets are consecutive.
inline constexpr std::uint32_t kWeightsSlot = 0U;
inline constexpr std::uint32_t kTracesSlot = 1U;
inline constexpr std::uint32_t kFirstInputSlot = 2U;
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
    // keeps its contents. kOk; kTimeout if a queue does not stop.
    virtual Status reset() noexcept = 0;

    // kOk, kCapacity. Only between reset() and the first enqueue(). A region in the file window comes after
    // bind_source(kWeightsSlot), lies in that memory, and permits no writes: kCapacity otherwise.
    virtual Status program_region(const RegionConfig& region) noexcept = 0;

    // The region number `index` that the device enforces since the reset, read from its registers: the session compares
    // it. kOk; kInvalidArgument if there are fewer.
    virtual Status programmed_region(std::uint32_t index, RegionConfig& region) const noexcept = 0;

    // Device memory through the control path, for checks: [address, address + out.size()) inside the device's memories.
    // Bytes of the file window are those that the device itself would read, through its mapping.
    // kOk, kInvalidArgument.
    virtual Status read_back(std::uint32_t address, MutableByteSpan out) noexcept = 0;

    // Sets one word of the trace region, through the control path; the device fetches it from the next doorbell on.
    // Only while no command is under way. kOk; kInvalidArgument if the address is not that of a word of the region.
    virtual Status patch_word(std::uint32_t address, std::uint32_t word) noexcept = 0;

    // Binds memory that queue commands may read or write until the slot is bound again. Empty memory unbinds the slot:
    // a transfer from or to a slot without memory is a fault. The caller keeps bound memory alive and does not touch
    // it. The port does its cache maintenance here and nowhere else: bound memory is visible to the device, and what
    // the device has written is visible to the caller once the binding has ended, after which neither the device nor
    // maintenance touches that memory. kOk; kInvalidArgument; kDeviceFault if the port no longer knows what was bound.
    virtual Status bind_source(std::uint32_t slot, ByteSpan memory) noexcept = 0;
    virtual Status bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept = 0;

    // The memory that the device will use for a slot, in this core's addresses, read from the device's registers: the
    // session compares it before a doorbell, and before it gives memory back. Empty if there is none. kWeightsSlot:
    // what the file window shows, if there is a region in it.
    [[nodiscard]] virtual ByteSpan bound_source(std::uint32_t slot) const noexcept = 0;
    [[nodiscard]] virtual ByteSpan bound_destination(std::uint32_t slot) const noexcept = 0;

    // Zero-copy I/O: the ECU core's view of [address, address + size_bytes) of device memory, for reading and writing;
    // empty if the core cannot access it and only queue commands move data. Valid as long as the device.
    [[nodiscard]] virtual MutableByteSpan host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept = 0;
    // Transfer ownership of a view: to the device before the doorbell of a step that may read or overwrite it; from the
    // device after the completion of a step that may have written it, and before the session compares weights and
    // traces in it, also while a step is under way; this core never writes those. The port does a view's cache
    // maintenance here. A view may begin and end inside a cache line: what this core has written next to it, such as an
    // input, must be kept.
    virtual void give_to_device(ByteSpan view) noexcept = 0;
    virtual void take_from_device(MutableByteSpan view) noexcept = 0;

    // Appends a command to the queue's ring. The device sees it after ring_doorbell(), and executes it only if its
    // check matches the words that arrived and the number of commands that the queue has executed: with several steps
    // in flight, results of the first could otherwise be released before an error of the second is noticed. kOk; kBusy
    // if the ring is full (nothing was started); kInvalidArgument.
    virtual Status enqueue(std::uint32_t queue, const QueueCommand& command) noexcept = 0;
    virtual Status ring_doorbell(std::uint32_t queue) noexcept = 0;

    // Lets a device that shares this core run for a bounded time; other devices return at once.
    virtual Status service() noexcept = 0;

    // kOk: the queue has completed everything up to the notification with `token`, and `completion` is its record;
    // records of the last kMaxStepsInFlight notifications are kept. A queue may have been idle for any number of
    // tokens, so comparing their order alone could confuse an old record with this one. kPending: the queue is still at
    // work, and only completion.executed_commands is valid: its progress when it was read. kDeviceFault: `completion`
    // has the fault; the queue has stopped.
    virtual Status completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept = 0;

  protected:
    Device() = default;
    ~Device() = default;
};

}  // namespace pianola
