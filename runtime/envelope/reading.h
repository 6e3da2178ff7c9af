// Shared by the checks of a header. Included by the sources of runtime/envelope and by the replacement of
// signature.cpp.
#pragma once

#include "pianola/envelope.h"
#include "runtime/verdict/cause.h"

namespace pianola::envelope_checks {

// A file while its header is read. Checks return true, or refuse and return false.
struct Reading {
    ByteSpan file;
    Verdict& verdict;
};

enum class Field : std::uint8_t {
    kEnvelopeVersion,
    kHeaderBytes,
    kDigestAlgorithm,
    kMagic,
    kTotalBytes,
    kSchemaHash,
    kReserved,
    kKeyId,
    kSignatureAlgorithm,
    kSignatureBytes,
    kSecurityVersion,
    kDigest,
    kManifest,  // of the segment table, from here on
    kWeights,
    kTraces,
    kSelfTests,
    kChecks,
    kCount,
};

// envelope.cpp: fill in the verdict, for a field of the header or for another offset.
Status note_refusal(const Reading& reading, Cause cause, std::size_t actual, std::size_t limit) noexcept;
Status note_refusal_at(const Reading& reading, Cause cause, std::uint32_t place, std::size_t actual,
                       std::size_t limit) noexcept;

// Fills in the verdict and returns false.
[[gnu::always_inline]] inline bool refuse_field(const Reading& reading, Rule rule, Field field, std::size_t actual = 0U,
                                                std::size_t limit = 0U) noexcept {
    return is_passed_over(note_refusal(reading, cause_of(rule, field), actual, limit));
}
[[gnu::always_inline]] inline bool refuse_at(const Reading& reading, Rule rule, Field field, std::uint32_t place,
                                             std::size_t actual, std::size_t limit) noexcept {
    return is_passed_over(note_refusal_at(reading, cause_of(rule, field), place, actual, limit));
}

// envelope.cpp: bytes [first, end) are zero. They are inside the file.
[[nodiscard]] bool check_zero(const Reading& reading, std::uint32_t first, std::uint32_t end, Cause cause) noexcept;

// signature.cpp: the signature's fields in the header. Without a signature, the key id must be zero.
[[nodiscard]] bool check_signature_fields(const Reading& reading, Envelope& envelope) noexcept;
// signature.cpp: which key has signed the digest.
[[nodiscard]] bool check_signature(const Reading& reading, const Envelope& envelope, const Trust& trust,
                                   const Sha256Digest& digest) noexcept;

}  // namespace pianola::envelope_checks
