// The signature's fields in a header, and its verification. Can be left out: runtime/without.
#include <cstring>

#include "pianola/bytes.h"
#include "runtime/envelope/reading.h"

namespace pianola::envelope_checks {
namespace {

// A key that is listed more than once is trusted only if every entry says so.
[[nodiscard]] const TrustedKey* find_key(const Trust& trust, const KeyId& id) noexcept {
    const TrustedKey* found = nullptr;
    for (const TrustedKey& key : trust.keys) {
        const bool decides = (found == nullptr) || (key.state != KeyState::kTrusted);
        if (decides && (std::memcmp(key.id.data(), id.data(), id.size()) == 0)) {
            found = &key;
        }
    }
    return found;
}

}  // namespace

bool check_signature_fields(const Reading& reading, Envelope& envelope) noexcept {
    const std::uint32_t algorithm = load_le32(reading.file, header::kSignatureAlgorithm);
    const std::uint32_t signature_bytes = load_le32(reading.file, header::kSignatureBytes);
    const bool is_signed = algorithm == kSignatureEcdsaP256;
    if (!is_signed && (algorithm != kSignatureNone)) {
        return refuse_field(reading, Rule::kEnvSignature, Field::kSignatureAlgorithm, algorithm, kSignatureEcdsaP256);
    }
    const std::uint32_t expected_bytes = is_signed ? kSignatureBytes : 0U;
    if ((signature_bytes != expected_bytes) || (reading.file.size() < (header::kBytes + signature_bytes))) {
        return refuse_field(reading, is_signed ? Rule::kAutSignatureSize : Rule::kEnvSignature, Field::kSignatureBytes,
                            signature_bytes, expected_bytes);
    }
    envelope.signature_bytes = signature_bytes;
    std::memcpy(envelope.key_id.data(), &reading.file[header::kKeyId], kKeyIdBytes);
    return is_signed || check_zero(reading, header::kKeyId, header::kKeyId + kKeyIdBytes,
                                   cause_of(Rule::kEnvReserved, Field::kKeyId));
}

bool check_signature(const Reading& reading, const Envelope& envelope, const Trust& trust,
                     const Sha256Digest& digest) noexcept {
    const TrustedKey* const key = (envelope.signature_bytes != 0U) ? find_key(trust, envelope.key_id) : nullptr;
    if (key == nullptr) {
        const bool is_signed = envelope.signature_bytes != 0U;
        return (trust.signatures == SignaturePolicy::kOptional)
                   ? true
                   : refuse_field(reading, is_signed ? Rule::kAutKey : Rule::kAutUnsigned,
                                  is_signed ? Field::kKeyId : Field::kSignatureAlgorithm);
    }
    if (key->state != KeyState::kTrusted) {
        return refuse_field(reading, Rule::kAutRevoked, Field::kKeyId);
    }
    const std::uint32_t place = envelope.total_bytes - envelope.signature_bytes;
    Signature signature;  // NOLINT(pianola-misra-11.6.1): DEV-039
    std::memcpy(signature.data(), &reading.file[place], signature.size());
    if ((trust.verifier != nullptr) && is_ok(trust.verifier->verify(digest, signature, key->key))) {
        return true;
    }
    reading.verdict.path.enter("signature");
    return is_passed_over(refuse(reading.verdict, Rule::kAutSignature, place));
}

}  // namespace pianola::envelope_checks
