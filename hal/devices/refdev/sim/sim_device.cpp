#include "hal/devices/refdev/sim/sim_device.h"

#include <algorithm>
#include <cstring>

#include "hal/devices/refdev/refdev_command_set.h"

namespace pianola::sim {
namespace {

// A thread may be slow under a sanitizer or on a loaded machine; the test's time limit ends a hanging thread.
constexpr std::uint32_t kSimResetLimitUs = 60'000'000U;

}  // namespace

SimDevice::SimDevice(const SimOptions& options) : SimDevice{std::make_unique<SimMachine>(options)} {}

SimDevice::SimDevice(std::unique_ptr<SimMachine> machine)
    : FaultyDriver{machine->options().spec, machine->shared(), *machine, machine->options().faults, kSimResetLimitUs},
      machine_{std::move(machine)} {}

SimDevice::~SimDevice() = default;

Status SimDevice::reset() noexcept {
    const Status status = FaultyDriver::reset();
    appended_.fill(0U);
    machine_->refresh_checker();
    return status;
}

Status SimDevice::ring_doorbell(std::uint32_t queue) noexcept {
    advance_to(machine_->time().cycles);
    return FaultyDriver::ring_doorbell(queue);
}

Status SimDevice::completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept {
    const Status status = FaultyDriver::completion(queue, token, completion);
    SimTime& time = machine_->time();
    time.cycles = std::max(time.cycles, now_cycles());
    return status;
}

const SimTime& SimDevice::time() const noexcept {
    return machine_->time();
}

Status SimDevice::append(std::uint32_t queue, QueueCommand command) noexcept {
    if (queue >= spec().queue_count) {
        return Status::kInvalidArgument;
    }
    static_cast<void>(refdev::RefdevCommandSet{}.seal(0U, appended_.at(queue), 0U, command));
    const Status status = enqueue(queue, command);
    appended_.at(queue) += is_ok(status) ? 1U : 0U;
    return status;
}

// With a cache the device reads and writes the machine's separate memory, which only cache maintenance keeps equal to
// the application's.
Status SimDevice::bind_source(std::uint32_t slot, ByteSpan memory) noexcept {
    return FaultyDriver::bind_source(slot, machine_->lend_source(slot, memory));
}

Status SimDevice::bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept {
    return FaultyDriver::bind_destination(slot, machine_->lend_destination(slot, memory));
}

ByteSpan SimDevice::bound_source(std::uint32_t slot) const noexcept {
    return machine_->lender_of(FaultyDriver::bound_source(slot));
}

ByteSpan SimDevice::bound_destination(std::uint32_t slot) const noexcept {
    return machine_->lender_of(FaultyDriver::bound_destination(slot));
}

MutableByteSpan SimDevice::host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept {
    return machine_->options().memory_is_visible ? FaultyDriver::host_view(address, size_bytes) : MutableByteSpan{};
}

void SimDevice::give_to_device(ByteSpan view) noexcept {
    FaultyDriver::give_to_device(view);
    machine_->refresh_checker(view);  // the ECU side has written to it
}

SimDevice::QueueState SimDevice::peek(std::uint32_t queue) const noexcept {
    const refdev::QueueMemory& memory = machine_->shared().queues.at(queue);
    QueueState state;
    state.stopped = memory.stopped.load(std::memory_order_acquire) != 0U;
    state.completed_token = memory.completed_token.load(std::memory_order_acquire);
    if (state.stopped) {
        state.fault = memory.fault;
    }
    return state;
}

std::vector<CompletedToken> SimDevice::take_completions(std::uint32_t queue) {
    return machine_->take_completions(queue);
}

std::uint64_t SimDevice::progress() const noexcept {
    std::uint64_t sum = 0U;
    for (const refdev::QueueMemory& queue : machine_->shared().queues) {
        sum += queue.progress.load(std::memory_order_relaxed);
    }
    return sum;
}

Threading SimDevice::threading() const noexcept {
    return machine_->options().threading;
}

const std::vector<refdev::ExecutedCommand>& SimDevice::log(std::uint32_t queue) const {
    return machine_->log(queue);
}

void SimDevice::clear_log() {
    machine_->clear_log();
}

std::vector<std::uint8_t> SimDevice::execution_logs() const {
    const auto& logs = machine_->shared().logs;
    std::vector<std::uint8_t> dump(spec().queue_count * sizeof(refdev::ExecutionLog));
    std::memcpy(dump.data(), logs.data(), dump.size());
    return dump;
}

std::uint64_t SimDevice::access_violations() const noexcept {
    return machine_->access_violations();
}

std::uint8_t* SimDevice::memory_at(std::uint32_t address, std::uint64_t size_bytes) noexcept {
    return (size_bytes > UINT32_MAX) ? nullptr : machine_->memory_at(address, static_cast<std::uint32_t>(size_bytes));
}

refdev::SharedState& SimDevice::shared() noexcept {
    return machine_->shared();
}

}  // namespace pianola::sim
