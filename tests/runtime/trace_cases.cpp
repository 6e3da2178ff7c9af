#include "hal/devices/refdev/command_encoding.h"
#include "tests/runtime/rule_case.h"
#include "trace_binary_generated.h"

namespace pianola::test {
namespace {

using refdev::header_word;
using refdev::Opcode;
using schema::TraceBinary;

// Words of the workload's trace: a launch of 10 words, one of 30, and the end.
constexpr std::uint32_t kAdd = 10U;
constexpr std::uint32_t kEnd = 40U;

using WordsEdit = std::function<void(std::vector<std::uint32_t>& words, const capture::Manifest& manifest)>;

// Changes words; the manifest goes on saying what it said.
std::function<Mutant()> words_edit(const WordsEdit& edit) {
    return workload_edit([edit](Workload& workload, DeviceDescription&) {
        std::vector<std::uint32_t> words = words_of(workload.segments.traces);
        edit(words, workload.manifest);
        workload.segments.traces = bytes_of(words);
    });
}

std::function<Mutant()> set_word(std::uint32_t word, std::uint32_t value) {
    return words_edit([word, value](auto& words, const auto&) { words.at(word) = value; });
}

// In front of the workload's trace, its first launch on single cores, one after the other; if `chained`, each reads
// what the one before has written.
constexpr std::uint32_t kDispatchWords = 11U;
constexpr std::uint32_t kDispatchInput = 4U;
constexpr std::uint32_t kDispatchOutput = 5U;
std::function<Mutant()> dispatches(const std::vector<std::uint32_t>& cores, bool chained = false) {
    return workload_edit([cores, chained](Workload& workload, DeviceDescription&) {
        const std::vector<std::uint32_t> old = words_of(workload.segments.traces);
        workload.manifest.regions[3].size_bytes = 4096U;
        std::vector<std::uint32_t> words;
        std::uint32_t input = old.at(3U);
        for (const std::uint32_t core : cores) {
            const std::uint32_t output =
                old.at(4U) + (chained ? (static_cast<std::uint32_t>(words.size()) * 128U) : 0U);
            words.insert(words.end(),
                         {header_word(Opcode::kDispatch, kDispatchWords), core, old.at(1U), old.at(2U), input, output});
            words.insert(words.end(), old.begin() + 5, old.begin() + kAdd);
            input = chained ? output : input;
        }
        words.push_back(header_word(Opcode::kBarrier, 1U));
        words.insert(words.end(), old.begin(), old.end());
        set_trace(workload, words);
    });
}

RuleCase trace_case(Rule rule, const char* what, const char* path,
                    const std::function<void(capture::ManifestTrace&)>& edit) {
    return {rule, what, path, table({{TraceBinary::VT_TRACES, 0U}}),
            manifest_edit([edit](capture::Manifest& manifest) { edit(manifest.traces.front()); })};
}

void fill_with_barriers(Workload& workload, DeviceDescription& /*device*/) {
    std::vector<std::uint32_t> words((64U * 1024U) / 4U, header_word(Opcode::kBarrier, 1U));
    words.push_back(header_word(Opcode::kEnd, 1U));
    set_trace(workload, words);
}

// A second trace, behind padding whose last byte is not zero.
void add_trace_behind_gap(Workload& workload, DeviceDescription& /*device*/) {
    constexpr std::uint32_t kSecond = 192U;
    workload.segments.traces.resize(kSecond);
    workload.segments.traces.back() = 1U;
    const std::vector<std::uint8_t> end = bytes_of({header_word(Opcode::kEnd, 1U)});
    workload.segments.traces.insert(workload.segments.traces.end(), end.begin(), end.end());
    workload.manifest.traces.push_back({"second", kSecond, 1U, 1U, 16U, {}});
}

// A second trace that no script names.
void add_trace_of_no_script(Workload& workload, DeviceDescription& /*device*/) {
    add_trace(workload, {header_word(Opcode::kEnd, 1U)});
    workload.manifest.scripts.front().commands.pop_back();  // that loads it
}

std::vector<RuleCase> segment_cases() {
    return {
        {Rule::kScrTraceOnce, "neither loaded nor replayed", "traces[1]", manifest_start(),
         workload_edit(add_trace_of_no_script)},
        trace_case(Rule::kTrcSegment, "longer than the segment", "traces[0].word_count",
                   [](auto& trace) { trace.word_count += 1U; }),
        trace_case(Rule::kTrcSegment, "no words", "traces[0].word_count", [](auto& trace) { trace.word_count = 0U; }),
        trace_case(Rule::kTrcSegment, "wraps round", "traces[0].word_count",
                   [](auto& trace) { trace.word_count = 0x4000'0000U + kEnd + 1U; }),
        trace_case(Rule::kTrcSegment, "does not start the segment", "traces[0].offset_bytes",
                   [](auto& trace) { trace.offset_bytes = 64U; }),
        {Rule::kTrcSegment, "a word of no trace", "traces", trace_word(0U),
         workload_edit([](Workload& workload, DeviceDescription&) {
             workload.segments.traces.resize((kEnd + std::size_t{2U}) * 4U);
         })},
        {Rule::kTrcSegment, "a byte between two traces", "traces[1].offset_bytes",
         table({{TraceBinary::VT_TRACES, 1U}}), workload_edit(add_trace_behind_gap)},
        {Rule::kTrcRegion, "a word longer than the trace region", "traces", trace_word(0U),
         workload_edit(fill_with_barriers)},
        trace_case(Rule::kTrcCount, "one more", "traces[0].command_count",
                   [](auto& trace) { trace.command_count += 1U; }),
        trace_case(Rule::kTrcCost, "a cycle less", "traces[0].cost_cycles",
                   [](auto& trace) { trace.cost_cycles -= 1U; }),
        trace_case(Rule::kTrcPrograms, "cover too much", "traces[0].programs",
                   [](auto& trace) { trace.programs[1].command_count += 1U; }),
        trace_case(Rule::kTrcPrograms, "cover too little", "traces[0].programs",
                   [](auto& trace) { trace.programs.pop_back(); }),
        {Rule::kTrcPrograms, "an empty one", "traces[0].programs[1].command_count",
         table({{TraceBinary::VT_TRACES, 0U}, {schema::Trace::VT_PROGRAMS, 1U}}),
         manifest_edit([](auto& manifest) { manifest.traces[0].programs[1].command_count = 0U; })},
    };
}

std::vector<RuleCase> trace_command_cases() {
    return {
        {Rule::kTrcCommand, "an opcode of nothing", "traces[0].commands[0].header", trace_word(0U),
         set_word(0U, header_word(Opcode::kInvalid, 10U))},
        {Rule::kTrcCommand, "a queue command", "traces[0].commands[2].header", trace_word(kEnd),
         set_word(kEnd, header_word(Opcode::kNotify, 1U))},
        {Rule::kTrcCommand, "length 0", "traces[0].commands[1].header", trace_word(kAdd),
         set_word(kAdd, header_word(Opcode::kLaunch, 0U))},
        {Rule::kTrcCommand, "reaches beyond the trace", "traces[0].commands[1].header", trace_word(kAdd),
         set_word(kAdd, header_word(Opcode::kLaunch, 32U))},
        {Rule::kTrcCommand, "a reserved bit", "traces[0].commands[2].header", trace_word(kEnd),
         set_word(kEnd, header_word(Opcode::kEnd, 1U) | 0x0100U)},
        {Rule::kTrcKernel, "not in the ROM", "traces[0].commands[1].kernel", trace_word(kAdd + 1U),
         set_word(kAdd + 1U, 0x0399U)},
        {Rule::kTrcKernelNamed, "the first is not", "traces[0].commands[0].kernel", trace_word(0U),
         manifest_edit([](auto& manifest) { manifest.target.kernels.erase(manifest.target.kernels.begin() + 1); })},
        {Rule::kTrcKernelNamed, "the second is not", "traces[0].commands[1].kernel", trace_word(kAdd),
         manifest_edit([](auto& manifest) { manifest.target.kernels.erase(manifest.target.kernels.begin()); })},
        {Rule::kTrcKernelNamed, "none is", "traces[0].commands[0].kernel", trace_word(0U),
         manifest_edit([](auto& manifest) { manifest.target.kernels.clear(); })},
        {Rule::kTrcArgument, "count 0", "traces[0].commands[0].count", trace_word(5U), set_word(5U, 0U)},
        {Rule::kTrcArgument, "another cost", "traces[0].commands[1].cost_cycles", trace_word(kAdd + 2U),
         set_word(kAdd + 2U, 1U)},
        {Rule::kTrcBounds, "an address of nothing", "traces[0].commands[0].output", trace_word(4U),
         set_word(4U, 0x40U)},
        {Rule::kTrcBounds, "a byte beyond its region", "traces[0].commands[0].output", trace_word(4U),
         words_edit([](auto& words, const auto& manifest) {
             words.at(4U) = (manifest.regions[3].base + manifest.regions[3].size_bytes + 1U) - kWorkloadBytes;
         })},
        {Rule::kTrcBounds, "the last bytes of the address space", "traces[0].commands[0].output", trace_word(4U),
         set_word(4U, 0xFFFF'FFA0U)},
        {Rule::kTrcPermission, "writes to the weights", "traces[0].commands[0].output", trace_word(4U),
         words_edit([](auto& words, const auto& manifest) { words.at(4U) = manifest.regions[0].base; })},
        {Rule::kTrcPermission, "writes to the traces", "traces[0].commands[0].output", trace_word(4U),
         words_edit([](auto& words, const auto& manifest) { words.at(4U) = manifest.regions[4].base; })},
        {Rule::kTrcPermission, "reads from the traces", "traces[0].commands[0].input", trace_word(3U),
         words_edit([](auto& words, const auto& manifest) { words.at(3U) = manifest.regions[4].base; })},
        {Rule::kTrcUnwritten, "reads what it will write", "traces[0].commands[0].input", trace_word(3U),
         words_edit([](auto& words, const auto&) { words.at(3U) = words.at(4U); })},
        {Rule::kTrcUnwritten, "one byte was not written", "traces[0].commands[1].input1", trace_word(kAdd + 3U),
         workload_edit([](Workload& workload, DeviceDescription&) {
             workload.manifest.regions[3].size_bytes += 1U;
             std::vector<std::uint32_t> words = words_of(workload.segments.traces);
             words.at(kAdd + 3U) += 1U;
             workload.segments.traces = bytes_of(words);
         })},
        {Rule::kTrcArgument, "a core beyond the grid", "traces[0].commands[0].core", trace_word(1U), dispatches({4U})},
        {Rule::kTrcArgument, "a core beyond every grid", "traces[0].commands[0].core", trace_word(1U),
         dispatches({kMaxCores})},
        {Rule::kTrcCoreRace, "two cores write the same bytes", "traces[0].commands[1].output",
         trace_word(kDispatchWords + kDispatchOutput), dispatches({0U, 3U})},
        {Rule::kTrcCoreRace, "and another one in between", "traces[0].commands[2].output",
         trace_word((2U * kDispatchWords) + kDispatchOutput), dispatches({2U, 2U, 1U})},
        {Rule::kTrcCoreRace, "a core reads what another one writes", "traces[0].commands[1].input",
         trace_word(kDispatchWords + kDispatchInput), dispatches({0U, 1U}, true)},
        {Rule::kTrcEnd, "missing", "traces[0].word_count", table({{TraceBinary::VT_TRACES, 0U}}),
         set_word(kEnd, header_word(Opcode::kBarrier, 1U))},
        {Rule::kTrcEnd, "words behind it", "traces[0].word_count", table({{TraceBinary::VT_TRACES, 0U}}),
         workload_edit([](Workload& workload, DeviceDescription&) {
             std::vector<std::uint32_t> words = words_of(workload.segments.traces);
             words.push_back(words.back());
             set_trace(workload, words);
         })},
    };
}

}  // namespace

std::vector<RuleCase> trace_cases() {
    std::vector<RuleCase> cases = segment_cases();
    const std::vector<RuleCase> commands = trace_command_cases();
    cases.insert(cases.end(), commands.begin(), commands.end());
    return cases;
}

}  // namespace pianola::test
