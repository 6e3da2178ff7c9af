#include "hal/refdev/command_encoding.h"
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
    for (std::uint32_t i = 0U; i < kMaxIntervals; ++i) {
        append_fill(words, workload.manifest.regions[3].base + 1024U + (2U * i), 1U);
    }
    prepend(workload, words);
}

// 17 fills of half a gigabyte take longer than a step may.
void take_too_long(Workload& workload, DeviceDescription& device) {
    constexpr std::uint32_t kDramBytes = 1U << 30U;
    device.dram_bytes = kDramBytes;
    workload.manifest.target.dram_bytes = kDramBytes;
    workload.manifest.regions[4].base = device.dram_base + (kDramBytes - device.trace_region_bytes);
    const std::uint32_t base = device.dram_base + (1U << 20U);
    workload.manifest.regions.push_back({"large", RegionKind::kActivation, MemoryKind::kDram, base, kDramBytes / 2U});
    std::vector<std::uint32_t> words;
    for (int i = 0; i < 17; ++i) {
        append_fill(words, base, kDramBytes / 2U);
    }
    prepend(workload, words);
}

}  // namespace

std::vector<RuleCase> order_cases() {
    const FileOffset budgets = table({{TraceBinary::VT_BUDGETS}});
    return {
        event_case(Rule::kOrdEventRecord, "one event for two records", "scripts[1].commands[4].event", 4U,
                   [](auto& commands) { commands[4].object = 0U; }),
        event_case(Rule::kOrdEventNever, "an event of nobody", "scripts[1].commands[2].event", 2U,
                   [](auto& commands) { commands[2].object = 5U; }),
        event_case(Rule::kOrdDeadlock, "each waits for the other", "scripts[1].commands[1].event", 1U,
                   [](auto& commands) {
                       const ManifestCommand wait = commands[5];
                       commands.erase(commands.begin() + 5);
                       commands.insert(commands.begin() + 1, wait);
                   }),
        event_case(Rule::kOrdDeadlock, "a queue waits for itself", "scripts[1].commands[2].event", 2U,
                   [](auto& commands) { commands[2].object = 1U; }),
        event_case(Rule::kOrdRace, "the replay does not wait for the input", "scripts[1].commands[1].body", 1U,
                   [](auto& commands) {
                       commands = {{ScriptCommandKind::kWriteInput, 0U, 0U, 0U},
                                   {ScriptCommandKind::kReplayTrace, 1U, 0U, 0U},
                                   {ScriptCommandKind::kReadOutput, 1U, 0U, 0U}};
                   }),
        event_case(Rule::kOrdRace, "the output does not wait for the replay", "scripts[1].commands[2].body", 2U,
                   [](auto& commands) {
                       commands = {{ScriptCommandKind::kWriteInput, 0U, 0U, 0U},
                                   {ScriptCommandKind::kReplayTrace, 0U, 0U, 0U},
                                   {ScriptCommandKind::kReadOutput, 1U, 0U, 0U}};
                   }),
        {Rule::kBudRing, "a ring shorter than a step", "scripts[1]", table({{TraceBinary::VT_SCRIPTS, 1U}}),
         short_rings(14U)},
        {Rule::kBudSetupRing, "a ring shorter than the set-up", "scripts[0]", table({{TraceBinary::VT_SCRIPTS, 0U}}),
         short_rings(11U)},
        {Rule::kBudCycles, "a cycle more", "budgets.step_cycles", budgets,
         manifest_edit([](Manifest& manifest) { manifest.step_cycles += 1U; })},
        {Rule::kBudCeiling, "longer than any step may be", "budgets.step_cycles", budgets,
         workload_edit(take_too_long)},
        {Rule::kBudDeadline, "none for the step", "budgets.step_deadline_us", budgets,
         manifest_edit([](Manifest& manifest) { manifest.step_deadline_us = 0U; })},
        {Rule::kBudDeadline, "none for the set-up", "budgets.setup_deadline_us", budgets,
         manifest_edit([](Manifest& manifest) { manifest.setup_deadline_us = 0U; })},
        {Rule::kCapIntervals, "too many separate writes", "traces[0].commands[63].destination", trace_word(63U * 4U),
         workload_edit(fill_every_other_byte)},
    };
}

}  // namespace pianola::test
