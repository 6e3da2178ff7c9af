#include "capture_host/capture/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "capture_host/capture/assembly.h"
#include "capture_host/capture/memory_planner.h"
#include "capture_host/capture/pack.h"
#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/costs/cost_models.h"
#include "hal/devices/refdev/host/command_words.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "pianola/config.h"

namespace pianola::capture {
namespace {

// The places of all recorded buffers: regions, addresses, and the buffers of the manifest.
struct Layout {
    std::vector<ManifestRegion> regions;
    std::vector<ManifestBuffer> buffers;
    std::vector<std::uint32_t> addresses;         // of each recorded buffer, by id
    std::vector<std::uint32_t> manifest_buffers;  // index in `buffers` of each recorded input and output, by id
    std::vector<std::uint8_t> weights;            // contents of the weights region; empty if there is none
};

constexpr std::uint64_t kConstantAlignmentBytes = 16U;  // enough for every kernel; constants are many and small
constexpr std::uint64_t kBufferAlignmentBytes = 64U;

// Memory that is allocated from the bottom, whatever its size: the check is made after everything is placed, so that
// the refusal can say how much would fit.
class Memory {
  public:
    Memory(MemoryKind kind, std::uint32_t base) : kind_{kind}, base_{base} {}

    ManifestRegion take(const std::string& region, RegionKind kind, std::uint64_t size_bytes) {
        const auto base = static_cast<std::uint32_t>(base_ + used_bytes_);
        used_bytes_ = align_up(used_bytes_ + size_bytes, kBufferAlignmentBytes);
        return {region, kind, kind_, base, static_cast<std::uint32_t>(size_bytes)};
    }
    [[nodiscard]] std::uint64_t used_bytes() const { return used_bytes_; }

  private:
    MemoryKind kind_;
    std::uint32_t base_;
    std::uint64_t used_bytes_{0U};
};

// Command indices of the first and last use of every buffer.
std::vector<Lifetime> lifetimes_of(const Recorder& recorder) {
    constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();
    std::vector<Lifetime> lifetimes;
    for (const Buffer& buffer : recorder.buffers()) {
        lifetimes.push_back({buffer.size_bytes, kUnused, 0U});
    }
    for (std::size_t i = 0U; i < recorder.launches().size(); ++i) {
        for (const Operand& operand : recorder.launches()[i].operands) {
            Lifetime& lifetime = lifetimes.at(static_cast<std::size_t>(operand.buffer));
            lifetime.first = std::min(lifetime.first, static_cast<std::uint32_t>(i));
            lifetime.last = std::max(lifetime.last, static_cast<std::uint32_t>(i));
        }
    }
    return lifetimes;
}

// Where the output of a launch may overlap an input: the kernel's own check is asked, for every distance.
class OverlapFinder {
  public:
    // `lifetimes` are of all buffers.
    OverlapFinder(const Recorder& recorder, const std::vector<Lifetime>& lifetimes)
        : recorder_{recorder}, lifetimes_{lifetimes} {}

    // Of the launch with this number: activations that it reads for the last time, with one that it writes first.
    // Indices are the ids of buffers.
    [[nodiscard]] std::vector<Overlap> of(std::uint32_t number) const {
        const Launch& launch = recorder_.launches()[number];
        std::vector<Overlap> overlaps;
        for (const Operand& output : launch.operands) {
            for (const Operand& input : launch.operands) {
                const std::size_t from = index_of(input);
                const std::size_t to = index_of(output);
                if ((launch.kind == CommandKind::kLaunch) && is_activation(input) && is_activation(output) &&
                    (input.access == Access::kRead) && (output.access == Access::kWrite) && (from != to) &&
                    (lifetimes_[from].last == number) && (lifetimes_[to].first == number)) {
                    add({from, to, distances(launch, from, to)}, overlaps);
                }
            }
        }
        return overlaps;
    }

