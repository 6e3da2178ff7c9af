// Locates the session in its storage, for all functions of pianola.h.
#pragma once

#include "runtime/c/twins.h"

namespace pianola::c_api {

// The mark in a session's storage shows whether a session exists: a pattern combined with the address, which a copy
// does not match. While a call is under way its lowest bit is set.
inline constexpr std::uint32_t kMark = 0x50E4'A11AU;
inline constexpr std::uint32_t kBusy = 1U;

[[nodiscard]] inline std::uint32_t number_of(const pnl_session_t* session) noexcept {
    return static_cast<std::uint32_t>(address_of(session));
}

// The session at this place, whether or not a call is under way; nullptr where there is none.
[[nodiscard]] const Session* find(const pnl_session_t* session) noexcept;

}  // namespace pianola::c_api
