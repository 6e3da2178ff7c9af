// Defects that the first step of a binary does not show, or no step at all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "capture_host/capture/assembly.h"
#include "hal/devices/refdev/host/refdev_target.h"
#include "tests/decompile/defects.h"

namespace pianola::decompile {
namespace {

using tflite::OperatorSpec;
using tflite::TensorSpec;

capture::Launch copy(BufferId to, BufferId from, std::uint32_t size_bytes) {
    capture::Launch launch;
    launch.label = "copy";
    launch.kind = CommandKind::kCopy;
    launch.arguments = {0U, 0U, size_bytes};
    launch.operands = {{0U, to, 0U, Access::kWrite}, {1U, from, 0U, Access::kRead}};
    return launch;
}

BufferId add_buffer(Program& program, const capture::Buffer& buffer) {
    program.buffers.push_back(buffer);
    return BufferId{static_cast<std::uint32_t>(program.buffers.size() - 1U)};
}

// Scales in a buffer that the prologue fills; the step writes over them when it has used them.
void use_up_scales(Program& program) {
    const std::vector<std::uint8_t> scales = program.constant(kFirst, kTable);
    const auto size_bytes = static_cast<std::uint32_t>(scales.size());
    const BufferId held = add_buffer(program, {"held", capture::BufferRole::kState, size_bytes, scales, {}});
    program.buffer(kFirst, kTable) = held;
    program.launches.push_back(copy(held, program.buffer(kSecond, kTable), size_bytes));
}

void exchange_states(Program& program) {
    constexpr std::uint32_t kBytes = 4U;
    std::vector<BufferId> states;
    for (std::uint32_t i = 0U; i < program.buffers.size(); ++i) {
        if (program.buffers[i].role == capture::BufferRole::kState) {
            states.push_back(BufferId{i});
        }
    }
    ASSERT_EQ(states.size(), 2U);
    const BufferId between = add_buffer(program, {"between", capture::BufferRole::kActivation, kBytes, {}, {}});
    program.launches.push_back(copy(between, states[0], kBytes));
    program.launches.push_back(copy(states[0], states[1], kBytes));
    program.launches.push_back(copy(states[1], between, kBytes));
}

// It is zeros until as many steps have been run as the variable has rows.
void forget_the_oldest_row(Program& program) {
    constexpr std::uint32_t kRowBytes = 4U;
    const auto is_state = [](const capture::Buffer& buffer) { return buffer.role == capture::BufferRole::kState; };
    const auto state = std::find_if(program.buffers.begin(), program.buffers.end(), is_state);
    ASSERT_NE(state, program.buffers.end());
    const BufferId variable{static_cast<std::uint32_t>(state - program.buffers.begin())};
    const BufferId zeros = add_buffer(
        program, {"zeros", capture::BufferRole::kConstant, kRowBytes, std::vector<std::uint8_t>(kRowBytes, 0U), {}});
    program.launches.insert(program.launches.begin(), copy(variable, zeros, kRowBytes));
}

void make_state_activations(capture::LinkedWorkload& work) {
    for (capture::ManifestRegion& region : work.manifest.regions) {
        region.kind = (region.kind == RegionKind::kState) ? RegionKind::kActivation : region.kind;
    }
}

// All on one queue, in order: what loads the inputs, the next inputs, and what computes. That reads the second input
// where the host has written it, the next inference's, and not its copy.
void read_behind_the_write(capture::LinkedWorkload& work) {
    using Kind = ScriptCommandKind;
    const capture::ManifestCommand write{Kind::kWriteInput, 0U, 0U, 0U};
    const capture::ManifestCommand write_second{Kind::kWriteInput, 0U, 1U, 0U};
    for (capture::ManifestScript& script : work.manifest.scripts) {
        auto& commands = script.commands;
        const auto is_other = [](const capture::ManifestCommand& command) {
            return (command.kind == Kind::kWriteInput) || (command.kind == Kind::kRecordEvent) ||
                   (command.kind == Kind::kWaitEvent);
        };
        commands.erase(std::remove_if(commands.begin(), commands.end(), is_other), commands.end());
        for (capture::ManifestCommand& command : commands) {
            command.queue = 0U;
        }
        if ((script.kind == ScriptKind::kPrologue) || (script.kind == ScriptKind::kStep)) {
            const std::ptrdiff_t loaded = (script.kind == ScriptKind::kStep) ? 1 : 0;
            commands.insert(commands.begin() + loaded, {write, write_second});
        }
    }
    const capture::ManifestBuffer& buffer = work.manifest.buffers.at(work.manifest.inputs.at(1U).buffer);
    const std::uint32_t input = work.manifest.regions.at(buffer.region).base + buffer.offset_bytes;
    std::vector<std::uint32_t> words(work.segments.traces.size() / sizeof(std::uint32_t));
    std::memcpy(words.data(), work.segments.traces.data(), work.segments.traces.size());
    const auto source = std::find(words.begin(), words.end(), input);  // of the copy, behind its destination
    ASSERT_NE(source, words.end());
    std::replace(source + 1, words.end(), *(source - 1), input);
    std::memcpy(work.segments.traces.data(), words.data(), work.segments.traces.size());
    capture::set_budgets(refdev::target().command_set(), 0U, 0U, work.manifest);
}

// Of a pipelined binary, the last result is read in the step, and the last step's in the epilogue.
void leave_out_the_last(capture::LinkedWorkload& work) {
    for (capture::ManifestScript& script : work.manifest.scripts) {
        for (capture::ManifestCommand& command : script.commands) {
            const bool is_second = (command.kind == ScriptCommandKind::kReadOutput) && (command.object == 1U);
            command.object = (is_second && (script.kind == ScriptKind::kEpilogue)) ? 0U : command.object;
        }
    }
}

}  // namespace

// A pool of each of two inputs, the one as large as the other, and nothing else.
ModelSpec model_of_twins() {
    const std::vector<tflite::OptionSpec> whole{{0U, 1, true}, {1U, 2}, {2U, 2}, {3U, 2}, {4U, 2}};
    ModelSpec model;
    model.tensors = {TensorSpec{"left", {1, 4, 4, 2}}, TensorSpec{"right", {1, 4, 4, 2}},
                     TensorSpec{"left pooled", {1, 2, 2, 2}}, TensorSpec{"right pooled", {1, 2, 2, 2}}};
    model.operators = {OperatorSpec{1, {0}, {2}, 5U, whole}, OperatorSpec{1, {1}, {3}, 5U, whole}};
    model.inputs = {0, 1};
    model.outputs = {2, 3};
    return model;
}

std::vector<Defect> defects_of_steps() {
    return {{"linker", "scales in a state, used up by the first step", use_up_scales, {}},
            {"linker", "scales among activations, used up by the first step", use_up_scales, make_state_activations},
            {"linker", "two states exchanged behind every step", exchange_states, {}, model_of_states},
            {"linker", "the oldest row of a variable forgotten", forget_the_oldest_row, {}, model_of_last_twelve},
            {"linker", "inputs of two inferences in one", {}, read_behind_the_write, model_of_twins, true},
            {"linker", "an output of the last inference left out", {}, leave_out_the_last, model_of_twins, true}};
}

std::vector<Defect> defects_of_names() {
    return {{"linker",
             "two inputs' names exchanged",
             {},
             [](capture::LinkedWorkload& work) {
                 std::swap(work.manifest.inputs.at(0U).name, work.manifest.inputs.at(1U).name);
             },
             model_of_twins},
            {"linker",
             "two outputs' names exchanged",
             {},
             [](capture::LinkedWorkload& work) {
                 std::swap(work.manifest.outputs.at(0U).name, work.manifest.outputs.at(1U).name);
             },
             model_of_twins}};
}

}  // namespace pianola::decompile
