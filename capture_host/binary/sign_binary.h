// Signing a trace binary: in one call, or around a signature that is made elsewhere.
//
// The signed data is the digest of the file, which covers every byte except itself and the signature, and so also the
// key's id and the security version. docs/reference/format.md gives the bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "pianola/trust.h"

namespace pianola::signing {

using Bytes = std::vector<std::uint8_t>;

// The file before signing: with the key's id, the security version and the digest over both, and a signature of zeros,
// which no key makes. An earlier signature is dropped. `file` must be one that capture::verify() accepts.
[[nodiscard]] Bytes prepare(const Bytes& file, const KeyId& key, std::uint32_t security_version);

// The digest that a prepared file's signature is made over.
[[nodiscard]] Sha256Digest digest_of(const Bytes& prepared);

// The prepared file with its signature.
[[nodiscard]] Bytes with_signature(Bytes prepared, const Signature& signature);

[[nodiscard]] std::uint32_t security_version_of(const Bytes& file);
[[nodiscard]] bool is_signed(const Bytes& file);

}  // namespace pianola::signing
