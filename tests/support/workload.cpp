#include "tests/support/workload.h"

#include <algorithm>

#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/host/device_numbers.h"
#include "tests/support/core_model.h"

namespace pianola::test {
namespace {

using capture::BufferId;
using refdev::KernelId;

// As Q31 mantissa and exponent: 2^30 / 2^31 * 2^1 = 1.
constexpr std::int32_t kOneMultiplier = 1 << 30;
constexpr std::int32_t kOneShift = 1;
constexpr std::uint32_t kAddLeftShift = 20U;

std::uint8_t constant_at(std::uint32_t index) {
    return static_cast<std::uint8_t>((index * 37U) + 11U);
}

std::vector<std::uint32_t> requantize_words() {
    refdev::RequantizeArguments arguments{};
    arguments.count = kWorkloadBytes;
    arguments.multiplier = kOneMultiplier;
    arguments.shift = kOneShift;
    return refdev::to_words(arguments);
}

std::vector<std::uint32_t> add_words() {
    refdev::AddArguments arguments{};
    arguments.dims = {1U, 1U, 1U, kWorkloadBytes};
    arguments.strides1 = {kWorkloadBytes, kWorkloadBytes, kWorkloadBytes, 1U};
    arguments.strides2 = arguments.strides1;
    arguments.input1_multiplier = kOneMultiplier;  // without the exponent: one half
    arguments.input2_multiplier = kOneMultiplier;
    arguments.left_shift = kAddLeftShift;
    arguments.output_multiplier = kOneMultiplier;
    arguments.output_shift = 2 - static_cast<std::int32_t>(kAddLeftShift);
    arguments.activation_min = INT8_MIN;
    arguments.activation_max = INT8_MAX;
    return refdev::to_words(arguments);
}

capture::TensorInfo tensor(const char* name) {
    return {name, {1U, kWorkloadBytes}, ElementType::kInt8, 0.5F, 3};
}

Workload link_workload(const refdev::DeviceSpec& spec, std::uint32_t queues, std::uint32_t self_tests,
                       std::uint32_t constant_bytes = kWorkloadBytes) {
    capture::Recorder recorder;
    std::vector<std::uint8_t> constant(constant_bytes);
    for (std::uint32_t i = 0U; i < constant_bytes; ++i) {
        constant[i] = constant_at(i);
    }
    const BufferId weights = recorder.add_constant("constant", constant);
    const BufferId input = recorder.add_input(tensor("input"), kWorkloadBytes);
    const BufferId output = recorder.add_output(tensor("output"), kWorkloadBytes);
    const BufferId middle = recorder.add_activation("middle", kWorkloadBytes);
    recorder.launch({"0 REQUANTIZE",
                     CommandKind::kLaunch,
                     KernelId::kRequantize,
                     requantize_words(),
                     {{0U, input, 0U, Access::kRead}, {1U, middle, 0U, Access::kWrite}}});
    recorder.launch(
        {"1 ADD",
         CommandKind::kLaunch,
         KernelId::kAdd,
         add_words(),
         {{0U, middle, 0U, Access::kRead}, {1U, weights, 0U, Access::kRead}, {2U, output, 0U, Access::kWrite}}});
    recorder.set_source("small workload", Sha256Digest{1U, 2U, 3U});
    capture::LinkOptions options;
    options.spec = refdev::description_of(spec);
    options.spec.capacities = &profiles::kSmallEcu;  // every target takes them
    options.queues = queues;
    capture::LinkedWorkload linked = capture::link(recorder, options);
    Workload workload{std::move(linked.manifest), std::move(linked.segments)};
    workload.manifest.self_test_origins.assign(self_tests, SelfTestOrigin::kCaptured);
    for (std::uint32_t i = 0U; i < self_tests; ++i) {
        const std::vector<std::uint8_t> vector_input = workload_input(i + 1U);
        const std::vector<std::uint8_t> vector_output = workload_output(vector_input);
        std::vector<std::uint8_t>& vectors = workload.segments.self_tests;
        vectors.insert(vectors.end(), vector_input.begin(), vector_input.end());
        vectors.insert(vectors.end(), vector_output.begin(), vector_output.end());
    }
    return workload;
}

// What a trace says of itself, from its words alone.
void apply(const targets::TraceMeasure& measure, const std::vector<std::uint32_t>& words,
           capture::ManifestTrace& trace) {
    trace.word_count = static_cast<std::uint32_t>(words.size());
    trace.command_count = measure.commands;
    trace.cost_cycles = measure.cycles;
    trace.programs = {{"all", measure.commands - 1U}};
}

}  // namespace

Workload make_workload(std::uint32_t queues, std::uint32_t self_tests) {
    return link_workload(refdev::DeviceSpec{}, queues, self_tests);
}

Workload make_workload_with_constant(std::uint32_t bytes, const refdev::DeviceSpec& spec) {
    return link_workload(spec, 1U, 1U, bytes);
}

refdev::DeviceSpec file_device() {
    refdev::DeviceSpec spec;
    spec.file_base = 0x4000'0000U;
    spec.file_bytes = 4096U;
    return spec;
}

Workload make_file_workload(std::uint32_t queues, std::uint32_t self_tests) {
    return link_workload(file_device(), queues, self_tests);
}

Workload make_core_workload() {
    const refdev::RefdevCommandSet command_set{kCoreModel};
    DeviceDescription device = refdev::description_of(core_device());
    device.capacities = &profiles::kSmallEcu;
    Workload workload = make_workload(1U);
    workload.manifest.target.costs = device.costs;
    copy_numbers(device, workload.manifest.target);
    capture::ManifestTrace& trace = workload.manifest.traces.front();
    trace.cost_cycles = targets::measure_trace(command_set, words_of(workload.segments.traces)).cycles;
    const std::uint32_t write = kCoreCommands.write.fixed + kWorkloadBytes;
    const std::uint32_t around = write + kCoreCommands.replay + kCoreCommands.read.fixed + kCoreCommands.notify;
    workload.manifest.step_cycles = trace.cost_cycles + around;
    workload.manifest.step_deadline_us = static_cast<std::uint32_t>(workload.manifest.step_cycles);
    workload.manifest.setup_deadline_us = UINT32_MAX;
    return workload;
}

refdev::DeviceSpec small_device() {
    refdev::DeviceSpec spec;
    spec.dram_bytes = 4096U;
    spec.l1_bytes = 1024U;
    spec.trace_region_bytes = 1024U;
    return spec;
}

Workload make_small_workload(std::uint32_t queues, std::uint32_t self_tests) {
    return link_workload(small_device(), queues, self_tests);
}

std::vector<std::uint8_t> workload_input(std::uint32_t seed) {
    std::vector<std::uint8_t> input(kWorkloadBytes);
    std::uint32_t state = seed * 2654435761U;
    for (std::uint8_t& byte : input) {
        state = (state * 1664525U) + 1013904223U;
        byte = static_cast<std::uint8_t>(state >> 24U);
    }
    return input;
}

std::vector<std::uint8_t> workload_output(const std::vector<std::uint8_t>& input) {
    std::vector<std::uint8_t> output(input.size());
    for (std::uint32_t i = 0U; i < input.size(); ++i) {
        const int sum = static_cast<std::int8_t>(input[i]) + static_cast<std::int8_t>(constant_at(i));
        output[i] = static_cast<std::uint8_t>(std::clamp(sum, INT8_MIN, INT8_MAX));
    }
    return output;
}

bool set_trace(Workload& workload, const std::vector<std::uint32_t>& words) {
    capture::ManifestTrace& trace = workload.manifest.traces.front();
    const std::uint64_t old_cycles = trace.cost_cycles;
    const targets::TraceMeasure measure = targets::measure_trace(refdev::target().command_set(), words);
    apply(measure, words, trace);
    capture::name_kernels(refdev::target().command_set(), measure.kernels, workload.manifest.target);
    workload.manifest.step_cycles += trace.cost_cycles - old_cycles;
    workload.manifest.step_deadline_us = UINT32_MAX;
    workload.manifest.setup_deadline_us = UINT32_MAX;
    workload.segments.traces = bytes_of(words);
    return measure.words == words.size();
}

void add_trace(Workload& workload, const std::vector<std::uint32_t>& words) {
    constexpr std::size_t kTraceAlignment = 64U;
    std::vector<std::uint8_t>& segment = workload.segments.traces;
    segment.resize(((segment.size() + (kTraceAlignment - 1U)) / kTraceAlignment) * kTraceAlignment);
    capture::ManifestTrace trace;
    trace.name = "another";
    trace.offset_bytes = static_cast<std::uint32_t>(segment.size());
    const targets::TraceMeasure measure = targets::measure_trace(refdev::target().command_set(), words);
    apply(measure, words, trace);
    capture::name_kernels(refdev::target().command_set(), measure.kernels, workload.manifest.target);
    const auto index = static_cast<std::uint32_t>(workload.manifest.traces.size());
    workload.manifest.traces.push_back(trace);
    workload.manifest.scripts.front().commands.push_back({ScriptCommandKind::kLoadTrace, 0U, index, 0U});
    workload.manifest.setup_deadline_us = UINT32_MAX;
    const std::vector<std::uint8_t> bytes = bytes_of(words);
    segment.insert(segment.end(), bytes.begin(), bytes.end());
}

}  // namespace pianola::test
