#include "hal/crypto/bearssl_verifier.h"

#include <bearssl_ec.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace pianola {
namespace {

// Precedes x and y if neither is compressed: SEC 1, section 2.3.3.
constexpr std::uint8_t kUncompressed = 0x04U;
constexpr std::uint32_t kScalarBytes = kSignatureBytes / 2U;
constexpr std::uint32_t kVerified = 1U;

[[nodiscard]] bool r_is_zero(const Signature& signature) noexcept {
    std::uint32_t bits = 0U;
    for (std::uint32_t i = 0U; i < kScalarBytes; ++i) {
        bits |= signature[i];
    }
    return bits == 0U;
}

}  // namespace

Status BearSslVerifier::verify(const Sha256Digest& digest, const Signature& signature,
                               const PublicKey& key) const noexcept {
    // BearSSL refuses other malformed input, but not this: for a digest of zero it computes the point at infinity,
    // takes its x for 0, and finds it equal to r. Any s and any key would be accepted.
    if (r_is_zero(signature)) {
        return Status::kRefused;
    }
    std::array<std::uint8_t, 1U + kPublicKeyBytes> point{kUncompressed};
    std::memcpy(&point[1], key.data(), key.size());
    const br_ec_public_key public_key{BR_EC_secp256r1, point.data(), point.size()};
    const std::uint32_t verdict = br_ecdsa_i31_vrfy_raw(&br_ec_p256_m31, digest.data(), digest.size(), &public_key,
                                                        signature.data(), signature.size());
    return (verdict == kVerified) ? Status::kOk : Status::kRefused;
}

}  // namespace pianola
