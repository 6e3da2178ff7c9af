#include "capture_host/link/link.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture_host/link/budget.h"
#include "capture_host/link/layout.h"
#include "capture_host/link/script_maker.h"
#include "capture_host/link/trace_maker.h"
#include "pianola/config.h"

namespace pianola::capture {
namespace {

const CommandSet& commands() {
    return refdev::target().command_set();
}

ScriptMaker make_setup(const Layout& layout, const std::vector<ManifestTrace>& traces) {
    ScriptMaker setup{ScriptKind::kSetup, commands()};
    if (!layout.weights.empty()) {
        setup.add({ScriptCommandKind::kWriteBuffer, 0U, 0U, 0U}, QueueCommandKind::kWrite, layout.weights.size());
    }
    for (std::uint32_t i = 0U; i < traces.size(); ++i) {
        setup.load_trace(traces, i);
    }
    return setup;
}

void write_inputs(const Manifest& manifest, std::uint32_t queue, ScriptMaker& script) {
    for (std::uint32_t i = 0U; i < manifest.inputs.size(); ++i) {
        script.add({ScriptCommandKind::kWriteInput, queue, i, 0U}, QueueCommandKind::kWrite,
                   manifest.buffers.at(manifest.inputs[i].buffer).size_bytes);
    }
}

void read_outputs(const Manifest& manifest, std::uint32_t queue, ScriptMaker& script) {
    for (std::uint32_t i = 0U; i < manifest.outputs.size(); ++i) {
        script.add({ScriptCommandKind::kReadOutput, queue, i, 0U}, QueueCommandKind::kRead,
                   manifest.buffers.at(manifest.outputs[i].buffer).size_bytes);
    }
}

void replay(const Manifest& manifest, std::uint32_t trace, ScriptMaker& script) {
    script.add({ScriptCommandKind::kReplayTrace, 0U, trace, 0U}, QueueCommandKind::kReplay, 0U,
               manifest.traces.at(trace).cost_cycles);
}

ScriptMaker make_step(const Manifest& manifest, std::uint32_t queues) {
    constexpr std::uint32_t kInputsWritten = 0U;
    constexpr std::uint32_t kTraceDone = 1U;
    const std::uint32_t io_queue = queues - 1U;
    ScriptMaker step{ScriptKind::kStep, commands()};
    write_inputs(manifest, io_queue, step);
    if (queues > 1U) {
        step.record(io_queue, kInputsWritten);
        step.wait(0U, kInputsWritten);
    }
    replay(manifest, 0U, step);
    if (queues > 1U) {
        step.record(0U, kTraceDone);
        step.wait(io_queue, kTraceDone);
    }
    read_outputs(manifest, io_queue, step);
    return step;
}

// Queue 1 moves tensors while queue 0 computes. Every event says when the other queue may go on:
//   written  the inputs are there, and may be loaded        (1 records, 0 waits)
//   loaded   the inputs are copied, and may be overwritten  (0 records, 1 waits)
//   stored   the outputs are there, and may be read         (0 records, 1 waits)
//   read     the outputs are read, and may be overwritten   (1 records, 0 waits)
struct PipelinedScripts {
    ScriptMaker prologue{ScriptKind::kPrologue, commands()};
    ScriptMaker step{ScriptKind::kStep, commands()};
    ScriptMaker epilogue{ScriptKind::kEpilogue, commands()};
};

PipelinedScripts make_pipelined_scripts(const Manifest& manifest) {
    constexpr std::uint32_t kCompute = 0U;
    constexpr std::uint32_t kIo = 1U;
    constexpr std::uint32_t kWritten = 0U;
    constexpr std::uint32_t kLoaded = 1U;
    constexpr std::uint32_t kStored = 2U;
    constexpr std::uint32_t kRead = 3U;
    PipelinedScripts scripts;
    write_inputs(manifest, kIo, scripts.prologue);
    scripts.prologue.record(kIo, kWritten);
    scripts.prologue.record(kIo, kRead);  // nothing is to be read yet

    for (ScriptMaker* const script : {&scripts.step, &scripts.epilogue}) {
        const bool goes_on = script == &scripts.step;
        script->wait(kCompute, kWritten);
        replay(manifest, 0U, *script);
        if (goes_on) {
            script->record(kCompute, kLoaded);
        }
        replay(manifest, 1U, *script);
        script->wait(kCompute, kRead);
        replay(manifest, 2U, *script);
        script->record(kCompute, kStored);
        if (goes_on) {
            script->wait(kIo, kLoaded);
            write_inputs(manifest, kIo, *script);
            script->record(kIo, kWritten);
        }
        script->wait(kIo, kStored);
        read_outputs(manifest, kIo, *script);
        if (goes_on) {
            script->record(kIo, kRead);
        }
    }
    return scripts;
}

void add_tensors(const Recorder& recorder, const Layout& layout, BufferRole role, const std::string& what,
                 std::size_t capacity, std::vector<ManifestTensor>& tensors) {
    for (std::size_t id = 0U; id < recorder.buffers().size(); ++id) {
        const Buffer& buffer = recorder.buffers()[id];
        if (buffer.role == role) {
            const TensorInfo& tensor = buffer.tensor;
            tensors.push_back({manifest_name(tensor.name, fmt::format("{} {}", what, tensors.size())),
                               layout.manifest_buffers[id], tensor.type, tensor.shape, tensor.scale,
                               tensor.zero_point});
        }
    }
    if (tensors.size() > capacity) {
        throw LinkError{fmt::format("too many {}s: {} are needed, {} fit", what, tensors.size(), capacity)};
    }
}

void check_queues(const LinkOptions& options) {
    if ((options.queues == 0U) || (options.queues > options.spec.queue_count)) {
        throw LinkError{
            fmt::format("the device has {} queues, {} are wanted", options.spec.queue_count, options.queues)};
    }
    if (options.is_pipelined && (options.queues != 2U)) {
        throw LinkError{fmt::format("a pipelined workload needs 2 queues, {} are wanted", options.queues)};
    }
}

// The recorded launches as traces: one, or what is before, between and behind the staging copies.
void make_traces(const Recorder& recorder, const StagedCopies& copies, const Layout& layout, const LinkOptions& options,
                 LinkedWorkload& workload) {
    const std::vector<Launch>& launches = recorder.launches();
    TraceMaker maker;
    for (std::size_t i = 0U; i < launches.size(); ++i) {
        if (options.is_pipelined && (i == copies.inputs)) {
            workload.manifest.traces.push_back(maker.finish("load inputs"));
        }
        if (options.is_pipelined && (i == (launches.size() - copies.outputs))) {
            workload.manifest.traces.push_back(maker.finish("main"));
        }
        maker.add(launches[i], layout);
    }
    workload.manifest.traces.push_back(maker.finish(options.is_pipelined ? "store outputs" : "main"));
    workload.segments.traces = maker.bytes();
    LinkSummary& summary = workload.summary;
    summary.trace_bytes = workload.segments.traces.size();
    if (summary.trace_bytes > options.spec.trace_region_bytes) {
        throw LinkError{fmt::format("the trace region is too small: {} bytes are needed, {} are there",
                                    summary.trace_bytes, options.spec.trace_region_bytes)};
    }
    for (const ManifestTrace& trace : workload.manifest.traces) {
        summary.operators += static_cast<std::uint32_t>(trace.programs.size());
        summary.commands += trace.command_count;
    }
}

void make_scripts(const Layout& layout, const LinkOptions& options, Manifest& manifest) {
    const ScriptMaker setup = make_setup(layout, manifest.traces);
    std::uint64_t longest_cycles = 0U;
    const auto take = [&manifest, &longest_cycles](const ScriptMaker& script) {
        manifest.scripts.push_back(script.script());
        longest_cycles = std::max(longest_cycles, script.cycles());
    };
    manifest.scripts.push_back(setup.script());
    if (options.is_pipelined) {
        const PipelinedScripts scripts = make_pipelined_scripts(manifest);
        take(scripts.prologue);
        take(scripts.step);
        take(scripts.epilogue);
        manifest.step_cycles = scripts.step.cycles();
        manifest.steps_in_flight = kMaxStepsInFlight;
    } else {
        const ScriptMaker step = make_step(manifest, options.queues);
        take(step);
        manifest.step_cycles = step.cycles();
    }
    if (longest_cycles > kMaxScriptCycles) {
        throw LinkError{fmt::format("a script takes {} cycles, {} are admitted", longest_cycles, kMaxScriptCycles)};
    }
    manifest.step_deadline_us =
        deadline_us(ScriptKind::kStep, longest_cycles, options.spec.clock_khz, options.step_deadline_us);
    manifest.setup_deadline_us =
        deadline_us(ScriptKind::kSetup, setup.cycles(), options.spec.clock_khz, options.setup_deadline_us);
}

}  // namespace

LinkedWorkload link(const Recorder& recorded, const LinkOptions& options) {
    check_queues(options);
    Recorder recorder = recorded;
    const StagedCopies copies = options.is_pipelined ? recorder.stage_transfers() : StagedCopies{};
    LinkedWorkload workload;
    LinkSummary& summary = workload.summary;
    Manifest& manifest = workload.manifest;
    Layout layout = lay_out(recorder, options.spec, summary);
    make_traces(recorder, copies, layout, options, workload);

    manifest.target = make_target(options.spec);
    add_tensors(recorder, layout, BufferRole::kInput, "input", kMaxInputs, manifest.inputs);
    add_tensors(recorder, layout, BufferRole::kOutput, "output", kMaxOutputs, manifest.outputs);
    manifest.regions = layout.regions;
    manifest.buffers = layout.buffers;
    make_scripts(layout, options, manifest);
    manifest.source_name = manifest_name(recorder.source_name(), "unnamed");
    manifest.source_sha256 = recorder.source_sha256();
    manifest.tool_version = "pianola " PIANOLA_VERSION;
    workload.segments.weights = std::move(layout.weights);
    summary.step_cycles = manifest.step_cycles;
    return workload;
}

}  // namespace pianola::capture
