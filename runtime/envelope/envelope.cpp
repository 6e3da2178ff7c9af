#include "runtime/envelope/envelope.h"

#include <cstring>

#include "pianola_schema_hash.h"
#include "runtime/core/bytes.h"
#include "runtime/core/config.h"

namespace pianola {
namespace {

constexpr std::array<const char*, kSegmentCount> kSegmentNames{"manifest", "weights", "traces", "self_tests"};

[[nodiscard]] constexpr std::uint32_t align_up(std::uint32_t value) noexcept {
    return (value + (kFileAlignmentBytes - 1U)) & ~(kFileAlignmentBytes - 1U);  // value <= kMaxFileBytes: no wrap
}

Status refuse_field(Verdict& verdict, Rule rule, const char* field, std::uint32_t field_place, std::size_t actual = 0U,
                    std::size_t limit = 0U) noexcept {
    verdict.path.enter("header");
    verdict.path.enter(field);
    return refuse_wide(verdict, rule, field_place, actual, limit);
}

// A header field that has one legal value.
struct FixedField {
    const char* name;
    std::uint32_t offset;
    std::uint32_t value;
    Rule rule;
};
constexpr std::array<FixedField, 5> kFixedFields{{
    FixedField{"envelope_version", header::kEnvelopeVersion, kEnvelopeVersion, Rule::kEnvVersion},
    FixedField{"header_bytes", header::kHeaderBytes, header::kBytes, Rule::kEnvHeaderSize},
    FixedField{"digest_algorithm", header::kDigestAlgorithm, kDigestSha256, Rule::kEnvDigestAlgorithm},
    FixedField{"signature_algorithm", header::kSignatureAlgorithm, kSignatureNone, Rule::kEnvSignature},
    FixedField{"signature_bytes", header::kSignatureBytes, 0U, Rule::kEnvSignature},
}};

Status check_zero(ByteSpan file, std::uint32_t offset, std::uint32_t count, Rule rule, const char* field,
                  Verdict& verdict) noexcept {
    const std::uint32_t end = offset + count;  // inside the file, which is at most kMaxFileBytes long
    for (std::uint32_t i = offset; i < end; ++i) {
        if (file[i] != 0U) {
            return refuse_field(verdict, rule, field, i, file[i], 0U);
        }
    }
    return Status::kOk;
}

Status check_fixed_part(ByteSpan file, Verdict& verdict) noexcept {
    if (std::memcmp(file.data(), kMagicBytes.data(), kMagicBytes.size()) != 0) {
        return refuse_field(verdict, Rule::kEnvMagic, "magic", header::kMagic);
    }
    for (const FixedField& field : kFixedFields) {
        const std::uint32_t value = load_le32(file, field.offset);
        if (value != field.value) {
            return refuse_field(verdict, field.rule, field.name, field.offset, value, field.value);
        }
    }
    const std::uint32_t total_bytes = load_le32(file, header::kTotalBytes);
    if (total_bytes != file.size()) {
        return refuse_field(verdict, Rule::kEnvTotalSize, "total_bytes", header::kTotalBytes, total_bytes, file.size());
    }
    if (!digests_equal(file.subspan(header::kSchemaHash, kSha256Bytes), ByteSpan{kSchemaHash})) {
        return refuse_field(verdict, Rule::kEnvSchemaHash, "schema_hash", header::kSchemaHash);
    }
    const Status reserved = check_zero(file, header::kReserved, header::kSchemaHash - header::kReserved,
                                       Rule::kEnvReserved, "reserved", verdict);
    if (!is_ok(reserved)) {
        return reserved;
    }
    return check_zero(file, header::kReservedAfterTable, header::kDigest - header::kReservedAfterTable,
                      Rule::kEnvReserved, "reserved", verdict);
}

// Segments follow each other from the end of the header, each padded with zeros to the alignment, to the end of the file.
Status check_segments(ByteSpan file, std::array<Segment, kSegmentCount>& segments, Verdict& verdict) noexcept {
    std::uint32_t expected_offset = header::kBytes;
    for (std::uint32_t i = 0U; i < kSegmentCount; ++i) {
        const std::uint32_t entry = header::kSegmentTable + (i * header::kSegmentEntryBytes);
        const std::uint32_t offset_place = entry + header::kSegmentOffset;
        const std::uint32_t size_place = entry + header::kSegmentSize;
        const std::uint32_t expected_kind = i + 1U;
        const std::uint32_t kind = load_le32(file, entry);
        const std::uint32_t offset = load_le32(file, offset_place);
        const std::uint32_t size_bytes = load_le32(file, size_place);
        if (kind != expected_kind) {
            return refuse_field(verdict, Rule::kEnvSegmentKind, kSegmentNames[i], entry, kind, expected_kind);
        }
        if (offset != expected_offset) {
            return refuse_field(verdict, Rule::kEnvSegmentLayout, kSegmentNames[i], offset_place, offset,
                                expected_offset);
        }
        if (!file.contains(offset, size_bytes)) {
            return refuse_field(verdict, Rule::kEnvSegmentSize, kSegmentNames[i], size_place, size_bytes,
                                file.size() - offset);
        }
        segments[i] = Segment{offset, size_bytes};
        expected_offset = align_up(offset + size_bytes);
        if (expected_offset > file.size()) {
            return refuse_field(verdict, Rule::kEnvSegmentSize, kSegmentNames[i], size_place, size_bytes,
                                file.size() - offset);
        }
        const std::uint32_t end = offset + size_bytes;
        const Status padding =
            check_zero(file, end, expected_offset - end, Rule::kEnvPadding, kSegmentNames[i], verdict);
        if (!is_ok(padding)) {
            return padding;
        }
    }
    if (expected_offset != file.size()) {
        return refuse_field(verdict, Rule::kEnvTrailing, "total_bytes", expected_offset, file.size(), expected_offset);
    }
    return Status::kOk;
}

}  // namespace

Status parse_envelope(ByteSpan file, Envelope& envelope, Verdict& verdict) noexcept {
    reset(verdict);
    if ((file.size() < header::kBytes) || (file.size() > kMaxFileBytes)) {
        const std::uint32_t limit = (file.size() < header::kBytes) ? header::kBytes : kMaxFileBytes;
        return refuse_field(verdict, Rule::kEnvFileSize, "total_bytes", header::kTotalBytes, file.size(), limit);
    }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    if ((reinterpret_cast<std::uintptr_t>(file.data()) % kFileAlignmentBytes) != 0U) {
        return refuse_field(verdict, Rule::kEnvAlignment, "magic", header::kMagic);
    }
    const Status fixed = check_fixed_part(file, verdict);
    if (!is_ok(fixed)) {
        return fixed;
    }
    std::array<Segment, kSegmentCount> segments{};
    const Status tiled = check_segments(file, segments, verdict);
    if (!is_ok(tiled)) {
        return tiled;
    }
    envelope.total_bytes = static_cast<std::uint32_t>(file.size());
    envelope.security_version = load_le32(file, header::kSecurityVersion);
    envelope.manifest = segments[0];
    envelope.weights = segments[1];
    envelope.traces = segments[2];
    envelope.self_tests = segments[3];
    return Status::kOk;
}

Sha256Digest envelope_digest(ByteSpan file) noexcept {
    constexpr std::uint32_t kBody = header::kDigest + kSha256Bytes;
    Sha256 hash;
    hash.update(file.subspan(0U, header::kDigest));
    hash.update(file.subspan(kBody, file.size() - kBody));
    return hash.finish();
}

Status authenticate(ByteSpan file, const Envelope& envelope, Verdict& verdict) noexcept {
    reset(verdict);
    if ((file.size() < header::kBytes) || (envelope.total_bytes != file.size())) {
        return refuse_field(verdict, Rule::kEnvTotalSize, "total_bytes", header::kTotalBytes, envelope.total_bytes,
                            file.size());
    }
    const Sha256Digest digest = envelope_digest(file);
    if (!digests_equal(ByteSpan{digest}, file.subspan(header::kDigest, kSha256Bytes))) {
        return refuse_field(verdict, Rule::kEnvDigest, "digest", header::kDigest);
    }
    return Status::kOk;
}

}  // namespace pianola