  private:
    [[nodiscard]] static std::size_t index_of(const Operand& operand) {
        return static_cast<std::size_t>(operand.buffer);
    }
    [[nodiscard]] bool is_activation(const Operand& operand) const {
        return recorder_.buffer(operand.buffer).role == BufferRole::kActivation;
    }
    static void add(Overlap overlap, std::vector<Overlap>& overlaps) {
        const bool is_new = std::none_of(overlaps.begin(), overlaps.end(), [&overlap](const Overlap& each) {
            return (each.input == overlap.input) && (each.output == overlap.output);
        });
        const auto& distances = overlap.distances;
        if (is_new && (std::find(distances.begin(), distances.end(), true) != distances.end())) {
            overlaps.push_back(std::move(overlap));
        }
    }

    // All other operands lie elsewhere, apart from each other.
    [[nodiscard]] std::vector<bool> distances(const Launch& launch, std::size_t input, std::size_t output) const {
        constexpr std::uint32_t kOutput = 0x4000'0000U;
        constexpr std::uint32_t kOthers = 0x8000'0000U;
        constexpr std::uint32_t kEach = 0x0800'0000U;  // more than a device has; of a launch's few operands
        const refdev::Kernel* const kernel = refdev::find_kernel(static_cast<std::uint32_t>(launch.kernel));
        std::vector<bool> permitted;
        if ((kernel == nullptr) || (launch.arguments.size() != kernel->argument_words)) {
            return permitted;
        }
        for (std::uint64_t distance = 0U; distance < lifetimes_[output].size_bytes; distance += kPlanAlignmentBytes) {
            std::vector<std::uint32_t> words = launch.arguments;
            std::uint32_t other = kOthers;
            for (const Operand& operand : launch.operands) {
                const std::size_t buffer = index_of(operand);
                const auto below = static_cast<std::uint32_t>((buffer == input) ? distance : 0U);
                const bool is_other = (buffer != input) && (buffer != output);
                words.at(operand.word) = (is_other ? other : (kOutput + below)) + operand.offset_bytes;
                other += is_other ? kEach : 0U;
            }
            ExtentList extents;
            refdev::ArgumentError error;
            permitted.push_back(is_ok(kernel->describe(WordSpan{words.data(), words.size()}, extents, error)));
        }
        return permitted;
    }

    const Recorder& recorder_;
    const std::vector<Lifetime>& lifetimes_;
};

class LayoutMaker {
  public:
    LayoutMaker(const Recorder& recorder, const DeviceDescription& spec, LinkSummary& summary)
        : recorder_{recorder},
          spec_{spec},
          summary_{summary},
          file_{MemoryKind::kFile, spec.file_base},
          dram_{MemoryKind::kDram, spec.dram_base},
          l1_{MemoryKind::kL1, spec.l1_base} {
        layout_.addresses.assign(recorder.buffers().size(), 0U);
        layout_.manifest_buffers.assign(recorder.buffers().size(), 0U);
    }

    Layout make() {
        place_weights();
        place_tensors("inputs", BufferRole::kInput, RegionKind::kInput, summary_.input_bytes);
        place_tensors("outputs", BufferRole::kOutput, RegionKind::kOutput, summary_.output_bytes);
        place_tensors("state", BufferRole::kState, RegionKind::kState, summary_.state_bytes);
        place_activations();
        summary_.dram_bytes = dram_.used_bytes();
        check_memories();
        layout_.regions.push_back(trace_region(spec_));
        if (layout_.buffers.size() > kMaxBuffers) {
            throw LinkError{
                fmt::format("too many buffers: {} are needed, {} fit", layout_.buffers.size(), kMaxBuffers)};
        }
        return std::move(layout_);
    }

  private:
    // Activations are in L1 only if they fit.
    void check_memories() const {
        if (file_.used_bytes() > spec_.file_bytes) {
            throw MemoryError{"file_bytes", file_.used_bytes(),
                              fmt::format("the file window is too small: {} bytes of weights are needed, {} are there",
                                          file_.used_bytes(), spec_.file_bytes)};
        }
        const std::uint64_t needed_bytes = dram_.used_bytes() + spec_.trace_region_bytes;
        if (needed_bytes > spec_.dram_bytes) {
            throw MemoryError{
                "dram_bytes", needed_bytes,
                fmt::format(
                    "DRAM is too small: {} bytes are needed ({} of weights, {} of inputs, outputs and state, {} "
                    "of activations, {} of trace region), {} are there",
                    needed_bytes, summary_.weights_in_file ? 0U : summary_.weight_bytes,
                    summary_.input_bytes + summary_.output_bytes + summary_.state_bytes,
                    summary_.activations_in_l1 ? 0U : summary_.activation_bytes, spec_.trace_region_bytes,
                    spec_.dram_bytes)};
        }
    }

