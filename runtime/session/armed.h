// Armed: what a session must hold before its device may start.
//
// Place in the whole: a part of the session.
#pragma once

#include "pianola/verdict.h"

namespace pianola {

// What Session::validate_twice() comes to where both validations have passed every stage and accepted. Nobody branches
// to it: it adds up.
inline constexpr std::uint32_t kArmed =
    follow(follow(follow(follow(kFlowAccepted, Status::kOk), Status::kOk), Status::kOk), Status::kOk) + kFlowAccepted;

// Reads it from memory each time that it is asked.
[[nodiscard]] inline bool is_armed(const volatile std::uint32_t& armed) noexcept {
    return armed == kArmed;
}

}  // namespace pianola
