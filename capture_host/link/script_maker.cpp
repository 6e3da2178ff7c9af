#include "capture_host/link/script_maker.h"

#include <algorithm>

namespace pianola::capture {

void ScriptMaker::add(const ManifestCommand& command, QueueCommandKind kind, std::uint64_t size_bytes,
                      std::uint64_t extra_cycles) {
    std::uint64_t& queue_cycles = cycles_.at(command.queue);
    if (command.kind == ScriptCommandKind::kWaitEvent) {
        queue_cycles = std::max(queue_cycles, event_cycles_.at(command.object));
    }
    queue_cycles += extra_cycles;
    add_transfer(command.queue, kind, size_bytes);
    if (command.kind == ScriptCommandKind::kRecordEvent) {
        event_cycles_.at(command.object) = queue_cycles;
    }
    script_.commands.push_back(command);
}

void ScriptMaker::add_transfer(std::uint32_t queue, QueueCommandKind kind, std::uint64_t size_bytes) {
    cycles_.at(queue) += cycles_of(kind, size_bytes);
    used_.at(queue) = true;
}

std::uint64_t ScriptMaker::cycles_of(QueueCommandKind kind, std::uint64_t size_bytes) const {
    QueueCommand command;
    command.kind = kind;
    command.size_bytes = static_cast<std::uint32_t>(size_bytes);
    return command_set_->queue_cycles(command);
}

void ScriptMaker::load_trace(const std::vector<ManifestTrace>& traces, std::uint32_t index) {
    const ManifestTrace& trace = traces.at(index);
    const bool is_last = (index + 1U) == traces.size();
    add({ScriptCommandKind::kLoadTrace, 0U, index, 0U}, QueueCommandKind::kWrite,
        is_last ? (std::uint64_t{trace.word_count} * sizeof(std::uint32_t))
                : (traces.at(index + 1U).offset_bytes - trace.offset_bytes));
}

void ScriptMaker::record(std::uint32_t queue, std::uint32_t event) {
    add({ScriptCommandKind::kRecordEvent, queue, event, 0U}, QueueCommandKind::kRecordEvent, 0U);
}

void ScriptMaker::wait(std::uint32_t queue, std::uint32_t event) {
    add({ScriptCommandKind::kWaitEvent, queue, event, 0U}, QueueCommandKind::kWaitEvent, 0U);
}

std::uint64_t ScriptMaker::cycles() const {
    std::uint64_t longest = 0U;
    for (std::size_t queue = 0U; queue < cycles_.size(); ++queue) {
        const std::uint64_t notify = used_.at(queue) ? cycles_of(QueueCommandKind::kNotify, 0U) : 0U;
        longest = std::max(longest, cycles_.at(queue) + notify);
    }
    return longest;
}

}  // namespace pianola::capture
