// Keys and signatures: ECDSA on the curve P-256 for binaries, and Ed25519 for receipts too, as OpenSSL keeps them.
//
// The only part of the host side that makes signatures, all by OpenSSL; this gives them the forms of trace binaries and
// receipts. The target verifies with another implementation (hal/crypto). A binary is signed in one call, or around a
// signature that is made elsewhere. The signed data is the digest of the file, which covers every byte except itself
// and the signature, and so also the key's id and the security version. docs/reference/format.md gives the bytes.
#pragma once

#include <openssl/evp.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "pianola/trust.h"

namespace pianola::signing {

// A key, a signature or a file cannot be used. what() says which, and why.
class SigningError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

enum class KeyKind : std::uint8_t {
    kP256,     // signs binaries, and receipts
    kEd25519,  // signs receipts: the same statement always gets the same bytes (RFC 8032)
};

class Key {
  public:
    [[nodiscard]] static Key generate(KeyKind kind);
    // PEM, not encrypted: PKCS#8 or SEC 1, and SubjectPublicKeyInfo. A file with a private key serves as its public key
    // too. Throw SigningError for anything else, another curve, or a point that is not on it; files::FileError.
    [[nodiscard]] static Key load_private(const std::filesystem::path& path);
    [[nodiscard]] static Key load_public(const std::filesystem::path& path);

    [[nodiscard]] KeyKind kind() const;
    [[nodiscard]] std::string private_pem() const;
    [[nodiscard]] std::string public_pem() const;
    // SHA-256 of the SubjectPublicKeyInfo in DER.
    [[nodiscard]] Sha256Digest hash() const;
    // The first bytes of hash().
    [[nodiscard]] KeyId id() const;
    // The point on P-256. Throws SigningError for other kinds.
    [[nodiscard]] PublicKey point() const;

    // P-256 only, as point(). Not reproducible: ECDSA takes a random number for each signature.
    [[nodiscard]] Signature sign_digest(const Sha256Digest& digest) const;
    // Signs a whole message; any kind of key. P-256: DER, over the message's SHA-256.
    [[nodiscard]] std::vector<std::uint8_t> sign_message(const std::string& message) const;
    [[nodiscard]] bool verifies_message(const std::string& message, const std::vector<std::uint8_t>& signature) const;

  private:
    struct Release {
        void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
    };
    explicit Key(EVP_PKEY* key) : key_{key} {}
    [[nodiscard]] static Key load(const std::filesystem::path& path, bool is_private);
    // Throws SigningError, with the file's name, unless binaries can be signed with this kind of key.
    void require_p256() const;

    std::unique_ptr<EVP_PKEY, Release> key_;
    std::string name_{"the key"};  // of the file that it was loaded from
};

// Reads a signature of other tools: ASN.1 DER (RFC 3279, section 2.2.3), or 64 raw bytes. Throws SigningError.
[[nodiscard]] Signature parse_signature(const std::vector<std::uint8_t>& bytes);

using Bytes = std::vector<std::uint8_t>;

// The file before signing: with the key's id, the security version and the digest over both, and a signature of zeros,
// which no key makes. An earlier signature is dropped. `file` must be one that capture::verify() accepts.
[[nodiscard]] Bytes prepare(const Bytes& file, const KeyId& key, std::uint32_t security_version);

// The digest that a prepared file's signature is made over.
[[nodiscard]] Sha256Digest digest_of(const Bytes& prepared);

// The prepared file with its signature.
[[nodiscard]] Bytes with_signature(Bytes prepared, const Signature& signature);

[[nodiscard]] std::uint32_t security_version_of(const Bytes& file);
[[nodiscard]] bool is_signed(const Bytes& file);

}  // namespace pianola::signing
