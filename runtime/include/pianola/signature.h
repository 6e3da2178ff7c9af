// SignatureVerifier: verifies a signature over a digest with a key.
//
// The integrator chooses the implementation, as with Platform: software (hal/crypto) or a hardware security module.
// Called while a binary is loaded, by the loading core only. runtime/include/pianola/trust.h decides which key may sign
// what.
//
// The algorithm is ECDSA on the curve P-256 over a SHA-256 digest (FIPS 186-5, section 6; SEC 1, section 2.3 for the
// encodings).
#pragma once

#include <array>
#include <cstdint>

#include "pianola/sha256.h"
#include "pianola/span.h"
#include "pianola/status.h"

namespace pianola {

inline constexpr std::uint32_t kSignatureBytes = 64U;  // r, then s: 32 bytes each, big-endian
inline constexpr std::uint32_t kPublicKeyBytes = 64U;  // x, then y: 32 bytes each, big-endian

using Signature = std::array<std::uint8_t, kSignatureBytes>;
using PublicKey = std::array<std::uint8_t, kPublicKeyBytes>;

class SignatureVerifier {
  public:
    SignatureVerifier(const SignatureVerifier&) = delete;
    SignatureVerifier(SignatureVerifier&&) = delete;
    SignatureVerifier& operator=(const SignatureVerifier&) = delete;
    SignatureVerifier& operator=(SignatureVerifier&&) = delete;

    // kOk: signature is the key's, over this digest. kRefused: it is not, or the key or signature is malformed. Any
    // other result counts as refusal. Blocks for a time that is bounded by the implementation, which states it.
    virtual Status verify(const Sha256Digest& digest, const Signature& signature,
                          const PublicKey& key) const noexcept = 0;

  protected:
    SignatureVerifier() = default;
    ~SignatureVerifier() = default;
};

}  // namespace pianola
