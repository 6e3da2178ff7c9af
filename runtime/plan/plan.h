// Plan: a trace binary bound to a device, with every load-time proof made.
//
// Place in the whole: fourth stage of loading. prove_plan() checks the manifest and every device command against the device that
// is there, and resolves what a session needs into fixed memory: after it, nothing of the file is interpreted again. The same
// source runs on host and target. There is no way to obtain a plan without the proofs.
//
// The proofs, with their rules: target identity (TGT), layout and permissions (LAY), every command decoded and every byte that
// it touches inside a permitted region, no read of never-written memory (TRC), what scripts may do (SCR), no deadlock and no race
// between queues (ORD), and that rings, budgets and deadlines suffice (BUD). Time: linear in the manifest and the trace words,
// plus at most kMaxScriptCommands^2 / 4 visits of a trace where traces on different queues are not ordered.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/core/config.h"
#include "runtime/device/command_set.h"
#include "runtime/device/device.h"
#include "runtime/image/image.h"
#include "runtime/plan/interval_set.h"
#include "runtime/verdict/verdict.h"

namespace pianola {

// Slots of host memory, as scripts use them.
inline constexpr std::uint32_t kWeightsSlot = 0U;
inline constexpr std::uint32_t kTracesSlot = 1U;
inline constexpr std::uint32_t kFirstInputSlot = 2U;
static_assert((kFirstInputSlot + kMaxInputs) <= kSourceSlots);
static_assert(kMaxOutputs <= kDestinationSlots);

// A script command, resolved.
struct PlannedCommand {
    QueueCommand command;  // events: `value` is filled in at submit
    std::uint32_t queue{0U};
};

struct PlannedScript {
    std::array<PlannedCommand, kMaxScriptCommands> commands{};
    std::uint32_t count{0U};
    std::array<std::uint32_t, kMaxQueues>
        executed_commands{};  // what each queue's device count rises by, notify included
    std::array<bool, kMaxQueues> queue_used{};
    std::uint64_t cycles{0U};  // on the critical path
    std::uint32_t deadline_us{0U};
};

struct Plan {
    PlannedScript step;
    std::array<std::uint32_t, kMaxInputs> input_bytes{};
    std::array<std::uint32_t, kMaxOutputs> output_bytes{};
    std::uint32_t input_count{0U};
    std::uint32_t output_count{0U};
    std::uint32_t queue_count{0U};
    std::uint32_t trace_region_base{0U};
    std::array<RegionConfig, kMaxRegions> regions{};
    std::uint32_t region_count{0U};
};

// Memory that loading uses while it runs; of no use afterwards, so that an integrator may lay it over other memory.
struct PlanWorkspace {
    PlannedScript setup;  // run once, right after the proofs
    std::array<RegionKind, kMaxRegions> region_kinds{};
    IntervalSet weights;  // bytes that set-up writes
    IntervalSet written;  // bytes written so far in a step
    IntervalSet other;    // second footprint of the race proof
    // Per step command: how many commands of each queue are known to have completed when it starts, itself included.
    std::array<std::array<std::uint8_t, kMaxQueues>, kMaxScriptCommands> clocks{};
    std::array<std::uint8_t, kMaxScriptCommands> order{};  // one order in which the queues can run
};

// kOk, or kRefused with a verdict; the plan is complete only after kOk.
Status prove_plan(const Image& image, const DeviceDescription& device, const CommandSet& command_set,
                  PlanWorkspace& workspace, Plan& plan, Verdict& verdict) noexcept;

}  // namespace pianola
