#include "runtime/session/session.h"

#include <cstring>

#include "runtime/integrity/seal.h"

namespace pianola {
namespace {

// What moves a tensor between the application's memory and the device's.
[[nodiscard]] bool is_transfer(QueueCommandKind kind) noexcept {
    return (kind == QueueCommandKind::kWrite) || (kind == QueueCommandKind::kRead);
}

template <typename Object>
[[nodiscard]] ByteSpan bytes_of(const Object& object) noexcept {
    static_assert(((sizeof(Object) % sizeof(std::uint32_t)) == 0U) && (alignof(Object) >= sizeof(std::uint32_t)));
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    return ByteSpan{reinterpret_cast<const std::uint8_t*>(&object), sizeof(object)};
}

// What validate_twice() comes to where both validations have passed every stage and accepted.
constexpr std::uint32_t kArmed =
    follow(follow(follow(follow(kFlowAccepted, Status::kOk), Status::kOk), Status::kOk), Status::kOk) + kFlowAccepted;
[[nodiscard]] bool is_armed(const volatile std::uint32_t& armed) noexcept {
    return armed == kArmed;
}

}  // namespace

Session::Session(Device& device, Platform& platform, const CommandSet& command_set,
                 const SessionConfig& config) noexcept
    : device_{device}, platform_{platform}, command_set_{command_set}, config_{config} {
    static_cast<void>(seal(Status::kOk));
}

// Behind a load, or a start from nothing.
Status Session::seal(Status status) noexcept {
    if (config_.release != Release::kAtCompletion) {
        loaded_seal_ = seal_of(bytes_of(loaded_));
    }
    return leave(status);
}

// Whether the state is as the last call left it. Where memories correct themselves, nobody asks.
bool Session::is_whole() const noexcept {
    return (config_.release == Release::kAtCompletion) ||
           ((seal_of(bytes_of(loaded_)) == loaded_seal_) && (seal_of(bytes_of(running_)) == running_seal_) &&
            (seal_of(bytes_of(bound_)) == bound_seal_));
}

// Every call that goes on from the state begins and ends with these.
Status Session::enter() noexcept {
    const bool is_latched = (running_.state == State::kFaulted) && !is_ok(fault_.status);
    return (is_latched || is_whole()) ? Status::kOk : leave(latch(Status::kIntegrity, FaultStage::kState));
}
Status Session::leave(Status status) noexcept {
    if (config_.release != Release::kAtCompletion) {
        running_seal_ = seal_of(bytes_of(running_));
    }
    seal_bound();
    return status;
}
void Session::seal_bound() noexcept {
    if (config_.release != Release::kAtCompletion) {
        bound_copy_ = bound_;
        bound_seal_ = seal_of(bytes_of(bound_));
    }
}

Status Session::latch(Status status, FaultStage stage, std::uint32_t queue, const Completion& completion) noexcept {
    const Flight& flight = oldest();
    fault_.status = status;
    fault_.stage = stage;
    fault_.queue = queue;
    fault_.step = oldest_token();
    fault_.time_us = platform_.now_us();
    fault_.started_us = flight.started_us;
    fault_.deadline_us = running_.deadline_us;
    fault_.device_fault = completion.fault;
    fault_.command = completion.fault_command;
    fault_.address = completion.fault_address;
    running_.state = State::kFaulted;
    running_.has_result = false;
    running_.is_confirmed = false;
    running_.is_verifying = false;
    running_.under_way = 0U;
    // Outputs are withheld only once the device can no longer write to them. Where it does not stop, the safe state has to see to
    // that: it learns so from the record.
    fault_.device_stopped = is_ok(device_.reset());
    withhold_outputs();
    history_.add(fault_);
    platform_.enter_safe_state(fault_);
    return status;
}

Status Session::latch(Status status, FaultStage stage, std::uint32_t queue) noexcept {
    return latch(status, stage, queue, Completion{});
}

// Writes through a pointer that is known to be whole only.
void Session::withhold_outputs() noexcept {
    if ((config_.release != Release::kAtCompletion) && (seal_of(bytes_of(bound_)) != bound_seal_)) {
        bound_ = bound_copy_;
    }
    for (std::uint32_t flight = 0U; flight < kMaxStepsInFlight; ++flight) {
        for (std::uint32_t i = 0U; i < bound_.counts[flight]; ++i) {
            std::memset(bound_.outputs[flight][i].data(), 0, bound_.outputs[flight][i].size());
        }
        bound_.counts[flight] = 0U;
    }
}

// The oldest script that is under way; where none is, the last one.
std::uint32_t Session::oldest_token() const noexcept {
    return running_.token - ((running_.under_way > 1U) ? (running_.under_way - 1U) : 0U);
}
Session::Flight& Session::oldest() noexcept {
    return running_.flights[oldest_token() % kMaxStepsInFlight];
}

// Where a binary has no prologue, there is nothing to start.
Session::State Session::idle_state() const noexcept {
    return (loaded_.plan.prologue.count == 0U) ? State::kStarted : State::kStopped;
}

Status Session::load(ByteSpan file, PlanWorkspace& workspace, Verdict& verdict) noexcept {
    if (running_.under_way != 0U) {
        reset(verdict);
        verdict.status = Status::kInvalidState;
        return verdict.status;
    }
    return seal(load_whole(file, workspace, verdict));
}

Status Session::load_whole(ByteSpan file, PlanWorkspace& workspace, Verdict& verdict) noexcept {
    fault_ = FaultRecord{};
    running_ = Running{};
    bound_ = Bound{};
    loaded_.armed = 0U;
    loaded_.has_views = false;
    loaded_.file = file;
    oldest().started_us = platform_.now_us();

    DeviceDescription description;
    const Status described = device_.describe(description);
    if (!is_ok(described)) {
        reset(verdict);
        verdict.status = described;
        return latch(Status::kDeviceFault, FaultStage::kReset);
    }
    const Status valid = validate_twice(file, description, workspace, verdict);
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
    const Status set_up = wait_for_setup(workspace.setup);
    if (!is_ok(set_up)) {
        return set_up;
    }
    running_.under_way = 0U;
    find_constants(workspace.setup, workspace.setup_commands, loaded_.image.envelope(), loaded_.constants);
    Status compared = Status::kPending;
    while (compared == Status::kPending) {  // ends with the constants, which the setup's commands bound
        compared = compare_constants(running_.background, FaultStage::kReadBack);
    }
    if (!is_ok(compared)) {
        return compared;
    }
    find_views();
    running_.state = idle_state();
    return Status::kOk;
}

// The same checks twice, on state of their own: a core that skips an instruction, or computes wrongly once, leaves one of the two verdicts
// without its flow. Nothing branches on what is added up here; who starts the device looks at the sum.
Status Session::validate_twice(ByteSpan file, const DeviceDescription& description, PlanWorkspace& workspace,
                               Verdict& verdict) noexcept {
    Trust trust = config_.trust;
    std::uint32_t lowest = 0U;
    if (!is_ok(platform_.lowest_security_version(lowest))) {
        reset(verdict);
        return refuse(verdict, Rule::kAutCounter, 0U);
    }
    if (lowest > trust.lowest_security_version) {
        trust.lowest_security_version = lowest;
    }
    const Status first =
        validate(file, description, command_set_, trust, workspace, loaded_.image, loaded_.plan, verdict);
    if (!is_ok(first)) {
        return first;
    }
    Verdict again;
    const Status second =
        validate(file, description, command_set_, trust, workspace, loaded_.image, loaded_.plan, again);
    if (!is_ok(second)) {
        verdict = again;
        return second;
    }
    loaded_.armed =
        follow(follow(follow(follow(verdict.flow, first), second), verdict.status), again.status) + again.flow;
    return Status::kOk;
}

// Looks where the step's transfers go to and come from in device memory. In that memory an input starts as zeros, so that a first
// step depends on nothing that was there before.
void Session::find_views() noexcept {
    loaded_.views = Tensors{};
    loaded_.transfers.fill(0U);
    bool all_seen = !loaded_.plan.is_pipelined && (loaded_.plan.steps_in_flight == 1U);
    for (std::uint32_t i = loaded_.plan.step.first; i < (loaded_.plan.step.first + loaded_.plan.step.count); ++i) {
        const QueueCommand& command = loaded_.plan.commands[i].command;
        if (!is_transfer(command.kind)) {
            continue;
        }
        loaded_.transfers[loaded_.plan.commands[i].queue] += 1U;
        const MutableByteSpan view = device_.host_view(command.address, command.size_bytes);
        const bool reads = command.kind == QueueCommandKind::kRead;
        const std::uint32_t tensor = reads ? command.slot : (command.slot - kFirstInputSlot);
        const bool is_whole =
            command.size_bytes == (reads ? loaded_.plan.output_bytes[tensor] : loaded_.plan.input_bytes[tensor]);
        (reads ? loaded_.views.outputs[tensor] : loaded_.views.inputs[tensor]) = view;
        if (view.empty() || !is_whole) {
            all_seen = false;
        }
        if (!reads && !view.empty()) {
            std::memset(view.data(), 0, view.size());
        }
    }
    loaded_.has_views = all_seen;
}

Status Session::program_device() noexcept {
    if (!is_armed(loaded_.armed)) {
        return latch(Status::kIntegrity, FaultStage::kArm);
    }
    const Status reset = device_.reset();
    if (!is_ok(reset)) {
        return latch(reset, FaultStage::kReset);
    }
    for (std::uint32_t i = 0U; i < loaded_.plan.region_count; ++i) {
        if (!is_ok(device_.program_region(loaded_.plan.regions[i]))) {
            return latch(Status::kDeviceFault, FaultStage::kProgram);
        }
    }
    if (!is_ok(device_.bind_source(kWeightsSlot, loaded_.image.weights())) ||
        !is_ok(device_.bind_source(kTracesSlot, loaded_.image.trace_segment()))) {
        return latch(Status::kDeviceFault, FaultStage::kProgram);
    }
    return Status::kOk;
}

// The next token is that of a new script, which is under way from here on.
void Session::begin(ScriptKind kind, Io io) noexcept {
    running_.token += 1U;
    running_.under_way += 1U;
    running_.io = io;
    running_.has_result = false;
    Flight& flight = running_.flights[running_.token % kMaxStepsInFlight];
    flight.kind = kind;
    flight.started_us = platform_.now_us();
}

// The script becomes the oldest one that is under way.
void Session::watch(const PlannedScript& script) noexcept {
    running_.deadline_us = script.deadline_us;
    for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
        running_.queue_done[queue] = !script.queue_used[queue];
    }
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

Status Session::enqueue_one(std::uint32_t queue, const QueueCommand& command, std::uint32_t trace,
                            FaultStage stage) noexcept {
    std::uint64_t& digest = running_.digests[queue];
    digest = command_set_.queue_digest(digest, command, loaded_.plan.trace_digests[trace]);
    return is_ok(device_.enqueue(queue, command)) ? Status::kOk : latch(Status::kDeviceFault, stage, queue);
}

Status Session::enqueue(const PlannedScript& script, const PlannedCommands& commands, FaultStage stage) noexcept {
    for (std::uint32_t i = script.first; i < (script.first + script.count); ++i) {
        const PlannedCommand& planned = commands[i];
        if ((running_.io == Io::kViews) && is_transfer(planned.command.kind)) {
            continue;
        }
        const Status enqueued = enqueue_one(planned.queue, bind(planned), planned.trace, stage);
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
    bool all_done = true;
    std::uint32_t pending_queue = 0U;
    Completion progress;  // of that queue
    for (std::uint32_t queue = 0U; queue < loaded_.plan.queue_count; ++queue) {
        if (running_.queue_done[queue]) {
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
        const std::uint32_t left_out = (running_.io == Io::kViews) ? loaded_.transfers[queue] : 0U;
        if ((executed != (script.executed_commands[queue] - left_out)) ||
            (completion.digest != oldest().digests[queue])) {
            completion.fault_command = executed;
            return latch(Status::kIntegrity, stage, queue, completion);
        }
        running_.executed[queue] = completion.executed_commands;
        running_.queue_done[queue] = true;
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

// The next slice of what set-up has written.
Status Session::compare_constants(ScrubCursor& cursor, FaultStage stage) noexcept {
    Completion where;
    const Status status =
        compare_slice(device_, ScrubSource{loaded_.file, loaded_.plan, loaded_.constants, running_.parameters}, cursor,
                      where.fault_address);
    return ((status == Status::kOk) || (status == Status::kPending)) ? status : latch(status, stage, 0U, where);
}

// A latched fault comes before everything else.
Status Session::refuse_unless(bool state_fits) const noexcept {
    if (running_.state == State::kFaulted) {
        return Status::kFaultLatched;
    }
    return state_fits ? Status::kOk : Status::kInvalidState;
}

Status Session::refuse_unless_idle_in(State state) const noexcept {
    return refuse_unless((running_.state == state) && (running_.under_way == 0U));
}

Status Session::enter_idle_in(State state) noexcept {
    const Status entered = enter();
    return is_ok(entered) ? refuse_unless_idle_in(state) : entered;
}
Status Session::enter_idle() noexcept {
    const Status entered = enter();
    return is_ok(entered) ? refuse_unless(is_idle()) : entered;
}

// What views of inputs and of outputs are refused for alike.
Status Session::refuse_view(bool is_there) const noexcept {
    const Status ready = is_whole() ? refuse_unless(is_idle()) : Status::kIntegrity;
    if (is_ok(ready) && (!loaded_.has_views || !is_there)) {
        return Status::kInvalidArgument;
    }
    return ready;
}

Status Session::input_view(std::uint32_t index, MutableByteSpan& view) const noexcept {
    const Status status = refuse_view(index < loaded_.plan.input_count);
    view = is_ok(status) ? loaded_.views.inputs[index] : MutableByteSpan{};
    return status;
}

Status Session::output_view(std::uint32_t index, ByteSpan& view) const noexcept {
    Status status = refuse_view(index < loaded_.plan.output_count);
    if (is_ok(status) && !running_.has_result) {
        status = Status::kInvalidState;
    }
    view = is_ok(status) ? loaded_.views.outputs[index] : MutableByteSpan{};
    return status;
}

Status Session::submit() noexcept {
    const Status ready = enter_idle_in(State::kStarted);
    if (!is_ok(ready)) {
        return ready;
    }
    if (!loaded_.has_views) {
        return Status::kInvalidArgument;
    }
    begin(ScriptKind::kStep, Io::kViews);
    watch(loaded_.plan.step);
    for (std::uint32_t i = 0U; i < loaded_.plan.input_count; ++i) {
        device_.give_to_device(loaded_.views.inputs[i]);
    }
    return leave(enqueue(loaded_.plan.step, loaded_.plan.commands, FaultStage::kSubmit));
}

// Tensors that the script moves are all there, of exactly their sizes; those that it does not move are not given.
bool Session::sizes_match(Span<const ByteSpan> inputs, Span<const MutableByteSpan> outputs, bool takes,
                          bool gives) const noexcept {
    bool match = (inputs.size() == (takes ? loaded_.plan.input_count : 0U)) &&
                 (outputs.size() == (gives ? loaded_.plan.output_count : 0U));
    for (std::uint32_t i = 0U; match && (i < inputs.size()); ++i) {
        match = inputs[i].size() == loaded_.plan.input_bytes[i];
    }
    for (std::uint32_t i = 0U; match && (i < outputs.size()); ++i) {
        match = outputs[i].size() == loaded_.plan.output_bytes[i];
    }
    return match;
}

// Binds the tensors to the slots of a new flight, and enqueues the script.
Status Session::submit_script(ScriptKind kind, Span<const ByteSpan> inputs,
                              Span<const MutableByteSpan> outputs) noexcept {
    const PlannedScript& script = loaded_.plan.script(kind);
    begin(kind, Io::kTransfers);
    if (running_.under_way == 1U) {
        watch(script);
    }
    const std::uint32_t index = running_.token % kMaxStepsInFlight;
    bool bound = true;
    for (std::uint32_t i = 0U; i < inputs.size(); ++i) {
        bound = is_ok(device_.bind_source(kFirstInputSlot + (index * kMaxInputs) + i, inputs[i])) && bound;
    }
    for (std::uint32_t i = 0U; i < outputs.size(); ++i) {
        bound = is_ok(device_.bind_destination((index * kMaxOutputs) + i, outputs[i])) && bound;
        bound_.outputs[index][i] = outputs[i];
    }
    bound_.counts[index] = static_cast<std::uint32_t>(outputs.size());
    seal_bound();  // before the first fault that may withhold them
    return leave(bound ? enqueue(script, loaded_.plan.commands, FaultStage::kSubmit)
                       : latch(Status::kDeviceFault, FaultStage::kSubmit));
}

Status Session::submit(Span<const ByteSpan> inputs, Span<const MutableByteSpan> outputs) noexcept {
    const Status entered = enter();
    if (!is_ok(entered)) {
        return entered;
    }
    const Status ready = refuse_unless(
        (running_.state == State::kStarted) && (running_.under_way < loaded_.plan.steps_in_flight) &&
        ((running_.under_way == 0U) || (oldest().kind == ScriptKind::kStep)));  // prologue and epilogue run alone
    if (!is_ok(ready)) {
        return ready;
    }
    if (!sizes_match(inputs, outputs, true, true)) {
        return Status::kInvalidArgument;
    }
    return submit_script(ScriptKind::kStep, inputs, outputs);
}

Status Session::start(Span<const ByteSpan> inputs) noexcept {
    const Status ready = enter_idle_in(State::kStopped);
    if (!is_ok(ready)) {
        return ready;
    }
    if (!sizes_match(inputs, {}, loaded_.plan.is_pipelined, false)) {
        return Status::kInvalidArgument;
    }
    running_.has_stepped = false;
    running_.state = State::kStarted;  // latching comes later than this
    return submit_script(ScriptKind::kPrologue, inputs, {});
}

Status Session::stop(Span<const MutableByteSpan> outputs) noexcept {
    const Status ready = enter_idle_in(State::kStarted);
    if (!is_ok(ready)) {
        return ready;
    }
    if (((loaded_.plan.prologue.count | loaded_.plan.epilogue.count) == 0U) || !running_.has_stepped) {
        return Status::kInvalidState;
    }
    if (!sizes_match({}, outputs, false, loaded_.plan.is_pipelined)) {
        return Status::kInvalidArgument;
    }
    return submit_script(ScriptKind::kEpilogue, {}, outputs);
}

Status Session::set_parameters(Span<const ParameterValue> values) noexcept {
    const Status ready = enter_idle();
    if (!is_ok(ready)) {
        return ready;
    }
    for (const ParameterValue& item : values) {
        if (item.index >= loaded_.plan.parameter_count) {
            return Status::kInvalidArgument;
        }
        if (!loaded_.plan.parameters[item.index].admits(item.value)) {
            return Status::kInvalidArgument;
        }
    }
    for (const ParameterValue& item : values) {
        const PlannedParameter& parameter = loaded_.plan.parameters[item.index];
        running_.parameters.value[item.index] = item.value;
        running_.parameters.is_set[item.index] = true;
        for (std::uint32_t i = 0U; i < parameter.point_count; ++i) {
            const std::uint32_t address = loaded_.plan.patch_addresses[parameter.first_point + i];
            if (!is_ok(device_.patch_word(address, item.value))) {
                Completion where;
                where.fault_address = address;
                return leave(latch(Status::kDeviceFault, FaultStage::kParameter, 0U, where));
            }
        }
    }
    return leave(Status::kOk);
}

Status Session::poll() noexcept {
    const Status entered = enter();
    if (!is_ok(entered)) {
        return entered;
    }
    const Status ready = refuse_unless(running_.under_way != 0U);
    return is_ok(ready) ? leave(complete_oldest()) : ready;
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
    Flight& flight = oldest();
    const ScriptKind kind = flight.kind;
    const Status completed = check_completions(loaded_.plan.script(kind), FaultStage::kStep);
    const Status status = is_ok(completed) ? verify_release() : completed;
    if (!is_ok(status)) {
        return status;
    }
    bound_.counts[oldest_token() % kMaxStepsInFlight] = 0U;
    running_.under_way -= 1U;
    if (running_.under_way != 0U) {
        // The device has been at work on the one before until now.
        oldest().started_us = platform_.now_us();
        watch(loaded_.plan.script(oldest().kind));
    }
    if (kind == ScriptKind::kStep) {
        for (std::uint32_t i = 0U; (running_.io == Io::kViews) && (i < loaded_.plan.output_count); ++i) {
            device_.take_from_device(loaded_.views.outputs[i]);
        }
        running_.steps_completed += 1U;
        running_.has_result = true;
        running_.has_stepped = true;
        running_.is_confirmed = running_.is_confirmed || (loaded_.image.self_test_count() == 0U);
    } else if (kind == ScriptKind::kEpilogue) {
        running_.state = idle_state();
        running_.has_stepped = false;
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
        if (!running_.is_verifying) {
            platform_.idle();
        }
        status = poll();
    }
    return status;
}

Status Session::run(Span<const ByteSpan> inputs, Span<const MutableByteSpan> outputs) noexcept {
    const Status entered = enter();
    if (!is_ok(entered)) {
        return entered;
    }
    if (!loaded_.plan.is_pipelined) {
        const bool starts = (running_.state == State::kStopped) && (running_.under_way == 0U);
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
    const std::uint32_t count = is_whole() ? loaded_.plan.output_count : 0U;
    for (std::uint32_t i = 0U; i < count; ++i) {
        bytes += loaded_.plan.output_bytes[i];
    }
    return bytes;
}

Status Session::self_test(std::uint32_t index, MutableByteSpan scratch) noexcept {
    const Status ready = enter_idle();
    if (!is_ok(ready)) {
        return ready;
    }
    if ((index >= loaded_.image.self_test_count()) || (scratch.size() < output_bytes())) {
        return Status::kInvalidArgument;
    }
    // Vectors follow each other, each all inputs and then all outputs; the plan has proved that they fill the segment.
    const ByteSpan vectors = loaded_.image.self_tests();
    const std::size_t vector_bytes = vectors.size() / loaded_.image.self_test_count();
    std::size_t offset = index * vector_bytes;
    std::array<ByteSpan, kMaxInputs> inputs{};
    for (std::uint32_t i = 0U; i < loaded_.plan.input_count; ++i) {
        inputs[i] = vectors.subspan(offset, loaded_.plan.input_bytes[i]);
        offset += loaded_.plan.input_bytes[i];
    }
    std::array<MutableByteSpan, kMaxOutputs> outputs{};
    std::size_t used = 0U;
    for (std::uint32_t i = 0U; i < loaded_.plan.output_count; ++i) {
        outputs[i] = scratch.subspan(used, loaded_.plan.output_bytes[i]);
        used += loaded_.plan.output_bytes[i];
    }
    const Status status = run(Span<const ByteSpan>{inputs.data(), loaded_.plan.input_count},
                              Span<const MutableByteSpan>{outputs.data(), loaded_.plan.output_count});
    if (!is_ok(status)) {
        return status;
    }
    if ((used != 0U) && (std::memcmp(scratch.data(), &vectors[offset], used) != 0)) {
        std::memset(scratch.data(), 0, used);
        return leave(latch(Status::kIntegrity, FaultStage::kSelfTest));
    }
    return Status::kOk;
}

Status Session::self_test(MutableByteSpan scratch) noexcept {
    const Status ready = enter_idle();
    if (!is_ok(ready)) {
        return ready;
    }
    const std::uint32_t count = loaded_.image.self_test_count();
    for (std::uint32_t i = 0U; i < count; ++i) {
        const Status status = self_test(i, scratch);
        if (!is_ok(status)) {
            return status;
        }
    }
    running_.is_confirmed = running_.is_confirmed || (count != 0U);
    return leave(Status::kOk);
}

Status Session::scrub() noexcept {
    const Status entered = enter();
    if (!is_ok(entered)) {
        return entered;
    }
    const Status ready = refuse_unless(running_.state != State::kEmpty);
    if (!is_ok(ready)) {
        return ready;
    }
    const Status compared = compare_constants(running_.background, FaultStage::kScrub);
    return leave((compared == Status::kPending) ? Status::kOk : compared);
}

std::uint32_t Session::scrub_calls() const noexcept {
    std::uint32_t calls = 0U;
    const std::uint32_t count = is_whole() ? loaded_.constants.count : 0U;
    for (std::uint32_t i = 0U; i < count; ++i) {
        calls += (loaded_.constants.ranges[i].size_bytes + (kScrubSliceBytes - 1U)) / kScrubSliceBytes;
    }
    return calls;
}

Status Session::confirm_start() noexcept {
    const Status ready = enter_idle();
    if (!is_ok(ready)) {
        return ready;
    }
    if (!running_.is_confirmed) {
        return Status::kInvalidState;
    }
    std::uint32_t lowest = 0U;
    const Status read = platform_.lowest_security_version(lowest);
    const std::uint32_t version = loaded_.image.envelope().security_version;
    return (is_ok(read) && (version > lowest)) ? platform_.raise_security_version(version) : read;
}

Status Session::unload() noexcept {
    if (running_.under_way != 0U) {
        return Status::kInvalidState;
    }
    running_.state = State::kEmpty;
    const Status reset = device_.reset();
    return leave(is_ok(reset) ? Status::kOk : latch(reset, FaultStage::kReset));
}

}  // namespace pianola
