// Replaces plan/views.cpp and session/zero_copy.cpp in a runtime without zero-copy I/O. It proves no views, and calls
// for them are answered as for a binary without views.
#include "pianola/session.h"
#include "runtime/plan/proof.h"

namespace pianola {
namespace proof {

void find_tensors(Context& context) noexcept {
    context.plan.views = PlannedViews{};
}

void note_use(Context& /*context*/, const ByteRun& /*run*/, TensorUse& /*use*/) noexcept {}

void judge_views(Context& /*context*/) noexcept {}

}  // namespace proof

void Session::find_views() noexcept {
    loaded_.has_views = false;
}

void Session::give_views() noexcept {}

void Session::take_views() noexcept {}

Status Session::refuse_view(bool /*is_there*/) const noexcept {
    if (call_ == kInCall) {
        return Status::kInvalidState;
    }
    const Status ready = is_whole() ? refuse_unless(is_idle()) : Status::kIntegrity;
    return is_ok(ready) ? Status::kInvalidArgument : ready;
}

Status Session::input_view(std::uint32_t /*index*/, MutableByteSpan& view) const noexcept {
    view = MutableByteSpan{};
    return refuse_view(false);
}

Status Session::output_view(std::uint32_t /*index*/, ByteSpan& view) const noexcept {
    view = ByteSpan{};
    return refuse_view(false);
}

Status Session::submit() noexcept {
    const Status ready = check_idle_in(State::kStarted);
    return is_ok(ready) ? Status::kInvalidArgument : ready;
}

}  // namespace pianola
