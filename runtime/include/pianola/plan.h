// Plan: a trace binary bound to a device, after every load-time proof.
//
// Fourth stage of loading. prove_plan() checks the manifest and every device command against the actual device, and
// resolves what a session needs into fixed memory: the file is not interpreted again afterwards. The same source runs
// on host and target. There is no way to obtain a plan without the proofs.
//
// The proofs, with their rules: target identity (TGT), layout and permissions (LAY), every command decoded and every
// byte that it touches inside a permitted region, no read of never-written memory (TRC), the same for every value that
// a declared parameter may take (PAR), what scripts may do (SCR), no deadlock and no race between queues, across steps
// too (ORD), and that rings, budgets and deadlines suffice (BUD). It also determines whether steps may omit their
// transfers (Plan::views), which refuses nothing.
//
// Time: linear in the manifest, and in the words of the traces that the scripts replay: each trace is visited once for
// its data flow, and where both queues touch memory once more per appearance in the sequence prologue, step, step,
// epilogue. A trace is replayed at most once per script. Each byte range costs O(Capacities::intervals). All visits
// together take at most Capacities::max_work() (rule CAP-WORK).
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "pianola/command_set.h"
#include "pianola/config.h"
#include "pianola/device.h"
#include "pianola/image.h"
#include "pianola/interval_map.h"
#include "pianola/verdict.h"

namespace pianola {

// Devices of a mesh, a bit each, in row-major order.
using DeviceBits = std::uint32_t;
static_assert(kMaxMeshDevices <= 16U, "sessions and tools count them by bits");
[[nodiscard]] constexpr bool has_device(DeviceBits devices, std::uint32_t device) noexcept {
    return kDrivesOneDevice || (((devices >> device) & 1U) != 0U);
}
[[nodiscard]] constexpr std::uint32_t count_of(DeviceBits devices) noexcept {
    if (kDrivesOneDevice) {
        return devices;
    }
    std::uint32_t count = 0U;
    for (DeviceBits left = devices; left != 0U; left &= left - 1U) {
        count += 1U;
    }
    return count;
}

// A script command, resolved; a tensor in several buffers makes several.
struct PlannedCommand {
    QueueCommand command;  // events: `value` is filled in at submit
    std::uint8_t queue{0U};
    std::uint8_t script{0U};  // index in the manifest
    std::uint8_t index{0U};   // of the command in that script
    std::uint8_t trace{0U};   // kReplay only
    DeviceBits devices{0U};   // each device executes it on its queue of that number
};
using PlannedCommands = std::array<PlannedCommand, kPlannedCommands>;

// Queues of a mesh, a bit each, grouped by device.
using QueueBits = std::uint32_t;
static_assert((kMaxMeshDevices * kMaxQueues) <= 32U, "QueueBits has a bit for each queue");
[[nodiscard]] constexpr QueueBits queue_bit(std::uint32_t device, std::uint32_t queue) noexcept {
    return QueueBits{1U} << ((device * kMaxQueues) + queue);
}

// A run of planned commands.
struct PlannedScript {
    std::uint32_t first{0U};
    std::uint32_t count{0U};  // 0: the binary has no such script, or it does nothing
    std::uint32_t deadline_us{0U};
    QueueBits queues_used{0U};
    std::uint64_t cycles{0U};  // on the critical path of the device that takes longest, alone
    // Increase of the device count of each queue of each device, notify included.
    std::array<std::array<std::uint32_t, kMaxQueues>, kMaxMeshDevices> executed_commands{};

    [[nodiscard]] constexpr bool uses(std::uint32_t device, std::uint32_t queue) const noexcept {
        return (queues_used & queue_bit(device, queue)) != 0U;
    }
};

// An input or output and its location: its devices in row-major order each have the next piece of its bytes, or all of
// them.
struct PlannedTensor {
    std::uint32_t bytes{0U};
    DeviceBits devices{0U};
    std::uint32_t piece_bytes{0U};   // on each device
    std::uint32_t stride_bytes{0U};  // from one device's piece to the next one's; 0 if all have the same bytes
};

// A declared parameter, resolved.
struct PlannedParameter {
    std::uint32_t minimum{0U};
    std::uint32_t maximum{0U};
    std::uint32_t alignment{0U};
    std::uint32_t first_point{0U};
    std::uint32_t point_count{0U};

