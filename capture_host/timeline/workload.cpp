#include "capture_host/timeline/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "capture_host/base/range_set.h"
#include "capture_host/binary/trace_walk.h"
#include "pianola_host/manifest.h"

namespace pianola::timeline {
namespace {

class Reader {
  public:
    Reader(const Image& image, const Plan& plan, const Target& target, std::uint32_t device)
        : image_{image}, plan_{plan}, target_{target}, command_set_{target.command_set()}, device_{device} {
        const std::uint32_t columns = image.target().mesh_columns;
        workload_.coordinate = {device / columns, device % columns};
        workload_.target = &target;
    }

    Workload read() {
        const TargetView target = image_.target();
        workload_.clock_khz = target.clock_khz;
        workload_.queue_count = target.queue_count;
        workload_.ring_words = target.ring_words;
        workload_.steps_in_flight = plan_.steps_in_flight;
        workload_.step_deadline_us = image_.budgets().step_deadline_us;
        name_memory();
        workload_.prologue = read_script(plan_.prologue);
        workload_.step = read_script(plan_.step);
        note_transfers();
        workload_.epilogue = read_script(plan_.epilogue);
        for (std::uint32_t i = 0U; i < image_.trace_count(); ++i) {
            workload_.traces.push_back(read_trace(i));
        }
        return workload_;
    }

  private:
    void name_memory() {
        for (std::uint32_t i = 0U; i < image_.region_count(); ++i) {
            const RegionView region = image_.region(i);
            workload_.regions.push_back(
                {capture::to_string(region.name), region.kind, region.memory, region.base, region.size_bytes});
        }
        for (std::uint32_t i = 0U; i < image_.buffer_count(); ++i) {
            const BufferView buffer = image_.buffer(i);
            const std::uint64_t base = image_.region(buffer.region).base;
            workload_.buffers.push_back(
                {capture::to_string(buffer.name), base + buffer.offset_bytes, buffer.size_bytes});
        }
    }

    void note_transfers() {
        const std::vector<PlannedCommand> planned = own(plan_.step);
        for (std::size_t i = 0U; i < planned.size(); ++i) {
            const QueueCommand& command = planned[i].command;
            if (command.kind == QueueCommandKind::kWrite) {
                inputs_.add(command.address, std::uint64_t{command.address} + command.size_bytes);
                workload_.inputs.push_back(workload_.step[i]);
            } else if (command.kind == QueueCommandKind::kRead) {
                outputs_.add(command.address, std::uint64_t{command.address} + command.size_bytes);
                workload_.outputs.push_back(workload_.step[i]);
            }
        }
    }

    [[nodiscard]] std::uint32_t trace_at(std::uint32_t address) const {
        for (std::uint32_t i = 0U; i < image_.trace_count(); ++i) {
            if ((plan_.trace_region_base + image_.trace(i).offset_bytes) == address) {
                return i;
            }
        }
        throw std::logic_error{"a plan replays a trace that its image does not hold"};
    }

    [[nodiscard]] static std::string label_of(const QueueCommand& command) {
        switch (command.kind) {
            case QueueCommandKind::kWrite:
                return fmt::format("write {} bytes", command.size_bytes);
            case QueueCommandKind::kRead:
                return fmt::format("read {} bytes", command.size_bytes);
            case QueueCommandKind::kReplay:
                return "replay";
            case QueueCommandKind::kRecordEvent:
            case QueueCommandKind::kWaitEvent:
                return fmt::format("event {}", command.event);
            case QueueCommandKind::kNotify:
            case QueueCommandKind::kUnspecified:
            default:
                return "?";
        }
    }

    // The commands of a script that are for the device.
    [[nodiscard]] std::vector<PlannedCommand> own(const PlannedScript& script) const {
        std::vector<PlannedCommand> commands;
        const PlannedCommand* const first = plan_.commands.begin() + script.first;
        std::copy_if(first, first + script.count, std::back_inserter(commands),
                     [this](const PlannedCommand& each) { return has_device(each.devices, device_); });
        return commands;
    }

