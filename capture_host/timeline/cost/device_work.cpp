#include "capture_host/timeline/cost/device_work.h"

#include <algorithm>
#include <map>

namespace pianola::timeline {
namespace {

Cycles queue_cycles(const CommandSet& command_set, QueueCommandKind kind, const ScriptCommand& command) {
    QueueCommand queue_command;
    queue_command.kind = kind;
    queue_command.size_bytes = command.bytes;
    queue_command.address = static_cast<std::uint32_t>(command.address);
    return command_set.queue_cycles(queue_command);
}

// What each queue executes of a script, one command after another; with the record at the script's end.
std::map<std::uint32_t, std::vector<Cycles>> commands_of(const Workload& device,
                                                         const std::vector<ScriptCommand>& script) {
    const CommandSet& command_set = device.target->command_set();
    std::map<std::uint32_t, std::vector<Cycles>> queues;
    for (const ScriptCommand& command : script) {
        std::vector<Cycles>& queue = queues[command.queue];
        queue.push_back(queue_cycles(command_set, command.kind, command));
        if (command.kind == QueueCommandKind::kReplay) {
            for (const TraceCommand& each : device.traces.at(command.trace)) {
                queue.push_back(each.cycles + each.core_cycles);  // of one core: a dispatch is executed at once
            }
        }
    }
    for (auto& [number, queue] : queues) {
        queue.push_back(queue_cycles(command_set, QueueCommandKind::kNotify, {}));
    }
    return queues;
}

}  // namespace

DeviceWork device_work(const std::vector<Workload>& devices) {
    DeviceWork work;
    for (const Workload& device : devices) {
        work.clock_khz = device.clock_khz;
        std::map<std::uint32_t, Cycles> longest;
        for (const auto& script : {&Workload::prologue, &Workload::step, &Workload::epilogue}) {
            for (const auto& [number, commands] : commands_of(device, device.*script)) {
                longest[number] = std::max(longest[number], *std::max_element(commands.begin(), commands.end()));
                if (script == &Workload::step) {
                    work.command_cycles.insert(work.command_cycles.end(), commands.begin(), commands.end());
                }
            }
        }
        for (const auto& [number, cycles] : longest) {
            work.poll_cycles += cycles;
        }
    }
    return work;
}

}  // namespace pianola::timeline
