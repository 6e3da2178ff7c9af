// Trusts: with what keys and policy a validator must be asked about a mutant.
//
// A mutant that breaks a rule of authenticity breaks it for devices which have such a policy alone. There are two, so
// that a port has two configurations to build.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "pianola/trust.h"

namespace pianola::mutate {

enum class TrustKind : std::uint8_t {
    kDevelopment,  // "development": kDevelopmentTrust
    // "production": signatures of a trusted key, one key revoked, and security versions from kLowestVersion on.
    kProduction,
};
inline constexpr std::array kTrustKinds{TrustKind::kDevelopment, TrustKind::kProduction};
inline constexpr std::uint32_t kLowestVersion = 1U;

[[nodiscard]] const char* trust_name(TrustKind kind) noexcept;
// Nothing for what is no name.
[[nodiscard]] std::optional<TrustKind> trust_named(const std::string& name);

// Everything that it points to lives as long as the program. The verifier is BearSSL.
[[nodiscard]] const Trust& trust_of(TrustKind kind);

}  // namespace pianola::mutate
