#include "capture_host/mutate/file_bytes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "capture_host/binary/openssl_digest.h"
#include "capture_host/binary/signing.h"
#include "pianola/bytes.h"

namespace pianola::mutate {
namespace {

using Contents = std::array<Bytes, kSegmentCount>;

Contents contents_of(const Bytes& file) {
    Contents contents;
    for (std::uint32_t i = 0U; i < kSegmentCount; ++i) {
        const Segment segment = segment_of(file, static_cast<SegmentKind>(i + 1U));
        const auto first = file.begin() + static_cast<std::ptrdiff_t>(segment.offset);
        contents.at(i).assign(first, first + static_cast<std::ptrdiff_t>(segment.size_bytes));
    }
    return contents;
}

// The header stays, except for the segments' places and the size of the file.
void assemble(Bytes& file, const Contents& contents) {
    file.resize(header::kBytes);
    for (std::uint32_t i = 0U; i < kSegmentCount; ++i) {
        const auto kind = static_cast<SegmentKind>(i + 1U);
        const Bytes& segment = contents.at(i);
        store32(file, table_offset(kind, header::kSegmentOffset), static_cast<std::uint32_t>(file.size()));
        store32(file, table_offset(kind, header::kSegmentSize), static_cast<std::uint32_t>(segment.size()));
        file.insert(file.end(), segment.begin(), segment.end());
        file.resize(align_up(file.size()));
    }
    store32(file, header::kTotalBytes, static_cast<std::uint32_t>(file.size()));
}

}  // namespace

std::uint32_t load32(const Bytes& file, std::size_t offset) {
    return load_le32(ByteSpan{file.data(), file.size()}, offset);
}

void store32(Bytes& file, std::size_t offset, std::uint32_t value) {
    store_le32(MutableByteSpan{file.data(), file.size()}, offset, value);
}

void flip(Bytes& file, std::size_t offset, std::uint32_t bits) {
    file.at(offset) = static_cast<std::uint8_t>(file.at(offset) ^ bits);
}

Segment segment_of(const Bytes& file, SegmentKind kind) {
    return {load32(file, table_offset(kind, header::kSegmentOffset)),
            load32(file, table_offset(kind, header::kSegmentSize))};
}

void replace_manifest(Bytes& file, const Bytes& manifest) {
    Contents contents = contents_of(file);
    contents.front() = manifest;
    assemble(file, contents);
}

Bytes manifest_of(const Bytes& file) {
    return contents_of(file).front();
}

void set_digest(Bytes& file, std::uint32_t signature_bytes) {
    const Sha256Digest digest = signing::openssl_envelope_digest(ByteSpan{file.data(), file.size() - signature_bytes});
    std::copy(digest.begin(), digest.end(), file.begin() + header::kDigest);
}

Bytes unsigned_file(Bytes file) {
    if (signing::is_signed(file)) {
        file.resize(file.size() - kSignatureBytes);
        store32(file, header::kTotalBytes, static_cast<std::uint32_t>(file.size()));
        store32(file, header::kSignatureAlgorithm, kSignatureNone);
        store32(file, header::kSignatureBytes, 0U);
        std::fill_n(file.begin() + header::kKeyId, kKeyIdBytes, std::uint8_t{0U});
        set_digest(file, 0U);
    }
    return file;
}

Bytes signed_file(const Bytes& file, Signer signer, Signer named, std::uint32_t security_version) {
    const Bytes prepared = signing::prepare(file, key_of(named).id, security_version);
    return signing::with_signature(prepared, sign_digest(signer, signing::digest_of(prepared)));
}

void grow_segment(Bytes& file, SegmentKind kind, std::uint32_t by_bytes) {
    Contents contents = contents_of(file);
    Bytes& segment = contents.at(static_cast<std::size_t>(kind) - 1U);
    segment.resize(segment.size() + by_bytes);
    assemble(file, contents);
}

}  // namespace pianola::mutate
