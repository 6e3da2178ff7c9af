#include "pianola/envelope.h"

#include <cstring>

#include "pianola/bytes.h"
#include "pianola/config.h"
#include "pianola/slice_check.h"
#include "pianola_schema_hash.h"
#include "runtime/digest/file_digest.h"
#include "runtime/envelope/reading.h"

namespace pianola {
namespace envelope_checks {
namespace {

// A field of the header and its offset.
struct HeaderField {
    const char* name;
    std::uint32_t place;
};
constexpr std::array<HeaderField, static_cast<std::size_t>(Field::kCount)> kFields{{
    {"envelope_version", header::kEnvelopeVersion},
    {"header_bytes", header::kHeaderBytes},
    {"digest_algorithm", header::kDigestAlgorithm},
    {"magic", header::kMagic},
    {"total_bytes", header::kTotalBytes},
    {"schema_hash", header::kSchemaHash},
    {"reserved", header::kReserved},
    {"key_id", header::kKeyId},
    {"signature_algorithm", header::kSignatureAlgorithm},
    {"signature_bytes", header::kSignatureBytes},
    {"security_version", header::kSecurityVersion},
    {"digest", header::kDigest},
    {"manifest", header::kSegmentTable},
    {"weights", header::kSegmentTable + header::kSegmentEntryBytes},
    {"traces", header::kSegmentTable + (2U * header::kSegmentEntryBytes)},
    {"self_tests", header::kSegmentTable + (3U * header::kSegmentEntryBytes)},
    {"checks", header::kSegmentTable + (4U * header::kSegmentEntryBytes)},
}};
[[nodiscard]] constexpr std::uint32_t place_of(Field field) noexcept {
    return kFields[static_cast<std::size_t>(field)].place;
}

}  // namespace

Status note_refusal(const Reading& reading, Cause cause, std::size_t actual, std::size_t limit) noexcept {
    return note_refusal_at(reading, cause, place_of(field_of<Field>(cause)), actual, limit);
}

Status note_refusal_at(const Reading& reading, Cause cause, std::uint32_t place, std::size_t actual,
                       std::size_t limit) noexcept {
    reading.verdict.path.enter("header");
    reading.verdict.path.enter(kFields[static_cast<std::size_t>(field_of<Field>(cause))].name);
    return refuse_wide(reading.verdict, rule_of(cause), place, actual, limit);
}

// All bytes before the first that is not zero: a valid file has some hundred of them, in every validation.
bool check_zero(const Reading& reading, std::uint32_t first, std::uint32_t end, Cause cause) noexcept {
    const ByteSpan file = reading.file;
    std::uint32_t seen = 0U;
    for (std::uint32_t i = first; i < end; ++i) {
        seen |= file[i];
    }
    if (seen == 0U) {
        return true;
    }
    std::uint32_t place = first;
    while (file[place] == 0U) {  // before `end`: one byte is not zero
        place += 1U;
    }
    return is_passed_over(note_refusal_at(reading, cause, place, file[place], 0U));
}

namespace {

// The segments in their order.
constexpr std::array<Segment Envelope::*, kSegmentCount> kSegments{
    {&Envelope::manifest, &Envelope::weights, &Envelope::traces, &Envelope::self_tests, &Envelope::checks}};

[[nodiscard]] constexpr std::uint32_t align_up(std::uint32_t value) noexcept {
    return (value + (kFileAlignmentBytes - 1U)) & ~(kFileAlignmentBytes - 1U);  // wraps only for sizes that no file has
}

// A header field that has one legal value.
struct FixedField {
    Field field;
    std::uint32_t value;
    Rule rule;
};
constexpr std::array<FixedField, 3> kFixedFields{{
    FixedField{Field::kEnvelopeVersion, kEnvelopeVersion, Rule::kEnvVersion},
    FixedField{Field::kHeaderBytes, header::kBytes, Rule::kEnvHeaderSize},
    FixedField{Field::kDigestAlgorithm, kDigestSha256, Rule::kEnvDigestAlgorithm},
}};

bool check_file(const Reading& reading) noexcept {
    const ByteSpan file = reading.file;
    const bool is_long = file.size() >= header::kBytes;
    if (!is_long || (file.size() > kMaxFileBytes)) {
        return refuse_field(reading, Rule::kEnvFileSize, Field::kTotalBytes, file.size(),
                            is_long ? kMaxFileBytes : header::kBytes);
    }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    return ((reinterpret_cast<std::uintptr_t>(file.data()) % kFileAlignmentBytes) == 0U)
               ? true
               : refuse_field(reading, Rule::kEnvAlignment, Field::kMagic);
}

bool check_fixed_part(const Reading& reading) noexcept {
    const ByteSpan file = reading.file;
    if (std::memcmp(file.data(), kMagicBytes.data(), kMagicBytes.size()) != 0) {
        return refuse_field(reading, Rule::kEnvMagic, Field::kMagic);
    }
    for (const FixedField& field : kFixedFields) {
        const std::uint32_t value = load_le32(file, place_of(field.field));
        if (value != field.value) {
            return refuse_field(reading, field.rule, field.field, value, field.value);
        }
    }
    const std::uint32_t total_bytes = load_le32(file, header::kTotalBytes);
    if (total_bytes != file.size()) {
        return refuse_field(reading, Rule::kEnvTotalSize, Field::kTotalBytes, total_bytes, file.size());
    }
    if (!digests_equal(file.subspan(header::kSchemaHash, kSha256Bytes), ByteSpan{kSchemaHash})) {
        return refuse_field(reading, Rule::kEnvSchemaHash, Field::kSchemaHash);
    }
    return check_zero(reading, header::kReserved, header::kSchemaHash,
                      cause_of(Rule::kEnvReserved, Field::kReserved)) &&
           check_zero(reading, header::kReservedAfterTable, header::kDigest,
                      cause_of(Rule::kEnvReserved, Field::kReserved));
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
        const auto field = static_cast<Field>(static_cast<std::uint32_t>(Field::kManifest) + i);
        const std::uint32_t entry = header::kSegmentTable + (i * header::kSegmentEntryBytes);
        const std::uint32_t expected_kind = i + 1U;
        const std::uint32_t kind = load_le32(reading.file, entry);
        const std::uint32_t offset = load_le32(reading.file, entry + header::kSegmentOffset);
        const std::uint32_t size_bytes = load_le32(reading.file, entry + header::kSegmentSize);
        if (kind != expected_kind) {
            return refuse_field(reading, Rule::kEnvSegmentKind, field, kind, expected_kind);
        }
        if (offset != expected_offset) {
            return refuse_at(reading, Rule::kEnvSegmentLayout, field, entry + header::kSegmentOffset, offset,
                             expected_offset);
        }
        // offset <= body_end: true for the header, and for the padding of the previous segment
        const std::uint32_t contents_end = offset + size_bytes;
        expected_offset = align_up(contents_end);
        if ((size_bytes > (body_end - offset)) || (expected_offset > body_end)) {
            return refuse_at(reading, Rule::kEnvSegmentSize, field, entry + header::kSegmentSize, size_bytes,
                             body_end - offset);
        }
        if (!check_zero(reading, contents_end, expected_offset, cause_of(Rule::kEnvPadding, field))) {
            return false;
        }
        envelope.*kSegments[i] = Segment{offset, size_bytes};
    }
    return (expected_offset == body_end)
               ? true
               : refuse_at(reading, Rule::kEnvTrailing, Field::kTotalBytes, expected_offset, body_end, expected_offset);
}

// The digest that a file must carry. Returns false if an engine failed. Not inlined: the hash would be on the stack
// while a signature is verified, where the stack is deepest.
[[nodiscard, gnu::noinline]] bool compute_digest(ByteSpan unsigned_part, DigestEngine* engine,
                                                 Sha256Digest& digest) noexcept {
    constexpr std::uint32_t kBody = header::kDigest + kSha256Bytes;
    FileDigest hash{engine};
    hash.update(unsigned_part.subspan(0U, header::kDigest));
    hash.update(unsigned_part.subspan(kBody, unsigned_part.size() - kBody));
    return hash.finish(digest);
}

}  // namespace
}  // namespace envelope_checks

