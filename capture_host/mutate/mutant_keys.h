// Mutant keys: they sign mutants that a check of signatures must refuse.
//
// The operators on authenticity sign with them, and the trusts of reports and tests name them. The private keys are
// public: each is the SHA-256 of a text that docs/evidence/mutation.md gives. No product may trust one of them.
#pragma once

#include <array>
#include <cstdint>

#include "pianola/trust.h"

namespace pianola::mutate {

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
