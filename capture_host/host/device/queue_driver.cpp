#include "capture_host/host/device/queue_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "capture_host/base/interrupt.h"
#include "pianola_host/host_error.h"

namespace pianola::host {
namespace {

constexpr std::size_t kRememberedRecords = 65'536U;  // times of completions that are kept until the host waits for them
constexpr std::uint64_t kNanosecondsPerKilohertzCycle = 1'000'000U;  // cycles * this / clock_khz are nanoseconds

const char* fault_name(DeviceFault fault) {
    switch (fault) {
        case DeviceFault::kUnknownCommand:
            return "a word that is no command";
        case DeviceFault::kBadArgument:
            return "a command outside its contract";
        case DeviceFault::kUnknownKernel:
            return "a kernel that the library does not have";
        case DeviceFault::kBus:
            return "an access that no region permits";
        case DeviceFault::kHostMemory:
            return "a transfer outside the bound host memory";
        case DeviceFault::kTraceOverrun:
            return "a trace without an end";
        case DeviceFault::kLost:
            return "no answer from the device";
        case DeviceFault::kNone:
        default:
            return "an unknown fault";
    }
}

// True if `token` was given no later than `last`; tokens wrap.
bool is_reached(std::uint32_t token, std::uint32_t last) {
    return static_cast<std::int32_t>(last - token) >= 0;
}

}  // namespace

std::uint64_t QueueDriver::cycles_of(std::uint64_t nanoseconds) const noexcept {
    // In two parts, so that hours of virtual time do not wrap.
    const std::uint64_t khz = spec_.clock_khz;
    return ((nanoseconds / kNanosecondsPerKilohertzCycle) * khz) +
           (((nanoseconds % kNanosecondsPerKilohertzCycle) * khz) / kNanosecondsPerKilohertzCycle);
}

void QueueDriver::advance_host_to(std::uint64_t device_cycles) noexcept {
    device_cycles_ = std::max(device_cycles_, device_cycles);
    const std::uint64_t khz = spec_.clock_khz;
    const std::uint64_t ns = ((device_cycles / khz) * kNanosecondsPerKilohertzCycle) +
                             (((device_cycles % khz) * kNanosecondsPerKilohertzCycle) / khz);
    host_ns_ = std::max(host_ns_, ns);
}

void QueueDriver::pay_dispatch() {
    unpaid_commands_ = 0U;
    spend_ns(cost_.dispatch_ns);
}

void QueueDriver::report_fault(std::uint32_t queue, const Completion& completion) const {
    throw HostError{
        HostRule::kDeviceFault,
        fmt::format("queue {} has stopped at its command {} (address 0x{:08X}): {}; close the device and open "
                    "it anew",
                    queue, completion.fault_command, completion.fault_address, fault_name(completion.fault))};
}

template <typename Done>
void QueueDriver::wait_until(std::uint32_t queue, const char* what, Done done) {
    std::uint64_t progress = direct_.progress();
    auto moved = std::chrono::steady_clock::now();
    while (!done()) {
        const std::uint64_t now = direct_.progress();
        if (now != progress) {
            progress = now;
            moved = std::chrono::steady_clock::now();
        } else if (!direct_.is_threaded() || ((std::chrono::steady_clock::now() - moved) > stall_limit_)) {
            throw HostError{
                HostRule::kDeviceStalled,
                fmt::format("queue {} does not get on, while the host waits for {}; close the device and open it "
                            "anew",
                            queue, what)};
        } else {
            std::this_thread::yield();
        }
    }
}

void QueueDriver::enqueue(std::uint32_t queue, const QueueCommand& command) {
    Queue& state = queues_.at(queue);
    const std::uint32_t words = command_set_.queue_words(command);
    // A call that is longer than the ring is shown to the device in parts. Otherwise the device empties a full ring by
    // itself, and its speed must not decide when doorbells are rung.
    if ((state.unrung_words + words) > spec_.ring_words) {
        ring(queue);
    }
    Status status = direct_.append(queue, command);
    if (status == Status::kBusy) {
        wait_until(queue, "room in its ring", [&] {
            (void)device_.service();  // a device that runs by itself may still take its commands here only
            poll(queue);
            status = direct_.append(queue, command);
            return status != Status::kBusy;
        });
    }
    if (!is_ok(status)) {
        throw HostError{HostRule::kDeviceFault, fmt::format("queue {} does not take a command", queue)};
    }
    state.tail = true;
    state.unrung_words += words;
    unpaid_commands_ += 1U;
}

std::uint32_t QueueDriver::notify(std::uint32_t queue) {
    Queue& state = queues_.at(queue);
    state.last_token += (state.last_token == UINT32_MAX) ? 2U : 1U;  // a cleared record has token 0
    QueueCommand command;
    command.kind = QueueCommandKind::kNotify;
    command.value = state.last_token;
    enqueue(queue, command);
    state.tail = false;
    state.outstanding.push_back(state.last_token);
    return state.last_token;
}

void QueueDriver::ring(std::uint32_t queue) {
    spend_ns(unpaid_commands_ * cost_.replay_ns);
    unpaid_commands_ = 0U;
    queues_.at(queue).unrung_words = 0U;
    direct_.advance_to(cycles_of(host_ns_));
    if (!is_ok(device_.ring_doorbell(queue)) || !is_ok(device_.service())) {
        throw HostError{HostRule::kDeviceFault, fmt::format("the doorbell of queue {} does not work", queue)};
    }
    for (std::uint32_t i = 0U; i < spec_.queue_count; ++i) {
        poll(i);
    }
}

void QueueDriver::poll(std::uint32_t queue) {
    Queue& state = queues_.at(queue);
    const DirectQueues::State now = direct_.peek(queue);
    if (now.stopped) {
        report_fault(queue, now.fault);
    }
    for (const DirectQueues::Completed& each : direct_.take_completions(queue)) {
        state.completed[each.token] = each.time_cycles;
    }
    while (!state.outstanding.empty() && (now.completed_token != 0U) &&
           is_reached(state.outstanding.front(), now.completed_token)) {
        state.completed_up_to = state.outstanding.front();
        state.outstanding.pop_front();
    }
    while (state.completed.size() > kRememberedRecords) {
        state.completed.erase(state.completed.begin());
    }
}

bool QueueDriver::is_complete(std::uint32_t queue, std::uint32_t token) {
    (void)device_.service();
    poll(queue);
    const Queue& state = queues_.at(queue);
    return (state.completed_up_to != 0U) && is_reached(token, state.completed_up_to);
}

void QueueDriver::wait(std::uint32_t queue, std::uint32_t token) {
    // No interrupt within an operation: an operation that is enqueued in part cannot be continued.
    wait_until(queue, "a completion", [&] {
        const bool done = is_complete(queue, token);
        if (!done) {
            interrupt::check();
        }
        return done;
    });
    Queue& state = queues_.at(queue);
    // The time of its own record, or of the next one if its own has been dropped.
    const auto time = state.completed.lower_bound(token);
    if (time != state.completed.end()) {
        advance_host_to(time->second);
        state.completed.erase(state.completed.begin(), time);
    }
}

void QueueDriver::drain() {
    for (std::uint32_t queue = 0U; queue < spec_.queue_count; ++queue) {
        if (queues_.at(queue).tail) {
            (void)notify(queue);
            ring(queue);
        }
    }
    for (std::uint32_t queue = 0U; queue < spec_.queue_count; ++queue) {
        if (queues_.at(queue).last_token != 0U) {
            wait(queue, queues_.at(queue).last_token);
        }
    }
}

}  // namespace pianola::host
