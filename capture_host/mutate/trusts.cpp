#include "capture_host/mutate/trusts.h"

#include <array>

#include "capture_host/mutate/mutant_keys.h"
#include "hal/crypto/bearssl_verifier.h"
#include "pianola/development_config.h"

namespace pianola::mutate {
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
