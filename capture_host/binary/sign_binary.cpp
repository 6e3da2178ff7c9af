#include "capture_host/binary/sign_binary.h"

#include <algorithm>

#include "pianola/bytes.h"
#include "pianola/envelope.h"

namespace pianola::signing {
namespace {

ByteSpan view(const Bytes& bytes) {
    return {bytes.data(), bytes.size()};
}

void store_le32(Bytes& bytes, std::uint32_t offset, std::uint32_t value) {
    for (std::uint32_t i = 0U; i < sizeof(value); ++i) {
        bytes.at(offset + i) = static_cast<std::uint8_t>(value >> (8U * i));
    }
}

template <typename Field>
void store(Bytes& bytes, std::size_t offset, const Field& field) {
    std::copy(field.begin(), field.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset));
}

}  // namespace

bool is_signed(const Bytes& file) {
    return load_le32(view(file), header::kSignatureAlgorithm) == kSignatureEcdsaP256;
}

std::uint32_t security_version_of(const Bytes& file) {
    return load_le32(view(file), header::kSecurityVersion);
}

Bytes prepare(const Bytes& file, const KeyId& key, std::uint32_t security_version) {
    Bytes prepared = file;
    prepared.resize(file.size() - (is_signed(file) ? kSignatureBytes : 0U));
    const std::size_t unsigned_bytes = prepared.size();
    prepared.resize(unsigned_bytes + kSignatureBytes, 0U);
    store_le32(prepared, header::kTotalBytes, static_cast<std::uint32_t>(prepared.size()));
    store_le32(prepared, header::kSecurityVersion, security_version);
    store_le32(prepared, header::kSignatureAlgorithm, kSignatureEcdsaP256);
    store_le32(prepared, header::kSignatureBytes, kSignatureBytes);
    store(prepared, header::kKeyId, key);
    store(prepared, header::kDigest, envelope_digest(view(prepared).subspan(0U, unsigned_bytes)));
    return prepared;
}

Sha256Digest digest_of(const Bytes& prepared) {
    Sha256Digest digest{};
    std::copy_n(prepared.begin() + header::kDigest, digest.size(), digest.begin());
    return digest;
}

Bytes with_signature(Bytes prepared, const Signature& signature) {
    store(prepared, prepared.size() - kSignatureBytes, signature);
    return prepared;
}

}  // namespace pianola::signing
