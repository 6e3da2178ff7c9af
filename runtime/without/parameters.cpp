// Replaces plan/parameters.cpp and integrity/parameter_words.cpp in a runtime without parameters. A file that declares
// one is refused as by a runtime that holds no patch points.
#include "runtime/integrity/parameter_words.h"
#include "runtime/plan/proof.h"

namespace pianola {
namespace proof {

bool check_parameters(Context& context) noexcept {
    if (context.image.parameter_count() == 0U) {
        return true;
    }
    const ParameterView view = context.image.parameter(0U);
    enter(context, Field::kParameters, 0U, view.file_offset);
    return refuse_at(context, Rule::kCapPoints, Field::kPoints, view.point_count, 0U);
}

void keep_state(Context& /*context*/) noexcept {}

// There is none.
std::uint32_t first_point(const Context& /*context*/, std::uint32_t /*address*/, std::uint32_t /*point*/) noexcept {
    return 0U;
}

// Never reached: only a plan with parameters widens its commands. Refuses every call.
// NOLINTNEXTLINE(pianola-misra-10.1.1): DEV-070
bool widen_command(Context& context, const TracePosition& /*position*/, TraceCommand& command) noexcept {
    return refuse_at(context, Rule::kCapPoints, Field::kNone, command.patched, 0U);
}

}  // namespace proof

bool take_out_parameters(const Plan& /*plan*/, const ParameterValues& /*values*/, std::uint32_t /*address*/,
                         ByteSpan /*file*/, MutableByteSpan /*held*/) noexcept {
    return true;
}

}  // namespace pianola
