#include "runtime/session/session.h"

#include <cstring>

namespace pianola {
namespace {

// What moves a tensor between the application's memory and the device's.
[[nodiscard]] bool is_transfer(QueueCommandKind kind) noexcept {
    return (kind == QueueCommandKind::kWrite) || (kind == QueueCommandKind::kRead);
}

}  // namespace

Status Session::latch(Status status, FaultStage stage, std::uint32_t queue, const Completion& completion) noexcept {
    const Flight& flight = oldest();
    fault_.status = status;
    fault_.stage = stage;
    fault_.queue = queue;
    fault_.step = oldest_token();
    fault_.time_us = platform_.now_us();
    fault_.started_us = flight.started_us;
    fault_.deadline_us = deadline_us_;
    fault_.device_fault = completion.fault;
    fault_.command = completion.fault_command;
    fault_.address = completion.fault_address;
    state_ = State::kFaulted;
    has_result_ = false;
    under_way_ = 0U;
    // Outputs are withheld only once the device can no longer write to them. Where it does not stop, the safe state has to see to
    // that: it learns so from the record.
    fault_.device_stopped = is_ok(device_.reset());
    withhold_outputs();
    platform_.enter_safe_state(fault_);
    return status;
}

Status Session::latch(Status status, FaultStage stage, std::uint32_t queue) noexcept {
    return latch(status, stage, queue, Completion{});
}

void Session::withhold_outputs() noexcept {
    for (Flight& flight : flights_) {
        for (std::uint32_t i = 0U; i < flight.bound_outputs; ++i) {
            std::memset(flight.outputs[i].data(), 0, flight.outputs[i].size());
        }
        flight.bound_outputs = 0U;
    }
}

// The oldest script that is under way; where none is, the last one.
std::uint32_t Session::oldest_token() const noexcept {
    return token_ - ((under_way_ > 1U) ? (under_way_ - 1U) : 0U);
}
Session::Flight& Session::oldest() noexcept {
    return flights_[oldest_token() % kMaxStepsInFlight];
}

// Where a binary has no prologue, there is nothing to start.
Session::State Session::idle_state() const noexcept {
    return (plan_.prologue.count == 0U) ? State::kStarted : State::kStopped;
}

Status Session::load(ByteSpan file, PlanWorkspace& workspace, Verdict& verdict) noexcept {
    if (under_way_ != 0U) {
        reset(verdict);
        verdict.status = Status::kInvalidState;
        return verdict.status;
    }
    state_ = State::kEmpty;
    fault_ = FaultRecord{};
    token_ = 0U;
    steps_completed_ = 0U;
    has_views_ = false;
    has_result_ = false;
    has_stepped_ = false;
    executed_.fill(0U);
    records_.fill(0U);
    flights_ = {};
    oldest().started_us = platform_.now_us();
    deadline_us_ = 0U;

    DeviceDescription description;
    const Status described = device_.describe(description);
    if (!is_ok(described)) {
        reset(verdict);
        verdict.status = described;
        return latch(Status::kDeviceFault, FaultStage::kReset);
    }
    const Status valid = validate(file, description, command_set_, workspace, image_, plan_, verdict);
    if (!is_ok(valid)) {
        return valid;
    }
    const Status programmed = program_device();
    if (!is_ok(programmed)) {
        return programmed;
    }
    begin(ScriptKind::kSetup, Io::kTransfers);
    watch(workspace.setup);
    const Status started = enqueue(workspace.setup, workspace.setup_commands, FaultStage::kSetup);
    if (!is_ok(started)) {
        return started;
    }
    const Status loaded = wait_for_setup(workspace.setup);
    if (!is_ok(loaded)) {
        return loaded;
    }
    under_way_ = 0U;
    const Status same = read_back_traces();
    if (!is_ok(same)) {
        return same;
    }
    find_views();
    state_ = idle_state();
    return Status::kOk;
}

// Looks where the step's transfers go to and come from in device memory. In that memory an input starts as zeros, so that a first
// step depends on nothing that was there before.
void Session::find_views() noexcept {
    views_ = Tensors{};
    transfers_.fill(0U);
    bool all_seen = !plan_.is_pipelined && (plan_.steps_in_flight == 1U);
    for (std::uint32_t i = plan_.step.first; i < (plan_.step.first + plan_.step.count); ++i) {
        const QueueCommand& command = plan_.commands[i].command;
        if (!is_transfer(command.kind)) {
            continue;
        }
        transfers_[plan_.commands[i].queue] += 1U;
        const MutableByteSpan view = device_.host_view(command.address, command.size_bytes);
        const bool reads = command.kind == QueueCommandKind::kRead;
        const std::uint32_t tensor = reads ? command.slot : (command.slot - kFirstInputSlot);
        const bool is_whole = command.size_bytes == (reads ? plan_.output_bytes[tensor] : plan_.input_bytes[tensor]);
        (reads ? views_.outputs[tensor] : views_.inputs[tensor]) = view;
        if (view.empty() || !is_whole) {
            all_seen = false;
        }
        if (!reads && !view.empty()) {
            std::memset(view.data(), 0, view.size());
        }
    }
    has_views_ = all_seen;
}

Status Session::program_device() noexcept {
    const Status reset = device_.reset();
    if (!is_ok(reset)) {
        return latch(reset, FaultStage::kReset);
    }
    for (std::uint32_t i = 0U; i < plan_.region_count; ++i) {
        if (!is_ok(device_.program_region(plan_.regions[i]))) {
            return latch(Status::kDeviceFault, FaultStage::kProgram);
        }
    }
    if (!is_ok(device_.bind_source(kWeightsSlot, image_.weights())) ||
        !is_ok(device_.bind_source(kTracesSlot, image_.trace_segment()))) {
        return latch(Status::kDeviceFault, FaultStage::kProgram);
    }
    return Status::kOk;
}

// The next token is that of a new script, which is under way from here on.
void Session::begin(ScriptKind kind, Io io) noexcept {
    token_ += 1U;
    under_way_ += 1U;
    io_ = io;
    has_result_ = false;
    Flight& flight = flights_[token_ % kMaxStepsInFlight];
    flight.kind = kind;
    flight.started_us = platform_.now_us();
}

// The script becomes the oldest one that is under way.
void Session::watch(const PlannedScript& script) noexcept {
    deadline_us_ = script.deadline_us;
    for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
        queue_done_[queue] = !script.queue_used[queue];
    }
}

