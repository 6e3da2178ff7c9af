// The configuration of sessions that develop and test: any binary is loaded, signed or not, and its results are
// verified.
//
// Place in the whole: for the host's tools, and for tests on every machine. Products have a configuration of their own,
// with their keys.
#pragma once

#include "pianola/session.h"

namespace pianola {

inline constexpr Trust kDevelopmentTrust{SignaturePolicy::kOptional, {}, nullptr, 0U};
inline constexpr SessionConfig kDevelopmentConfig{kDevelopmentTrust, Release::kVerified};

}  // namespace pianola
