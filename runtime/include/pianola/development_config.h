// The configuration of sessions that develop and test: any binary is loaded, signed or not, and its results are
// verified.
//
// For host tools and for tests. A product has a separate configuration with its keys.
#pragma once

#include "pianola/session.h"

namespace pianola {

inline constexpr Trust kDevelopmentTrust{SignaturePolicy::kOptional, {}, nullptr, 0U};
inline constexpr SessionConfig kDevelopmentConfig{kDevelopmentTrust, Release::kVerified};

}  // namespace pianola
