// Trusts: the keys and policies with which a validator is asked about a mutant, and the keys that sign mutants.
//
// A mutant that breaks a rule of authenticity breaks it only for devices with such a policy. There are two trusts, so
// that a port has two configurations to build. The private keys are public: each is the SHA-256 of a text that
// docs/evidence/mutation.md gives. No product may trust one of them.
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

enum class Signer : std::uint8_t {
    kTrusted,
    kRevoked,
    kStranger,  // in no list
};

struct MutantKey {
    std::array<std::uint8_t, kSha256Bytes> secret{};  // the scalar, big-endian
    PublicKey point{};
    KeyId id{};
};

[[nodiscard]] const MutantKey& key_of(Signer signer);

// ECDSA whose random number is a function of key and digest (RFC 6979): the same digest always gets the same signature,
// so that mutants are reproducible. The computation is BearSSL's.
[[nodiscard]] Signature sign_digest(Signer signer, const Sha256Digest& digest);

}  // namespace pianola::mutate