using envelope_checks::Field;
using envelope_checks::Reading;
using envelope_checks::refuse_field;

Status parse_envelope(ByteSpan file, Envelope& envelope, Verdict& verdict) noexcept {
    reset(verdict);
    const Reading reading{file, verdict};
    const bool good = envelope_checks::check_file(reading) && envelope_checks::check_fixed_part(reading) &&
                      envelope_checks::check_signature_fields(reading, envelope) &&
                      envelope_checks::check_segments(reading, envelope);
    return good ? Status::kOk : Status::kRefused;
}

Sha256Digest envelope_digest(ByteSpan unsigned_part) noexcept {
    Sha256Digest digest{};
    static_cast<void>(envelope_checks::compute_digest(unsigned_part, nullptr, digest));  // this core does not fail
    return digest;
}

std::uint64_t sum_outside_slices(ByteSpan file, const Envelope& envelope) noexcept {
    SliceSum sum;
    sum.update(file.subspan(0U, envelope.weights.offset));
    sum.update(file.subspan(envelope.self_tests.offset, file.size() - envelope.self_tests.offset));
    return sum.value();
}

namespace {

// Whether the file's bytes are those that its digest is of, and those of `authentication`. Not inlined, so that its
// stack is free again while a signature is verified.
[[gnu::noinline]] bool has_digest(ByteSpan file, const Envelope& envelope, DigestEngine* engine,
                                  Authentication& authentication) noexcept {
    const std::uint64_t sum = sum_outside_slices(file, envelope);
    bool is_same = authentication.sum == sum;
    if (!authentication.is_computed) {
        is_same = envelope_checks::compute_digest(file.subspan(0U, file.size() - envelope.signature_bytes), engine,
                                                  authentication.digest);
        authentication.sum = sum;
        authentication.is_computed = true;
    }
    return is_same && digests_equal(ByteSpan{authentication.digest}, ByteSpan{envelope.digest});
}

}  // namespace

Status authenticate(ByteSpan file, const Envelope& envelope, const Trust& trust, Verdict& verdict) noexcept {
    Authentication authentication;
    return authenticate(file, envelope, trust, authentication, verdict);
}

Status authenticate(ByteSpan file, const Envelope& envelope, const Trust& trust, Authentication& authentication,
                    Verdict& verdict) noexcept {
    reset(verdict);
    const Reading reading{file, verdict};
    bool good = false;
    if ((file.size() < (header::kBytes + envelope.signature_bytes)) || (envelope.total_bytes != file.size()) ||
        (envelope.self_tests.offset > file.size())) {
        good = refuse_field(reading, Rule::kEnvTotalSize, Field::kTotalBytes, envelope.total_bytes, file.size());
    } else if (!has_digest(file, envelope, trust.digest_engine, authentication)) {
        good = refuse_field(reading, Rule::kEnvDigest, Field::kDigest);
    } else if (envelope.security_version < trust.lowest_security_version) {
        good = refuse_field(reading, Rule::kAutVersion, Field::kSecurityVersion, envelope.security_version,
                            trust.lowest_security_version);
    } else {
        good = envelope_checks::check_signature(reading, envelope, trust, authentication.digest);
    }
    return good ? Status::kOk : Status::kRefused;
}

}  // namespace pianola