    // Calls place(id, buffer) for every buffer of the role.
    template <typename Place>
    void for_each(BufferRole role, Place place) {
        for (std::size_t i = 0U; i < recorder_.buffers().size(); ++i) {
            if (recorder_.buffers()[i].role == role) {
                place(i, recorder_.buffers()[i]);
            }
        }
    }

    void add_buffer(std::size_t id, const Buffer& buffer, std::uint64_t offset_bytes) {
        const ManifestRegion& region = layout_.regions.back();
        layout_.addresses[id] = static_cast<std::uint32_t>(region.base + offset_bytes);
        layout_.manifest_buffers[id] = static_cast<std::uint32_t>(layout_.buffers.size());
        layout_.buffers.push_back({manifest_name(buffer.name, fmt::format("buffer {}", id)),
                                   static_cast<std::uint32_t>(layout_.regions.size() - 1U),
                                   static_cast<std::uint32_t>(offset_bytes), buffer.size_bytes});
    }

    // All constants form one buffer, the weights segment: set-up is one transfer, or the device reads the file.
    void place_weights() {
        std::vector<std::pair<std::size_t, std::uint64_t>> offsets;
        for_each(BufferRole::kConstant, [&](std::size_t id, const Buffer& buffer) {
            const std::uint64_t offset = align_up(layout_.weights.size(), kConstantAlignmentBytes);
            layout_.weights.resize(offset);
            layout_.weights.insert(layout_.weights.end(), buffer.contents.begin(), buffer.contents.end());
            offsets.emplace_back(id, offset);
        });
        summary_.weight_bytes = layout_.weights.size();
        if (offsets.empty()) {
            return;
        }
        summary_.weights_in_file = spec_.file_bytes != 0U;
        Memory& memory = summary_.weights_in_file ? file_ : dram_;
        layout_.regions.push_back(memory.take("weights", RegionKind::kWeights, layout_.weights.size()));
        const ManifestRegion& region = layout_.regions.back();
        for (const auto& [id, offset] : offsets) {
            layout_.addresses[id] = static_cast<std::uint32_t>(region.base + offset);
        }
        layout_.buffers.push_back({"weights", 0U, 0U, region.size_bytes});
    }

    void place_tensors(const std::string& name, BufferRole role, RegionKind kind, std::uint64_t& bytes) {
        std::vector<std::pair<std::size_t, std::uint64_t>> offsets;
        std::uint64_t end = 0U;
        for_each(role, [&](std::size_t id, const Buffer& buffer) {
            offsets.emplace_back(id, align_up(end, kBufferAlignmentBytes));
            end = offsets.back().second + buffer.size_bytes;
            bytes += buffer.size_bytes;
        });
        if (offsets.empty()) {
            return;
        }
        layout_.regions.push_back(dram_.take(name, kind, end));
        for (const auto& [id, offset] : offsets) {
            add_buffer(id, recorder_.buffers()[id], offset);
        }
    }

    void place_activations() {
        const std::vector<Lifetime> all = lifetimes_of(recorder_);
        std::vector<Lifetime> lifetimes;
        std::vector<std::size_t> ids;
        for_each(BufferRole::kActivation, [&](std::size_t id, const Buffer& /*buffer*/) {
            if (all[id].first <= all[id].last) {  // a buffer that no command names takes no memory
                lifetimes.push_back(all[id]);
                ids.push_back(id);
            }
        });
        if (ids.empty()) {
            return;
        }
        const MemoryPlan plan = plan_memory(lifetimes, overlaps_of(all, ids));
        summary_.activation_bytes = plan.planned_bytes;
        summary_.activation_sum_bytes = plan.sum_bytes;
        summary_.activation_lower_bound_bytes = plan.lower_bound_bytes;
        summary_.activations_in_l1 = plan.planned_bytes <= spec_.l1_bytes;
        Memory& memory = summary_.activations_in_l1 ? l1_ : dram_;
        layout_.regions.push_back(memory.take("activations", RegionKind::kActivation, plan.planned_bytes));
        for (std::size_t i = 0U; i < ids.size(); ++i) {
            add_buffer(ids[i], recorder_.buffers()[ids[i]], plan.offsets[i]);
        }
    }

