// What happens to a script from its submission to its release.
#include "pianola/session.h"
#include "runtime/session/armed.h"

namespace pianola {
namespace {

[[nodiscard]] bool is_same(ByteSpan one, ByteSpan other) noexcept {
    return (one.data() == other.data()) && (one.size() == other.size());
}

}  // namespace

// The oldest script that is under way; where none is, the last one.
std::uint32_t Session::oldest_token() const noexcept {
    return running_.token - ((running_.under_way > 1U) ? (running_.under_way - 1U) : 0U);
}

Session::Flight& Session::oldest() noexcept {
    return running_.flights[oldest_token() % kMaxStepsInFlight];
}

// The next token is that of a new script, which is under way from here on.
void Session::open_flight(ScriptKind kind, Io io) noexcept {
    running_.token += 1U;
    running_.under_way += 1U;
    running_.io = io;
    running_.has_result = false;
    Flight& flight = running_.flights[running_.token % kMaxStepsInFlight];
    flight.kind = kind;
    flight.inputs = 0U;
    flight.started_us = platform_.now_us();
}

// The script becomes the oldest one that is under way.
void Session::supervise(const PlannedScript& script) noexcept {
    running_.deadline_us = script.deadline_us;
    for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
        running_.queue_done[queue] = !script.queue_used[queue];
    }
}

// Binds the tensors to the slots of a flight. False where the device would use anything else.
bool Session::lend(std::uint32_t flight, Span<const ByteSpan> inputs, Span<const MutableByteSpan> outputs) noexcept {
    bool is_lent = true;
    for (std::uint32_t i = 0U; i < inputs.size(); ++i) {
        const std::uint32_t slot = kFirstInputSlot + (flight * kMaxInputs) + i;
        const bool is_bound = is_ok(device_.bind_source(slot, inputs[i]));
        is_lent = is_bound && is_same(device_.bound_source(slot), inputs[i]) && is_lent;
    }
    for (std::uint32_t i = 0U; i < outputs.size(); ++i) {
        const std::uint32_t slot = (flight * kMaxOutputs) + i;
        const bool is_bound = is_ok(device_.bind_destination(slot, outputs[i]));
        is_lent = is_bound && is_same(device_.bound_destination(slot), outputs[i]) && is_lent;
    }
    return is_lent;
}

// What the oldest script has lent is the application's again: neither the device nor cache maintenance touches it any
// more.
Status Session::give_back() noexcept {
    const std::uint32_t flight = oldest_token() % kMaxStepsInFlight;
    bool is_free = true;
    for (std::uint32_t i = 0U; i < oldest().inputs; ++i) {
        is_free = is_ok(device_.bind_source(kFirstInputSlot + (flight * kMaxInputs) + i, ByteSpan{})) && is_free;
    }
    for (std::uint32_t i = 0U; i < bound_.counts[flight]; ++i) {
        const std::uint32_t slot = (flight * kMaxOutputs) + i;
        const bool is_unbound = is_ok(device_.bind_destination(slot, MutableByteSpan{}));
        is_free = is_unbound && device_.bound_destination(slot).empty() && is_free;
    }
    return is_free ? Status::kOk : latch(Status::kDeviceFault, FaultStage::kStep);
}

// A planned command as this step's: with the slots of its flight, and what its event has counted to.
QueueCommand Session::bind(const PlannedCommand& planned) noexcept {
    QueueCommand command = planned.command;
    const std::uint32_t flight = running_.token % kMaxStepsInFlight;
    if (command.kind == QueueCommandKind::kRead) {
        command.slot += flight * kMaxOutputs;
    } else if ((command.kind == QueueCommandKind::kWrite) && (command.slot >= kFirstInputSlot)) {
        command.slot += flight * kMaxInputs;
    } else {
        std::uint32_t& records = running_.records[command.event];
        if (command.kind == QueueCommandKind::kRecordEvent) {
            records += 1U;
        }
        command.value = records;
    }
    return command;
}

Status Session::enqueue_one(std::uint32_t queue, QueueCommand& command, std::uint32_t trace,
                            FaultStage stage) noexcept {
    std::uint64_t& digest = running_.digests[queue];
    std::uint32_t& number = running_.enqueued[queue];
    digest = command_set_.seal(digest, number, loaded_.plan.trace_digests[trace], command);
    number += 1U;
    return is_ok(device_.enqueue(queue, command)) ? Status::kOk : latch(Status::kDeviceFault, stage, queue);
}

Status Session::enqueue(const PlannedScript& script, const PlannedCommands& commands, FaultStage stage) noexcept {
    for (std::uint32_t i = script.first; i < (script.first + script.count); ++i) {
        const PlannedCommand& planned = commands[i];
        if ((running_.io == Io::kViews) && is_transfer(planned.command.kind)) {
            continue;
        }
        QueueCommand command = bind(planned);
        const Status enqueued = enqueue_one(planned.queue, command, planned.trace, stage);
        if (!is_ok(enqueued)) {
            return enqueued;
        }
    }
    Flight& flight = running_.flights[running_.token % kMaxStepsInFlight];
    QueueCommand notify;
    notify.kind = QueueCommandKind::kNotify;
    notify.value = running_.token;
    for (std::uint32_t queue = 0U; queue < loaded_.plan.queue_count; ++queue) {
        const Status enqueued = script.queue_used[queue] ? enqueue_one(queue, notify, 0U, stage) : Status::kOk;
        if (!is_ok(enqueued)) {
            return enqueued;
        }
        flight.digests[queue] = running_.digests[queue];
    }
    if (!is_armed(loaded_.armed)) {
        return latch(Status::kIntegrity, FaultStage::kArm);
    }
    // Only now may any queue start: a step is whole, or it is not there.
    for (std::uint32_t queue = 0U; queue < loaded_.plan.queue_count; ++queue) {
        if (script.queue_used[queue] && !is_ok(device_.ring_doorbell(queue))) {
            return latch(Status::kDeviceFault, stage, queue);
        }
    }
    return Status::kOk;
}

