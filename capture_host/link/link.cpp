#include "capture_host/link/link.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture_host/link/layout.h"
#include "hal/refdev/command_encoding.h"
#include "hal/refdev/kernels/kernel.h"
#include "hal/refdev/refdev_command_set.h"
#include "runtime/core/bytes.h"
#include "runtime/core/config.h"

namespace pianola::capture {
namespace {

using refdev::header_word;
using refdev::Opcode;

constexpr std::uint64_t kCyclesPerUsDivisor = 1000U;  // clock_khz / 1000 cycles make a microsecond
// Where nobody says otherwise: four times what the commands take, and never less than a usual cycle of an ECU's tasks, because
// a result counts when the ECU sees it.
constexpr std::uint64_t kDeadlineFactor = 4U;
constexpr std::uint64_t kShortestDeadlineUs = 10'000U;

std::vector<std::uint32_t> place_operands(const Launch& launch, const Layout& layout) {
    std::vector<std::uint32_t> words = launch.arguments;
    for (const Operand& operand : launch.operands) {
        words.at(operand.word) = layout.addresses.at(static_cast<std::size_t>(operand.buffer)) + operand.offset_bytes;
    }
    return words;
}

std::vector<std::uint32_t> kernel_words(const Launch& launch, const std::vector<std::uint32_t>& arguments) {
    const refdev::Kernel* const kernel = refdev::find_kernel(static_cast<std::uint32_t>(launch.kernel));
    if ((kernel == nullptr) || (arguments.size() != kernel->argument_words)) {
        throw LinkError{fmt::format("{}: the kernel library has no kernel that takes these arguments", launch.label)};
    }
    refdev::Footprint footprint;
    refdev::ArgumentError error;
    if (!is_ok(kernel->describe(WordSpan{arguments.data(), arguments.size()}, footprint, error))) {
        throw LinkError{fmt::format("{}: kernel {} does not accept {} = {}", launch.label, kernel->name, error.field,
                                    arguments.at(error.word))};
    }
    if (footprint.cost_cycles > kMaxStepCycles) {
        throw LinkError{fmt::format("{}: takes {} cycles, more than the {} of a whole step", launch.label,
                                    footprint.cost_cycles, kMaxStepCycles)};
    }
    const auto length = static_cast<std::uint32_t>(refdev::kLaunchHeadWords + arguments.size());
    std::vector<std::uint32_t> words{header_word(Opcode::kLaunch, length), static_cast<std::uint32_t>(launch.kernel),
                                     static_cast<std::uint32_t>(footprint.cost_cycles)};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
}

// The one trace of a workload: every recorded launch, then the end.
class TraceMaker {
  public:
    void add(const Launch& launch, const Layout& layout) {
        const std::vector<std::uint32_t> operands = place_operands(launch, layout);
        if (launch.kind == CommandKind::kCopy) {
            append({header_word(Opcode::kCopy, refdev::kCopyWords), operands.at(0), operands.at(1), operands.at(2)});
        } else {
            append(kernel_words(launch, operands));
        }
        const std::string name = manifest_name(launch.label, "launch");
        if (trace_.programs.empty() || (trace_.programs.back().name != name)) {
            trace_.programs.push_back({name, 0U});
        }
        trace_.programs.back().command_count += 1U;
    }

    ManifestTrace finish() {
        append({header_word(Opcode::kEnd, 1U)});
        trace_.name = "main";
        trace_.word_count = static_cast<std::uint32_t>(words_.size());
        return trace_;
    }

    [[nodiscard]] std::vector<std::uint8_t> bytes() const {
        std::vector<std::uint8_t> bytes(words_.size() * sizeof(std::uint32_t));
        for (std::size_t i = 0U; i < words_.size(); ++i) {
            store_le32(MutableByteSpan{bytes.data(), bytes.size()}, i * sizeof(std::uint32_t), words_[i]);
        }
        return bytes;
    }

  private:
    void append(const std::vector<std::uint32_t>& command) {
        DecodedCommand decoded;
        DecodeError error;
        if (!is_ok(command_set_.decode(WordSpan{command.data(), command.size()}, decoded, error))) {
            throw LinkError{fmt::format("the device's command set refuses a command of our own: {}", error.field)};
        }
        trace_.cost_cycles += decoded.cost_cycles;
        trace_.command_count += 1U;
        words_.insert(words_.end(), command.begin(), command.end());
    }

