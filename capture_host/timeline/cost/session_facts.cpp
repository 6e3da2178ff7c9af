#include "capture_host/timeline/cost/session_facts.h"

#include <algorithm>

#include "pianola/device.h"
#include "pianola/slice_check.h"

namespace pianola::timeline {
namespace {

ScriptFacts script_facts(const PlannedScript& script, const PlannedCommands& commands, std::uint32_t devices) {
    ScriptFacts facts;
    for (std::uint32_t i = script.first; i < (script.first + script.count); ++i) {
        const PlannedCommand& planned = commands.at(i);
        const std::uint64_t takers = count_of(planned.devices);
        facts.commands += takers;
        facts.transfers += is_transfer(planned.command.kind) ? takers : 0U;
    }
    for (std::uint32_t device = 0U; device < devices; ++device) {
        for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
            facts.notifications += script.uses(device, queue) ? 1U : 0U;
        }
    }
    return facts;
}

void gather_state_regions(const Plan& plan, SessionFacts& facts) {
    for (std::uint32_t i = 0U; i < plan.region_count; ++i) {
        if (holds_state(plan.regions.at(i))) {
            facts.state_regions += device_count(plan);
            facts.state_bytes += std::uint64_t{plan.regions.at(i).size_bytes} * device_count(plan);
        }
    }
}

void gather_tensors(const Plan& plan, SessionFacts& facts) {
    facts.inputs = plan.input_count;
    facts.outputs = plan.output_count;
    for (std::uint32_t i = 0U; i < plan.input_count; ++i) {
        facts.input_pieces += count_of(plan.inputs.at(i).devices);
        facts.input_bytes += plan.inputs.at(i).bytes;
    }
    for (std::uint32_t i = 0U; i < plan.output_count; ++i) {
        facts.output_pieces += count_of(plan.outputs.at(i).devices);
        facts.output_bytes += plan.outputs.at(i).bytes;
    }
}

// Each slice of a range is verified by itself, on each device. A call takes 64 of them at most, each as a 64th of it at
// least, and the rest of the slice that is begun in it.
void gather_constants(const Plan& plan, const Envelope& envelope, SessionFacts& facts) {
    const ConstantRanges& constants = plan.constants;
    const std::uint64_t end = envelope.total_bytes - envelope.signature_bytes;
    facts.file_bytes = envelope.total_bytes;
    facts.digested_bytes = header::kDigest + (end - header::kBytes);
    facts.other_bytes = envelope.total_bytes - (envelope.self_tests.offset - envelope.weights.offset);
    facts.ranges = constants.count;
    facts.slices = scrub_calls(constants);
    std::uint64_t kept_ranges = 0U;
    for (std::uint32_t i = 0U; i < constants.count; ++i) {
        const ConstantRange& range = constants.ranges.at(i);
        const std::uint64_t devices = count_of(range.devices);
        const bool is_kept = i < constants.kept_count;
        (is_kept ? facts.kept_pieces : facts.written_pieces) += check_count(range.size_bytes) * devices;
        (is_kept ? facts.kept_bytes : facts.written_bytes) += range.size_bytes * devices;
        kept_ranges += is_kept ? devices : 0U;
    }
    constexpr std::uint64_t kMostPieces = 64U;
    constexpr std::uint64_t kMostBytes = kScrubSliceBytes + kCheckedBytes;
    facts.call_pieces = std::min({facts.kept_pieces, kMostPieces, (kMostBytes / kCheckedBytes) + kept_ranges});
    facts.call_bytes = std::min(facts.kept_bytes, kMostBytes);
}

// Session's own objects: Bound, Loaded and Running. What they hold for each element of a list is what
// runtime/include/pianola/footprint.h says of a 32-bit core, and as much for wider pointers; tests/session_cost holds
// it to what sessions seal.
void gather_state(const Plan& plan, const PlanWorkspace& workspace, const RuntimeFacts& runtime, SessionFacts& facts) {
    constexpr std::uint64_t kCommandBytes = 40U;
    constexpr std::uint64_t kScriptBytes = 24U;
    constexpr std::uint64_t kScriptDeviceBytes = 8U;
    constexpr std::uint64_t kFlightBytes = 16U;
    constexpr std::uint64_t kFlightDeviceBytes = 16U;
    constexpr std::uint64_t kCourseBytes = 64U;
    constexpr std::uint64_t kRunningBytes = 136U;
    constexpr std::uint64_t kLoadedBytes32 = 1016U;
    constexpr std::uint64_t kLoadedBytes64 = 1224U;
    constexpr std::uint64_t kExecutedBytes = 24U;  // of three scripts, for each device that there may be
    constexpr std::uint64_t kRangeBytes = 16U;
    constexpr std::uint64_t kPointBytes = 4U;
    const std::uint64_t most_devices = runtime.capacities->mesh_devices;
    const std::uint64_t lent_bytes = runtime.pointer_bytes + (kMaxOutputs * 2U * runtime.pointer_bytes);
    const std::uint64_t flight_bytes = kFlightBytes + (kFlightDeviceBytes * most_devices);
    std::uint64_t places = 1U;  // a power of two
    while (places < facts.steps_in_flight) {
        places *= 2U;
    }
    const std::uint64_t loaded_bytes =
        ((runtime.pointer_bytes > sizeof(std::uint32_t)) ? kLoadedBytes64 : kLoadedBytes32) +
        (kExecutedBytes * most_devices);
    const std::uint64_t commands = std::uint64_t{plan.epilogue.first} + plan.epilogue.count;
    facts.bound_bytes = runtime.pointer_bytes + (places * lent_bytes);
    facts.running_bytes = kRunningBytes + (facts.devices * kCourseBytes) + (places * flight_bytes);
    facts.loaded_bytes =
        loaded_bytes + (commands * kCommandBytes) + (facts.ranges * kRangeBytes) + (facts.patch_points * kPointBytes);
    facts.setup_bytes = kScriptBytes + (kScriptDeviceBytes * most_devices) + (workspace.setup.count * kCommandBytes);
    facts.empty_bytes = (2U * (runtime.pointer_bytes + lent_bytes)) + loaded_bytes + kRunningBytes +
                        (facts.devices * kCourseBytes) + flight_bytes;
}

}  // namespace

