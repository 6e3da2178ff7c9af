#include "capture_host/binary/signing.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <cstring>

#include "capture_host/binary/openssl_digest.h"
#include "pianola/bytes.h"
#include "pianola/envelope.h"
#include "pianola_host/files.h"

namespace pianola::signing {
namespace {

constexpr const char* kCurve = "prime256v1";
constexpr std::size_t kCoordinateBytes = 32U;

[[noreturn]] void fail(const std::string& what) {
    const auto code = ERR_get_error();
    ERR_clear_error();
    const char* const reason = (code != 0U) ? ERR_reason_error_string(code) : nullptr;
    throw SigningError{(reason != nullptr) ? (what + ": " + reason) : what};
}

struct ReleaseBio {
    void operator()(BIO* bio) const noexcept { (void)BIO_free(bio); }
};
using Bio = std::unique_ptr<BIO, ReleaseBio>;

struct ReleaseContext {
    void operator()(EVP_PKEY_CTX* context) const noexcept { EVP_PKEY_CTX_free(context); }
    void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, ReleaseContext>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, ReleaseContext>;

struct ReleaseSignature {
    void operator()(ECDSA_SIG* signature) const noexcept { ECDSA_SIG_free(signature); }
};
using ParsedSignature = std::unique_ptr<ECDSA_SIG, ReleaseSignature>;

template <typename Write>
std::string written(const Write& write) {
    const Bio bio{BIO_new(BIO_s_mem())};
    if ((bio == nullptr) || (write(bio.get()) != 1)) {
        fail("a key can not be written");
    }
    char* data = nullptr;
    const auto size = BIO_get_mem_data(bio.get(), &data);
    return {data, static_cast<std::size_t>(size)};
}

// Never asks for a password: a tool that waits for one would hang in a build.
int no_password(char* /*buffer*/, int /*size*/, int /*is_writing*/, void* /*user*/) {
    return -1;
}

bool is_p256(const EVP_PKEY* key) {
    std::array<char, 64> curve{};
    return (EVP_PKEY_is_a(key, "EC") == 1) &&
           (EVP_PKEY_get_group_name(key, curve.data(), curve.size(), nullptr) == 1) &&
           (std::strcmp(curve.data(), kCurve) == 0);
}

// The digest for DigestSign: it hashes for P-256; Ed25519 hashes internally.
const EVP_MD* message_digest(const Key& key) {
    return (key.kind() == KeyKind::kP256) ? EVP_sha256() : nullptr;
}

const unsigned char* as_bytes(const std::string& text) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    return reinterpret_cast<const unsigned char*>(text.data());
}

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

Key Key::generate(KeyKind kind) {
    const bool is_p256 = kind == KeyKind::kP256;
    const KeyContext context{EVP_PKEY_CTX_new_from_name(nullptr, is_p256 ? "EC" : "ED25519", nullptr)};
    EVP_PKEY* made = nullptr;
    if ((context == nullptr) || (EVP_PKEY_keygen_init(context.get()) != 1) ||
        (is_p256 && (EVP_PKEY_CTX_set_group_name(context.get(), kCurve) != 1)) ||
        (EVP_PKEY_keygen(context.get(), &made) != 1)) {
        fail("no key can be made");
    }
    return Key{made};
}

Key Key::load(const std::filesystem::path& path, bool is_private) {
    const std::vector<std::uint8_t> text = files::load_file(path, files::kSmallLimitBytes);
    const Bio bio{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
    Key key{nullptr};
    if (!is_private) {
        key.key_.reset(PEM_read_bio_PUBKEY(bio.get(), nullptr, no_password, nullptr));
        (void)BIO_reset(bio.get());
    }
    if (key.key_ == nullptr) {
        ERR_clear_error();
        key.key_.reset(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
    }
    const std::string name = path.filename().string();
    if (key.key_ == nullptr) {
        fail(name + (is_private ? ": not a private key in PEM without a password" : ": not a key in PEM"));
    }
    if (!is_p256(key.key_.get()) && (EVP_PKEY_is_a(key.key_.get(), "ED25519") != 1)) {
        fail(name + ": neither a key on the curve P-256 nor an Ed25519 key");
    }
    const KeyContext context{EVP_PKEY_CTX_new(key.key_.get(), nullptr)};
    if ((context == nullptr) || (EVP_PKEY_public_check(context.get()) != 1)) {
        fail(name + ": the key is not valid");
    }
    key.name_ = name;
    return key;
}

Key Key::load_private(const std::filesystem::path& path) {
    return load(path, true);
}
Key Key::load_public(const std::filesystem::path& path) {
    return load(path, false);
}

KeyKind Key::kind() const {
    return is_p256(key_.get()) ? KeyKind::kP256 : KeyKind::kEd25519;
}

std::string Key::private_pem() const {
    return written([this](BIO* bio) {
        return PEM_write_bio_PKCS8PrivateKey(bio, key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
}
std::string Key::public_pem() const {
    return written([this](BIO* bio) { return PEM_write_bio_PUBKEY(bio, key_.get()); });
}

Sha256Digest Key::hash() const {
    const std::string der = written([this](BIO* bio) { return i2d_PUBKEY_bio(bio, key_.get()); });
    return sha256(ByteSpan{as_bytes(der), der.size()});
}

KeyId Key::id() const {
    const Sha256Digest digest = hash();
    KeyId id{};
    std::copy_n(digest.begin(), id.size(), id.begin());
    return id;
}

void Key::require_p256() const {
    if (kind() != KeyKind::kP256) {
        throw SigningError{name_ +
                           ": an Ed25519 key, which signs receipts only; binaries are signed and verified with keys "
                           "on the curve P-256"};
    }
}

PublicKey Key::point() const {
    require_p256();
    constexpr std::uint8_t kUncompressed = 4U;  // SEC 1, section 2.3.3
    std::array<std::uint8_t, 1U + kPublicKeyBytes> encoded{};
    std::size_t size = 0U;
    if ((EVP_PKEY_get_octet_string_param(key_.get(), OSSL_PKEY_PARAM_PUB_KEY, encoded.data(), encoded.size(), &size) !=
         1) ||
        (size != encoded.size()) || (encoded[0] != kUncompressed)) {
        fail(name_ + ": the key's point can not be read");
    }
    PublicKey point{};
    std::copy(encoded.begin() + 1, encoded.end(), point.begin());
    return point;
}

Signature Key::sign_digest(const Sha256Digest& digest) const {
    require_p256();
    const KeyContext context{EVP_PKEY_CTX_new(key_.get(), nullptr)};
    std::vector<std::uint8_t> der(static_cast<std::size_t>(EVP_PKEY_get_size(key_.get())));
    std::size_t size = der.size();
    if ((context == nullptr) || (EVP_PKEY_sign_init(context.get()) != 1) ||
        (EVP_PKEY_CTX_set_signature_md(context.get(), EVP_sha256()) != 1) ||
        (EVP_PKEY_sign(context.get(), der.data(), &size, digest.data(), digest.size()) != 1)) {
        fail(name_ + ": the key can not sign a binary");
    }
    der.resize(size);
    return parse_signature(der);
}

std::vector<std::uint8_t> Key::sign_message(const std::string& message) const {
    const DigestContext context{EVP_MD_CTX_new()};
    std::vector<std::uint8_t> signature(static_cast<std::size_t>(EVP_PKEY_get_size(key_.get())));
    std::size_t size = signature.size();
    if ((context == nullptr) ||
        (EVP_DigestSignInit(context.get(), nullptr, message_digest(*this), nullptr, key_.get()) != 1) ||
        (EVP_DigestSign(context.get(), signature.data(), &size, as_bytes(message), message.size()) != 1)) {
        fail(name_ + ": the key can not sign");
    }
    signature.resize(size);
    return signature;
}

bool Key::verifies_message(const std::string& message, const std::vector<std::uint8_t>& signature) const {
    const DigestContext context{EVP_MD_CTX_new()};
    const bool verifies =
        (context != nullptr) &&
        (EVP_DigestVerifyInit(context.get(), nullptr, message_digest(*this), nullptr, key_.get()) == 1) &&
        (EVP_DigestVerify(context.get(), signature.data(), signature.size(), as_bytes(message), message.size()) == 1);
    ERR_clear_error();
    return verifies;
}

Signature parse_signature(const std::vector<std::uint8_t>& bytes) {
    Signature raw{};
    if (bytes.size() == raw.size()) {
        std::copy(bytes.begin(), bytes.end(), raw.begin());
        return raw;
    }
    const unsigned char* place = bytes.data();
    const auto size = static_cast<std::ptrdiff_t>(bytes.size());
    const ParsedSignature parsed{d2i_ECDSA_SIG(nullptr, &place, size)};
    constexpr int kBytes = static_cast<int>(kCoordinateBytes);
    if ((parsed == nullptr) || (place != (bytes.data() + bytes.size())) ||
        (BN_bn2binpad(ECDSA_SIG_get0_r(parsed.get()), raw.data(), kBytes) != kBytes) ||
        (BN_bn2binpad(ECDSA_SIG_get0_s(parsed.get()), raw.data() + kCoordinateBytes, kBytes) != kBytes)) {
        fail("not a signature: neither 64 bytes nor ASN.1 DER of two numbers");
    }
    return raw;
}

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
    store(prepared, header::kDigest, openssl_envelope_digest(view(prepared).subspan(0U, unsigned_bytes)));
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