// A planned command as this step's: with the slots of its flight, and what its event has counted to.
QueueCommand Session::bind(const PlannedCommand& planned) noexcept {
    QueueCommand command = planned.command;
    const std::uint32_t flight = token_ % kMaxStepsInFlight;
    if (command.kind == QueueCommandKind::kRead) {
        command.slot += flight * kMaxOutputs;
    } else if ((command.kind == QueueCommandKind::kWrite) && (command.slot >= kFirstInputSlot)) {
        command.slot += flight * kMaxInputs;
    } else {
        std::uint32_t& records = records_[command.event];
        if (command.kind == QueueCommandKind::kRecordEvent) {
            records += 1U;
        }
        command.value = records;
    }
    return command;
}

Status Session::enqueue(const PlannedScript& script, const PlannedCommands& commands, FaultStage stage) noexcept {
    for (std::uint32_t i = script.first; i < (script.first + script.count); ++i) {
        const PlannedCommand& planned = commands[i];
        if ((io_ == Io::kViews) && is_transfer(planned.command.kind)) {
            continue;
        }
        if (!is_ok(device_.enqueue(planned.queue, bind(planned)))) {
            return latch(Status::kDeviceFault, stage, planned.queue);
        }
    }
    QueueCommand notify;
    notify.kind = QueueCommandKind::kNotify;
    notify.value = token_;
    for (std::uint32_t queue = 0U; queue < plan_.queue_count; ++queue) {
        if (script.queue_used[queue] && !is_ok(device_.enqueue(queue, notify))) {
            return latch(Status::kDeviceFault, stage, queue);
        }
    }
    // Only now may any queue start: a step is whole, or it is not there.
    for (std::uint32_t queue = 0U; queue < plan_.queue_count; ++queue) {
        if (script.queue_used[queue] && !is_ok(device_.ring_doorbell(queue))) {
            return latch(Status::kDeviceFault, stage, queue);
        }
    }
    return Status::kOk;
}

// How many commands a queue had executed in this step when it published the record.
std::uint32_t Session::executed_in_step(std::uint32_t queue, std::uint32_t executed_commands) const noexcept {
    return executed_commands - executed_[queue];  // both wrap
}

