// Prologue and epilogue of a binary, and the calls that depend on them. Can be left out: runtime/without.
#include "pianola/session.h"

namespace pianola {

Status Session::start(Span<const ByteSpan> inputs) noexcept {
    const Status ready = check_idle_in(State::kStopped);
    if (!is_ok(ready)) {
        return ready;
    }
    if (!inputs_match(inputs, loaded_.plan.is_pipelined)) {
        return Status::kInvalidArgument;
    }
    running_.has_stepped = false;
    running_.state = State::kStarted;  // the fault is latched later
    return submit_script(ScriptKind::kPrologue, inputs, {});
}

Status Session::stop(Span<const MutableByteSpan> outputs) noexcept {
    const Status ready = check_idle_in(State::kStarted);
    if (!is_ok(ready)) {
        return ready;
    }
    if (((loaded_.plan.prologue.count | loaded_.plan.epilogue.count) == 0U) || !running_.has_stepped) {
        return Status::kInvalidState;
    }
    if (!outputs_match(outputs, loaded_.plan.is_pipelined)) {
        return Status::kInvalidArgument;
    }
    return submit_script(ScriptKind::kEpilogue, {}, outputs);
}

Status Session::reset_state() noexcept {
    const Status ready = check_idle();
    if (!is_ok(ready) || !keeps_state()) {
        return ready;
    }
    const Status stopped = running_.has_stepped ? finish(stop({})) : Status::kOk;
    return (is_ok(stopped) && (running_.state == State::kStopped)) ? finish(start({})) : stopped;
}

Status Session::run(Span<const ByteSpan> inputs, Span<const MutableByteSpan> outputs) noexcept {
    const Status ready = check_idle();
    if (!is_ok(ready)) {
        return ready;
    }
    if (loaded_.plan.is_pipelined && (running_.state != State::kStopped)) {
        return Status::kInvalidState;
    }
    if (!inputs_match(inputs, true) || !outputs_match(outputs, true)) {
        return Status::kInvalidArgument;
    }
    if (!loaded_.plan.is_pipelined) {
        const Status started = (running_.state == State::kStopped) ? finish(start({})) : Status::kOk;
        return is_ok(started) ? finish(submit(inputs, outputs)) : started;
    }
    const Status started = finish(start(inputs));
    const Status stepped = is_ok(started) ? finish(submit(inputs, outputs)) : started;
    return is_ok(stepped) ? finish(stop(outputs)) : stepped;
}

// If steps may depend on earlier ones, vectors are the first steps after a start: those before `first` run too, and the
// state that they leave is discarded.
Status Session::replay_vectors(std::uint32_t first, std::uint32_t end, MutableByteSpan scratch) noexcept {
    const bool has_state = keeps_state();
    Status status = has_state ? reset_state() : Status::kOk;
    for (std::uint32_t i = has_state ? 0U : first; is_ok(status) && (i < end); ++i) {
        status = replay_vector(i, scratch);
    }
    return (is_ok(status) && has_state) ? reset_state() : status;
}

}  // namespace pianola
