#include "tests/proofs/small_case.h"

#include <algorithm>

namespace pianola::test {
namespace {

using Kind = ScriptCommandKind;

void append_script(std::vector<Submission>& sequence, const SmallCase& small, const char* name,
                   const Commands& commands, bool when_idle) {
    Submission submission{name, {}, when_idle};
    for (std::size_t i = 0U; i < (commands.size() * small.devices()); ++i) {
        const capture::ManifestCommand& command = commands.at(i / small.devices());
        ExploredCommand explored;
        explored.queue = command.queue;
        explored.device = static_cast<std::uint32_t>(i % small.devices());
        if (!small.takes(command, explored.device)) {
            continue;
        }
        if ((command.kind == Kind::kRecordEvent) || (command.kind == Kind::kWaitEvent)) {
            explored.kind =
                (command.kind == Kind::kRecordEvent) ? ExploredCommand::Kind::kRecord : ExploredCommand::Kind::kWait;
            explored.event = command.object;
        } else {
            const Footprint footprint = footprint_of(small, command);
            explored.reads = footprint.reads;
            explored.writes = footprint.writes;
        }
        submission.commands.push_back(explored);
    }
    sequence.push_back(submission);
}

bool has(const Commands& commands, Kind kind) {
    return std::any_of(commands.begin(), commands.end(),
                       [kind](const capture::ManifestCommand& command) { return command.kind == kind; });
}

const char* name_of(Kind kind) {
    switch (kind) {
        case Kind::kWriteInput:
            return "write input ";
        case Kind::kReplayTrace:
            return "replay trace ";
        case Kind::kReadOutput:
            return "read output ";
        case Kind::kRecordEvent:
            return "record event ";
        case Kind::kWaitEvent:
            return "wait for event ";
        case Kind::kUnspecified:
        case Kind::kWriteBuffer:
        case Kind::kLoadTrace:
        default:
            return "? ";
    }
}

std::string text_of(const ByteRange& range) {
    return std::to_string(range.first) + "+" + std::to_string(range.count);
}

std::string text_of(const SmallTrace& trace) {
    std::string text;
    for (const SmallStep& step : trace) {
        text += " " + text_of(step.target) + ":=";
        text += (step.kind == SmallStep::Kind::kFill) ? ("value " + std::to_string(step.value))
                                                      : std::to_string(step.source);
        text += (step.kind == SmallStep::Kind::kLaunch) ? "(launch)" : "";
        text += (step.kind == SmallStep::Kind::kDispatch) ? ("(core " + std::to_string(step.core) + ")") : "";
    }
    return text;
}

std::string text_of(const char* name, const Commands& commands) {
    std::string text = std::string{name} + "\n";
    for (std::size_t i = 0U; i < commands.size(); ++i) {
        const capture::ManifestCommand& command = commands.at(i);
        text += "  [" + std::to_string(i) + "] queue " + std::to_string(command.queue) + ": " + name_of(command.kind) +
                std::to_string(command.object);
        const DeviceRange& devices = command.devices;
        text += " on " + std::to_string(devices.row) + "," + std::to_string(devices.column) + " " +
                std::to_string(devices.rows) + "x" + std::to_string(devices.columns) + "\n";
    }
    return text;
}

}  // namespace

bool SmallCase::pipelined() const {
    return prologue.has_value() && has(*prologue, Kind::kWriteInput);
}

bool SmallCase::takes(const capture::ManifestCommand& command, std::uint32_t device) const noexcept {
    const std::uint32_t row = device / mesh_columns;
    const std::uint32_t column = device % mesh_columns;
    return ((row - command.devices.row) < command.devices.rows) &&
           ((column - command.devices.column) < command.devices.columns);  // both wrap in front of the range
}

Footprint footprint_of(const SmallCase& small, const capture::ManifestCommand& command) {
    Footprint footprint;
    if (command.kind == Kind::kWriteInput) {
        footprint.writes = small.inputs.at(command.object).mask();
    } else if (command.kind == Kind::kReadOutput) {
        footprint.reads = small.outputs.at(command.object).mask();
    } else if (command.kind == Kind::kReplayTrace) {
        for (const SmallStep& step : small.traces.at(command.object)) {
            footprint.writes |= step.target.mask();
            if (step.kind != SmallStep::Kind::kFill) {
                footprint.reads |= ByteRange{step.source, step.target.count}.mask();
            }
            if (step.kind == SmallStep::Kind::kLaunch) {
                footprint.writes |= ByteRange{kFirstCoreBit, kSmallCores}.mask();
            } else if (step.kind == SmallStep::Kind::kDispatch) {
                footprint.writes |= ByteRange{kFirstCoreBit + step.core, 1U}.mask();
            } else {
                continue;  // without cores
            }
        }
    } else {
        footprint = Footprint{};  // events touch no memory
    }
    return footprint;
}

std::vector<Submission> submissions_of(const SmallCase& small, const std::vector<std::uint32_t>& cycles) {
    std::vector<Submission> sequence;
    for (const std::uint32_t steps : cycles) {
        if (small.prologue.has_value()) {
            append_script(sequence, small, "prologue", *small.prologue, true);
        }
        for (std::uint32_t i = 0U; i < steps; ++i) {
            append_script(sequence, small, "step", small.step, i == 0U);
        }
        if (small.epilogue.has_value()) {
            append_script(sequence, small, "epilogue", *small.epilogue, true);
        }
    }
    for (std::size_t i = 0U; i < sequence.size(); ++i) {
        sequence.at(i).name = "#" + std::to_string(i) + " " + sequence.at(i).name;
    }
    return sequence;
}

namespace {

// On one device.
bool data_flows(const SmallCase& small, std::uint32_t device) {
    std::uint64_t written = ByteRange{kWeightsFirst, kWeightsBytes}.mask();
    for (const Commands* const commands : {small.prologue.has_value() ? &*small.prologue : nullptr, &small.step,
                                           small.epilogue.has_value() ? &*small.epilogue : nullptr}) {
        if (commands == nullptr) {
            continue;
        }
        for (const capture::ManifestCommand& command : *commands) {
            if (!small.takes(command, device)) {
                continue;
            }
            if (command.kind == Kind::kWriteInput) {
                written |= footprint_of(small, command).writes;
            } else if (command.kind == Kind::kReadOutput) {
                if ((footprint_of(small, command).reads & ~written) != 0U) {
                    return false;
                }
            } else if (command.kind == Kind::kReplayTrace) {
                for (const SmallStep& step : small.traces.at(command.object)) {
                    const bool reads = step.kind != SmallStep::Kind::kFill;
                    if (reads && ((ByteRange{step.source, step.target.count}.mask() & ~written) != 0U)) {
                        return false;
                    }
                    written |= step.target.mask();
                }
            } else {
                continue;  // events move no bytes
            }
        }
    }
    return true;
}

}  // namespace

bool data_flows(const SmallCase& small) {
    bool all = true;
    for (std::uint32_t device = 0U; device < small.devices(); ++device) {
        all = all && data_flows(small, device);
    }
    return all;
}

std::string text_of(const SmallCase& small) {
    std::string text = "steps in flight: " + std::to_string(small.in_flight) + "\ninputs:";
    for (const ByteRange& range : small.inputs) {
        text += " " + text_of(range);
    }
    text += "\noutputs:";
    for (const ByteRange& range : small.outputs) {
        text += " " + text_of(range);
    }
    for (std::size_t i = 0U; i < small.traces.size(); ++i) {
        text += "\ntrace " + std::to_string(i) + ":" + text_of(small.traces.at(i));
    }
    text += "\n";
    text += small.prologue.has_value() ? text_of("prologue", *small.prologue) : "";
    text += text_of("step", small.step);
    text += small.epilogue.has_value() ? text_of("epilogue", *small.epilogue) : "";
    return text;
}

std::uint8_t weight_at(std::uint32_t byte) {
    return static_cast<std::uint8_t>((byte * 29U) + 101U);
}

// What nothing has written is noise, which a validated case never shows.
Interpreter::Interpreter(const SmallCase& small) : small_{small} {
    for (std::uint32_t i = 0U; i < kSmallMemoryBytes; ++i) {
        memory_.at(i) = (i < kWeightsFirst) ? static_cast<std::uint8_t>(0xA5U + i) : weight_at(i - kWeightsFirst);
    }
}

Interpreter::Tensors Interpreter::run(const Commands& commands, const Tensors& inputs) {
    Tensors outputs(has(commands, Kind::kReadOutput) ? small_.outputs.size() : 0U);
    for (const capture::ManifestCommand& command : commands) {
        if (command.kind == Kind::kWriteInput) {
            const std::vector<std::uint8_t>& input = inputs.at(command.object);
            std::copy(input.begin(), input.end(), memory_.begin() + small_.inputs.at(command.object).first);
        } else if (command.kind == Kind::kReadOutput) {
            const ByteRange range = small_.outputs.at(command.object);
            const auto first = memory_.begin() + range.first;
            outputs.at(command.object).assign(first, first + range.count);
        } else if (command.kind == Kind::kReplayTrace) {
            for (const SmallStep& step : small_.traces.at(command.object)) {
                for (std::uint32_t i = 0U; i < step.target.count; ++i) {
                    memory_.at(step.target.first + i) =
                        (step.kind == SmallStep::Kind::kFill) ? step.value : memory_.at(step.source + i);
                }
            }
        } else {
            continue;  // in program order there is nothing to wait for
        }
    }
    return outputs;
}

}  // namespace pianola::test
