// Armed: what a session must hold before its device may start.
#pragma once

#include "pianola/verdict.h"

namespace pianola {

// The sum that Session::validate_twice() reaches if both validations have passed every stage and accepted. Summed,
// never branched on.
inline constexpr std::uint32_t kArmed =
    follow(follow(follow(follow(kFlowAccepted, Status::kOk), Status::kOk), Status::kOk), Status::kOk) + kFlowAccepted;

// Reads it from memory on every call.
[[nodiscard]] inline bool is_armed(const volatile std::uint32_t& armed) noexcept {
    return armed == kArmed;
}

}  // namespace pianola
