#include "pianola/envelope.h"

#include <cstring>

#include "pianola/bytes.h"
#include "pianola/config.h"
#include "pianola_schema_hash.h"
#include "runtime/digest/file_digest.h"
#include "runtime/verdict/refusal.h"

namespace pianola {
namespace {

// The segments in their order.
struct SegmentPlace {
    const char* name;
    Segment Envelope::* segment;
};
constexpr std::array<SegmentPlace, kSegmentCount> kSegments{{
    {"manifest", &Envelope::manifest},
    {"weights", &Envelope::weights},
    {"traces", &Envelope::traces},
    {"self_tests", &Envelope::self_tests},
}};

[[nodiscard]] constexpr std::uint32_t align_up(std::uint32_t value) noexcept {
    return (value + (kFileAlignmentBytes - 1U)) & ~(kFileAlignmentBytes - 1U);  // wraps for sizes that no file has
}

// A file while its header is read. Checks return true, or refuse and return false.
struct Reading {
    ByteSpan file;
    Verdict& verdict;
};

Status note_refusal(const Reading& reading, Rule rule, const char* field, std::uint32_t field_place, std::size_t actual,
                    std::size_t limit) noexcept {
    reading.verdict.path.enter("header");
    reading.verdict.path.enter(field);
    return refuse_wide(reading.verdict, rule, field_place, actual, limit);
}

[[gnu::always_inline]] inline bool refuse_field(const Reading& reading, Rule rule, const char* field,
                                                std::uint32_t field_place, std::size_t actual = 0U,
                                                std::size_t limit = 0U) noexcept {
    return is_passed_over(note_refusal(reading, rule, field, field_place, actual, limit));
}

// A header field that has one legal value.
struct FixedField {
    const char* name;
    std::uint32_t offset;
    std::uint32_t value;
    Rule rule;
};
constexpr std::array<FixedField, 3> kFixedFields{{
    FixedField{"envelope_version", header::kEnvelopeVersion, kEnvelopeVersion, Rule::kEnvVersion},
    FixedField{"header_bytes", header::kHeaderBytes, header::kBytes, Rule::kEnvHeaderSize},
    FixedField{"digest_algorithm", header::kDigestAlgorithm, kDigestSha256, Rule::kEnvDigestAlgorithm},
}};

// Bytes [first, end) are zero. They are inside the file.
bool check_zero(const Reading& reading, std::uint32_t first, std::uint32_t end, Rule rule, const char* field) noexcept {
    for (std::uint32_t i = first; i < end; ++i) {
        const std::uint8_t byte = reading.file[i];
        if (byte != 0U) {
            return refuse_field(reading, rule, field, i, byte, 0U);
        }
    }
    return true;
}

bool check_file(const Reading& reading) noexcept {
    const ByteSpan file = reading.file;
    const bool is_long = file.size() >= header::kBytes;
    if (!is_long || (file.size() > kMaxFileBytes)) {
        return refuse_field(reading, Rule::kEnvFileSize, "total_bytes", header::kTotalBytes, file.size(),
                            is_long ? kMaxFileBytes : header::kBytes);
    }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    return ((reinterpret_cast<std::uintptr_t>(file.data()) % kFileAlignmentBytes) == 0U)
               ? true
               : refuse_field(reading, Rule::kEnvAlignment, "magic", header::kMagic);
}

bool check_fixed_part(const Reading& reading) noexcept {
    const ByteSpan file = reading.file;
    if (std::memcmp(file.data(), kMagicBytes.data(), kMagicBytes.size()) != 0) {
        return refuse_field(reading, Rule::kEnvMagic, "magic", header::kMagic);
    }
    for (const FixedField& field : kFixedFields) {
        const std::uint32_t value = load_le32(file, field.offset);
        if (value != field.value) {
            return refuse_field(reading, field.rule, field.name, field.offset, value, field.value);
        }
    }
    const std::uint32_t total_bytes = load_le32(file, header::kTotalBytes);
    if (total_bytes != file.size()) {
        return refuse_field(reading, Rule::kEnvTotalSize, "total_bytes", header::kTotalBytes, total_bytes, file.size());
    }
    if (!digests_equal(file.subspan(header::kSchemaHash, kSha256Bytes), ByteSpan{kSchemaHash})) {
        return refuse_field(reading, Rule::kEnvSchemaHash, "schema_hash", header::kSchemaHash);
    }
    return check_zero(reading, header::kReserved, header::kSchemaHash, Rule::kEnvReserved, "reserved") &&
           check_zero(reading, header::kReservedAfterTable, header::kDigest, Rule::kEnvReserved, "reserved");
}

// Without a signature, nothing says whose it would be.
bool check_signature_fields(const Reading& reading, Envelope& envelope) noexcept {
    const std::uint32_t algorithm = load_le32(reading.file, header::kSignatureAlgorithm);
    const std::uint32_t signature_bytes = load_le32(reading.file, header::kSignatureBytes);
    const bool is_signed = algorithm == kSignatureEcdsaP256;
    if (!is_signed && (algorithm != kSignatureNone)) {
        return refuse_field(reading, Rule::kEnvSignature, "signature_algorithm", header::kSignatureAlgorithm, algorithm,
                            kSignatureEcdsaP256);
    }
    const std::uint32_t expected_bytes = is_signed ? kSignatureBytes : 0U;
    if ((signature_bytes != expected_bytes) || (reading.file.size() < (header::kBytes + signature_bytes))) {
        return refuse_field(reading, is_signed ? Rule::kAutSignatureSize : Rule::kEnvSignature, "signature_bytes",
                            header::kSignatureBytes, signature_bytes, expected_bytes);
    }
    envelope.signature_bytes = signature_bytes;
    std::memcpy(envelope.key_id.data(), &reading.file[header::kKeyId], kKeyIdBytes);
    return is_signed || check_zero(reading, header::kKeyId, header::kKeyId + kKeyIdBytes, Rule::kEnvReserved, "key_id");
}

// Segments follow each other from the end of the header, each padded with zeros to the alignment, to the end of the
// file or its signature.
bool check_segments(const Reading& reading, Envelope& envelope) noexcept {
    envelope.total_bytes = static_cast<std::uint32_t>(reading.file.size());
    std::memcpy(envelope.digest.data(), &reading.file[header::kDigest], kSha256Bytes);
    envelope.security_version = load_le32(reading.file, header::kSecurityVersion);
    const std::uint32_t body_end = envelope.total_bytes - envelope.signature_bytes;
    std::uint32_t expected_offset = header::kBytes;
    for (std::uint32_t i = 0U; i < kSegmentCount; ++i) {
        const char* const name = kSegments[i].name;
        const std::uint32_t entry = header::kSegmentTable + (i * header::kSegmentEntryBytes);
        const std::uint32_t expected_kind = i + 1U;
        const std::uint32_t kind = load_le32(reading.file, entry);
        const std::uint32_t offset = load_le32(reading.file, entry + header::kSegmentOffset);
        const std::uint32_t size_bytes = load_le32(reading.file, entry + header::kSegmentSize);
        if (kind != expected_kind) {
            return refuse_field(reading, Rule::kEnvSegmentKind, name, entry, kind, expected_kind);
        }
        if (offset != expected_offset) {
            return refuse_field(reading, Rule::kEnvSegmentLayout, name, entry + header::kSegmentOffset, offset,
                                expected_offset);
        }
        // offset <= body_end: so the header was, and what the last segment was padded to
        const std::uint32_t contents_end = offset + size_bytes;
        expected_offset = align_up(contents_end);
        if ((size_bytes > (body_end - offset)) || (expected_offset > body_end)) {
            return refuse_field(reading, Rule::kEnvSegmentSize, name, entry + header::kSegmentSize, size_bytes,
                                body_end - offset);
        }
        if (!check_zero(reading, contents_end, expected_offset, Rule::kEnvPadding, name)) {
            return false;
        }
        envelope.*kSegments[i].segment = Segment{offset, size_bytes};
    }
    return (expected_offset == body_end)
               ? true
               : refuse_field(reading, Rule::kEnvTrailing, "total_bytes", expected_offset, body_end, expected_offset);
}

// A key that is there more than once is trusted where every entry says so.
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

bool check_signature(const Reading& reading, const Envelope& envelope, const Trust& trust,
                     const Sha256Digest& digest) noexcept {
    const TrustedKey* const key = (envelope.signature_bytes != 0U) ? find_key(trust, envelope.key_id) : nullptr;
    if (key == nullptr) {
        const bool is_signed = envelope.signature_bytes != 0U;
        return (trust.signatures == SignaturePolicy::kOptional)
                   ? true
                   : refuse_field(reading, is_signed ? Rule::kAutKey : Rule::kAutUnsigned,
                                  is_signed ? "key_id" : "signature_algorithm",
                                  is_signed ? header::kKeyId : header::kSignatureAlgorithm);
    }
    if (key->state != KeyState::kTrusted) {
        return refuse_field(reading, Rule::kAutRevoked, "key_id", header::kKeyId);
    }
    const std::uint32_t place = envelope.total_bytes - envelope.signature_bytes;
    Signature signature;
    std::memcpy(signature.data(), &reading.file[place], signature.size());
    if ((trust.verifier != nullptr) && is_ok(trust.verifier->verify(digest, signature, key->key))) {
        return true;
    }
    reading.verdict.path.enter("signature");
    return is_passed_over(refuse(reading.verdict, Rule::kAutSignature, place));
}

// The digest that a file must carry. False where an engine has failed.
[[nodiscard]] bool compute_digest(ByteSpan unsigned_part, DigestEngine* engine, Sha256Digest& digest) noexcept {
    constexpr std::uint32_t kBody = header::kDigest + kSha256Bytes;
    FileDigest hash{engine};
    hash.update(unsigned_part.subspan(0U, header::kDigest));
    hash.update(unsigned_part.subspan(kBody, unsigned_part.size() - kBody));
    return hash.finish(digest);
}

}  // namespace

Status parse_envelope(ByteSpan file, Envelope& envelope, Verdict& verdict) noexcept {
    reset(verdict);
    const Reading reading{file, verdict};
    const bool good = check_file(reading) && check_fixed_part(reading) && check_signature_fields(reading, envelope) &&
                      check_segments(reading, envelope);
    return good ? Status::kOk : Status::kRefused;
}

Sha256Digest envelope_digest(ByteSpan unsigned_part) noexcept {
    Sha256Digest digest{};
    static_cast<void>(compute_digest(unsigned_part, nullptr, digest));  // this core does not fail
    return digest;
}

Status authenticate(ByteSpan file, const Envelope& envelope, const Trust& trust, Verdict& verdict) noexcept {
    reset(verdict);
    const Reading reading{file, verdict};
    bool good = false;
    if ((file.size() < (header::kBytes + envelope.signature_bytes)) || (envelope.total_bytes != file.size())) {
        good = refuse_field(reading, Rule::kEnvTotalSize, "total_bytes", header::kTotalBytes, envelope.total_bytes,
                            file.size());
    } else {
        Sha256Digest digest{};
        const bool is_computed =
            compute_digest(file.subspan(0U, file.size() - envelope.signature_bytes), trust.digest_engine, digest);
        if (!is_computed || !digests_equal(ByteSpan{digest}, ByteSpan{envelope.digest})) {
            good = refuse_field(reading, Rule::kEnvDigest, "digest", header::kDigest);
        } else if (envelope.security_version < trust.lowest_security_version) {
            good = refuse_field(reading, Rule::kAutVersion, "security_version", header::kSecurityVersion,
                                envelope.security_version, trust.lowest_security_version);
        } else {
            good = check_signature(reading, envelope, trust, digest);
        }
    }
    return good ? Status::kOk : Status::kRefused;
}

}  // namespace pianola
