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
    fault_.status = status;
    fault_.stage = stage;
    fault_.queue = queue;
    fault_.step = token_;
    fault_.time_us = platform_.now_us();
    fault_.started_us = started_us_;
    fault_.deadline_us = deadline_us_;
    fault_.device_fault = completion.fault;
    fault_.command = completion.fault_command;
    fault_.address = completion.fault_address;
    state_ = State::kFaulted;
    has_result_ = false;
    // Outputs are withheld only once the device can no longer write to them. Where it does not stop, the safe state has to see to
    // that: it learns so from the record.
    fault_.device_stopped = is_ok(device_.reset());
    withhold_outputs();
    platform_.enter_safe_state(fault_);
    return status;
}

void Session::withhold_outputs() noexcept {
    for (std::uint32_t i = 0U; i < bound_outputs_; ++i) {
        std::memset(outputs_[i].data(), 0, outputs_[i].size());
    }
    bound_outputs_ = 0U;
}

Status Session::load(ByteSpan file, PlanWorkspace& workspace, Verdict& verdict) noexcept {
    if (state_ == State::kRunning) {
        verdict = Verdict{};
        verdict.status = Status::kInvalidState;
        return Status::kInvalidState;
    }
    state_ = State::kEmpty;
    fault_ = FaultRecord{};
    token_ = 0U;
    steps_completed_ = 0U;
    bound_outputs_ = 0U;
    has_views_ = false;
    has_result_ = false;
    executed_.fill(0U);
    started_us_ = platform_.now_us();
    deadline_us_ = 0U;

    DeviceDescription description;
    const Status described = device_.describe(description);
    if (!is_ok(described)) {
        verdict = Verdict{};
        verdict.status = described;
        return latch(Status::kDeviceFault, FaultStage::kReset, 0U, Completion{});
    }
    const Status valid = validate(file, description, command_set_, workspace, image_, plan_, verdict);
    if (!is_ok(valid)) {
        return valid;
    }
    const Status programmed = program_device();
    if (!is_ok(programmed)) {
        return programmed;
    }
    begin(workspace.setup, Io::kTransfers);
    const Status started = start(workspace.setup, FaultStage::kSetup);
    if (!is_ok(started)) {
        return started;
    }
    const Status loaded = wait_for(workspace.setup, FaultStage::kSetup);
    if (!is_ok(loaded)) {
        return loaded;
    }
    const Status same = read_back_traces();
    if (!is_ok(same)) {
        return same;
    }
    find_views();
    state_ = State::kReady;
    return Status::kOk;
}

// Looks where the step's transfers go to and come from in device memory. In that memory an input starts as zeros, so that a first
// step depends on nothing that was there before.
void Session::find_views() noexcept {
    views_ = Tensors{};
    transfers_.fill(0U);
    has_views_ = true;
    for (std::uint32_t i = 0U; i < plan_.step.count; ++i) {
        const QueueCommand& command = plan_.step.commands[i].command;
        if (!is_transfer(command.kind)) {
            continue;
        }
        transfers_[plan_.step.commands[i].queue] += 1U;
        const MutableByteSpan view = device_.host_view(command.address, command.size_bytes);
        has_views_ = has_views_ && !view.empty();
        if (command.kind == QueueCommandKind::kRead) {
            views_.outputs[command.slot] = view;
        } else {
            views_.inputs[command.slot - kFirstInputSlot] = view;
            if (!view.empty()) {
                std::memset(view.data(), 0, view.size());
            }
        }
    }
}

Status Session::program_device() noexcept {
    const Status reset = device_.reset();
    if (!is_ok(reset)) {
        return latch(reset, FaultStage::kReset, 0U, Completion{});
    }
    for (std::uint32_t i = 0U; i < plan_.region_count; ++i) {
        const Status programmed = device_.program_region(plan_.regions[i]);
        if (!is_ok(programmed)) {
            return latch(Status::kDeviceFault, FaultStage::kProgram, 0U, Completion{});
        }
    }
    const Status weights = device_.bind_source(kWeightsSlot, image_.weights());
    const Status traces = device_.bind_source(kTracesSlot, image_.trace_segment());
    if (!is_ok(weights) || !is_ok(traces)) {
        return latch(Status::kDeviceFault, FaultStage::kProgram, 0U, Completion{});
    }
    return Status::kOk;
}

