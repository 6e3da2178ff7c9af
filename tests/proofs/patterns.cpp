#include "tests/proofs/patterns.h"

namespace pianola::test {
namespace {

using Kind = ScriptCommandKind;

constexpr std::uint32_t kConsumed = 0U;
constexpr std::uint32_t kWritten = 1U;
constexpr std::uint32_t kComputed = 2U;
constexpr std::uint32_t kRead = 3U;

void write_inputs(const SmallCase& small, std::uint32_t queue, Commands& commands) {
    for (std::uint32_t i = 0U; i < small.inputs.size(); ++i) {
        commands.push_back(write_input(queue, i));
    }
}

void read_outputs(const SmallCase& small, std::uint32_t queue, Commands& commands) {
    for (std::uint32_t i = 0U; i < small.outputs.size(); ++i) {
        commands.push_back(read_output(queue, i));
    }
}

std::uint32_t count_of(const std::vector<SmallTrace>& traces) {
    return static_cast<std::uint32_t>(traces.size());
}

// The computing half of pattern two: the outputs may be overwritten only once they have been read.
void compute(const SmallCase& small, bool tells_consumed, Commands& commands) {
    const std::uint32_t last = count_of(small.traces) - 1U;
    commands.push_back(wait(0U, kWritten));
    for (std::uint32_t i = 0U; i <= last; ++i) {
        if (i == last) {
            commands.push_back(wait(0U, kRead));
        }
        commands.push_back(replay(0U, i));
        if ((i == 0U) && tells_consumed) {
            commands.push_back(record(0U, kConsumed));
        }
    }
    commands.push_back(record(0U, kComputed));
}

}  // namespace

capture::ManifestCommand write_input(std::uint32_t queue, std::uint32_t input) {
    return {Kind::kWriteInput, queue, input, 0U};
}
capture::ManifestCommand replay(std::uint32_t queue, std::uint32_t trace) {
    return {Kind::kReplayTrace, queue, trace, 0U};
}
capture::ManifestCommand read_output(std::uint32_t queue, std::uint32_t output) {
    return {Kind::kReadOutput, queue, output, 0U};
}
capture::ManifestCommand record(std::uint32_t queue, std::uint32_t event) {
    return {Kind::kRecordEvent, queue, event, 0U};
}
capture::ManifestCommand wait(std::uint32_t queue, std::uint32_t event) {
    return {Kind::kWaitEvent, queue, event, 0U};
}

SmallCase plain_memory(std::uint32_t inputs, std::uint32_t outputs, std::uint32_t traces) {
    SmallCase small;
    constexpr std::uint32_t kBytes = 4U;
    for (std::uint32_t i = 0U; i < inputs; ++i) {
        small.inputs.push_back({kInputFirst + (i * kBytes), kBytes});
    }
    for (std::uint32_t i = 0U; i < outputs; ++i) {
        small.outputs.push_back({kOutputFirst + (i * kBytes), kBytes});
    }
    small.traces.resize(traces);
    for (std::uint32_t i = 0U; i < inputs; ++i) {
        small.traces.front().push_back(
            {SmallStep::Kind::kCopy, {kActivationFirst + (i * kBytes), kBytes}, kInputFirst + (i * kBytes), 0U});
    }
    for (std::uint32_t i = 1U; (i + 1U) < traces; ++i) {
        small.traces.at(i).push_back(
            {SmallStep::Kind::kCopy, {kActivationFirst + (2U * kBytes), kBytes}, kActivationFirst, 0U});
    }
    for (std::uint32_t i = 0U; i < outputs; ++i) {
        small.traces.back().push_back(
            {SmallStep::Kind::kCopy, {kOutputFirst + (i * kBytes), kBytes}, kActivationFirst, 0U});
    }
    return small;
}

void script_one_queue(SmallCase& small) {
    small.prologue.reset();
    small.epilogue.reset();
    small.step.clear();
    write_inputs(small, 0U, small.step);
    for (std::uint32_t i = 0U; i < count_of(small.traces); ++i) {
        small.step.push_back(replay(0U, i));
    }
    read_outputs(small, 0U, small.step);
}

void script_pattern_one(SmallCase& small) {
    small.prologue = Commands{record(0U, kConsumed)};
    small.epilogue.reset();
    small.step = {wait(1U, kConsumed)};
    write_inputs(small, 1U, small.step);
    small.step.push_back(record(1U, kWritten));
    small.step.push_back(wait(0U, kWritten));
    for (std::uint32_t i = 0U; i < count_of(small.traces); ++i) {
        small.step.push_back(replay(0U, i));
        if (i == 0U) {
            small.step.push_back(record(0U, kConsumed));
        }
    }
    read_outputs(small, 0U, small.step);
}

void script_pattern_two(SmallCase& small) {
    small.prologue = Commands{record(0U, kConsumed), record(1U, kRead), wait(1U, kConsumed)};
    write_inputs(small, 1U, *small.prologue);
    small.prologue->push_back(record(1U, kWritten));

    small.step.clear();
    compute(small, true, small.step);
    small.step.push_back(wait(1U, kConsumed));
    write_inputs(small, 1U, small.step);
    small.step.push_back(record(1U, kWritten));
    small.step.push_back(wait(1U, kComputed));
    read_outputs(small, 1U, small.step);
    small.step.push_back(record(1U, kRead));

    small.epilogue.emplace();
    compute(small, false, *small.epilogue);
    small.epilogue->push_back(wait(1U, kComputed));
    read_outputs(small, 1U, *small.epilogue);
}

}  // namespace pianola::test
