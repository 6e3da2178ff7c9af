// What happens to a script from its submission to its release.
#include "pianola/session.h"
#include "runtime/session/armed.h"

namespace pianola {
namespace {

[[nodiscard]] bool is_same(ByteSpan one, ByteSpan other) noexcept {
    return (one.data() == other.data()) && (one.size() == other.size());
}

// Offset in a tensor's bytes of the part of one of its devices.
[[nodiscard, gnu::noinline]] std::uint32_t offset_of(const PlannedTensor& tensor, std::uint32_t device) noexcept {
    return count_of(tensor.devices & ((DeviceBits{1U} << device) - 1U)) * tensor.stride_bytes;
}

// The part of a tensor's bytes that belongs to one of its devices.
template <typename Bytes>
[[nodiscard]] Bytes piece_of(Bytes bytes, const PlannedTensor& tensor, std::uint32_t device) noexcept {
    return kDrivesOneDevice ? bytes : bytes.subspan(offset_of(tensor, device), tensor.piece_bytes);
}

}  // namespace

// The oldest script that is under way; if there is none, the last one.
std::uint32_t Session::oldest_token() const noexcept {
    return running_.token - ((running_.under_way > 1U) ? (running_.under_way - 1U) : 0U);
}

Session::Flight& Session::oldest() noexcept {
    return running_.flights[place_of(oldest_token())];
}

// The next token belongs to a new script, which is under way from now on.
void Session::open_flight(ScriptKind kind, Io io) noexcept {
    enter();
    running_.token += 1U;
    running_.under_way += 1U;
    running_.io = io;
    running_.has_result = false;
    Flight& flight = running_.flights[place_of(running_.token)];
    flight.kind = kind;
    flight.inputs = 0U;
    flight.started_us = platform_.now_us();
}

// The script becomes the oldest one that is under way.
void Session::supervise(const PlannedScript& script) noexcept {
    running_.deadline_us = script.deadline_us;
    running_.pending = script.queues_used;
}

// Binds each device's part of the tensors to the slots of the newest flight. Returns the first device that would use
// other memory; device_count() if there is none.
std::uint32_t Session::lend(Span<const ByteSpan> inputs, Span<const MutableByteSpan> outputs) noexcept {
    const std::uint32_t flight = place_of(running_.token);
    std::uint32_t device = 0U;
    bool is_lent = true;
    while (is_lent && (device < device_count())) {
        Device& to = *devices_[device];
        for (std::uint32_t i = 0U; i < inputs.size(); ++i) {
            const std::uint32_t slot = kFirstInputSlot + (flight * kMaxInputs) + i;
            const PlannedTensor& tensor = loaded_.plan.inputs[i];
            if (has_device(tensor.devices, device)) {
                const ByteSpan piece = piece_of(inputs[i], tensor, device);
                const bool is_bound = is_ok(to.bind_source(slot, piece));
                is_lent = is_bound && is_same(to.bound_source(slot), piece) && is_lent;
            }
        }
        for (std::uint32_t i = 0U; i < outputs.size(); ++i) {
            const std::uint32_t slot = (flight * kMaxOutputs) + i;
            const PlannedTensor& tensor = loaded_.plan.outputs[i];
            if (has_device(tensor.devices, device)) {
                const MutableByteSpan piece = piece_of(outputs[i], tensor, device);
                const bool is_bound = is_ok(to.bind_destination(slot, piece));
                is_lent = is_bound && is_same(to.bound_destination(slot), piece) && is_lent;
            }
        }
        device += is_lent ? 1U : 0U;
    }
    return device;
}

// The first device whose file window is not the weights segment of the loaded file; device_count() if there is none.
std::uint32_t Session::first_astray() const noexcept {
    const ConstantRange& weights = loaded_.plan.constants.ranges[0];
    const ByteSpan segment{&loaded_.file[weights.file_offset],
                           weights.size_bytes};  // the proofs checked that it exists
    std::uint32_t device = 0U;
    while ((device < device_count()) && is_same(devices_[device]->bound_source(kWeightsSlot), segment)) {
        device += 1U;
    }
    return device;
}

// Returns the oldest script's memory to the application: neither a device nor cache maintenance touches it afterwards.
Status Session::give_back() noexcept {
    const std::uint32_t flight = place_of(oldest_token());
    const std::uint32_t inputs = running_.flights[flight].inputs;
    Lent& lent = bound_.flights[flight];
    for (std::uint32_t device = 0U; device < device_count(); ++device) {
        Device& held_by = *devices_[device];
        bool is_free = true;
        for (std::uint32_t i = 0U; is_free && (i < inputs); ++i) {
            const std::uint32_t slot = kFirstInputSlot + (flight * kMaxInputs) + i;
            is_free = is_ok(held_by.bind_source(slot, ByteSpan{})) && held_by.bound_source(slot).empty();
        }
        for (std::uint32_t i = 0U; is_free && (i < lent.count); ++i) {
            const std::uint32_t slot = (flight * kMaxOutputs) + i;
            is_free =
                is_ok(held_by.bind_destination(slot, MutableByteSpan{})) && held_by.bound_destination(slot).empty();
        }
        if (!is_free) {
            return latch(Status::kDeviceFault, FaultStage::kStep, device);
        }
    }
    lent.count = 0U;
    seal_bound();
    return Status::kOk;
}

// A planned command for this step: with the slots of its flight and the current count of its event.
QueueCommand Session::bind(const PlannedCommand& planned, Course& course) noexcept {
    QueueCommand command = planned.command;
    const std::uint32_t flight = place_of(running_.token);
    if (command.kind == QueueCommandKind::kRead) {
        command.slot += flight * kMaxOutputs;
    } else if ((command.kind == QueueCommandKind::kWrite) && (command.slot >= kFirstInputSlot)) {
        command.slot += flight * kMaxInputs;
    } else {
        std::uint32_t& records = course.records[command.event];
        if (command.kind == QueueCommandKind::kRecordEvent) {
            records += 1U;
        }
        command.value = records;
    }
    return command;
}

// False if the device does not accept it.
bool Session::enqueue_one(Device& device, Course& course, std::uint32_t queue, QueueCommand& command,
                          std::uint32_t trace) noexcept {
    std::uint64_t& digest = course.digests[queue];
    std::uint32_t& number = course.enqueued[queue];
    digest = command_set_.seal(digest, number, loaded_.plan.trace_digests[trace], command);
    number += 1U;
    return is_ok(device.enqueue(queue, command));
}

// Enqueues the device's commands of a script, and then a notification on every queue that it uses. Always inlined, like
// ring_doorbells() and look_at(): there is one caller, usually with one device.
[[gnu::always_inline]] inline Status Session::enqueue_on(std::uint32_t device, const PlannedScript& script,
                                                         const PlannedCommands& commands, FaultStage stage) noexcept {
    Device& to = *devices_[device];
    Course& course = running_.courses[device];
    for (std::uint32_t i = script.first; i < (script.first + script.count); ++i) {
        const PlannedCommand& planned = commands[i];
        if (((running_.io == Io::kViews) && is_transfer(planned.command.kind)) ||
            !has_device(planned.devices, device)) {
            continue;
        }
        QueueCommand command = bind(planned, course);
        if (!enqueue_one(to, course, planned.queue, command, planned.trace)) {
            return latch(Status::kDeviceFault, stage, device, planned.queue);
        }
    }
    QueueCommand notify;
    notify.kind = QueueCommandKind::kNotify;
    notify.value = token_on(device, running_.token);
    auto& expected = running_.flights[place_of(running_.token)].expected[device];
    QueueBits used = script.queues_used >> (device * kMaxQueues);
    for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
        if ((used & 1U) != 0U) {
            if (!enqueue_one(to, course, queue, notify, 0U)) {
                return latch(Status::kDeviceFault, stage, device, queue);
            }
            expected[queue] = course.digests[queue];
        }
        used >>= 1U;
    }
    return Status::kOk;
}

