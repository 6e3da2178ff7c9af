#include "capture_host/binary/openssl_digest.h"

#include <stdexcept>

namespace pianola::signing {
namespace {

constexpr int kDone = 1;

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
    OpensslDigest engine;
    Sha256Digest digest{};
    if (!is_ok(engine.begin()) || !is_ok(engine.update(bytes)) || !is_ok(engine.finish(digest))) {
        throw std::runtime_error{"OpenSSL has computed no digest"};
    }
    return digest;
}

}  // namespace pianola::signing