// Gives the device its chance to run, and looks once whether every queue has completed the oldest script.
Status Session::check_completions(const PlannedScript& script, FaultStage stage) noexcept {
    if (!is_ok(device_.service())) {
        return latch(Status::kDeviceFault, stage);
    }
    bool all_done = true;
    std::uint32_t pending_queue = 0U;
    Completion progress;  // of that queue
    for (std::uint32_t queue = 0U; queue < plan_.queue_count; ++queue) {
        if (queue_done_[queue]) {
            continue;
        }
        Completion completion;
        const Status status = device_.completion(queue, oldest_token(), completion);
        if (status == Status::kPending) {
            all_done = false;
            pending_queue = queue;
            progress.fault_command = executed_in_step(queue, completion.executed_commands);
            continue;
        }
        if (!is_ok(status)) {
            completion.fault_command = executed_in_step(queue, completion.fault_command);
            return latch(Status::kDeviceFault, stage, queue, completion);
        }
        const std::uint32_t executed = executed_in_step(queue, completion.executed_commands);
        const std::uint32_t left_out = (io_ == Io::kViews) ? transfers_[queue] : 0U;
        if (executed != (script.executed_commands[queue] - left_out)) {
            completion.fault_command = executed;
            return latch(Status::kIntegrity, stage, queue, completion);
        }
        executed_[queue] = completion.executed_commands;
        queue_done_[queue] = true;
    }
    // Late is late, whether the device was, or who looks: results that come after the deadline are withheld too.
    if ((platform_.now_us() - oldest().started_us) > script.deadline_us) {
        return latch(Status::kTimeout, stage, pending_queue, progress);
    }
    return all_done ? Status::kOk : Status::kPending;
}

Status Session::wait_for_setup(const PlannedScript& setup) noexcept {
    Status status = Status::kPending;
    while (status == Status::kPending) {  // ends at the deadline, which the platform's clock reaches
        status = check_completions(setup, FaultStage::kSetup);
        if (status == Status::kPending) {
            platform_.idle();
        }
    }
    return status;
}

Status Session::read_back_traces() noexcept {
    constexpr std::size_t kChunkBytes = 64U;
    const ByteSpan expected = image_.trace_segment();
    std::array<std::uint8_t, kChunkBytes> chunk{};
    for (std::size_t offset = 0U; offset < expected.size(); offset += kChunkBytes) {
        const std::size_t left = expected.size() - offset;
        const std::size_t count = (left < kChunkBytes) ? left : kChunkBytes;
        const MutableByteSpan part{chunk.data(), count};
        Completion where;
        where.fault_command = static_cast<std::uint32_t>(offset);
        where.fault_address = plan_.trace_region_base + static_cast<std::uint32_t>(offset);
        if (!is_ok(device_.read_back(where.fault_address, part))) {
            return latch(Status::kDeviceFault, FaultStage::kReadBack, 0U, where);
        }
        if (std::memcmp(part.data(), &expected[offset], count) != 0) {
            return latch(Status::kIntegrity, FaultStage::kReadBack, 0U, where);
        }
    }
    return Status::kOk;
}

// A latched fault comes before everything else.
Status Session::refuse_unless(bool state_fits) const noexcept {
    if (state_ == State::kFaulted) {
        return Status::kFaultLatched;
    }
    return state_fits ? Status::kOk : Status::kInvalidState;
}

Status Session::refuse_unless_idle_in(State state) const noexcept {
    return refuse_unless((state_ == state) && (under_way_ == 0U));
}

// What views of inputs and of outputs are refused for alike.
Status Session::refuse_view(bool is_there) const noexcept {
    const Status ready = refuse_unless(is_idle());
    if (is_ok(ready) && (!has_views_ || !is_there)) {
        return Status::kInvalidArgument;
    }
    return ready;
}

Status Session::input_view(std::uint32_t index, MutableByteSpan& view) const noexcept {
    const Status status = refuse_view(index < plan_.input_count);
    view = is_ok(status) ? views_.inputs[index] : MutableByteSpan{};
    return status;
}

Status Session::output_view(std::uint32_t index, ByteSpan& view) const noexcept {
    Status status = refuse_view(index < plan_.output_count);
    if (is_ok(status) && !has_result_) {
        status = Status::kInvalidState;
    }
    view = is_ok(status) ? views_.outputs[index] : MutableByteSpan{};
    return status;
}

Status Session::submit() noexcept {
    const Status ready = refuse_unless_idle_in(State::kStarted);
    if (!is_ok(ready)) {
        return ready;
    }
    if (!has_views_) {
        return Status::kInvalidArgument;
    }
    begin(ScriptKind::kStep, Io::kViews);
    watch(plan_.step);
    for (std::uint32_t i = 0U; i < plan_.input_count; ++i) {
        device_.give_to_device(views_.inputs[i]);
    }
    return enqueue(plan_.step, plan_.commands, FaultStage::kSubmit);
}

