// Signed workloads, and devices that know keys.
#pragma once

#include <cstdint>
#include <vector>

#include "capture_host/binary/signing.h"
#include "hal/crypto/bearssl_verifier.h"
#include "pianola/trust.h"
#include "tests/support/workload.h"

namespace pianola::test {

// A workload that `key` has signed.
[[nodiscard]] inline signing::Bytes signed_workload(const signing::Key& key, std::uint32_t security_version = 0U,
                                                    std::uint32_t self_tests = 0U) {
    const signing::Bytes prepared = signing::prepare(make_workload(1U, self_tests).file(), key.id(), security_version);
    return signing::with_signature(prepared, key.sign_digest(signing::digest_of(prepared)));
}

// A policy that requires signatures of its keys, which it owns.
class Keys {
  public:
    void add(const signing::Key& key, KeyState state = KeyState::kTrusted) {
        keys_.push_back({key.id(), key.point(), state});
    }
    [[nodiscard]] Trust trust(SignaturePolicy policy = SignaturePolicy::kRequired) const {
        Trust trust;
        trust.signatures = policy;
        trust.keys = {keys_.data(), keys_.size()};
        trust.verifier = &verifier_;
        return trust;
    }

  private:
    std::vector<TrustedKey> keys_;
    BearSslVerifier verifier_;
};

}  // namespace pianola::test