    [[nodiscard]] constexpr bool admits(std::uint32_t value) const noexcept {
        return (alignment != 0U) && (value >= minimum) && (value <= maximum) && ((value % alignment) == 0U);
    }
};

// Bytes of the file that lie on devices.
struct ConstantRange {
    std::uint32_t address{0U};      // on each device
    std::uint32_t file_offset{0U};  // both are multiples of 4 for traces
    std::uint32_t size_bytes{0U};
    DeviceBits devices{0U};  // that hold it
};

// Weights that devices read in the file, then ranges that the set-up has written: first the constant ones, then state,
// which is compared only once. The file has their checks in this order, check_count() of each.
struct ConstantRanges {
    std::uint32_t count{0U};       // of all
    std::uint32_t kept_count{0U};  // constant ranges
    std::array<ConstantRange, kPlannedCommands> ranges{};
};

// Whether a step gives the same results if the application writes its inputs and reads its outputs in device memory and
// the transfers are omitted; if not, the reason.
enum class ViewsAnswer : std::uint8_t {
    kNotLooked = 0U,
    kSeveralDevices,  // the binary is for more than one
    kStepsOverlap,    // the binary is pipelined or allows several steps in flight
    kInPieces,        // the tensor lies in several buffers
    kShared,          // the tensor shares bytes with another
    kInputWritten,    // the command writes the input
    kInputRead,       // the command reads the input before the step has written it, or outside the step
    kOutputWritten,   // the command writes the output after the transfer that reads it
    kProved,
};
struct PlannedViews {
    ViewsAnswer answer{ViewsAnswer::kNotLooked};
    std::uint8_t tensor{0U};   // the tensor that is the reason: an input; from kMaxInputs on an output
    std::uint8_t command{0U};  // the command that is the reason, in Plan::commands
};

// Large members come last, here and in objects that hold a plan: small offsets take shorter instructions.
struct Plan {
    Attestation attestation{Attestation::kUnspecified};  // of the device: how completions are compared
    CostKind costs{CostKind::kUnspecified};
    bool is_pipelined{false};  // the prologue takes the first inputs, the epilogue gives the last outputs
    PlannedViews views;
    std::array<std::uint8_t, 6> unused{};  // none between members
    std::uint32_t steps_in_flight{1U};
    std::uint32_t input_count{0U};
    std::uint32_t output_count{0U};
    std::uint32_t queue_count{0U};
    std::uint32_t device_count{0U};  // of the mesh
    std::uint32_t trace_region_base{0U};
    std::uint32_t region_count{0U};
    std::uint32_t parameter_count{0U};
    std::uint32_t patch_count{0U};
    PlannedScript step;
    PlannedScript prologue;
    PlannedScript epilogue;
    std::array<PlannedTensor, kMaxInputs> inputs{};
    std::array<PlannedTensor, kMaxOutputs> outputs{};
    std::array<RegionConfig, kMaxRegions> regions{};
    std::array<PlannedParameter, kMaxParameters> parameters{};
    std::array<std::uint64_t, kMaxTraces> trace_digests{};  // after a replay; 0 if no script replays the trace
    // The last members, of which most binaries use little: sessions read no more than that.
    std::array<std::uint32_t, kMaxPatchPoints> patch_addresses{};  // device addresses of words in the trace region
    PlannedCommands commands{};                                    // of all scripts except the set-up
    ConstantRanges constants;

    // Index of the script's kind among the three that are not the set-up.
    [[nodiscard]] PlannedScript& script(ScriptKind kind) noexcept;
};
static_assert(std::has_unique_object_representations_v<Plan>, "two plans are equal if their bytes are");

[[nodiscard]] constexpr std::uint32_t device_count(const Plan& plan) noexcept {
    return kDrivesOneDevice ? 1U : plan.device_count;
}

// Inputs, and outputs from bit kMaxInputs on, of which a trace touches a byte.
struct TensorUse {
    std::uint16_t reads{0U};
    std::uint16_t writes{0U};
};

// One run of bytes that a command touches.
struct ByteRun {
    std::uint32_t address{0U};
    std::uint32_t size_bytes{0U};
    Access access{Access::kUnspecified};
    const char* field{nullptr};  // that names it, for messages; static lifetime
};

// The workspace's size and name depend on the profile: code compiled with another profile than the library does not
// link.
inline namespace PIANOLA_PROFILE {

// Memory that is used only while loading; an integrator may overlay it with other memory.
struct PlanWorkspace {
    Image image;  // of the file that Session::load() has accepted: names and descriptions for the application
    Authentication authentication;  // of the file that is loaded: by the first of two validations
    std::uint32_t work_left{0U};    // remaining units of Capacities::max_work()
    PlannedScript setup;            // runs once, directly after the proofs
    std::array<RegionKind, kMaxRegions> region_kinds{};
    std::array<std::array<std::uint8_t, kMaxCores>, kMaxQueues>
        core_users{};   // last command of each queue on each core
    DeviceRange mesh;   // all written bytes
    DecodeState state;  // of the trace that is walked
    // For a command that a parameter patches: the state before it, and the command with other values.
    DecodeState before;
    DecodeState variant_state;
    std::array<DecodedCommand, 2> variants;
    std::array<std::uint8_t, kMaxPatchPoints> points{};  // indices of Plan::patch_addresses, by address
    IntervalMap weights;                                 // bytes that only set-up writes
    IntervalMap written;                                 // bytes written so far
    // The last access to bytes: per queue, by number of the command; or per core between two barriers of a trace.
    struct Touched {
        IntervalMap reads;
        IntervalMap writes;

        void clear() noexcept;
        // The largest tag, except `except`, of an access that conflicts with this one; 0 if there is none.
        [[nodiscard]] std::uint32_t last_conflict(const ByteRun& run, std::uint32_t except) const noexcept;
        // The map that records an access.
        [[nodiscard]] IntervalMap& map_of(Access access) noexcept;
    };
    std::array<Touched, kMaxQueues> touched;
    std::array<TensorUse, kMaxTraces> uses{};
    std::array<std::uint64_t, kMaxCores> core_cycles{};  // time at which each core is free again, inside one trace
    PlannedCommands setup_commands{};
};

}  // namespace PIANOLA_PROFILE

// Whether two devices are equal in every property that the proofs of a binary use.
[[nodiscard]] bool are_alike(const DeviceDescription& one, const DeviceDescription& other) noexcept;

// kOk, or kRefused with a verdict; the plan is complete only after kOk.
Status prove_plan(const Image& image, const DeviceDescription& device, const CommandSet& command_set,
                  PlanWorkspace& workspace, Plan& plan, Verdict& verdict) noexcept;

}  // namespace pianola