SessionFacts facts_of(const Plan& plan, const PlanWorkspace& workspace, const Envelope& envelope,
                      std::uint32_t self_tests, const RuntimeFacts& runtime) {
    const std::uint32_t devices = device_count(plan);
    SessionFacts facts;
    facts.verifies = runtime.verifies;
    facts.shares = runtime.verifies && runtime.shares;
    facts.sees_memory = runtime.sees_memory;
    facts.admits_views = plan.views.answer == ViewsAnswer::kProved;
    facts.has_views = facts.admits_views && runtime.sees_memory;
    facts.has_prologue = (plan.prologue.count | plan.epilogue.count) != 0U;
    facts.is_pipelined = plan.is_pipelined;
    facts.reads_file = std::any_of(plan.regions.begin(), plan.regions.begin() + plan.region_count, is_in_file);
    facts.devices = devices;
    facts.steps_in_flight = plan.steps_in_flight;
    facts.regions = plan.region_count;
    facts.parameters = plan.parameter_count;
    facts.patch_points = plan.patch_count;
    facts.self_tests = self_tests;
    gather_tensors(plan, facts);
    facts.setup = script_facts(workspace.setup, workspace.setup_commands, devices);
    facts.prologue = script_facts(plan.prologue, plan.commands, devices);
    facts.step = script_facts(plan.step, plan.commands, devices);
    facts.epilogue = script_facts(plan.epilogue, plan.commands, devices);
    gather_state_regions(plan, facts);
    gather_constants(plan, envelope, facts);
    gather_state(plan, workspace, runtime, facts);
    return facts;
}

}  // namespace pianola::timeline
