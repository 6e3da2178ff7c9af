#include "capture_host/mutate/trusts.h"

#include <bearssl_ec.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "hal/crypto/bearssl_verifier.h"
#include "pianola/development_config.h"

namespace pianola::mutate {
namespace {

constexpr std::array<const char*, 3> kSecretTexts{"pianola mutate: the trusted key", "pianola mutate: the revoked key",
                                                  "pianola mutate: the stranger's key"};

// A key's SubjectPublicKeyInfo in DER, up to x and y (RFC 5480, sections 2.1.1 and 2.2): a public key for elliptic
// curves, P-256, and an uncompressed point of 65 bytes.
constexpr std::array<std::uint8_t, 27> kInfo{0x30U, 0x59U, 0x30U, 0x13U, 0x06U, 0x07U, 0x2AU, 0x86U, 0x48U,
                                             0xCEU, 0x3DU, 0x02U, 0x01U, 0x06U, 0x08U, 0x2AU, 0x86U, 0x48U,
                                             0xCEU, 0x3DU, 0x03U, 0x01U, 0x07U, 0x03U, 0x42U, 0x00U, 0x04U};

// BearSSL takes a secret that it may write to.
struct PrivateKey {
    std::array<std::uint8_t, kSha256Bytes> secret{};
    [[nodiscard]] br_ec_private_key view() noexcept { return {BR_EC_secp256r1, secret.data(), secret.size()}; }
};

MutantKey make_key(const std::string& text) {
    constexpr std::size_t kEncodedBytes = 1U + kPublicKeyBytes;  // uncompressed
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    PrivateKey secret{sha256(ByteSpan{bytes.data(), bytes.size()})};
    const br_ec_private_key view = secret.view();
    std::array<std::uint8_t, BR_EC_KBUF_PUB_MAX_SIZE> encoded{};
    br_ec_public_key key{};
    if (br_ec_compute_pub(&br_ec_p256_m31, &key, encoded.data(), &view) != kEncodedBytes) {
        throw std::logic_error{"no key: " + text};
    }
    MutantKey made;
    made.secret = secret.secret;
    std::copy_n(encoded.begin() + 1, made.point.size(), made.point.begin());
    Sha256 hash;
    hash.update(ByteSpan{kInfo});
    hash.update(ByteSpan{made.point});
    const Sha256Digest digest = hash.finish();
    std::copy_n(digest.begin(), made.id.size(), made.id.begin());
    return made;
}

}  // namespace

const MutantKey& key_of(Signer signer) {
    static const std::array<MutantKey, kSecretTexts.size()> kKeys{make_key(kSecretTexts[0]), make_key(kSecretTexts[1]),
                                                                  make_key(kSecretTexts[2])};
    return kKeys.at(static_cast<std::size_t>(signer));
}

Signature sign_digest(Signer signer, const Sha256Digest& digest) {
    PrivateKey secret{key_of(signer).secret};
    const br_ec_private_key view = secret.view();
    Signature signature{};
    if (br_ecdsa_i31_sign_raw(&br_ec_p256_m31, &br_sha256_vtable, digest.data(), &view, signature.data()) !=
        signature.size()) {
        throw std::logic_error{"no signature"};
    }
    return signature;
}

namespace {

constexpr std::array<const char*, kTrustKinds.size()> kNames{"development", "production"};

TrustedKey listed(Signer signer, KeyState state) {
    const MutantKey& key = key_of(signer);
    return {key.id, key.point, state};
}

const Trust& production() {
    static const BearSslVerifier kVerifier;
    static const std::array<TrustedKey, 2> kKeys{listed(Signer::kTrusted, KeyState::kTrusted),
                                                 listed(Signer::kRevoked, KeyState::kRevoked)};
    static const Trust kTrust{SignaturePolicy::kRequired, Span<const TrustedKey>{kKeys}, &kVerifier, kLowestVersion};
    return kTrust;
}

}  // namespace

const char* trust_name(TrustKind kind) noexcept {
    return kNames.at(static_cast<std::size_t>(kind));
}

std::optional<TrustKind> trust_named(const std::string& name) {
    for (const TrustKind kind : kTrustKinds) {
        if (name == trust_name(kind)) {
            return kind;
        }
    }
    return std::nullopt;
}

const Trust& trust_of(TrustKind kind) {
    return (kind == TrustKind::kProduction) ? production() : kDevelopmentTrust;
}

}  // namespace pianola::mutate