[[gnu::always_inline]] inline Status Session::ring_doorbells(const PlannedScript& script, FaultStage stage) noexcept {
    QueueBits used = script.queues_used;
    for (std::uint32_t device = 0U; device < device_count(); ++device) {
        for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
            if (((used & 1U) != 0U) && !is_ok(devices_[device]->ring_doorbell(queue))) {
                return latch(Status::kDeviceFault, stage, device, queue);
            }
            used >>= 1U;
        }
    }
    return Status::kOk;
}

Status Session::enqueue(const PlannedScript& script, const PlannedCommands& commands, FaultStage stage) noexcept {
    for (std::uint32_t device = 0U; device < device_count(); ++device) {
        const Status enqueued = enqueue_on(device, script, commands, stage);
        if (!is_ok(enqueued)) {
            return enqueued;
        }
    }
    if (!is_armed(loaded_.armed)) {
        return latch(Status::kIntegrity, FaultStage::kArm);
    }
    if (loaded_.reads_file) {
        const std::uint32_t failed = first_astray();
        if (failed != device_count()) {
            return latch(Status::kDeviceFault, stage, failed);
        }
    }
    // Only now may any queue of any device start: a step is submitted entirely or not at all.
    return ring_doorbells(script, stage);
}

// Checks which queues of a device have completed the oldest script: `pending` describes the last one that has not.
[[gnu::always_inline]] inline Status Session::look_at(std::uint32_t device, const PlannedScript& script,
                                                      FaultStage stage, std::uint32_t token,
                                                      Pending& pending) noexcept {
    Course& course = running_.courses[device];
    const std::uint32_t own_token = token_on(device, token);
    for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
        if ((running_.pending & queue_bit(device, queue)) == 0U) {
            continue;
        }
        Completion completion;
        const Status status = devices_[device]->completion(queue, own_token, completion);
        const std::uint32_t before = course.executed[queue];  // counts since then wrap, as both do
        if (status == Status::kPending) {
            pending = Pending{device, queue, completion.executed_commands - before};
            continue;
        }
        if (!is_ok(status)) {
            completion.fault_command -= before;
            return latch(Status::kDeviceFault, stage, device, queue, completion);
        }
        const std::uint32_t executed = completion.executed_commands - before;
        const std::uint32_t left_out = (running_.io == Io::kViews) ? loaded_.transfers[queue] : 0U;
        const Attestation attests = loaded_.plan.attestation;
        // For a device that attests nothing, the token is the only evidence.
        std::uint64_t wrong = (completion.token ^ own_token) | static_cast<std::uint32_t>(completion.fault);
        if (attests != Attestation::kNothing) {
            wrong |= executed ^ (script.executed_commands[device][queue] - left_out);
        }
        if (attests == Attestation::kDigest) {
            wrong |= completion.digest ^ running_.flights[place_of(token)].expected[device][queue];
        }
        if (wrong != 0U) {
            completion.fault_command = executed;
            return latch(Status::kIntegrity, stage, device, queue, completion);
        }
        course.executed[queue] = completion.executed_commands;
        running_.pending &= ~queue_bit(device, queue);
    }
    return Status::kOk;
}