// Tensors that the script moves are all there, of exactly their sizes; those that it does not move are not given.
bool Session::sizes_match(Span<const ByteSpan> inputs, Span<const MutableByteSpan> outputs, bool takes,
                          bool gives) const noexcept {
    bool match =
        (inputs.size() == (takes ? plan_.input_count : 0U)) && (outputs.size() == (gives ? plan_.output_count : 0U));
    for (std::uint32_t i = 0U; match && (i < inputs.size()); ++i) {
        match = inputs[i].size() == plan_.input_bytes[i];
    }
    for (std::uint32_t i = 0U; match && (i < outputs.size()); ++i) {
        match = outputs[i].size() == plan_.output_bytes[i];
    }
    return match;
}

// Binds the tensors to the slots of a new flight, and enqueues the script.
Status Session::submit_script(ScriptKind kind, Span<const ByteSpan> inputs,
                              Span<const MutableByteSpan> outputs) noexcept {
    const PlannedScript& script = plan_.script(kind);
    begin(kind, Io::kTransfers);
    if (under_way_ == 1U) {
        watch(script);
    }
    const std::uint32_t index = token_ % kMaxStepsInFlight;
    Flight& flight = flights_[index];
    bool bound = true;
    for (std::uint32_t i = 0U; i < inputs.size(); ++i) {
        bound = is_ok(device_.bind_source(kFirstInputSlot + (index * kMaxInputs) + i, inputs[i])) && bound;
    }
    for (std::uint32_t i = 0U; i < outputs.size(); ++i) {
        bound = is_ok(device_.bind_destination((index * kMaxOutputs) + i, outputs[i])) && bound;
        flight.outputs[i] = outputs[i];
    }
    flight.bound_outputs = static_cast<std::uint32_t>(outputs.size());
    if (!bound) {
        return latch(Status::kDeviceFault, FaultStage::kSubmit);
    }
    return enqueue(script, plan_.commands, FaultStage::kSubmit);
}

Status Session::submit(Span<const ByteSpan> inputs, Span<const MutableByteSpan> outputs) noexcept {
    const Status ready =
        refuse_unless((state_ == State::kStarted) && (under_way_ < plan_.steps_in_flight) &&
                      ((under_way_ == 0U) || (oldest().kind == ScriptKind::kStep)));  // prologue and epilogue run alone
    if (!is_ok(ready)) {
        return ready;
    }
    if (!sizes_match(inputs, outputs, true, true)) {
        return Status::kInvalidArgument;
    }
    return submit_script(ScriptKind::kStep, inputs, outputs);
}

Status Session::start(Span<const ByteSpan> inputs) noexcept {
    const Status ready = refuse_unless_idle_in(State::kStopped);
    if (!is_ok(ready)) {
        return ready;
    }
    if (!sizes_match(inputs, {}, plan_.is_pipelined, false)) {
        return Status::kInvalidArgument;
    }
    has_stepped_ = false;
    state_ = State::kStarted;  // latching comes later than this
    return submit_script(ScriptKind::kPrologue, inputs, {});
}

Status Session::stop(Span<const MutableByteSpan> outputs) noexcept {
    const Status ready = refuse_unless_idle_in(State::kStarted);
    if (!is_ok(ready)) {
        return ready;
    }
    if (((plan_.prologue.count | plan_.epilogue.count) == 0U) || !has_stepped_) {
        return Status::kInvalidState;
    }
    if (!sizes_match({}, outputs, false, plan_.is_pipelined)) {
        return Status::kInvalidArgument;
    }
    return submit_script(ScriptKind::kEpilogue, {}, outputs);
}

Status Session::set_parameters(Span<const ParameterValue> values) noexcept {
    const Status ready = refuse_unless(is_idle());
    if (!is_ok(ready)) {
        return ready;
    }
    for (const ParameterValue& item : values) {
        if (item.index >= plan_.parameter_count) {
            return Status::kInvalidArgument;
        }
        if (!plan_.parameters[item.index].admits(item.value)) {
            return Status::kInvalidArgument;
        }
    }
    for (const ParameterValue& item : values) {
        const PlannedParameter& parameter = plan_.parameters[item.index];
        for (std::uint32_t i = 0U; i < parameter.point_count; ++i) {
            const std::uint32_t address = plan_.patch_addresses[parameter.first_point + i];
            if (!is_ok(device_.patch_word(address, item.value))) {
                Completion where;
                where.fault_address = address;
                return latch(Status::kDeviceFault, FaultStage::kParameter, 0U, where);
            }
        }
    }
    return Status::kOk;
}

