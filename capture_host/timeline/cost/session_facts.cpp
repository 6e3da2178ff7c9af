#include "capture_host/timeline/cost/session_facts.h"

#include <set>

#include "pianola/device.h"

namespace pianola::timeline {
namespace {

constexpr std::uint64_t divided_up(std::uint64_t value, std::uint64_t by) {
    return (value + by - 1U) / by;
}

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

// Ends of ranges cut the file into parts, and each part is read 64 bytes at a time.
void gather_constants(const PlanWorkspace& workspace, const Plan& plan, const Envelope& envelope, SessionFacts& facts) {
    ConstantRanges constants;
    find_constants(workspace, plan, envelope, constants);
    const std::uint64_t end = envelope.total_bytes - envelope.signature_bytes;
    facts.file_bytes = envelope.total_bytes;
    facts.digested_bytes = header::kDigest + (end - header::kBytes);
    facts.ranges = constants.count;
    facts.slices = scrub_calls(constants);
    std::set<std::uint64_t> cuts{header::kBytes, end};
    for (std::uint32_t i = 0U; i < constants.count; ++i) {
        cuts.insert(constants.ranges.at(i).file_offset);
        cuts.insert(std::uint64_t{constants.ranges.at(i).file_offset} + constants.ranges.at(i).size_bytes);
    }
    for (auto from = cuts.begin(), to = std::next(from); to != cuts.end(); ++from, ++to) {
        const std::uint64_t pieces = divided_up(*to - *from, kChunkBytes);
        facts.file_pieces += pieces;
        for (std::uint32_t i = 0U; i < constants.count; ++i) {
            const ConstantRange& range = constants.ranges.at(i);
            if ((range.file_offset <= *from) && (*from < (std::uint64_t{range.file_offset} + range.size_bytes))) {
                facts.reads_at_load += pieces * count_of(range.devices);
                facts.bytes_at_load += (*to - *from) * count_of(range.devices);
            }
        }
    }
    for (std::uint32_t i = 0U; i < constants.kept_count; ++i) {
        facts.kept_pieces += count_of(constants.ranges.at(i).devices);
        facts.kept_bytes += std::uint64_t{constants.ranges.at(i).size_bytes} * count_of(constants.ranges.at(i).devices);
    }
}

// Session's own objects: Bound, Loaded and Running. What they hold for each element of a list is what
// runtime/include/pianola/footprint.h says of a 32-bit core, and as much for wider pointers; tests/session_cost holds
// it to what sessions seal.
void gather_state(const Plan& plan, const RuntimeFacts& runtime, SessionFacts& facts) {
    constexpr std::uint64_t kFlightBytes = 16U;
    constexpr std::uint64_t kFlightDeviceBytes = 16U;
    constexpr std::uint64_t kCourseBytes = 64U;
    constexpr std::uint64_t kRunningBytes = 104U;
    constexpr std::uint64_t kLoadedBytes32 = 1000U;
    constexpr std::uint64_t kLoadedBytes64 = 1200U;
    constexpr std::uint64_t kExecutedBytes = 24U;  // of three scripts, for each device that there may be
    constexpr std::uint64_t kCommandBytes = 40U;
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
    facts.empty_bytes = (2U * (runtime.pointer_bytes + lent_bytes)) + loaded_bytes + kRunningBytes +
                        (facts.devices * kCourseBytes) + flight_bytes;
}

}  // namespace

SessionFacts facts_of(const Plan& plan, const PlanWorkspace& workspace, const Envelope& envelope,
                      std::uint32_t self_tests, const RuntimeFacts& runtime) {
    const std::uint32_t devices = device_count(plan);
    SessionFacts facts;
    facts.verifies = runtime.verifies;
    facts.sees_memory = runtime.sees_memory;
    facts.admits_views = plan.views.answer == ViewsAnswer::kProved;
    facts.has_views = facts.admits_views && runtime.sees_memory;
    facts.has_prologue = (plan.prologue.count | plan.epilogue.count) != 0U;
    facts.is_pipelined = plan.is_pipelined;
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
    gather_constants(workspace, plan, envelope, facts);
    gather_state(plan, runtime, facts);
    return facts;
}

}  // namespace pianola::timeline