void Session::begin(const PlannedScript& script, Io io) noexcept {
    token_ += 1U;
    io_ = io;
    has_result_ = false;
    started_us_ = platform_.now_us();
    deadline_us_ = script.deadline_us;
}

Status Session::start(const PlannedScript& script, FaultStage stage) noexcept {
    for (std::uint32_t i = 0U; i < script.count; ++i) {
        const PlannedCommand& planned = script.commands[i];
        if ((io_ == Io::kViews) && is_transfer(planned.command.kind)) {
            continue;
        }
        QueueCommand command = planned.command;
        command.value = token_;
        if (!is_ok(device_.enqueue(planned.queue, command))) {
            return latch(Status::kDeviceFault, stage, planned.queue, Completion{});
        }
    }
    QueueCommand notify;
    notify.kind = QueueCommandKind::kNotify;
    notify.value = token_;
    for (std::uint32_t queue = 0U; queue < plan_.queue_count; ++queue) {
        queue_done_[queue] = !script.queue_used[queue];
        if (script.queue_used[queue] && !is_ok(device_.enqueue(queue, notify))) {
            return latch(Status::kDeviceFault, stage, queue, Completion{});
        }
    }
    // Only now may any queue start: a step is whole, or it is not there.
    for (std::uint32_t queue = 0U; queue < plan_.queue_count; ++queue) {
        if (script.queue_used[queue] && !is_ok(device_.ring_doorbell(queue))) {
            return latch(Status::kDeviceFault, stage, queue, Completion{});
        }
    }
    return Status::kOk;
}

// How many commands a queue had executed in this step when it published the record.
std::uint32_t Session::executed_in_step(std::uint32_t queue, std::uint32_t executed_commands) const noexcept {
    return executed_commands - executed_[queue];  // both wrap
}