    refdev::RefdevCommandSet command_set_;
    ManifestTrace trace_;
    std::vector<std::uint32_t> words_;
};

// A script in the order of recording, and how long it takes when its queues run side by side.
class ScriptMaker {
  public:
    explicit ScriptMaker(ScriptKind kind) { script_.kind = kind; }

    // `kind` and `size_bytes` are those of the queue command; extra_cycles what a replay adds.
    void add(const ManifestCommand& command, QueueCommandKind kind, std::uint64_t size_bytes,
             std::uint64_t extra_cycles = 0U) {
        std::uint64_t& queue_cycles = cycles_.at(command.queue);
        if (command.kind == ScriptCommandKind::kWaitEvent) {
            queue_cycles = std::max(queue_cycles, event_cycles_.at(command.object));
        }
        queue_cycles += refdev::queue_command_cycles(kind, static_cast<std::uint32_t>(size_bytes)) + extra_cycles;
        if (command.kind == ScriptCommandKind::kRecordEvent) {
            event_cycles_.at(command.object) = queue_cycles;
        }
        used_.at(command.queue) = true;
        script_.commands.push_back(command);
    }

    // With the completion record that the session adds on every queue that is used.
    [[nodiscard]] std::uint64_t cycles() const {
        std::uint64_t longest = 0U;
        for (std::size_t queue = 0U; queue < cycles_.size(); ++queue) {
            const std::uint64_t notify =
                used_.at(queue) ? refdev::queue_command_cycles(QueueCommandKind::kNotify, 0U) : 0U;
            longest = std::max(longest, cycles_.at(queue) + notify);
        }
        return longest;
    }
    [[nodiscard]] const ManifestScript& script() const { return script_; }

