// SHA-256 by OpenSSL, which uses the SHA instructions of x86-64 or Arm processors that have them.
//
// The hash engine of the whole host side. On target a session computes digests itself, or has the integrator's engine.
#pragma once

#include <openssl/evp.h>

#include <memory>

#include "pianola/development_config.h"
#include "pianola/digest_engine.h"

namespace pianola::signing {

class OpensslDigest final : public DigestEngine {
  public:
    // Throws std::runtime_error if OpenSSL has no SHA-256.
    OpensslDigest();
    ~OpensslDigest() = default;
    OpensslDigest(const OpensslDigest&) = delete;
    OpensslDigest(OpensslDigest&&) = delete;
    OpensslDigest& operator=(const OpensslDigest&) = delete;
    OpensslDigest& operator=(OpensslDigest&&) = delete;

    // kIntegrity if OpenSSL fails, and after a failure until the next begin().
    Status begin() noexcept override;
    Status update(ByteSpan bytes) noexcept override;
    Status finish(Sha256Digest& digest) noexcept override;

  private:
    [[nodiscard]] Status status() const noexcept { return is_begun_ ? Status::kOk : Status::kIntegrity; }

    std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> algorithm_;
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
    bool is_begun_{false};
};

// Throws as the constructor does.
[[nodiscard]] Sha256Digest openssl_sha256(ByteSpan bytes);
// As envelope_digest() of the runtime: the digest that a file must carry. `unsigned_part` has a whole header. Throws as
// the constructor does.
[[nodiscard]] Sha256Digest openssl_envelope_digest(ByteSpan unsigned_part);

// kDevelopmentTrust with an engine.
class DevelopmentTrust {
  public:
    [[nodiscard]] const Trust& get() const noexcept { return trust_; }

  private:
    OpensslDigest engine_;
    Trust trust_{kDevelopmentTrust.signatures, {}, nullptr, 0U, &engine_};
};

}  // namespace pianola::signing
