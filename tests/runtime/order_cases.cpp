#include "hal/devices/refdev/command_encoding.h"
#include "tests/runtime/rule_case.h"
#include "trace_binary_generated.h"

namespace pianola::test {
namespace {

using capture::Manifest;
using capture::ManifestCommand;
using refdev::header_word;
using refdev::Opcode;
using schema::TraceBinary;

// The step of the workload on two queues: 0 WriteInput, 1 RecordEvent 0, 2 WaitEvent 0, 3 ReplayTrace, 4 RecordEvent 1,
// 5 WaitEvent 1, 6 ReadOutput; 2, 3 and 4 on queue 0, the others on queue 1.
RuleCase event_case(Rule rule, const char* what, const char* path, std::uint32_t command,
                    const std::function<void(std::vector<ManifestCommand>&)>& edit) {
    return {rule, what, path, table({{TraceBinary::VT_SCRIPTS, 1U}, {schema::Script::VT_COMMANDS, command}}),
            manifest_edit([edit](Manifest& manifest) { edit(manifest.scripts.at(1U).commands); }, 2U)};
}

// `command` of `script` is the one that the verdict must name.
RuleCase two_queue_case(Rule rule, const char* what, const char* path, std::uint32_t script, std::uint32_t command,
                        const std::function<void(Manifest&)>& edit) {
    return {rule, what, path, table({{TraceBinary::VT_SCRIPTS, script}, {schema::Script::VT_COMMANDS, command}}),
            manifest_edit(edit, 2U)};
}

std::function<Mutant()> short_rings(std::uint32_t ring_words) {
    return workload_edit([ring_words](Workload& workload, DeviceDescription& device) {
        device.ring_words = ring_words;
        workload.manifest.target.ring_words = ring_words;
    });
}

void prepend(Workload& workload, std::vector<std::uint32_t> words) {
    const std::vector<std::uint32_t> old = words_of(workload.segments.traces);
    words.insert(words.end(), old.begin(), old.end());
    set_trace(workload, words);
}

void append_fill(std::vector<std::uint32_t>& words, std::uint32_t address, std::uint32_t size_bytes) {
    words.insert(words.end(), {header_word(Opcode::kFill, refdev::kFillWords), address, size_bytes, 0U});
}

// One range fewer is free than the set holds, because the input is one already; the last fill is one too many.
void fill_every_other_byte(Workload& workload, DeviceDescription& /*device*/) {
    workload.manifest.regions[3].size_bytes = 4096U;
    std::vector<std::uint32_t> words;
    for (std::uint32_t i = 0U; i < profiles::kSmallEcu.intervals; ++i) {
        append_fill(words, workload.manifest.regions[3].base + 1024U + (2U * i), 1U);
    }
    prepend(workload, words);
}

// Barriers that three walks look at: once for the data flow, twice for races.
constexpr std::uint32_t kManyBarriers = 40'000U;
void look_too_often(Workload& workload, DeviceDescription& device) {
    constexpr std::uint32_t kTraceRegionBytes = 256U * 1024U;
    device.trace_region_bytes = kTraceRegionBytes;
    workload.manifest.target.trace_region_bytes = kTraceRegionBytes;
    for (capture::ManifestRegion& region : workload.manifest.regions) {
        if (region.kind == RegionKind::kTrace) {
            region.base = device.dram_base + (device.dram_bytes - kTraceRegionBytes);
            region.size_bytes = kTraceRegionBytes;
        }
    }
    prepend(workload, std::vector<std::uint32_t>(kManyBarriers, header_word(Opcode::kBarrier, 1U)));
}

// A gigabyte of DRAM, most of it one region.
std::uint32_t give_large_memory(Workload& workload, DeviceDescription& device) {
    constexpr std::uint32_t kDramBytes = 1U << 30U;
    device.dram_bytes = kDramBytes;
    workload.manifest.target.dram_bytes = kDramBytes;
    workload.manifest.regions[4].base = device.dram_base + (kDramBytes - device.trace_region_bytes);
    const std::uint32_t base = device.dram_base + (1U << 20U);
    workload.manifest.regions.push_back({"large", RegionKind::kActivation, MemoryKind::kDram, base, kDramBytes / 2U});
    return base;
}

// Fills of half a gigabyte, until they take longer than a step may: 2^26 cycles and some for each.
std::vector<std::uint32_t> fills_beyond_the_ceiling(std::uint32_t base) {
    std::vector<std::uint32_t> words;
    for (std::uint64_t cycles = 0U; cycles <= kMaxScriptCycles; cycles += 1U << 26U) {
        append_fill(words, base, 1U << 29U);
    }
    return words;
}

void take_too_long(Workload& workload, DeviceDescription& device) {
    prepend(workload, fills_beyond_the_ceiling(give_large_memory(workload, device)));
}

// The step is short; prologue or epilogue replays a trace of its own.
void replay_too_long(Workload& workload, DeviceDescription& device, ScriptKind kind) {
    std::vector<std::uint32_t> words = fills_beyond_the_ceiling(give_large_memory(workload, device));
    refdev::append(words, refdev::end_words());
    add_trace(workload, words);
    workload.manifest.step_deadline_us = UINT32_MAX;
    const auto trace = static_cast<std::uint32_t>(workload.manifest.traces.size() - 1U);
    workload.manifest.scripts.push_back({kind, {{ScriptCommandKind::kReplayTrace, 0U, trace, 0U}}});
}

// Records and waits of one event.
std::vector<ManifestCommand> turns(std::uint32_t count) {
    std::vector<ManifestCommand> commands;
    for (std::uint32_t i = 0U; i < count; ++i) {
        commands.push_back({ScriptCommandKind::kRecordEvent, 0U, 0U, 0U});
        commands.push_back({ScriptCommandKind::kWaitEvent, 1U, 0U, 0U});
    }
    return commands;
}

// A cycle takes a microsecond. The step has exactly as long as it takes; the epilogue takes the replay too, and 16
// cycles for each of more records than transfers are long.
void take_long_to_stop(Workload& workload, DeviceDescription& device) {
    device.clock_khz = 1000U;
    Manifest& manifest = workload.manifest;
    manifest.target.clock_khz = 1000U;
    manifest.setup_deadline_us = UINT32_MAX;
    manifest.step_deadline_us = static_cast<std::uint32_t>(manifest.step_cycles);
    std::vector<ManifestCommand> commands = turns(13U);
    commands.push_back({ScriptCommandKind::kReplayTrace, 0U, 0U, 0U});
    manifest.scripts.push_back({ScriptKind::kEpilogue, commands});
}

std::vector<RuleCase> event_cases() {
    return {
        event_case(Rule::kOrdEventQueue, "recorded on one queue, and then on the other", "scripts[1].commands[4].event",
                   4U, [](auto& commands) { commands[4].object = 0U; }),
        event_case(Rule::kOrdEventQueue, "a queue waits for itself", "scripts[1].commands[2].event", 2U,
                   [](auto& commands) { commands[2].queue = 1U; }),
        event_case(Rule::kOrdEventNever, "an event of nobody", "scripts[1].commands[2].event", 2U,
                   [](auto& commands) { commands[2].object = 5U; }),
        event_case(Rule::kOrdEventNever, "an event that is recorded later", "scripts[1].commands[1].event", 1U,
                   [](auto& commands) {
                       const ManifestCommand wait = commands[5];
                       commands.erase(commands.begin() + 5);
                       commands.insert(commands.begin() + 1, wait);
                   }),
        event_case(Rule::kOrdEventNever, "waited for twice", "scripts[1].commands[3].event", 3U,
                   [](auto& commands) { commands.insert(commands.begin() + 3, commands[2]); }),
        two_queue_case(Rule::kOrdEventNever, "recorded for the first step only", "scripts[1].commands[0].event", 1U, 0U,
                       [](Manifest& manifest) {
                           auto& step = manifest.scripts.at(1U).commands;
                           step.insert(step.begin(), {ScriptCommandKind::kWaitEvent, 1U, 2U, 0U});
                           manifest.scripts.push_back(
                               {ScriptKind::kPrologue, {{ScriptCommandKind::kRecordEvent, 0U, 2U, 0U}}});
                       }),
        event_case(Rule::kOrdEventUnused, "recorded twice", "scripts[1].commands[2].event", 2U,
                   [](auto& commands) { commands.insert(commands.begin() + 2, commands[1]); }),
        event_case(Rule::kOrdEventUnused, "recorded by every step, and waited for by none",
                   "scripts[1].commands[4].event", 4U, [](auto& commands) { commands.erase(commands.begin() + 5); }),
        two_queue_case(Rule::kOrdEventUnused, "left over in the epilogue", "scripts[2].commands[0].event", 2U, 0U,
                       [](Manifest& manifest) {
                           manifest.scripts.push_back(
                               {ScriptKind::kEpilogue, {{ScriptCommandKind::kRecordEvent, 0U, 2U, 0U}}});
                       }),
    };
}

// A second trace that launches a kernel on bytes of its own, on the queue that moves the tensors.
void compute_beside(Workload& workload, DeviceDescription& /*device*/) {
    Manifest& manifest = workload.manifest;
    manifest.regions[3].size_bytes = 4096U;
    const std::vector<std::uint32_t> all = words_of(workload.segments.traces);
    std::vector<std::uint32_t> words(all.begin(), all.begin() + 10);  // the first launch
    words.at(3U) = manifest.regions[0].base;
    words.at(4U) = manifest.regions[3].base + 1024U;
    words.push_back(header_word(Opcode::kEnd, 1U));
    add_trace(workload, words);
    auto& step = manifest.scripts.at(1U).commands;
    step.insert(step.begin() + 2, {ScriptCommandKind::kReplayTrace, 1U, 1U, 0U});
}

std::vector<RuleCase> race_cases() {
    return {
        event_case(Rule::kOrdRace, "the replay does not wait for the input", "scripts[1].commands[1]", 1U,
                   [](auto& commands) {
                       commands = {{ScriptCommandKind::kWriteInput, 0U, 0U, 0U},
                                   {ScriptCommandKind::kReplayTrace, 1U, 0U, 0U},
                                   {ScriptCommandKind::kReadOutput, 1U, 0U, 0U}};
                   }),
        event_case(Rule::kOrdRace, "the output does not wait for the replay", "scripts[1].commands[2]", 2U,
                   [](auto& commands) {
                       commands = {{ScriptCommandKind::kWriteInput, 0U, 0U, 0U},
                                   {ScriptCommandKind::kReplayTrace, 0U, 0U, 0U},
                                   {ScriptCommandKind::kReadOutput, 1U, 0U, 0U}};
                   }),
        two_queue_case(Rule::kOrdRace, "the next input does not wait for the replay", "scripts[1].commands[0]", 1U, 0U,
                       [](Manifest& manifest) {
                           manifest.steps_in_flight = 2U;
                           auto& step = manifest.scripts.at(1U).commands;
                           step.erase(step.begin() + 4, step.begin() + 6);
                           step.back().queue = 0U;
                       }),
        {Rule::kOrdCores, "two traces on all cores", "scripts[1].commands[4]",
         table({{TraceBinary::VT_SCRIPTS, 1U}, {schema::Script::VT_COMMANDS, 4U}}), workload_edit(compute_beside, 2U)},
    };
}

std::vector<RuleCase> budget_cases() {
    const FileOffset budgets = table({{TraceBinary::VT_BUDGETS}});
    return {
        {Rule::kBudRing, "a ring shorter than a step", "scripts[1]", table({{TraceBinary::VT_SCRIPTS, 1U}}),
         short_rings(14U)},
        {Rule::kBudRing, "a ring shorter than two steps", "scripts[1]", table({{TraceBinary::VT_SCRIPTS, 1U}}),
         workload_edit([](Workload& workload, DeviceDescription& device) {
             device.ring_words = 29U;
             workload.manifest.target.ring_words = 29U;
             workload.manifest.steps_in_flight = 2U;
         })},
        {Rule::kBudRing, "a ring shorter than the prologue", "scripts[2]", table({{TraceBinary::VT_SCRIPTS, 2U}}),
         workload_edit([](Workload& workload, DeviceDescription& device) {
             device.ring_words = 16U;
             workload.manifest.target.ring_words = 16U;
             workload.manifest.scripts.push_back({ScriptKind::kPrologue, turns(5U)});
         })},
        {Rule::kBudSetupRing, "a ring shorter than the set-up", "scripts[0]", table({{TraceBinary::VT_SCRIPTS, 0U}}),
         short_rings(11U)},
        {Rule::kBudCycles, "a cycle more", "budgets.step_cycles", budgets,
         manifest_edit([](Manifest& manifest) { manifest.step_cycles += 1U; })},
        {Rule::kBudCeiling, "longer than any step may be", "scripts[1]", table({{TraceBinary::VT_SCRIPTS, 1U}}),
         workload_edit(take_too_long)},
        {Rule::kBudCeiling, "longer than any prologue may be", "scripts[2]", table({{TraceBinary::VT_SCRIPTS, 2U}}),
         workload_edit([](Workload& workload, DeviceDescription& device) {
             replay_too_long(workload, device, ScriptKind::kPrologue);
         })},
        {Rule::kBudCeiling, "longer than any epilogue may be", "scripts[2]", table({{TraceBinary::VT_SCRIPTS, 2U}}),
         workload_edit([](Workload& workload, DeviceDescription& device) {
             replay_too_long(workload, device, ScriptKind::kEpilogue);
         })},
        {Rule::kBudDeadline, "none for the step", "budgets.step_deadline_us", budgets,
         manifest_edit([](Manifest& manifest) { manifest.step_deadline_us = 0U; })},
        {Rule::kBudDeadline, "too short for the epilogue", "budgets.step_deadline_us", budgets,
         workload_edit(take_long_to_stop)},
        {Rule::kBudInFlight, "no step", "budgets.steps_in_flight", budgets,
         manifest_edit([](Manifest& manifest) { manifest.steps_in_flight = 0U; })},
        {Rule::kBudInFlight, "three steps", "budgets.steps_in_flight", budgets,
         manifest_edit([](Manifest& manifest) { manifest.steps_in_flight = 3U; })},
        {Rule::kCapCommands, "one more than a session holds", "scripts[1].commands[2]",
         table({{TraceBinary::VT_SCRIPTS, 1U}, {schema::Script::VT_COMMANDS, 2U}}),
         manifest_edit([](Manifest& manifest) {
             manifest.scripts.push_back(
                 {ScriptKind::kPrologue, turns((profiles::kSmallEcu.script_commands - 2U) / 2U)});
         })},
        {Rule::kBudDeadline, "none for the set-up", "budgets.setup_deadline_us", budgets,
         manifest_edit([](Manifest& manifest) { manifest.setup_deadline_us = 0U; })},
        {Rule::kCapIntervals, "too many separate writes", "traces[0].commands[63].destination", trace_word(63U * 4U),
         workload_edit(fill_every_other_byte)},
        {Rule::kCapWork, "a trace of barriers beside another queue", "traces[0].commands[34380]", trace_word(34380U),
         workload_edit(look_too_often, 2U)},
    };
}

}  // namespace

std::vector<RuleCase> order_cases() {
    std::vector<RuleCase> cases = event_cases();
    for (const auto& more : {race_cases(), budget_cases()}) {
        cases.insert(cases.end(), more.begin(), more.end());
    }
    return cases;
}

}  // namespace pianola::test
