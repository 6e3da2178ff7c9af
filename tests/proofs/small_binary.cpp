// A SmallCase as a trace binary. The critical path is computed here from the rules of docs/reference/device.md, not
// taken from the plan.
#include <algorithm>
#include <stdexcept>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "tests/proofs/small_case.h"
#include "tests/support/virtual_costs.h"

namespace pianola::test {
namespace {

using capture::Manifest;
using Kind = ScriptCommandKind;
using refdev::header_word;
using refdev::Opcode;

constexpr std::uint32_t kRegionBytes = 64U;
constexpr std::uint32_t kTraceAlignment = 64U;

std::uint32_t address_of(const SmallCase& small, std::uint32_t byte) {
    const refdev::DeviceSpec spec = small_device();
    if (byte >= kWeightsFirst) {
        return spec.dram_base + (byte - kWeightsFirst);
    }
    if (small.shared) {
        return spec.l1_base + byte;
    }
    const std::uint32_t area = byte / kAreaBytes;
    const std::uint32_t base =
        (byte >= kActivationFirst) ? spec.l1_base : (spec.dram_base + ((area + 1U) * kRegionBytes));
    return base + (byte % kAreaBytes);
}

// docs/reference/device.md: 64 + operations / 16 + operand bytes / 8, two operations for each element.
std::uint32_t kernel_cycles(std::uint32_t count) {
    return 64U + (((2U * count) + 15U) / 16U) + (((2U * count) + 7U) / 8U);
}

// A requantisation by one, which copies: 2^30 / 2^31 * 2^1 is 1.
void append_kernel(std::vector<std::uint32_t>& words, const SmallStep& step, std::uint32_t target,
                   std::uint32_t source) {
    constexpr std::uint32_t kOneMultiplier = 1U << 30U;
    constexpr std::uint32_t kOneShift = 1U;
    constexpr std::uint32_t kArguments = 7U;
    static_assert(refdev::kArgumentWords<refdev::RequantizeArguments> == kArguments);
    if (step.kind == SmallStep::Kind::kLaunch) {
        words.push_back(header_word(Opcode::kLaunch, refdev::kLaunchHeadWords + kArguments));
    } else {
        words.push_back(header_word(Opcode::kDispatch, refdev::kDispatchHeadWords + kArguments));
        words.push_back(step.core);
    }
    const std::uint32_t count = step.target.count;
    words.insert(words.end(), {static_cast<std::uint32_t>(refdev::KernelId::kRequantize), kernel_cycles(count), source,
                               target, count, 0U, kOneMultiplier, kOneShift, 0U});
}

struct EncodedTrace {
    std::vector<std::uint32_t> words;
    std::uint32_t commands{0U};
    std::uint64_t cycles{0U};
};

EncodedTrace encode(const SmallCase& small, const SmallTrace& trace) {
    EncodedTrace encoded;
    for (const SmallStep& step : trace) {
        const std::uint32_t target = address_of(small, step.target.first);
        const std::uint32_t count = step.target.count;
        if (step.kind == SmallStep::Kind::kFill) {
            encoded.words.insert(encoded.words.end(),
                                 {header_word(Opcode::kFill, refdev::kFillWords), target, count, step.value});
            encoded.cycles += refdev::transfer_cycles(count);
        } else if (step.kind == SmallStep::Kind::kCopy) {
            encoded.words.insert(encoded.words.end(), {header_word(Opcode::kCopy, refdev::kCopyWords), target,
                                                       address_of(small, step.source), count});
            encoded.cycles += refdev::transfer_cycles(count);
        } else {
            append_kernel(encoded.words, step, target, address_of(small, step.source));
            encoded.cycles += refdev::kCommandCycles + kernel_cycles(count);
        }
        if (step.kind == SmallStep::Kind::kDispatch) {
            // Behind a barrier the core is done: what the queue has waited for is all of the kernel's time.
            encoded.words.push_back(header_word(Opcode::kBarrier, 1U));
            encoded.cycles += refdev::kCommandCycles;
            encoded.commands += 1U;
        }
        encoded.commands += 1U;
    }
    encoded.words.push_back(header_word(Opcode::kEnd, 1U));
    encoded.cycles += refdev::kCommandCycles;
    encoded.commands += 1U;
    return encoded;
}

void add_traces(const SmallCase& small, Workload& workload) {
    for (const SmallTrace& trace : small.traces) {
        const EncodedTrace encoded = encode(small, trace);
        std::vector<std::uint8_t>& segment = workload.segments.traces;
        while ((segment.size() % kTraceAlignment) != 0U) {
            segment.push_back(0U);
        }
        capture::ManifestTrace entry{"trace",
                                     static_cast<std::uint32_t>(segment.size()),
                                     static_cast<std::uint32_t>(encoded.words.size()),
                                     encoded.commands,
                                     encoded.cycles,
                                     {}};
        if (encoded.commands > 1U) {
            entry.programs.push_back({"all", encoded.commands - 1U});
        }
        workload.manifest.traces.push_back(entry);
        const std::vector<std::uint8_t> bytes = bytes_of(encoded.words);
        segment.insert(segment.end(), bytes.begin(), bytes.end());
    }
}

DeviceRange all_of(const SmallCase& small) {
    return {0U, 0U, static_cast<std::uint8_t>(small.mesh_rows), static_cast<std::uint8_t>(small.mesh_columns)};
}

void add_regions(const SmallCase& small, Manifest& manifest) {
    const refdev::DeviceSpec spec = small_device();
    manifest.regions = {{"weights", RegionKind::kWeights, MemoryKind::kDram, spec.dram_base, kRegionBytes}};
    if (small.shared) {
        manifest.regions.push_back({"shared", RegionKind::kShared, MemoryKind::kL1, spec.l1_base, kRegionBytes});
    } else {
        manifest.regions.push_back(
            {"input", RegionKind::kInput, MemoryKind::kDram, spec.dram_base + kRegionBytes, kRegionBytes});
        manifest.regions.push_back(
            {"output", RegionKind::kOutput, MemoryKind::kDram, spec.dram_base + (2U * kRegionBytes), kRegionBytes});
        manifest.regions.push_back(
            {"activation", RegionKind::kActivation, MemoryKind::kL1, spec.l1_base, kRegionBytes});
    }
    manifest.regions.push_back({"trace", RegionKind::kTrace, MemoryKind::kDram,
                                spec.dram_base + spec.dram_bytes - spec.trace_region_bytes, spec.trace_region_bytes});
}

void add_tensors(const SmallCase& small, Manifest& manifest) {
    manifest.buffers = {{"weights", 0U, 0U, kWeightsBytes}};
    for (const bool is_input : {true, false}) {
        for (const ByteRange& range : is_input ? small.inputs : small.outputs) {
            const auto buffer = static_cast<std::uint32_t>(manifest.buffers.size());
            const std::uint32_t region = (small.shared || is_input) ? 1U : 2U;
            const std::uint32_t offset = small.shared ? range.first : (range.first % kAreaBytes);
            manifest.buffers.push_back({"tensor", region, offset, range.count});
            capture::ManifestTensor tensor{"tensor", buffer, ElementType::kInt8, {range.count}, 1.0F, 0, 1U};
            tensor.devices = all_of(small);
            const bool is_whole = is_input && (manifest.inputs.size() >= small.sharded_inputs);
            if (!is_whole && (small.devices() > 1U)) {
                tensor.placement = Placement::kSharded;
                tensor.shape = {small.devices(), range.count};
            }
            (is_input ? manifest.inputs : manifest.outputs).push_back(tensor);
        }
    }
}

// One step by itself: each queue in program order, a wait no earlier than its record; a record of an earlier script is
// long done.
std::uint64_t critical_path(const SmallCase& small, const Manifest& manifest, std::uint32_t device) {
    std::array<std::uint64_t, 2> time{};
    std::array<bool, 2> used{};
    std::array<std::uint64_t, kMaxEvents> recorded{};
    for (const capture::ManifestCommand& command : small.step) {
        if (!small.takes(command, device)) {
            continue;
        }
        std::uint64_t& now = time.at(command.queue);
        used.at(command.queue) = true;
        if (command.kind == Kind::kWriteInput) {
            now += refdev::transfer_cycles(small.inputs.at(command.object).count);
        } else if (command.kind == Kind::kReadOutput) {
            now += refdev::transfer_cycles(small.outputs.at(command.object).count);
        } else if (command.kind == Kind::kReplayTrace) {
            now += refdev::kCommandCycles + manifest.traces.at(command.object).cost_cycles;
        } else if (command.kind == Kind::kRecordEvent) {
            now += refdev::kCommandCycles;
            recorded.at(command.object) = now;
        } else {
            now = std::max(now, recorded.at(command.object)) + refdev::kCommandCycles;
        }
    }
    for (std::size_t queue = 0U; queue < time.size(); ++queue) {
        time.at(queue) += used.at(queue) ? refdev::kCommandCycles : 0U;  // the notify
    }
    return std::max(time[0], time[1]);
}

// Onto every device that replays the trace; onto all where none does, or where all do.
void add_loads(const SmallCase& small, std::uint32_t trace, Commands& setup) {
    Commands loads;
    for (std::uint32_t device = 0U; device < small.devices(); ++device) {
        bool replays = false;
        for (const Commands* const script : {small.prologue.has_value() ? &*small.prologue : nullptr, &small.step,
                                             small.epilogue.has_value() ? &*small.epilogue : nullptr}) {
            replays = replays ||
                      ((script != nullptr) && std::any_of(script->begin(), script->end(), [&](const auto& command) {
                           return (command.kind == Kind::kReplayTrace) && (command.object == trace) &&
                                  small.takes(command, device);
                       }));
        }
        if (replays) {
            loads.push_back({Kind::kLoadTrace, 0U, trace, 0U,
                             DeviceRange{static_cast<std::uint8_t>(device / small.mesh_columns),
                                         static_cast<std::uint8_t>(device % small.mesh_columns), 1U, 1U}});
        }
    }
    if (loads.empty() || (loads.size() == small.devices())) {
        loads = {{Kind::kLoadTrace, 0U, trace, 0U, all_of(small)}};
    }
    setup.insert(setup.end(), loads.begin(), loads.end());
}

}  // namespace

std::vector<std::uint8_t> binary_of(const SmallCase& small) {
    Workload workload;
    Manifest& manifest = workload.manifest;
    manifest = make_small_workload(2U).manifest;  // for its target
    manifest.inputs.clear();
    manifest.outputs.clear();
    manifest.traces.clear();
    manifest.scripts.clear();
    add_regions(small, manifest);
    add_tensors(small, manifest);
    add_traces(small, workload);
    for (std::uint32_t i = 0U; i < kWeightsBytes; ++i) {
        workload.segments.weights.push_back(weight_at(i));
    }
    Commands setup{{Kind::kWriteBuffer, 0U, 0U, 0U, all_of(small)}};
    for (std::uint32_t i = 0U; i < small.traces.size(); ++i) {
        add_loads(small, i, setup);
    }
    manifest.scripts.push_back({ScriptKind::kSetup, setup});
    if (small.prologue.has_value()) {
        manifest.scripts.push_back({ScriptKind::kPrologue, *small.prologue});
    }
    manifest.scripts.push_back({ScriptKind::kStep, small.step});
    if (small.epilogue.has_value()) {
        manifest.scripts.push_back({ScriptKind::kEpilogue, *small.epilogue});
    }
    manifest.steps_in_flight = small.in_flight;
    manifest.parameters = small.parameters;
    manifest.target.mesh_rows = small.mesh_rows;
    manifest.target.mesh_columns = small.mesh_columns;
    manifest.step_cycles = 0U;
    for (std::uint32_t device = 0U; device < small.devices(); ++device) {
        manifest.step_cycles = std::max(manifest.step_cycles, critical_path(small, manifest, device));
    }
    constexpr std::uint32_t kLongUs = 100'000U;  // in the device's time, of which every script takes some microseconds
    manifest.step_deadline_us = kLongUs;
    manifest.setup_deadline_us = kLongUs;
    return workload.file();
}

}  // namespace pianola::test