Status Session::poll() noexcept {
    if (state_ == State::kFaulted) {
        return Status::kFaultLatched;
    }
    if (under_way_ == 0U) {
        return Status::kInvalidState;
    }
    Flight& flight = oldest();
    const ScriptKind kind = flight.kind;
    const Status status = check_completions(plan_.script(kind), FaultStage::kStep);
    if (!is_ok(status)) {
        return status;
    }
    flight.bound_outputs = 0U;
    under_way_ -= 1U;
    if (under_way_ != 0U) {
        // The device has been at work on the one before until now.
        oldest().started_us = platform_.now_us();
        watch(plan_.script(oldest().kind));
    }
    if (kind == ScriptKind::kStep) {
        for (std::uint32_t i = 0U; (io_ == Io::kViews) && (i < plan_.output_count); ++i) {
            device_.take_from_device(views_.outputs[i]);
        }
        steps_completed_ += 1U;
        has_result_ = true;
        has_stepped_ = true;
    } else if (kind == ScriptKind::kEpilogue) {
        state_ = idle_state();
        has_stepped_ = false;
    } else {
        // The first step may come.
    }
    platform_.serve_watchdog();
    return status;
}

// Polls what has been submitted until it has completed or a fault has latched.
Status Session::finish(Status submitted) noexcept {
    Status status = is_ok(submitted) ? poll() : submitted;
    while (status == Status::kPending) {  // ends at the deadline, which the platform's clock reaches
        platform_.idle();
        status = poll();
    }
    return status;
}

Status Session::run(Span<const ByteSpan> inputs, Span<const MutableByteSpan> outputs) noexcept {
    if (!plan_.is_pipelined) {
        const bool starts = (state_ == State::kStopped) && (under_way_ == 0U);
        const Status started = starts ? finish(start({})) : Status::kOk;
        return is_ok(started) ? finish(submit(inputs, outputs)) : started;
    }
    const Status ready = refuse_unless_idle_in(State::kStopped);
    if (!is_ok(ready)) {
        return ready;
    }
    if (!sizes_match(inputs, outputs, true, true)) {
        return Status::kInvalidArgument;
    }
    const Status started = finish(start(inputs));
    const Status stepped = is_ok(started) ? finish(submit(inputs, outputs)) : started;
    return is_ok(stepped) ? finish(stop(outputs)) : stepped;
}

std::uint32_t Session::output_bytes() const noexcept {
    std::uint32_t bytes = 0U;
    for (std::uint32_t i = 0U; i < plan_.output_count; ++i) {
        bytes += plan_.output_bytes[i];
    }
    return bytes;
}

Status Session::self_test(std::uint32_t index, MutableByteSpan scratch) noexcept {
    const Status ready = refuse_unless(is_idle());
    if (!is_ok(ready)) {
        return ready;
    }
    if ((index >= image_.self_test_count()) || (scratch.size() < output_bytes())) {
        return Status::kInvalidArgument;
    }
    // Vectors follow each other, each all inputs and then all outputs; the plan has proved that they fill the segment.
    const ByteSpan vectors = image_.self_tests();
    const std::size_t vector_bytes = vectors.size() / image_.self_test_count();
    std::size_t offset = index * vector_bytes;
    std::array<ByteSpan, kMaxInputs> inputs{};
    for (std::uint32_t i = 0U; i < plan_.input_count; ++i) {
        inputs[i] = vectors.subspan(offset, plan_.input_bytes[i]);
        offset += plan_.input_bytes[i];
    }
    std::array<MutableByteSpan, kMaxOutputs> outputs{};
    std::size_t used = 0U;
    for (std::uint32_t i = 0U; i < plan_.output_count; ++i) {
        outputs[i] = scratch.subspan(used, plan_.output_bytes[i]);
        used += plan_.output_bytes[i];
    }
    const Status status = run(Span<const ByteSpan>{inputs.data(), plan_.input_count},
                              Span<const MutableByteSpan>{outputs.data(), plan_.output_count});
    if (!is_ok(status)) {
        return status;
    }
    if ((used != 0U) && (std::memcmp(scratch.data(), &vectors[offset], used) != 0)) {
        std::memset(scratch.data(), 0, used);
        return latch(Status::kIntegrity, FaultStage::kSelfTest);
    }
    return Status::kOk;
}

Status Session::unload() noexcept {
    if (under_way_ != 0U) {
        return Status::kInvalidState;
    }
    state_ = State::kEmpty;
    const Status reset = device_.reset();
    if (!is_ok(reset)) {
        return latch(reset, FaultStage::kReset);
    }
    return Status::kOk;
}

}  // namespace pianola
