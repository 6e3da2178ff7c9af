#include "pianola/session.h"

#include <cstring>

namespace pianola {

Session::Session(Device& device, Platform& platform, const CommandSet& command_set,
                 const SessionConfig& config) noexcept
    : devices_{&device}, platform_{platform}, command_set_{command_set}, config_{config} {
    static_cast<void>(seal(Status::kOk));
}

Session::Session(const DeviceSet& set, Platform& platform, const CommandSet& command_set,
                 const SessionConfig& config) noexcept
    : device_count_{0U}, platform_{platform}, command_set_{command_set}, config_{config} {
    const std::size_t count = set.devices.size();
    bool is_set = (count != 0U) && (count <= kMaxMeshDevices) && (count == (std::uint64_t{set.rows} * set.columns));
    for (std::size_t i = 0U; is_set && (i < count); ++i) {
        devices_[i] = set.devices[i];
        is_set = devices_[i] != nullptr;
        for (std::size_t earlier = 0U; earlier < i; ++earlier) {
            is_set = is_set && (devices_[earlier] != devices_[i]);
        }
    }
    if (is_set) {
        device_count_ = static_cast<std::uint32_t>(count);
        rows_ = static_cast<std::uint16_t>(set.rows);
        columns_ = static_cast<std::uint16_t>(set.columns);
    } else {
        devices_.fill(nullptr);  // load() refuses
    }
    static_cast<void>(seal(Status::kOk));
}

// A binary without a prologue needs no start.
Session::State Session::idle_state() const noexcept {
    return (loaded_.plan.prologue.count == 0U) ? State::kStarted : State::kStopped;
}

// All tensors that the script moves must be given, with exactly their sizes; others must not be given.
bool Session::inputs_match(Span<const ByteSpan> inputs, bool takes) const noexcept {
    bool match = inputs.size() == (takes ? loaded_.plan.input_count : 0U);
    for (std::uint32_t i = 0U; match && (i < inputs.size()); ++i) {
        match = inputs[i].size() == loaded_.plan.inputs[i].bytes;
    }
    return match;
}

bool Session::outputs_match(Span<const MutableByteSpan> outputs, bool gives) const noexcept {
    bool match = outputs.size() == (gives ? loaded_.plan.output_count : 0U);
    for (std::uint32_t i = 0U; match && (i < outputs.size()); ++i) {
        match = outputs[i].size() == loaded_.plan.outputs[i].bytes;
    }
    return match;
}

// Binds the tensors to the slots of a new flight, and enqueues the script.
Status Session::submit_script(ScriptKind kind, Span<const ByteSpan> inputs,
                              Span<const MutableByteSpan> outputs) noexcept {
    enter();
    const Status kept = check_state_sum();
    if (!is_ok(kept)) {
        return reseal(kept);
    }
    const PlannedScript& script = loaded_.plan.script(kind);
    open_flight(kind, Io::kTransfers);
    give_views();
    if (running_.under_way == 1U) {
        supervise(script);
    }
    const std::uint32_t place = place_of(running_.token);
    const std::uint32_t failed = lend(inputs, outputs);
    running_.flights[place].inputs = static_cast<std::uint32_t>(inputs.size());
    Lent& lent = bound_.flights[place];
    for (std::uint32_t i = 0U; i < outputs.size(); ++i) {
        lent.outputs[i] = outputs[i];
    }
    lent.count = static_cast<std::uint32_t>(outputs.size());
    seal_bound();  // before the first fault that may withhold them
    return reseal((failed == device_count()) ? enqueue(script, loaded_.plan.commands, FaultStage::kSubmit)
                                             : latch(Status::kDeviceFault, FaultStage::kSubmit, failed));
}

Status Session::submit(Span<const ByteSpan> inputs, Span<const MutableByteSpan> outputs) noexcept {
    const Status ready =
        check((running_.state == State::kStarted) && (running_.under_way < loaded_.plan.steps_in_flight));
    if (!is_ok(ready)) {
        return ready;
    }
    if ((running_.under_way != 0U) && (oldest().kind != ScriptKind::kStep)) {  // prologue and epilogue run alone
        return Status::kInvalidState;
    }
    if (!inputs_match(inputs, true) || !outputs_match(outputs, true)) {
        return Status::kInvalidArgument;
    }
    return submit_script(ScriptKind::kStep, inputs, outputs);
}

// On every device: a device without the trace never replays the word. If results are released at completion, only this
// check detects that a word did not arrive.
Status Session::set_word(std::uint32_t address, std::uint32_t value) noexcept {
    for (std::uint32_t device = 0U; device < device_count(); ++device) {
        std::array<std::uint8_t, sizeof(value)> held{};
        if (!is_ok(devices_[device]->patch_word(address, value)) ||
            !is_ok(devices_[device]->read_back(address, held)) ||
            (std::memcmp(held.data(), &value, held.size()) != 0)) {
            Completion where;
            where.fault_address = address;
            return latch(Status::kDeviceFault, FaultStage::kParameter, device, 0U, where);
        }
    }
    return Status::kOk;
}

Status Session::set_parameters(Span<const ParameterValue> values) noexcept {
    const Status ready = check_idle();
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
    enter();
    for (const ParameterValue& item : values) {
        const PlannedParameter& parameter = loaded_.plan.parameters[item.index];
        running_.parameters.value[item.index] = item.value;
        running_.parameters.is_set[item.index] = true;
        for (std::uint32_t i = 0U; i < parameter.point_count; ++i) {
            const Status set = set_word(loaded_.plan.patch_addresses[parameter.first_point + i], item.value);
            if (!is_ok(set)) {
                return reseal(set);
            }
        }
    }
    return reseal(Status::kOk);
}

Status Session::wait() noexcept {
    Status status = look(true);
    while (status == Status::kPending) {  // ends at the deadline, which the platform's clock reaches
        enter();
        platform_.idle();
        call_ = 0U;
        status = look(true);
    }
    return status;
}

Status Session::finish(Status submitted) noexcept {
    return is_ok(submitted) ? wait() : submitted;
}

std::uint32_t Session::output_bytes() const noexcept {
    std::uint32_t bytes = 0U;
    const std::uint32_t count = (is_loaded() && is_whole()) ? loaded_.plan.output_count : 0U;
    for (std::uint32_t i = 0U; i < count; ++i) {
        bytes += loaded_.plan.outputs[i].bytes;
    }
    return bytes;
}

}  // namespace pianola
