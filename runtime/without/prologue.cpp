// Replaces plan/pipeline.cpp and session/prologue.cpp in a runtime that has only set-up and step. A file with a
// prologue or an epilogue is refused as by a runtime that holds no commands of theirs; calls for them are answered as
// for a binary that has none.
#include "pianola/session.h"
#include "runtime/plan/script_rules.h"

namespace pianola {
namespace proof {

bool check_pipeline(Context& context, const NamedObjects& /*prologue_inputs*/,
                    const NamedObjects& /*epilogue_outputs*/) noexcept {
    const std::uint32_t commands = context.plan.prologue.count + context.plan.epilogue.count;
    enter_root(context, Field::kScripts);
    return (commands == 0U) ? true : refuse_at(context, Rule::kCapCommands, Field::kNone, commands, 0U);
}

}  // namespace proof

Status Session::start(Span<const ByteSpan> /*inputs*/) noexcept {
    return check_idle_in(State::kStopped);  // a state that no session without a prologue has
}

Status Session::stop(Span<const MutableByteSpan> /*outputs*/) noexcept {
    const Status ready = check_idle_in(State::kStarted);
    return is_ok(ready) ? Status::kInvalidState : ready;
}

Status Session::reset_state() noexcept {
    return check_idle();
}

Status Session::run(Span<const ByteSpan> inputs, Span<const MutableByteSpan> outputs) noexcept {
    const Status ready = check_idle();
    return is_ok(ready) ? finish(submit(inputs, outputs)) : ready;
}

Status Session::replay_vectors(std::uint32_t first, std::uint32_t end, MutableByteSpan scratch) noexcept {
    Status status = Status::kOk;
    for (std::uint32_t i = first; is_ok(status) && (i < end); ++i) {
        status = replay_vector(i, scratch);
    }
    return status;
}

}  // namespace pianola