    // Indices are those in `ids`. A device that works in parallel has no order in which an output may overlap an input.
    [[nodiscard]] std::vector<Overlap> overlaps_of(const std::vector<Lifetime>& all,
                                                   const std::vector<std::size_t>& ids) const {
        std::vector<Overlap> overlaps;
        if (refdev::costs_of(spec_).commands.cores_are_parallel) {
            return overlaps;
        }
        const OverlapFinder finder{recorder_, all};
        const auto index_of = [&ids](std::size_t id) {
            return static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
        };
        for (std::size_t i = 0U; i < recorder_.launches().size(); ++i) {
            for (Overlap& each : finder.of(static_cast<std::uint32_t>(i))) {
                overlaps.push_back({index_of(each.input), index_of(each.output), std::move(each.distances)});
            }
        }
        return overlaps;
    }

    const Recorder& recorder_;
    const DeviceDescription& spec_;
    LinkSummary& summary_;
    Memory file_;
    Memory dram_;
    Memory l1_;
    Layout layout_;
};

// Fills in the memory figures of `summary`. Throws LinkError.
Layout lay_out(const Recorder& recorder, const DeviceDescription& spec, LinkSummary& summary) {
    return LayoutMaker{recorder, spec, summary}.make();
}

std::vector<std::uint32_t> place_operands(const Launch& launch, const Layout& layout) {
    std::vector<std::uint32_t> words = launch.arguments;
    for (const Operand& operand : launch.operands) {
        words.at(operand.word) = layout.addresses.at(static_cast<std::size_t>(operand.buffer)) + operand.offset_bytes;
    }
    return words;
}

std::vector<std::uint32_t> kernel_words(const Launch& launch, const std::vector<std::uint32_t>& arguments,
                                        const refdev::CostModel& costs) {
    const refdev::Kernel* const kernel = refdev::find_kernel(static_cast<std::uint32_t>(launch.kernel));
    if ((kernel == nullptr) || (arguments.size() != kernel->argument_words)) {
        throw LinkError{fmt::format("{}: the kernel library has no kernel that takes these arguments", launch.label)};
    }
    ExtentList extents;
    const WordSpan words{arguments.data(), arguments.size()};
    refdev::ArgumentError error;
    if (!is_ok(kernel->describe(words, extents, error))) {
        throw LinkError{fmt::format("{}: kernel {} does not accept {} = {}", launch.label, kernel->name, error.field,
                                    arguments.at(error.word))};
    }
    const std::uint64_t cost_cycles = refdev::launch_cost(costs, *kernel, words, extents);
    if (cost_cycles > refdev::kMaxKernelCycles) {
        throw LinkError{fmt::format("{}: takes {} cycles, more than the {} that a launch can state", launch.label,
                                    cost_cycles, refdev::kMaxKernelCycles)};
    }
    return refdev::launch_words(kernel->id, arguments, costs);
}

// Turns recorded launches into the words of traces.
class TraceMaker {
  public:
    explicit TraceMaker(const DeviceDescription& spec) : spec_{spec} {}

    // Throws LinkError if the device does not accept the launch.
    void add(const Launch& launch, const Layout& layout) {
        const std::vector<std::uint32_t> operands = place_operands(launch, layout);
        targets::append(words_, (launch.kind == CommandKind::kCopy)
                                    ? refdev::copy_words(operands.at(0), operands.at(1), operands.at(2))
                                    : kernel_words(launch, operands, refdev::costs_of(spec_)));
        const std::string name = manifest_name(launch.label, "launch");
        if (programs_.empty() || (programs_.back().name != name)) {
            programs_.push_back({name, 0U});
        }
        programs_.back().command_count += 1U;
    }