// Lets the devices run, and checks once whether all of them have completed the oldest script.
Status Session::check_completions(const PlannedScript& script, FaultStage stage) noexcept {
    const std::uint32_t token = oldest_token();
    const Flight& flight = running_.flights[place_of(token)];
    Pending pending;
    for (std::uint32_t device = 0U; device < device_count(); ++device) {
        const Status status = is_ok(devices_[device]->service()) ? look_at(device, script, stage, token, pending)
                                                                 : latch(Status::kDeviceFault, stage, device);
        if (!is_ok(status)) {
            return status;
        }
    }
    // A late result is withheld even if only poll() was late.
    if ((platform_.now_us() - flight.started_us) > script.deadline_us) {
        Completion looked_at;
        looked_at.fault_command = pending.progress;
        return latch(Status::kTimeout, stage, pending.device, pending.queue, looked_at);
    }
    return (running_.pending != 0U) ? Status::kPending : Status::kOk;
}

Status Session::look(bool to_the_end) noexcept {
    const Status ready = check(running_.under_way != 0U);
    return is_ok(ready) ? reseal(complete_oldest(to_the_end)) : ready;
}

Status Session::poll() noexcept {
    return look(false);
}

// One look at the devices and, once all have completed, one part of the verification.
Status Session::complete_and_verify(const PlannedScript& script) noexcept {
    const Status completed = check_completions(script, FaultStage::kStep);
    // What flips while the data is verified is not what the script has left.
    const bool is_last = (running_.under_way == 1U) && !running_.is_verifying;
    const Status summed = (is_ok(completed) && is_last) ? sum_state(running_.state_sum) : completed;
    return is_ok(summed) ? verify_release() : summed;
}

// If `to_the_end`, a verification that has begun ends in this call. The seals were checked long before: those of the
// state that it does not change are checked again before the release.
Status Session::complete_oldest(bool to_the_end) noexcept {
    enter();
    const ScriptKind kind = oldest().kind;
    Status verified = complete_and_verify(loaded_.plan.script(kind));
    // Ends with the constants, or at the deadline.
    while (to_the_end && (verified == Status::kPending) && (running_.pending == 0U)) {
        verified = complete_and_verify(loaded_.plan.script(kind));
    }
    const bool looks_again = to_the_end && is_ok(verified) && (config_.release != Release::kAtCompletion);
    if (looks_again && !is_loaded_whole()) {
        verified = latch(Status::kIntegrity, FaultStage::kState);
    }
    const bool has_lent = running_.io == Io::kTransfers;
    const Status status = (is_ok(verified) && has_lent) ? give_back() : verified;
    if (!is_ok(status)) {
        return status;
    }
    running_.under_way -= 1U;
    if (running_.under_way != 0U) {
        // Until now the device was executing the previous script.
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
        // Steps may be submitted.
    }
    platform_.serve_watchdog();
    return status;
}

}  // namespace pianola
