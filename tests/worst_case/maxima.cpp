// Files that are accepted, each with something at the largest that the schema and runtime/include/pianola/config.h
// admit; and one with everything.
#include <algorithm>

#include "tests/worst_case/cases.h"

namespace pianola::test {
namespace {

using capture::Manifest;
using Kind = ScriptCommandKind;

constexpr std::uint32_t kShortTraceWords = 64U * 1024U;
constexpr std::uint32_t kMemoryRegion = kMaxRegions - 1U;  // of empty_workload()
constexpr std::uint32_t kSpace = 64U;                      // between what may not touch
constexpr std::uint32_t kTensors = 0U;                     // offsets in that region: of tensors
constexpr std::uint32_t kWeights = 0x10'0000U;             // of what set-up writes
constexpr std::uint32_t kScratch = 0x20'0000U;             // of what traces write

const std::string& longest_name() {
    static const std::string kName(kMaxNameBytes, 'n');
    return kName;
}

Commands& step_of(Workload& workload) {
    return workload.manifest.scripts[1].commands;
}

std::uint32_t planned_commands(const Workload& workload) {
    Workload others{workload.manifest, {}};
    others.manifest.scripts.erase(others.manifest.scripts.begin());  // the set-up has a place of its own
    return static_cast<std::uint32_t>(counts_of(others).script_commands);
}

std::uint32_t add_buffer(Workload& workload, std::uint32_t offset_bytes, std::uint32_t size_bytes) {
    workload.manifest.buffers.push_back({longest_name(), kMemoryRegion, offset_bytes, size_bytes});
    return static_cast<std::uint32_t>(workload.manifest.buffers.size() - 1U);
}

// A barrier for each program, in one trace.
void add_programs(Workload& workload, std::uint32_t count, const std::string& name) {
    TraceWords trace;
    for (std::uint32_t i = 0U; i < count; ++i) {
        trace.barrier();
    }
    add_trace(workload, trace);
    workload.manifest.traces.back().programs.assign(count, {name, 1U});
    step_of(workload).push_back(replay(0U, static_cast<std::uint32_t>(workload.manifest.traces.size() - 1U)));
}

void fill_buffers(Workload& workload) {
    while (workload.manifest.buffers.size() < kMaxBuffers) {
        static_cast<void>(add_buffer(workload, kScratch, 1U));
    }
}

// Inputs of one buffer each, and outputs that are the inputs.
void add_tensors(Workload& workload) {
    Manifest& manifest = workload.manifest;
    const std::vector<std::uint32_t> shape(kMaxRank, 1U);
    for (std::uint32_t i = 0U; i < kMaxInputs; ++i) {
        const std::uint32_t buffer = add_buffer(workload, kTensors + (i * kSpace), 1U);
        const capture::ManifestTensor tensor{longest_name(), buffer, ElementType::kInt8, shape, 1.0F, 0, 1U};
        manifest.inputs.push_back(tensor);
        manifest.outputs.push_back(tensor);
        step_of(workload).push_back({Kind::kWriteInput, 0U, i});
        step_of(workload).push_back({Kind::kReadOutput, 0U, i});
    }
}

// One input of so many buffers, beside another queue. Each lies in front of those before it and of so many ranges of a
// trace.
void add_scattered_tensor(Workload& workload, std::uint32_t count, std::uint32_t ranges) {
    const std::uint32_t source = kWorstDramBase + kScratch + 0x1'0000U;
    TraceWords trace;
    trace.fill(source, kJudged.intervals);
    for (std::uint32_t i = 0U; i < ranges; ++i) {
        trace.copy(kWorstDramBase + kScratch + (i * kSpace), source + i, 1U);
    }
    add_trace(workload, trace);
    const auto first = static_cast<std::uint32_t>(workload.manifest.buffers.size());
    for (std::uint32_t i = count; i > 0U; --i) {
        static_cast<void>(add_buffer(workload, kTensors + (i * kSpace), 1U));
    }
    workload.manifest.inputs.push_back({longest_name(), first, ElementType::kInt8, {count}, 1.0F, 0, count});
    workload.manifest.steps_in_flight = 1U;  // rings have room for one such step
    step_of(workload) = {replay(0U, 0U), record(1U, 0U), wait(0U, 0U), {Kind::kWriteInput, 0U, 0U}};
}

// As many buffers as tensors may have, which is more than a session has commands for: ranges that lie apart, and then,
// in front of them, a range and what closes its gap, over and over.
void add_all_tensor_buffers(Workload& workload) {
    constexpr std::uint32_t kApart = kJudged.intervals - 2U;
    std::uint32_t made = 0U;
    for (std::uint32_t i = 0U; i < kMaxInputs; ++i) {
        const auto first = static_cast<std::uint32_t>(workload.manifest.buffers.size());
        for (std::uint32_t k = 0U; k < kMaxTensorBuffers; ++k) {
            const std::uint32_t place = (made < kApart) ? (kWeights + (made * kSpace)) : (made ^ 1U);
            static_cast<void>(add_buffer(workload, kTensors + place, 1U));
            made += 1U;
        }
        const capture::ManifestTensor tensor{longest_name(), first, ElementType::kInt8, {kMaxTensorBuffers},
                                             1.0F,           0,     kMaxTensorBuffers};
        workload.manifest.inputs.push_back(tensor);
        workload.manifest.outputs.push_back(tensor);
        step_of(workload).push_back({Kind::kWriteInput, 0U, i});
        step_of(workload).push_back({Kind::kReadOutput, 0U, i});
    }
}

void add_self_tests(Workload& workload) {
    std::size_t vector_bytes = 0U;
    for (const auto* tensors : {&workload.manifest.inputs, &workload.manifest.outputs}) {
        vector_bytes += tensors->size();  // a byte each
    }
    workload.manifest.self_test_origins.assign(kMaxSelfTests, SelfTestOrigin::kCaptured);
    workload.segments.self_tests.resize(kMaxSelfTests * vector_bytes);
}

// Set-up's commands that are left, each on a range of its own.
void fill_setup(Workload& workload) {
    Commands& setup = workload.manifest.scripts.front().commands;
    for (std::uint32_t i = 0U; setup.size() < kJudged.script_commands; ++i) {
        const std::uint32_t buffer = add_buffer(workload, kWeights + (i * kSpace), 1U);
        setup.push_back({Kind::kWriteBuffer, 0U, buffer, i});
        workload.segments.weights.push_back(0U);
    }
}

// The step's commands that are left: every event, there and back.
void fill_step(Workload& workload) {
    std::uint32_t event = 0U;
    for (std::uint32_t room = kJudged.script_commands - planned_commands(workload); room >= 2U; room -= 2U) {
        const std::uint32_t queue = event % 2U;
        step_of(workload).push_back(record(queue, event));
        step_of(workload).push_back(wait(1U - queue, event));
        event = (event + 1U) % kMaxEvents;
    }
}

void fill_traces(Workload& workload) {
    while (workload.manifest.traces.size() < kMaxTraces) {
        const auto index = static_cast<std::uint32_t>(workload.manifest.traces.size());
        TraceWords trace;
        trace.fill(kWorstDramBase + kScratch + (index * kSpace), 1U);
        add_trace(workload, trace);
        step_of(workload).push_back(replay(0U, index));
    }
}

// The traces behind it cannot be the first: parameters patch trace 0.
void add_parameters(Workload& workload) {
    const auto index = static_cast<std::uint32_t>(workload.manifest.traces.size());
    const std::uint32_t address = kWorstDramBase + kScratch;
    TraceWords trace;
    for (std::uint32_t i = 0U; i < kJudged.patch_points; ++i) {
        trace.fill(address, 4U);
    }
    add_trace(workload, trace);
    step_of(workload).push_back(replay(0U, index));
    for (std::uint32_t i = 0U; i < kMaxParameters; ++i) {
        capture::ManifestParameter parameter{
            longest_name(), ParameterKind::kBufferAddress, address, address + 64U, 4U, {}};
        for (std::uint32_t k = i; k < kJudged.patch_points; k += kMaxParameters) {
            parameter.points.push_back({index, (k * refdev::kFillWords) + 1U});
        }
        workload.manifest.parameters.push_back(parameter);
    }
}

// Every script replays all of it, beside another queue.
void add_parameters_everywhere(Workload& workload) {
    add_parameters(workload);
    const Commands commands{record(1U, 0U), wait(0U, 0U), replay(0U, 0U)};
    std::vector<capture::ManifestScript>& scripts = workload.manifest.scripts;
    scripts.erase(scripts.begin() + 1, scripts.end());
    for (const ScriptKind kind : {ScriptKind::kPrologue, ScriptKind::kStep, ScriptKind::kEpilogue}) {
        scripts.push_back({kind, commands});
    }
}

// Ranges that lie apart, and then commands that look at all of them and move all of them, on both queues, as often as
// the work allows.
void add_ranges(Workload& workload, std::uint32_t commands) {
    const auto index = static_cast<std::uint32_t>(workload.manifest.traces.size());
    const std::uint32_t base = kWorstDramBase + kScratch + 0x1000U;
    const std::uint32_t ranges = kJudged.intervals - 24U;  // other commands of the step have theirs
    TraceWords trace;
    trace.fill(base + 0x4000U, ranges * 4U);
    for (std::uint32_t i = 0U; i < ranges; ++i) {
        trace.copy(base + 0x1000U + (i * kSpace), base + 0x4000U + (i * 4U), 2U);
    }
    for (std::uint32_t i = 0U; i < commands; ++i) {
        trace.copy(base + (i ^ 1U), base + 0x4000U, 1U);  // in front of all others, then what closes the gap
    }
    add_trace(workload, trace);
    step_of(workload).push_back(replay(1U, index));
}

// That many words, and of them the most commands.
void add_long_trace(Workload& workload, std::uint32_t words) {
    TraceWords longest;
    for (std::uint32_t i = 0U; i < (words - 1U); ++i) {
        longest.barrier();
    }
    const auto index = static_cast<std::uint32_t>(workload.manifest.traces.size());
    add_trace(workload, longest);
    step_of(workload).push_back(replay(0U, index));
}

template <typename Change>
std::function<Workload()> with(Change change) {
    return [change] {
        Workload workload = empty_workload();
        change(workload);
        return workload;
    };
}

// The trace is visited three times, each time beside all patch points, which takes a file of so many bytes for each of
// its words.
Workload everything(std::uint32_t trace_words) {
    constexpr std::size_t kFileBytesPerWord = 32U;
    Workload workload = empty_workload();
    add_tensors(workload);
    add_self_tests(workload);
    add_parameters(workload);
    add_ranges(workload, 512U);
    add_long_trace(workload, trace_words);
    fill_traces(workload);
    fill_setup(workload);
    fill_step(workload);
    fill_buffers(workload);
    capture::ManifestTrace& trace = workload.manifest.traces[2];
    const std::uint32_t programs = 4096U;
    trace.programs.assign(programs, {"n", 1U});
    trace.programs.back().command_count = trace.command_count - programs;
    workload.segments.weights.resize(trace_words * kFileBytesPerWord);
    return workload;
}

}  // namespace

const std::vector<WorstCase>& maxima() {
    static const std::vector<WorstCase> kCases{
        {"nothing", Rule::kNotRun, empty_workload},
        {"buffers", Rule::kNotRun, with(fill_buffers)},
        {"programs", Rule::kNotRun, with([](Workload& w) { add_programs(w, kTracePrograms, "n"); })},
        {"tables", Rule::kNotRun, with([](Workload& w) {
             add_programs(w, kTracePrograms, "n");
             add_programs(w, kJudged.manifest_tables - kTracePrograms - 4U - kMaxRegions - 2U - 2U - 8U, "n");
         })},
        {"manifest_bytes", Rule::kNotRun, with([](Workload& w) { add_programs(w, 6700U, longest_name()); })},
        {"tensors", Rule::kNotRun, with(add_tensors)},
        {"tensor_buffers", Rule::kNotRun,
         with([](Workload& w) { add_scattered_tensor(w, kJudged.script_commands - 4U, 0U); })},
        {"tensor_in_front", Rule::kNotRun,
         with([](Workload& w) { add_scattered_tensor(w, 12U, kJudged.intervals - 16U); })},
        {"all_tensor_buffers", Rule::kCapCommands, with(add_all_tensor_buffers)},
        {"traces", Rule::kNotRun, with(fill_traces)},
        {"setup_commands", Rule::kNotRun, with(fill_setup)},
        {"step_commands", Rule::kNotRun, with(fill_step)},
        {"replays_and_events", Rule::kNotRun, with([](Workload& w) {
             fill_traces(w);
             fill_step(w);
         })},
        {"parameters", Rule::kNotRun, with(add_parameters)},
        {"parameters_everywhere", Rule::kNotRun, with(add_parameters_everywhere)},
        {"self_tests", Rule::kNotRun, with([](Workload& w) {
             add_tensors(w);
             add_self_tests(w);
         })},
        {"intervals", Rule::kNotRun, with([](Workload& w) {
             add_ranges(w, 512U);
             fill_step(w);
         })},
        {"trace_words", Rule::kNotRun, with([](Workload& w) {
             add_long_trace(w, kLongestTraceWords);
             w.segments.weights.resize(std::size_t{2U} * 1024U * 1024U);  // a file that may take the work
         })},
        {"everything_in_brief", Rule::kNotRun, [] { return everything(kShortTraceWords); }},
        {"everything", Rule::kNotRun, [] { return everything(kLongestTraceWords); }, false, true},
        {"file_bytes", Rule::kNotRun, with([](Workload& w) { w.segments.weights.resize(kMaxFileBytes - 4096U); }),
         false, true},
    };
    return kCases;
}

}  // namespace pianola::test
