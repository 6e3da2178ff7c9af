// Signing a trace binary: in one go, or around a signature that is made elsewhere.
//
// What is signed is the digest that the file carries, which covers every byte but itself and the signature: the key's
// id and the security version too. docs/reference/format.md gives the bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "pianola/trust.h"

namespace pianola::signing {

using Bytes = std::vector<std::uint8_t>;

// The file as it is to be signed: with the key's id, the security version and the digest over both, and a signature of
// zeros, which no key has made. A signature that the file had is dropped. `file` is one that capture::verify() accepts.
[[nodiscard]] Bytes prepare(const Bytes& file, const KeyId& key, std::uint32_t security_version);

// What the signature of a prepared file is made over.
[[nodiscard]] Sha256Digest digest_of(const Bytes& prepared);

// The prepared file with its signature.
[[nodiscard]] Bytes with_signature(Bytes prepared, const Signature& signature);

[[nodiscard]] std::uint32_t security_version_of(const Bytes& file);
[[nodiscard]] bool is_signed(const Bytes& file);

}  // namespace pianola::signing