Status Session::check_completions(const PlannedScript& script, FaultStage stage) noexcept {
    bool all_done = true;
    std::uint32_t pending_queue = 0U;
    Completion progress;  // of that queue
    for (std::uint32_t queue = 0U; queue < plan_.queue_count; ++queue) {
        if (queue_done_[queue]) {
            continue;
        }
        Completion completion;
        const Status status = device_.completion(queue, token_, completion);
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
    if ((platform_.now_us() - started_us_) > script.deadline_us) {
        return latch(Status::kTimeout, stage, pending_queue, progress);
    }
    return all_done ? Status::kOk : Status::kPending;
}

Status Session::wait_for(const PlannedScript& script, FaultStage stage) noexcept {
    Status status = Status::kPending;
    while (status == Status::kPending) {  // ends at the deadline, which the platform's clock reaches
        if (!is_ok(device_.service())) {
            return latch(Status::kDeviceFault, stage, 0U, Completion{});
        }
        status = check_completions(script, stage);
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

Status Session::may_start() const noexcept {
    if (state_ == State::kFaulted) {
        return Status::kFaultLatched;
    }
    return (state_ == State::kReady) ? Status::kOk : Status::kInvalidState;
}

Status Session::input_view(std::uint32_t index, MutableByteSpan& view) const noexcept {
    view = MutableByteSpan{};
    const Status ready = may_start();
    if (!is_ok(ready)) {
        return ready;
    }
    if (!has_views_ || (index >= plan_.input_count)) {
        return Status::kInvalidArgument;
    }
    view = views_.inputs[index];
    return Status::kOk;
}

Status Session::output_view(std::uint32_t index, ByteSpan& view) const noexcept {
    view = ByteSpan{};
    const Status ready = may_start();
    if (!is_ok(ready)) {
        return ready;
    }
    if (!has_views_ || (index >= plan_.output_count)) {
        return Status::kInvalidArgument;
    }
    if (!has_result_) {
        return Status::kInvalidState;
    }
    view = views_.outputs[index];
    return Status::kOk;
}

Status Session::submit() noexcept {
    const Status ready = may_start();
    if (!is_ok(ready)) {
        return ready;
    }
    if (!has_views_) {
        return Status::kInvalidArgument;
    }
    begin(plan_.step, Io::kViews);
    for (std::uint32_t i = 0U; i < plan_.input_count; ++i) {
        device_.give_to_device(views_.inputs[i]);
    }
    return start_step();
}

Status Session::submit(Span<const ByteSpan> inputs, Span<const MutableByteSpan> outputs) noexcept {
    const Status ready = may_start();
    if (!is_ok(ready)) {
        return ready;
    }
    bool sizes_match = (inputs.size() == plan_.input_count) && (outputs.size() == plan_.output_count);
    for (std::uint32_t i = 0U; sizes_match && (i < plan_.input_count); ++i) {
        sizes_match = inputs[i].size() == plan_.input_bytes[i];
    }
    for (std::uint32_t i = 0U; sizes_match && (i < plan_.output_count); ++i) {
        sizes_match = outputs[i].size() == plan_.output_bytes[i];
    }
    if (!sizes_match) {
        return Status::kInvalidArgument;
    }
    begin(plan_.step, Io::kTransfers);
    bool bound = true;
    for (std::uint32_t i = 0U; i < plan_.input_count; ++i) {
        bound = is_ok(device_.bind_source(kFirstInputSlot + i, inputs[i])) && bound;
    }
    for (std::uint32_t i = 0U; i < plan_.output_count; ++i) {
        bound = is_ok(device_.bind_destination(i, outputs[i])) && bound;
        outputs_[i] = outputs[i];
    }
    bound_outputs_ = plan_.output_count;
    if (!bound) {
        return latch(Status::kDeviceFault, FaultStage::kSubmit, 0U, Completion{});
    }
    return start_step();
}

Status Session::start_step() noexcept {
    const Status started = start(plan_.step, FaultStage::kSubmit);
    if (is_ok(started)) {
        state_ = State::kRunning;
    }
    return started;
}

Status Session::poll() noexcept {
    if (state_ == State::kFaulted) {
        return Status::kFaultLatched;
    }
    if (state_ != State::kRunning) {
        return Status::kInvalidState;
    }
    if (!is_ok(device_.service())) {
        return latch(Status::kDeviceFault, FaultStage::kStep, 0U, Completion{});
    }
    const Status status = check_completions(plan_.step, FaultStage::kStep);
    if (is_ok(status)) {
        for (std::uint32_t i = 0U; (io_ == Io::kViews) && (i < plan_.output_count); ++i) {
            device_.take_from_device(views_.outputs[i]);
        }
        bound_outputs_ = 0U;
        steps_completed_ += 1U;
        has_result_ = true;
        state_ = State::kReady;
        platform_.serve_watchdog();
    }
    return status;
}

Status Session::run(Span<const ByteSpan> inputs, Span<const MutableByteSpan> outputs) noexcept {
    const Status submitted = submit(inputs, outputs);
    if (!is_ok(submitted)) {
        return submitted;
    }
    Status status = poll();
    while (status == Status::kPending) {  // ends at the deadline, which the platform's clock reaches
        platform_.idle();
        status = poll();
    }
    return status;
}

std::uint32_t Session::output_bytes() const noexcept {
    std::uint32_t bytes = 0U;
    for (std::uint32_t i = 0U; i < plan_.output_count; ++i) {
        bytes += plan_.output_bytes[i];
    }
    return bytes;
}

Status Session::self_test(std::uint32_t index, MutableByteSpan scratch) noexcept {
    const Status ready = may_start();
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
        return latch(Status::kIntegrity, FaultStage::kSelfTest, 0U, Completion{});
    }
    return Status::kOk;
}

Status Session::unload() noexcept {
    if (state_ == State::kRunning) {
        return Status::kInvalidState;
    }
    state_ = State::kEmpty;
    const Status reset = device_.reset();
    if (!is_ok(reset)) {
        return latch(reset, FaultStage::kReset, 0U, Completion{});
    }
    return Status::kOk;
}

}  // namespace pianola