// How many commands a queue had executed in this step when it published the record.
std::uint32_t Session::executed_in_step(std::uint32_t queue, std::uint32_t executed_commands) const noexcept {
    return executed_commands - running_.executed[queue];  // both wrap
}

// Gives the device its chance to run, and looks once whether every queue has completed the oldest script.
Status Session::check_completions(const PlannedScript& script, FaultStage stage) noexcept {
    if (!is_ok(device_.service())) {
        return latch(Status::kDeviceFault, stage);
    }
    const std::uint32_t token = oldest_token();
    const Flight& flight = oldest();
    bool all_done = true;
    std::uint32_t pending_queue = 0U;
    std::uint32_t progress = 0U;  // of that queue
    for (std::uint32_t queue = 0U; queue < loaded_.plan.queue_count; ++queue) {
        if (running_.queue_done[queue]) {
            continue;
        }
        Completion completion;
        const Status status = device_.completion(queue, token, completion);
        if (status == Status::kPending) {
            all_done = false;
            pending_queue = queue;
            progress = executed_in_step(queue, completion.executed_commands);
            continue;
        }
        if (!is_ok(status)) {
            completion.fault_command = executed_in_step(queue, completion.fault_command);
            return latch(Status::kDeviceFault, stage, queue, completion);
        }
        const std::uint32_t executed = executed_in_step(queue, completion.executed_commands);
        const std::uint32_t left_out = (running_.io == Io::kViews) ? loaded_.transfers[queue] : 0U;
        const Attestation attests = loaded_.plan.attestation;
        // Of a device that attests nothing the token is all the evidence there is.
        std::uint64_t wrong = (completion.token ^ token) | static_cast<std::uint32_t>(completion.fault);
        if (attests != Attestation::kNothing) {
            wrong |= executed ^ (script.executed_commands[queue] - left_out);
        }
        if (attests == Attestation::kDigest) {
            wrong |= completion.digest ^ flight.digests[queue];
        }
        if (wrong != 0U) {
            completion.fault_command = executed;
            return latch(Status::kIntegrity, stage, queue, completion);
        }
        running_.executed[queue] = completion.executed_commands;
        running_.queue_done[queue] = true;
    }
    // Late is late, whether the device was, or who looks: results that come after the deadline are withheld too.
    if ((platform_.now_us() - flight.started_us) > script.deadline_us) {
        Completion looked_at;
        looked_at.fault_command = progress;
        return latch(Status::kTimeout, stage, pending_queue, looked_at);
    }
    return all_done ? Status::kOk : Status::kPending;
}

// The next slice of what set-up has written.
Status Session::compare_constants(ScrubCursor& cursor, FaultStage stage) noexcept {
    Completion where;
    const Status status =
        compare_slice(device_, ScrubSource{loaded_.file, loaded_.plan, loaded_.constants, running_.parameters}, cursor,
                      where.fault_address);
    return ((status == Status::kOk) || (status == Status::kPending)) ? status : latch(status, stage, 0U, where);
}

Status Session::poll() noexcept {
    const Status sealed = check_seals();
    if (!is_ok(sealed)) {
        return sealed;
    }
    const Status ready = refuse_unless(running_.under_way != 0U);
    return is_ok(ready) ? reseal(complete_oldest()) : ready;
}

// A script whose commands have all been executed is complete once what it has relied on is seen to be whole.
Status Session::verify_release() noexcept {
    if (config_.release == Release::kAtCompletion) {
        return Status::kOk;
    }
    if (!running_.is_verifying) {
        running_.is_verifying = true;
        running_.release = ScrubCursor{};
    }
    const Status compared = compare_constants(running_.release, FaultStage::kScrub);
    running_.is_verifying = compared == Status::kPending;
    return compared;
}

Status Session::complete_oldest() noexcept {
    const ScriptKind kind = oldest().kind;
    const Status completed = check_completions(loaded_.plan.script(kind), FaultStage::kStep);
    const Status verified = is_ok(completed) ? verify_release() : completed;
    const Status status = is_ok(verified) ? give_back() : verified;
    if (!is_ok(status)) {
        return status;
    }
    bound_.counts[oldest_token() % kMaxStepsInFlight] = 0U;
    running_.under_way -= 1U;
    if (running_.under_way != 0U) {
        // The device has been at work on the one before until now.
        oldest().started_us = platform_.now_us();
        supervise(loaded_.plan.script(oldest().kind));
    }
    if (kind == ScriptKind::kStep) {
        take_views();
        running_.steps_completed += 1U;
        running_.has_result = true;
        running_.has_stepped = true;
        running_.is_confirmed = running_.is_confirmed || (loaded_.self_test_count == 0U);
    } else if (kind == ScriptKind::kEpilogue) {
        running_.state = idle_state();
        running_.has_stepped = false;
    } else {
        // The first step may come.
    }
    platform_.serve_watchdog();
    return status;
}

}  // namespace pianola
