// In place of plan/parameters.cpp: a runtime that has no parameters. A file that declares one is refused as by a
// runtime that holds no patch points.
#include "runtime/plan/proof.h"

namespace pianola::proof {

bool check_parameters(Context& context) noexcept {
    if (context.image.parameter_count() == 0U) {
        return true;
    }
    const ParameterView view = context.image.parameter(0U);
    enter(context, "parameters", 0U, view.file_offset);
    return refuse_at(context, Rule::kCapPoints, "points", view.point_count, 0U);
}

// There is none.
std::uint32_t first_point(const Context& /*context*/, std::uint32_t /*address*/, std::uint32_t /*point*/) noexcept {
    return 0U;
}

// Only a plan with parameters has its commands widened: whatever comes here is refused.
bool widen_command(Context& context, const TracePosition& /*position*/, TraceCommand& command) noexcept {
    return refuse_at(context, Rule::kCapPoints, nullptr, command.patched, 0U);
}

}  // namespace pianola::proof