  private:
    ManifestScript script_;
    std::array<std::uint64_t, kMaxQueues> cycles_{};
    std::array<std::uint64_t, kMaxEvents> event_cycles_{};
    std::array<bool, kMaxQueues> used_{};
};

ScriptMaker make_setup(const Layout& layout, std::uint64_t trace_bytes) {
    ScriptMaker setup{ScriptKind::kSetup};
    if (!layout.weights.empty()) {
        setup.add({ScriptCommandKind::kWriteBuffer, 0U, 0U, 0U}, QueueCommandKind::kWrite, layout.weights.size());
    }
    setup.add({ScriptCommandKind::kLoadTrace, 0U, 0U, 0U}, QueueCommandKind::kWrite, trace_bytes);
    return setup;
}

ScriptMaker make_step(const Manifest& manifest, std::uint32_t queues) {
    constexpr std::uint32_t kInputsWritten = 0U;
    constexpr std::uint32_t kTraceDone = 1U;
    const std::uint32_t io_queue = queues - 1U;
    const auto bytes_of = [&manifest](const ManifestTensor& tensor) {
        return manifest.buffers.at(tensor.buffer).size_bytes;
    };
    ScriptMaker step{ScriptKind::kStep};
    for (std::uint32_t i = 0U; i < manifest.inputs.size(); ++i) {
        step.add({ScriptCommandKind::kWriteInput, io_queue, i, 0U}, QueueCommandKind::kWrite,
                 bytes_of(manifest.inputs[i]));
    }
    if (queues > 1U) {
        step.add({ScriptCommandKind::kRecordEvent, io_queue, kInputsWritten, 0U}, QueueCommandKind::kRecordEvent, 0U);
        step.add({ScriptCommandKind::kWaitEvent, 0U, kInputsWritten, 0U}, QueueCommandKind::kWaitEvent, 0U);
    }
    step.add({ScriptCommandKind::kReplayTrace, 0U, 0U, 0U}, QueueCommandKind::kReplay, 0U,
             manifest.traces.front().cost_cycles);
    if (queues > 1U) {
        step.add({ScriptCommandKind::kRecordEvent, 0U, kTraceDone, 0U}, QueueCommandKind::kRecordEvent, 0U);
        step.add({ScriptCommandKind::kWaitEvent, io_queue, kTraceDone, 0U}, QueueCommandKind::kWaitEvent, 0U);
    }
    for (std::uint32_t i = 0U; i < manifest.outputs.size(); ++i) {
        step.add({ScriptCommandKind::kReadOutput, io_queue, i, 0U}, QueueCommandKind::kRead,
                 bytes_of(manifest.outputs[i]));
    }
    return step;
}

// `wanted_us` is 0 for the default.
std::uint32_t deadline_us(const char* what, std::uint64_t cycles, std::uint32_t clock_khz, std::uint32_t wanted_us) {
    const std::uint64_t us = ((cycles * kCyclesPerUsDivisor) + (clock_khz - 1U)) / clock_khz;
    if (wanted_us == 0U) {
        return static_cast<std::uint32_t>(std::max(us * kDeadlineFactor, kShortestDeadlineUs));
    }
    if (wanted_us < us) {
        throw LinkError{fmt::format("the deadline is too short: {} takes {} us, {} are wanted", what, us, wanted_us)};
    }
    return wanted_us;
}

ManifestTarget make_target(const refdev::DeviceSpec& spec) {
    DeviceDescription device;
    refdev::describe(spec, device);
    return {device.family,         device.command_set_id, device.command_set_version,
            device.kernel_library, device.dram_base,      device.dram_bytes,
            device.l1_base,        device.l1_bytes,       device.trace_region_bytes,
            device.clock_khz,      device.queue_count,    device.ring_words,
            device.grid_columns,   device.grid_rows,      device.dram_banks};
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

}  // namespace

LinkedWorkload link(const Recorder& recorder, const LinkOptions& options) {
    if ((options.queues == 0U) || (options.queues > options.spec.queue_count)) {
        throw LinkError{
            fmt::format("the device has {} queues, {} are wanted", options.spec.queue_count, options.queues)};
    }
    LinkedWorkload workload;
    LinkSummary& summary = workload.summary;
    Manifest& manifest = workload.manifest;
    Layout layout = lay_out(recorder, options.spec, summary);

    TraceMaker trace;
    for (const Launch& launch : recorder.launches()) {
        trace.add(launch, layout);
    }
    manifest.traces.push_back(trace.finish());
    workload.segments.traces = trace.bytes();
    summary.trace_bytes = workload.segments.traces.size();
    if (summary.trace_bytes > options.spec.trace_region_bytes) {
        throw LinkError{fmt::format("the trace region is too small: {} bytes are needed, {} are there",
                                    summary.trace_bytes, options.spec.trace_region_bytes)};
    }

    manifest.target = make_target(options.spec);
    add_tensors(recorder, layout, BufferRole::kInput, "input", kMaxInputs, manifest.inputs);
    add_tensors(recorder, layout, BufferRole::kOutput, "output", kMaxOutputs, manifest.outputs);
    manifest.regions = layout.regions;
    manifest.buffers = layout.buffers;
    const ScriptMaker setup = make_setup(layout, summary.trace_bytes);
    const ScriptMaker step = make_step(manifest, options.queues);
    manifest.scripts = {setup.script(), step.script()};
    manifest.step_cycles = step.cycles();
    if (manifest.step_cycles > kMaxStepCycles) {
        throw LinkError{fmt::format("a step takes {} cycles, {} are admitted", manifest.step_cycles, kMaxStepCycles)};
    }
    manifest.step_deadline_us = deadline_us("a step", step.cycles(), options.spec.clock_khz, options.step_deadline_us);
    manifest.setup_deadline_us =
        deadline_us("the set-up", setup.cycles(), options.spec.clock_khz, options.setup_deadline_us);
    manifest.source_name = manifest_name(recorder.source_name(), "unnamed");
    manifest.source_sha256 = recorder.source_sha256();
    manifest.tool_version = "pianola " PIANOLA_VERSION;
    workload.segments.weights = std::move(layout.weights);

    summary.operators = static_cast<std::uint32_t>(manifest.traces.front().programs.size());
    summary.commands = manifest.traces.front().command_count;
    summary.step_cycles = manifest.step_cycles;
    return workload;
}

}  // namespace pianola::capture
