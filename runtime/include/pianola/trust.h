// Trust: whose binaries may be loaded.
//
// Configured by the integrator. authenticate() (runtime/include/pianola/envelope.h) applies it to every binary, on
// target while loading and on the host in `pianola verify`. Constant data: keep it in flash.
#pragma once

#include <array>
#include <cstdint>

#include "pianola/digest_engine.h"
#include "pianola/signature.h"
#include "pianola/span.h"

namespace pianola {

// The first 8 bytes of the SHA-256 digest of the key's SubjectPublicKeyInfo in DER (RFC 5480): what `openssl pkey
// -pubin -outform DER | sha256sum` prints. It only selects the key; the signature is the proof.
inline constexpr std::uint32_t kKeyIdBytes = 8U;
using KeyId = std::array<std::uint8_t, kKeyIdBytes>;

// Wide patterns, as for Status: cleared memory or a flipped bit gives no valid state. Any other value is treated as the
// stricter one.
enum class KeyState : std::uint32_t {
    kTrusted = 0x4BB4'B44BU,
    kRevoked = 0xB44B'4BB4U,  // binaries that it has signed may no longer be loaded
};

struct TrustedKey {
    KeyId id{};
    PublicKey key{};
    KeyState state{KeyState::kRevoked};
};

enum class SignaturePolicy : std::uint32_t {
    // Production: only binaries signed by a key of the list.
    kRequired = 0x63C9'9C36U,
    // Development and host tools: also unsigned binaries and those signed by unknown keys. A signature of a key of the
    // list must be valid.
    kOptional = 0x9C36'63C9U,
};

struct Trust {
    SignaturePolicy signatures{SignaturePolicy::kRequired};
    Span<const TrustedKey> keys;
    const SignatureVerifier* verifier{nullptr};  // without one, no signature holds
    // Lower security versions are refused. A session uses its platform's counter if that is higher.
    std::uint32_t lowest_security_version{0U};
    DigestEngine* digest_engine{nullptr};  // without one, the loading core computes digests
};

}  // namespace pianola