    [[nodiscard]] std::vector<ScriptCommand> read_script(const PlannedScript& script) const {
        std::vector<ScriptCommand> commands;
        for (const PlannedCommand& planned : own(script)) {
            const QueueCommand& command = planned.command;
            const bool replays = command.kind == QueueCommandKind::kReplay;
            commands.push_back({planned.queue, command.kind, command.size_bytes,
                                replays ? trace_at(command.address) : 0U, command.event, label_of(command),
                                command.address});
        }
        return commands;
    }

    [[nodiscard]] std::vector<TraceCommand> read_trace(std::uint32_t place) {
        const TraceView trace = image_.trace(place);
        const WordSpan words =
            image_.trace_words().subspan(trace.offset_bytes / sizeof(std::uint32_t), trace.word_count);
        std::vector<TraceCommand> commands;
        std::uint32_t program = 0U;
        std::uint32_t in_program = 0U;
        const auto add = [&](std::uint32_t word, const DecodedCommand& decoded) {
            while ((program < trace.program_count) && (in_program >= image_.program(place, program).command_count)) {
                program += 1U;
                in_program = 0U;
            }
            const bool is_named = (program < trace.program_count) && (decoded.kind != CommandKind::kBarrier);
            commands.push_back(make_command(decoded, is_named ? capture::to_string(image_.program(place, program).name)
                                                              : targets::kind_name(decoded.kind)));
            commands.back().macs = target_.multiply_accumulates(words.subspan(word, decoded.length_words));
            if (decoded.kind != CommandKind::kEnd) {
                const bool is_next = (in_program == 0U) || (program >= trace.program_count);
                operations_ += is_next ? 1U : 0U;
                commands.back().operation = operations_;
            }
            in_program += 1U;
        };
        if (!targets::for_each_command(command_set_, words, add).is_whole()) {
            throw std::logic_error{"a proved trace does not decode"};
        }
        return commands;
    }

    [[nodiscard]] TraceCommand make_command(const DecodedCommand& decoded, const std::string& label) const {
        TraceCommand command;
        command.label = label;
        command.command = targets::command_name(target_, decoded);
        command.kind = decoded.kind;
        command.words = decoded.length_words;
        command.cycles = decoded.cost_cycles;
        command.core = decoded.core;
        command.core_cycles = decoded.core_cycles;
        for (const Extent& extent : decoded.extents.view()) {
            const std::uint64_t end = extent.address + hull_bytes(extent);
            command.reads_input = command.reads_input || inputs_.intersects(extent.address, end);
            command.touches_output = command.touches_output || outputs_.intersects(extent.address, end);
            command.touched.push_back({extent.address, hull_bytes(extent),
                                       std::uint64_t{extent.size_bytes} * extent.inner.count * extent.outer.count,
                                       extent.access == Access::kWrite});
        }
        return command;
    }

    const Image& image_;
    const Plan& plan_;
    const Target& target_;
    const CommandSet& command_set_;
    std::uint32_t device_;
    Workload workload_;
    host::RangeSet inputs_;         // bytes that a step writes
    host::RangeSet outputs_;        // and reads
    std::uint32_t operations_{0U};  // of all traces so far
};

}  // namespace

std::vector<TraceCommand> Workload::commands() const {
    std::vector<TraceCommand> all;
    for (const ScriptCommand& command : step) {
        if (command.kind == QueueCommandKind::kReplay) {
            const std::vector<TraceCommand>& trace = traces.at(command.trace);
            std::copy_if(trace.begin(), trace.end(), std::back_inserter(all),
                         [](const TraceCommand& each) { return each.kind != CommandKind::kEnd; });
        }
    }
    return all;
}

std::string to_string(const Coordinate& coordinate) {
    return fmt::format("({}, {})", coordinate.row, coordinate.column);
}

std::vector<Workload> read_workloads(const Image& image, const Plan& plan, const Target& target) {
    std::vector<Workload> devices;
    for (std::uint32_t device = 0U; device < plan.device_count; ++device) {
        devices.push_back(Reader{image, plan, target, device}.read());
    }
    return devices;
}

}  // namespace pianola::timeline
