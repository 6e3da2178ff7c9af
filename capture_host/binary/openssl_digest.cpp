#include "capture_host/binary/openssl_digest.h"

#include <initializer_list>
#include <stdexcept>

#include "pianola/envelope.h"

namespace pianola::signing {
namespace {

constexpr int kDone = 1;

// Of the pieces, one after another.
Sha256Digest digest_of(std::initializer_list<ByteSpan> pieces) {
    OpensslDigest engine;
    Status status = engine.begin();
    for (const ByteSpan& piece : pieces) {
        status = is_ok(status) ? engine.update(piece) : status;
    }
    Sha256Digest digest{};
    if (!is_ok(status) || !is_ok(engine.finish(digest))) {
        throw std::runtime_error{"OpenSSL has computed no digest"};
    }
    return digest;
}

}  // namespace

OpensslDigest::OpensslDigest()
    : algorithm_{EVP_MD_fetch(nullptr, "SHA256", nullptr), &EVP_MD_free}, context_{EVP_MD_CTX_new(), &EVP_MD_CTX_free} {
    if ((algorithm_ == nullptr) || (context_ == nullptr)) {
        throw std::runtime_error{"OpenSSL has no SHA-256"};
    }
}

Status OpensslDigest::begin() noexcept {
    is_begun_ = EVP_DigestInit_ex2(context_.get(), algorithm_.get(), nullptr) == kDone;
    return status();
}

Status OpensslDigest::update(ByteSpan bytes) noexcept {
    is_begun_ = is_begun_ && (EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == kDone);
    return status();
}

Status OpensslDigest::finish(Sha256Digest& digest) noexcept {
    is_begun_ = is_begun_ && (EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) == kDone);
    const Status finished = status();
    is_begun_ = false;  // OpenSSL would give a second digest
    return finished;
}

Sha256Digest openssl_sha256(ByteSpan bytes) {
    return digest_of({bytes});
}

Sha256Digest openssl_envelope_digest(ByteSpan unsigned_part) {
    constexpr std::size_t kBody = header::kDigest + kSha256Bytes;
    return digest_of(
        {unsigned_part.subspan(0U, header::kDigest), unsigned_part.subspan(kBody, unsigned_part.size() - kBody)});
}

}  // namespace pianola::signing
