// The header, before anything else is looked at.
#include <algorithm>

#include "capture_host/mutate/file_bytes.h"
#include "capture_host/mutate/operators.h"

namespace pianola::mutate {
namespace {

void set(Draft& draft, std::uint32_t offset, std::uint32_t value) {
    draft.edit([=](Bytes& file) { store32(file, offset, value); });
}

void flip_lowest_bit(Draft& draft, std::uint32_t offset) {
    draft.edit([=](Bytes& file) { flip(file, offset, 1U); });
}

// The file says that it is as long as it then is.
void resize_honestly(Draft& draft, std::uint32_t by_bytes) {
    draft.edit([=](Bytes& file) {
        file.resize(file.size() + by_bytes);
        store32(file, header::kTotalBytes, static_cast<std::uint32_t>(file.size()));
    });
}

// In the entry of the last segment.
void set_in_last_entry(Draft& draft, std::uint32_t field, std::uint32_t value) {
    set(draft, table_offset(SegmentKind::kChecks, field), value);
    draft.expect_path("header.checks");
}

void lengthen_last_segment(Draft& draft) {
    draft.edit([](Bytes& file) {
        const Segment checks = segment_of(file, SegmentKind::kChecks);
        store32(file, table_offset(SegmentKind::kChecks, header::kSegmentSize),
                static_cast<std::uint32_t>(align_up(checks.size_bytes)) + 1U);
    });
    draft.expect_path("header.checks");
}

void grow_beyond_the_largest_file(Draft& draft) {
    draft.edit([](Bytes& file) {
        const auto all = static_cast<std::uint32_t>(file.size());
        grow_segment(file, SegmentKind::kWeights, (kMaxFileBytes + kBlockBytes) - std::min(all, kMaxFileBytes));
    });
    draft.expect_path("header.total_bytes");
}

void damage_padding(Draft& draft) {
    draft.edit([](Bytes& file) {
        for (const SegmentKind kind : {SegmentKind::kTraces, SegmentKind::kManifest, SegmentKind::kWeights}) {
            const Segment segment = segment_of(file, kind);
            if ((segment.size_bytes % kBlockBytes) != 0U) {
                file.at(segment.offset + segment.size_bytes) = 1U;
                return;
            }
        }
        grow_segment(file, SegmentKind::kWeights, 1U);
        const Segment weights = segment_of(file, SegmentKind::kWeights);
        file.at(weights.offset + weights.size_bytes) = 1U;
    });
}

constexpr std::uint32_t kLastOfMagic = 7U;
constexpr std::uint32_t kLastOfSchemaHash = header::kSegmentTable - 1U;
constexpr std::uint32_t kLastReserved = header::kSchemaHash - 1U;
constexpr std::uint32_t kLastAfterTable = header::kDigest - 1U;

constexpr std::array kEnvelopeOperators{
    Operator{Rule::kEnvFileSize, "empty", "no byte is left", false,
             [](Draft& draft) { draft.edit([](Bytes& file) { file.clear(); }); }},
    Operator{Rule::kEnvFileSize, "one-byte-short", "a byte shorter than the header", false,
             [](Draft& draft) { draft.edit([](Bytes& file) { file.resize(header::kBytes - 1U); }); }},
    Operator{Rule::kEnvFileSize, "too-long", "longer than the runtime accepts, with zeros behind the weights", true,
             grow_beyond_the_largest_file},
    Operator{Rule::kEnvAlignment, "shifted-by-1",
             "the file itself is whole, and is loaded one byte behind an aligned address", false,
             [](Draft& draft) { draft.shift(1U); }},
    Operator{Rule::kEnvAlignment, "shifted-by-32",
             "the file itself is whole, and is loaded half a block behind an aligned address", true,
             [](Draft& draft) { draft.shift(kBlockBytes / 2U); }},
    Operator{Rule::kEnvMagic, "first-byte", "a bit of the magic's first byte", true,
             [](Draft& draft) { flip_lowest_bit(draft, header::kMagic); }},
    Operator{Rule::kEnvMagic, "last-byte", "a bit of the magic's last byte", true,
             [](Draft& draft) { flip_lowest_bit(draft, kLastOfMagic); }},
    Operator{Rule::kEnvVersion, "next", "the next version of the envelope", true,
             [](Draft& draft) { set(draft, header::kEnvelopeVersion, kEnvelopeVersion + 1U); }},
    Operator{Rule::kEnvVersion, "zero", "version 0 of the envelope", true,
             [](Draft& draft) { set(draft, header::kEnvelopeVersion, 0U); }},
    Operator{Rule::kEnvHeaderSize, "longer", "a longer header", true,
             [](Draft& draft) { set(draft, header::kHeaderBytes, header::kBytes + kBlockBytes); }},
    Operator{Rule::kEnvDigestAlgorithm, "none", "no digest algorithm", true,
             [](Draft& draft) { set(draft, header::kDigestAlgorithm, 0U); }},
    Operator{Rule::kEnvSignature, "unknown", "a signature algorithm that nobody knows", true,
             [](Draft& draft) { set(draft, header::kSignatureAlgorithm, UINT32_MAX); }},
    Operator{Rule::kEnvSignature, "bytes-without-algorithm", "the size of a signature, and no algorithm", true,
             [](Draft& draft) { set(draft, header::kSignatureBytes, kBlockBytes); }},
    Operator{Rule::kEnvTotalSize, "says-more", "the header says more bytes than there are", true,
             [](Draft& draft) {
                 draft.edit([](Bytes& file) {
                     store32(file, header::kTotalBytes, static_cast<std::uint32_t>(file.size()) + kBlockBytes);
                 });
             }},
    Operator{Rule::kEnvTotalSize, "cut", "the last block is missing", false,
             [](Draft& draft) { draft.edit([](Bytes& file) { file.resize(file.size() - kBlockBytes); }); }},
    Operator{Rule::kEnvSchemaHash, "first-byte", "a bit of the schema hash's first byte", true,
             [](Draft& draft) { flip_lowest_bit(draft, header::kSchemaHash); }},
    Operator{Rule::kEnvSchemaHash, "last-byte", "a bit of the schema hash's last byte", true,
             [](Draft& draft) { flip_lowest_bit(draft, kLastOfSchemaHash); }},
    Operator{Rule::kEnvReserved, "before-table", "the first reserved byte", true,
             [](Draft& draft) { flip_lowest_bit(draft, header::kReserved); }},
    Operator{Rule::kEnvReserved, "last-before-table", "the last reserved byte in front of the segment table", true,
             [](Draft& draft) { flip_lowest_bit(draft, kLastReserved); }},
    Operator{Rule::kEnvReserved, "after-table", "the first reserved byte behind the segment table", true,
             [](Draft& draft) { flip_lowest_bit(draft, header::kReservedAfterTable); }},
    Operator{Rule::kEnvReserved, "last-after-table", "the last reserved byte", true,
             [](Draft& draft) { flip_lowest_bit(draft, kLastAfterTable); }},
    Operator{Rule::kEnvSegmentKind, "weights-say-traces", "the weights' entry says that it is for traces", false,
             [](Draft& draft) {
                 set(draft, table_offset(SegmentKind::kWeights, 0U), static_cast<std::uint32_t>(SegmentKind::kTraces));
             },
             "header.weights"},
    Operator{Rule::kEnvSegmentKind, "last-entry", "a kind that does not exist", false,
             [](Draft& draft) { set_in_last_entry(draft, 0U, kSegmentCount + 1U); }},
    Operator{Rule::kEnvSegmentLayout, "gap-before-manifest", "the manifest's entry leaves a block out", false,
             [](Draft& draft) {
                 set(draft, table_offset(SegmentKind::kManifest, header::kSegmentOffset), header::kBytes + kBlockBytes);
             },
             "header.manifest"},
    Operator{Rule::kEnvSegmentLayout, "last-entry", "the last segment starts in the header", false,
             [](Draft& draft) { set_in_last_entry(draft, header::kSegmentOffset, kBlockBytes); }},
    Operator{Rule::kEnvSegmentSize, "wraps-round", "a size that wraps round 32 bits", false,
             [](Draft& draft) { set(draft, table_offset(SegmentKind::kManifest, header::kSegmentSize), UINT32_MAX); },
             "header.manifest"},
    Operator{Rule::kEnvSegmentSize, "last-entry", "the last segment ends a byte behind the end of the file", false,
             lengthen_last_segment},
    Operator{Rule::kEnvPadding, "first-byte", "the first padding byte behind a segment", true, damage_padding},
    Operator{Rule::kEnvTrailing, "block", "a block of zeros behind the last segment", true,
             [](Draft& draft) { resize_honestly(draft, kBlockBytes); }},
    Operator{Rule::kEnvTrailing, "byte", "one zero behind the last segment", true,
             [](Draft& draft) { resize_honestly(draft, 1U); }},
    Operator{Rule::kEnvDigest, "of-digest", "a bit of the digest", true,
             [](Draft& draft) {
                 flip_lowest_bit(draft, header::kBytes - 1U);
                 draft.keep_digest();
             }},
    Operator{Rule::kEnvDigest, "of-security-version", "a bit of the security version, and the old digest", false,
             [](Draft& draft) {
                 flip_lowest_bit(draft, header::kSecurityVersion);
                 draft.keep_digest();
             }},
    Operator{Rule::kEnvDigest, "of-manifest", "a bit in the middle of the manifest, and the old digest", false,
             [](Draft& draft) {
                 draft.edit([](Bytes& file) {
                     const Segment manifest = segment_of(file, SegmentKind::kManifest);
                     flip(file, manifest.offset + (manifest.size_bytes / 2U), 1U);
                 });
                 draft.keep_digest();
             }},
};

}  // namespace

Span<const Operator> envelope_operators() {
    return kEnvelopeOperators;
}

}  // namespace pianola::mutate
