// The command processor's commands of queues: transfers, replays, events.
#include <cstring>

#include "hal/devices/refdev/command_processor.h"
#include "hal/devices/refdev/costs/cost_model.h"
#include "hal/devices/refdev/queue_command.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kWordBytes = 4U;

}  // namespace

DeviceFault CommandProcessor::execute_queue_command(WordSpan words) noexcept {
    const auto opcode = static_cast<Opcode>(words[0] & kOpcodeMask);
    const bool is_event = (opcode == Opcode::kRecordEvent) || (opcode == Opcode::kWaitEvent);
    if (is_event && (words[1] >= kMaxEvents)) {
        return DeviceFault::kBadArgument;
    }
    switch (opcode) {
        case Opcode::kWrite:
            return write(words);
        case Opcode::kRead:
            return read(words);
        case Opcode::kReplay:
            return replay(words);
        case Opcode::kRecordEvent:
            time_cycles_ += shared_.costs.record;
            events_[words[1]].times_cycles[words[2] % kKeptRecords] = time_cycles_;
            events_[words[1]].copy.store(words[2], std::memory_order_relaxed);
            events_[words[1]].counter.store(words[2], std::memory_order_release);
            return DeviceFault::kNone;
        case Opcode::kWaitEvent: {
            const std::uint64_t recorded_cycles = events_[words[1]].times_cycles[words[2] % kKeptRecords];
            time_cycles_ = ((recorded_cycles > time_cycles_) ? recorded_cycles : time_cycles_) + shared_.costs.wait;
            return DeviceFault::kNone;
        }
        case Opcode::kNotify:
            time_cycles_ += shared_.costs.notify;
            return DeviceFault::kNone;
        case Opcode::kInvalid:
        case Opcode::kLaunch:
        case Opcode::kDispatch:
        case Opcode::kCopy:
        case Opcode::kFill:
        case Opcode::kBarrier:
        case Opcode::kEnd:
        default:
            return DeviceFault::kUnknownCommand;
    }
}

DeviceFault CommandProcessor::write(WordSpan words) noexcept {
    if (words[2] == 0U) {
        return DeviceFault::kBadArgument;
    }
    const std::uint32_t size_bytes = words[2];
    fault_address_ = words[1];
    const ByteSpan source = (words[3] < kSourceSlots) ? host_.sources[words[3]].memory() : ByteSpan{};
    if (!source.contains(words[4], size_bytes)) {
        return DeviceFault::kHostMemory;
    }
    std::uint8_t* const destination = memory_.queue_writable(words[1], size_bytes);
    if (destination == nullptr) {
        return DeviceFault::kBus;
    }
    std::memcpy(destination, &source[words[4]], size_bytes);
    time_cycles_ += move_cost(shared_.costs.write, size_bytes);
    return DeviceFault::kNone;
}

DeviceFault CommandProcessor::read(WordSpan words) noexcept {
    if (words[2] == 0U) {
        return DeviceFault::kBadArgument;
    }
    const std::uint32_t size_bytes = words[2];
    fault_address_ = words[1];
    const MutableByteSpan destination =
        (words[3] < kDestinationSlots) ? host_.destinations[words[3]].memory() : MutableByteSpan{};
    if (!destination.contains(words[4], size_bytes)) {
        return DeviceFault::kHostMemory;
    }
    const std::uint8_t* const source = memory_.queue_readable(words[1], size_bytes);
    if (source == nullptr) {
        return DeviceFault::kBus;
    }
    std::memcpy(&destination[words[4]], source, size_bytes);
    time_cycles_ += move_cost(shared_.costs.read, size_bytes);
    return DeviceFault::kNone;
}

DeviceFault CommandProcessor::replay(WordSpan words) noexcept {
    if ((words[2] == 0U) || ((words[2] % kWordBytes) != 0U) || ((words[1] % kFileAlignmentBytes) != 0U)) {
        return DeviceFault::kBadArgument;
    }
    fault_address_ = words[1];
    const std::uint8_t* const bytes = memory_.fetchable(words[1], words[2]);
    if (bytes == nullptr) {
        return DeviceFault::kBus;
    }
    const auto* const trace =
        reinterpret_cast<const std::uint32_t*>(bytes);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    trace_ = WordSpan{trace, words[2] / kWordBytes};
    trace_position_ = 0U;
    queue_digest_ = digest_;
    digest_ = 0U;
    fault_address_ = 0U;  // from here on, only commands that know their address set it
    time_cycles_ += shared_.costs.replay;
    return DeviceFault::kNone;
}

}  // namespace pianola::refdev
