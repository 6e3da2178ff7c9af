#include "tests/campaign/workload.h"

#include <algorithm>
#include <iterator>

#include "tests/proofs/patterns.h"

namespace pianola::campaign {
namespace {

using test::Commands;
using test::SmallCase;
using test::SmallStep;

constexpr std::uint8_t kFirstValue = 0x21U;
constexpr std::uint8_t kSecondValue = 0x43U;
// The traces that devices have in turn, each with the parameter's fill in front.
constexpr std::uint32_t kFirstOwnTrace = 1U;

// Two inputs, two outputs, two traces. Every byte of the outputs comes from an input, a weight or the parameter, and
// none is zero for ever.
SmallCase memory_and_traces() {
    SmallCase small;
    small.inputs = {{0U, 8U}, {8U, 8U}};
    small.outputs = {{16U, 8U}, {24U, 8U}};
    small.traces.resize(2U);
    small.traces[0] = {{SmallStep::Kind::kCopy, {32U, 8U}, 0U, 0U, 0U},
                       {SmallStep::Kind::kLaunch, {40U, 8U}, 8U, 0U, 0U}};
    small.traces[1] = {{SmallStep::Kind::kFill, {30U, 2U}, 0U, kFirstValue, 0U},
                       {SmallStep::Kind::kDispatch, {16U, 8U}, 32U, 0U, 1U},
                       {SmallStep::Kind::kCopy, {24U, 4U}, 40U, 0U, 0U},
                       {SmallStep::Kind::kCopy, {28U, 2U}, 48U, 0U, 0U}};
    return small;
}

// What the second device replays in the place of the second trace: other commands, bytes, weights, core.
test::SmallTrace trace_of_second_device() {
    return {{SmallStep::Kind::kFill, {16U, 2U}, 0U, kFirstValue, 0U},
            {SmallStep::Kind::kLaunch, {18U, 4U}, 32U, 0U, 0U},
            {SmallStep::Kind::kCopy, {22U, 2U}, 52U, 0U, 0U},
            {SmallStep::Kind::kDispatch, {24U, 4U}, 44U, 0U, 2U},
            {SmallStep::Kind::kCopy, {28U, 4U}, 36U, 0U, 0U}};
}

// One queue, and the next inputs are there before the outputs are read.
void script_one_queue_pipelined(SmallCase& small) {
    using test::read_output;
    using test::replay;
    using test::write_input;
    small.prologue = Commands{write_input(0U, 0U), write_input(0U, 1U)};
    small.step = {replay(0U, 0U),      replay(0U, 1U),      write_input(0U, 0U),
                  write_input(0U, 1U), read_output(0U, 0U), read_output(0U, 1U)};
    small.epilogue = Commands{replay(0U, 0U), replay(0U, 1U), read_output(0U, 0U), read_output(0U, 1U)};
}

// Every command is all devices', events too; but of the traces behind the first each device has one of its own.
void spread(const SmallCase& small, Commands& commands) {
    const auto columns = static_cast<std::uint8_t>(small.mesh_columns);
    Commands spread_out;
    for (capture::ManifestCommand command : commands) {
        command.devices = {0U, 0U, 1U, columns};
        if ((command.kind != ScriptCommandKind::kReplayTrace) || (command.object != kFirstOwnTrace)) {
            spread_out.push_back(command);
            continue;
        }
        for (std::uint8_t device = 0U; device < columns; ++device) {
            command.object = kFirstOwnTrace + device;
            command.devices = {0U, device, 1U, 1U};
            spread_out.push_back(command);
        }
    }
    commands = spread_out;
}

void make_mesh(SmallCase& small, std::uint32_t devices) {
    small.mesh_columns = devices;
    small.sharded_inputs = 1U;
    small.traces.push_back(trace_of_second_device());
    spread(small, small.step);
    for (std::optional<Commands>* const script : {&small.prologue, &small.epilogue}) {
        if (script->has_value()) {
            spread(small, **script);
        }
    }
}

}  // namespace

SmallCase case_of(const Mode& mode) {
    SmallCase small = memory_and_traces();
    small.in_flight = mode.in_flight;
    if ((mode.in_flight > 2U) && mode.pipelined && (mode.queues == 2U)) {
        small.inputs = {{0U, 16U}};  // the same bytes in one piece: the rings have room for all steps
        small.outputs = {{16U, 16U}};
    }
    if (mode.queues == 1U) {
        mode.pipelined ? script_one_queue_pipelined(small) : script_one_queue(small);
    } else {
        mode.pipelined ? script_pattern_two(small) : script_pattern_one(small);
    }
    if (mode.devices > 1U) {
        make_mesh(small, mode.devices);
    }
    if (mode.parameters) {
        constexpr std::uint32_t kFillValueWord = 3U;
        small.parameters = {{"value", ParameterKind::kRuntimeArgument, 0U, UINT8_MAX, 1U, {}}};
        for (std::uint32_t trace = kFirstOwnTrace; trace < small.traces.size(); ++trace) {
            small.parameters.front().points.push_back({trace, kFillValueWord});
        }
    }
    return small;
}

std::uint32_t change_value(SmallCase& small) {
    for (std::size_t trace = kFirstOwnTrace; trace < small.traces.size(); ++trace) {
        small.traces.at(trace).front().value = kSecondValue;
    }
    return kSecondValue;
}

std::size_t input_bytes(const SmallCase& small, std::uint32_t input) {
    return std::size_t{small.inputs.at(input).count} * ((input < small.sharded_inputs) ? small.devices() : 1U);
}

Meaning::Meaning(const SmallCase& small) : small_{small} {
    for (std::uint32_t device = 0U; device < small.devices(); ++device) {
        devices_.emplace_back(small);
    }
}

Meaning::Tensors Meaning::run_on(std::uint32_t device, const Commands& commands, const Tensors& inputs) {
    Commands taken;
    std::copy_if(commands.begin(), commands.end(), std::back_inserter(taken),
                 [&](const capture::ManifestCommand& command) { return small_.takes(command, device); });
    Tensors pieces = inputs;
    for (std::uint32_t i = 0U; i < std::min<std::size_t>(inputs.size(), small_.sharded_inputs); ++i) {
        const std::uint32_t count = small_.inputs.at(i).count;
        const auto first = inputs.at(i).begin() + static_cast<std::ptrdiff_t>(std::size_t{count} * device);
        pieces.at(i).assign(first, first + count);
    }
    return devices_.at(device).run(taken, pieces);
}

Meaning::Tensors Meaning::run(const Commands& commands, const Tensors& inputs) {
    Tensors outputs = run_on(0U, commands, inputs);
    for (std::uint32_t device = 1U; device < small_.devices(); ++device) {
        const Tensors more = run_on(device, commands, inputs);
        for (std::size_t i = 0U; i < outputs.size(); ++i) {
            outputs.at(i).insert(outputs.at(i).end(), more.at(i).begin(), more.at(i).end());
        }
    }
    return outputs;
}

}  // namespace pianola::campaign
