// File bytes: numbers and segments of a trace binary that is damaged in place.
//
// Shared by the operators on the envelope and on the manifest's structure. Offsets are from the file's first byte.
#pragma once

#include <cstdint>
#include <vector>

#include "capture_host/mutate/trusts.h"
#include "pianola/config.h"
#include "pianola/envelope.h"

namespace pianola::mutate {

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::uint32_t kWordBytes = 4U;

[[nodiscard]] std::uint32_t load32(const Bytes& file, std::size_t offset);
void store32(Bytes& file, std::size_t offset, std::uint32_t value);
void flip(Bytes& file, std::size_t offset, std::uint32_t bits);  // of one byte
// Rounds up to the alignment of segments, regions and traces.
[[nodiscard]] constexpr std::uint64_t align_up(std::uint64_t bytes) noexcept {
    return (bytes + (kFileAlignmentBytes - 1U)) & ~std::uint64_t{kFileAlignmentBytes - 1U};
}

// A field of the segment table; `field` is 0 for the kind, header::kSegmentOffset or header::kSegmentSize.
[[nodiscard]] constexpr std::uint32_t table_offset(SegmentKind kind, std::uint32_t field) noexcept {
    return header::kSegmentTable + ((static_cast<std::uint32_t>(kind) - 1U) * header::kSegmentEntryBytes) + field;
}
[[nodiscard]] Segment segment_of(const Bytes& file, SegmentKind kind);

// Gives the file another manifest; the header describes it correctly, except for the digest.
void replace_manifest(Bytes& file, const Bytes& manifest);
[[nodiscard]] Bytes manifest_of(const Bytes& file);

// Corrects the digest of a file whose last signature_bytes are a signature.
void set_digest(Bytes& file, std::uint32_t signature_bytes);
// A file without a signature that it may have; what it says is otherwise the same, and the digest is right.
[[nodiscard]] Bytes unsigned_file(Bytes file);
// The file as `signer` signs it, in the name of another key or its own. A signature that it has is dropped.
[[nodiscard]] Bytes signed_file(const Bytes& file, Signer signer, Signer named, std::uint32_t security_version);

// Adds zeros to a segment, and moves what follows it. The header is correct, except for the digest.
void grow_segment(Bytes& file, SegmentKind kind, std::uint32_t by_bytes);

}  // namespace pianola::mutate