    // Ends the trace and adds it to the binary; later launches belong to another.
    void finish(const std::string& name, LinkedWorkload& workload) {
        targets::append(words_, refdev::end_words());
        add_trace(name, words_, programs_, refdev::target_of(spec_).command_set(), workload.manifest,
                  workload.segments);
        words_.clear();
        programs_.clear();
    }

  private:
    const DeviceDescription& spec_;
    targets::Words words_;
    std::vector<ManifestProgram> programs_;
};

ManifestScript make_setup(const Layout& layout, const Manifest& manifest) {
    ManifestScript setup{ScriptKind::kSetup, {}};
    if (!layout.weights.empty() && (layout.regions.front().memory != MemoryKind::kFile)) {
        setup.commands.push_back({ScriptCommandKind::kWriteBuffer, 0U, 0U, 0U});
    }
    load_traces(manifest, setup);
    return setup;
}

// Adds a write of every input, a read of every output, or a replay of one trace.
void add_each(ScriptCommandKind kind, std::uint32_t queue, std::size_t count, ManifestScript& script) {
    for (std::uint32_t i = 0U; i < count; ++i) {
        script.commands.push_back({kind, queue, i, 0U});
    }
}
void write_inputs(const Manifest& manifest, std::uint32_t queue, ManifestScript& script) {
    add_each(ScriptCommandKind::kWriteInput, queue, manifest.inputs.size(), script);
}
void read_outputs(const Manifest& manifest, std::uint32_t queue, ManifestScript& script) {
    add_each(ScriptCommandKind::kReadOutput, queue, manifest.outputs.size(), script);
}
void replay(std::uint32_t trace, ManifestScript& script) {
    script.commands.push_back({ScriptCommandKind::kReplayTrace, 0U, trace, 0U});
}

ManifestScript make_step(const Manifest& manifest, std::uint32_t queues) {
    constexpr std::uint32_t kInputsWritten = 0U;
    constexpr std::uint32_t kTraceDone = 1U;
    const std::uint32_t io_queue = queues - 1U;
    ManifestScript step{ScriptKind::kStep, {}};
    write_inputs(manifest, io_queue, step);
    if (queues > 1U) {
        record(step, io_queue, kInputsWritten);
        wait(step, 0U, kInputsWritten);
    }
    replay(0U, step);
    if (queues > 1U) {
        record(step, 0U, kTraceDone);
        wait(step, io_queue, kTraceDone);
    }
    read_outputs(manifest, io_queue, step);
    return step;
}

// Queue 1 moves tensors while queue 0 computes. Every event says when the other queue may go on:
//   written  the inputs are there, and may be loaded        (1 records, 0 waits)
//   loaded   the inputs are copied, and may be overwritten  (0 records, 1 waits)
//   stored   the outputs are there, and may be read         (0 records, 1 waits)
//   read     the outputs are read, and may be overwritten   (1 records, 0 waits)
// Prologue, step, epilogue.
std::vector<ManifestScript> make_pipelined_scripts(const Manifest& manifest) {
    constexpr std::uint32_t kCompute = 0U;
    constexpr std::uint32_t kIo = 1U;
    constexpr std::uint32_t kWritten = 0U;
    constexpr std::uint32_t kLoaded = 1U;
    constexpr std::uint32_t kStored = 2U;
    constexpr std::uint32_t kRead = 3U;
    ManifestScript prologue{ScriptKind::kPrologue, {}};
    write_inputs(manifest, kIo, prologue);
    record(prologue, kIo, kWritten);
    record(prologue, kIo, kRead);  // nothing to read yet
    std::vector<ManifestScript> scripts{prologue};
    for (const ScriptKind kind : {ScriptKind::kStep, ScriptKind::kEpilogue}) {
        const bool goes_on = kind == ScriptKind::kStep;
        ManifestScript script{kind, {}};
        wait(script, kCompute, kWritten);
        replay(0U, script);
        if (goes_on) {
            record(script, kCompute, kLoaded);
        }
        replay(1U, script);
        wait(script, kCompute, kRead);
        replay(2U, script);
        record(script, kCompute, kStored);
        if (goes_on) {
            wait(script, kIo, kLoaded);
            write_inputs(manifest, kIo, script);
            record(script, kIo, kWritten);
        }
        wait(script, kIo, kStored);
        read_outputs(manifest, kIo, script);
        if (goes_on) {
            record(script, kIo, kRead);
        }
        scripts.push_back(script);
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

// The recorded launches as traces: one, or those before, between and after the staging copies.
void make_traces(const Recorder& recorder, const StagedCopies& copies, const Layout& layout, const LinkOptions& options,
                 LinkedWorkload& workload) {
    const std::vector<Launch>& launches = recorder.launches();
    TraceMaker maker{options.spec};
    for (std::size_t i = 0U; i < launches.size(); ++i) {
        if (options.is_pipelined && (i == copies.inputs)) {
            maker.finish("load inputs", workload);
        }
        if (options.is_pipelined && (i == (launches.size() - copies.outputs))) {
            maker.finish("main", workload);
        }
        maker.add(launches[i], layout);
    }
    maker.finish(options.is_pipelined ? "store outputs" : "main", workload);
    if (!recorder.resets().empty()) {
        for (const Launch& reset : recorder.resets()) {
            maker.add(reset, layout);
        }
        maker.finish("reset state", workload);
    }
    LinkSummary& summary = workload.summary;
    summary.trace_bytes = workload.segments.traces.size();
    if (summary.trace_bytes > options.spec.trace_region_bytes) {
        throw MemoryError{"trace_region_bytes", align_up(summary.trace_bytes),
                          fmt::format("the trace region is too small: {} bytes are needed, {} are there",
                                      summary.trace_bytes, options.spec.trace_region_bytes)};
    }
    for (const ManifestTrace& trace : workload.manifest.traces) {
        summary.operators += static_cast<std::uint32_t>(trace.programs.size());
        summary.commands += trace.command_count;
    }
}

void make_scripts(const Layout& layout, const LinkOptions& options, bool has_state, Manifest& manifest) {
    manifest.scripts = {make_setup(layout, manifest)};
    if (has_state) {
        // A session's start() runs it, so that state can be reset without another set-up.
        manifest.scripts.push_back({ScriptKind::kPrologue, {}});
        replay(static_cast<std::uint32_t>(manifest.traces.size() - 1U), manifest.scripts.back());
    }
    const std::vector<ManifestScript> scripts =
        options.is_pipelined ? make_pipelined_scripts(manifest) : std::vector{make_step(manifest, options.queues)};
    manifest.scripts.insert(manifest.scripts.end(), scripts.begin(), scripts.end());
    manifest.steps_in_flight = options.is_pipelined ? options.steps_in_flight : 1U;
    set_budgets(refdev::target_of(options.spec).command_set(), options.step_deadline_us, options.setup_deadline_us,
                manifest);
}

}  // namespace

LinkedWorkload link(const Recorder& recorded, const LinkOptions& options) {
    check_queues(options);
    if (options.is_pipelined && !recorded.resets().empty()) {
        // The last inference of a pipeline is computed twice (Session::run), and state would move twice.
        throw LinkError{"a workload with state can not be pipelined; it is captured as steps one after the other"};
    }
    Recorder recorder = recorded;
    const StagedCopies copies = options.is_pipelined ? recorder.stage_transfers() : StagedCopies{};
    LinkedWorkload workload;
    LinkSummary& summary = workload.summary;
    summary.packed_layers = pack_layers(options.pack, recorder);
    Manifest& manifest = workload.manifest;
    Layout layout = lay_out(recorder, options.spec, summary);
    manifest.target = make_target(options.spec);
    make_traces(recorder, copies, layout, options, workload);
    add_tensors(recorder, layout, BufferRole::kInput, "input", kMaxInputs, manifest.inputs);
    add_tensors(recorder, layout, BufferRole::kOutput, "output", kMaxOutputs, manifest.outputs);
    manifest.regions = layout.regions;
    manifest.buffers = layout.buffers;
    make_scripts(layout, options, !recorder.resets().empty(), manifest);
    set_provenance(recorder.source_name(), "unnamed", recorder.source_sha256(), manifest);
    workload.segments.weights = std::move(layout.weights);
    summary.step_cycles = manifest.step_cycles;
    return workload;
}

}  // namespace pianola::capture
