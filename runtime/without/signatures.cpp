// Replaces envelope/signature.cpp in a runtime that verifies no signatures. A signed file is refused, and if only
// signed files may be loaded, so is every other file.
#include "pianola/bytes.h"
#include "runtime/envelope/reading.h"

namespace pianola::envelope_checks {

bool check_signature_fields(const Reading& reading, Envelope& envelope) noexcept {
    const std::uint32_t algorithm = load_le32(reading.file, header::kSignatureAlgorithm);
    if (algorithm != kSignatureNone) {
        return refuse_field(reading, Rule::kEnvSignature, Field::kSignatureAlgorithm, algorithm, kSignatureNone);
    }
    const std::uint32_t signature_bytes = load_le32(reading.file, header::kSignatureBytes);
    if (signature_bytes != 0U) {
        return refuse_field(reading, Rule::kEnvSignature, Field::kSignatureBytes, signature_bytes, 0U);
    }
    envelope.signature_bytes = 0U;
    envelope.key_id = KeyId{};
    return check_zero(reading, header::kKeyId, header::kKeyId + kKeyIdBytes,
                      cause_of(Rule::kEnvReserved, Field::kKeyId));
}

bool check_signature(const Reading& reading, const Envelope& /*envelope*/, const Trust& trust,
                     const Sha256Digest& /*digest*/) noexcept {
    return (trust.signatures == SignaturePolicy::kOptional)
               ? true
               : refuse_field(reading, Rule::kAutUnsigned, Field::kSignatureAlgorithm);
}

}  // namespace pianola::envelope_checks
