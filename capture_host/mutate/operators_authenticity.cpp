// Signatures and keys. Everything else is correct: each mutant has its own digest, and is signed over it if it is
// signed at all.
#include "capture_host/binary/signing.h"
#include "capture_host/mutate/file_bytes.h"
#include "capture_host/mutate/operators.h"
#include "capture_host/mutate/trusts.h"

namespace pianola::mutate {
namespace {

// Signed with one key, under the name of another or its own.
void sign(Draft& draft, Signer signer, Signer named, std::uint32_t security_version) {
    draft.demand(TrustKind::kProduction);
    draft.keep_digest();
    draft.edit([=](Bytes& file) { file = signed_file(file, signer, named, security_version); });
}

// Signs as a device in production requires.
void sign(Draft& draft) {
    sign(draft, Signer::kTrusted, Signer::kTrusted, kLowestVersion);
}

// A signature of that many bytes, as the header says; the bytes after those that the key has made are zeros.
void resize_signature(Draft& draft, std::uint32_t size_bytes) {
    sign(draft);
    draft.edit([=](Bytes& file) {
        const std::size_t unsigned_bytes = file.size() - kSignatureBytes;
        file.resize(unsigned_bytes + size_bytes);
        store32(file, header::kTotalBytes, static_cast<std::uint32_t>(file.size()));
        store32(file, header::kSignatureBytes, size_bytes);
        set_digest(file, size_bytes);
    });
    draft.expect_path("header.signature_bytes");
}

void flip_in_signature(Draft& draft, std::size_t place, std::uint8_t bit) {
    sign(draft);
    draft.edit([=](Bytes& file) { flip(file, (file.size() - kSignatureBytes) + place, bit); });
    draft.expect_path("signature");
}

void replace_signature(Draft& draft, Signature (*make)(Sha256Digest digest)) {
    sign(draft);
    draft.edit([=](Bytes& file) { file = signing::with_signature(file, make(signing::digest_of(file))); });
    draft.expect_path("signature");
}

constexpr std::size_t kLast = kSignatureBytes - 1U;
constexpr std::size_t kFirstOfS = kSignatureBytes / 2U;
constexpr std::uint8_t kHighest = 0x80U;

constexpr std::array kAuthenticityOperators{
    // Only a file without a signature passes as unsigned, if such files are admitted.
    Operator{Rule::kAutSignatureSize, "nothing", "a signature algorithm, and a signature of no bytes", true,
             [](Draft& draft) {
                 resize_signature(draft, 0U);
                 draft.demand(TrustKind::kDevelopment);
             }},
    Operator{Rule::kAutSignatureSize, "one-byte-short", "a signature of 63 bytes", false,
             [](Draft& draft) { resize_signature(draft, kSignatureBytes - 1U); }},
    Operator{Rule::kAutSignatureSize, "one-byte-long", "a signature of 65 bytes", false,
             [](Draft& draft) { resize_signature(draft, kSignatureBytes + 1U); }},
    Operator{Rule::kAutSignatureSize, "twice", "a signature of 128 bytes, where the header says it is", false,
             [](Draft& draft) { resize_signature(draft, 2U * kSignatureBytes); }},
    Operator{Rule::kAutVersion, "lower", "a security version that the device admits no longer", true,
             [](Draft& draft) { sign(draft, Signer::kTrusted, Signer::kTrusted, kLowestVersion - 1U); },
             "header.security_version"},
    Operator{Rule::kAutUnsigned, "no-signature", "no signature, for a device that loads signed files only", true,
             [](Draft& draft) {
                 draft.demand(TrustKind::kProduction);
                 draft.edit([](Bytes& file) { store32(file, header::kSecurityVersion, kLowestVersion); });
             },
             "header.signature_algorithm"},
    Operator{Rule::kAutKey, "stranger", "signed with a key that the device does not know", true,
             [](Draft& draft) { sign(draft, Signer::kStranger, Signer::kStranger, kLowestVersion); }, "header.key_id"},
    Operator{Rule::kAutKey, "renamed",
             "signed with the trusted key, under the name of one that the device does not know", true,
             [](Draft& draft) { sign(draft, Signer::kTrusted, Signer::kStranger, kLowestVersion); }, "header.key_id"},
    Operator{Rule::kAutRevoked, "revoked", "signed with a key that has been revoked", true,
             [](Draft& draft) { sign(draft, Signer::kRevoked, Signer::kRevoked, kLowestVersion); }, "header.key_id"},
    Operator{Rule::kAutSignature, "bit-of-r", "the lowest bit of r", true,
             [](Draft& draft) { flip_in_signature(draft, kFirstOfS - 1U, 1U); }},
    Operator{Rule::kAutSignature, "high-bit-of-r", "the highest bit of r", true,
             [](Draft& draft) { flip_in_signature(draft, 0U, kHighest); }},
    Operator{Rule::kAutSignature, "bit-of-s", "the lowest bit of s", true,
             [](Draft& draft) { flip_in_signature(draft, kLast, 1U); }},
    Operator{Rule::kAutSignature, "high-bit-of-s", "the highest bit of s", true,
             [](Draft& draft) { flip_in_signature(draft, kFirstOfS, kHighest); }},
    Operator{Rule::kAutSignature, "zeros", "r and s are zero", true,
             [](Draft& draft) { replace_signature(draft, [](Sha256Digest) { return Signature{}; }); }},
    Operator{Rule::kAutSignature, "other-digest", "the trusted key's signature over a digest with another bit", true,
             [](Draft& draft) {
                 replace_signature(draft, [](Sha256Digest digest) {
                     digest.back() = static_cast<std::uint8_t>(digest.back() ^ 1U);
                     return sign_digest(Signer::kTrusted, digest);
                 });
             }},
    Operator{Rule::kAutSignature, "stranger", "signed with an unknown key, under the trusted one's name", true,
             [](Draft& draft) { sign(draft, Signer::kStranger, Signer::kTrusted, kLowestVersion); }, "signature"},
    Operator{Rule::kAutSignature, "revoked", "signed with the revoked key, under the trusted one's name", true,
             [](Draft& draft) { sign(draft, Signer::kRevoked, Signer::kTrusted, kLowestVersion); }, "signature"},
    Operator{Rule::kAutSignature, "version-raised", "an older file that says a newer version, and the old signature",
             true,
             [](Draft& draft) {
                 sign(draft, Signer::kTrusted, Signer::kTrusted, kLowestVersion - 1U);
                 draft.edit([](Bytes& file) {
                     store32(file, header::kSecurityVersion, kLowestVersion);
                     set_digest(file, kSignatureBytes);
                 });
             },
             "signature"},
};

}  // namespace

Span<const Operator> authenticity_operators() {
    return kAuthenticityOperators;
}

}  // namespace pianola::mutate
