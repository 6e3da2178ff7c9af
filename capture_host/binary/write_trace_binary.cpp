#include <algorithm>
#include <stdexcept>

#include "pianola/bytes.h"
#include "pianola/config.h"
#include "pianola/envelope.h"
#include "pianola_host/manifest.h"
#include "pianola_schema_hash.h"

namespace pianola::capture {

void fix_digest(std::vector<std::uint8_t>& file) {
    const Sha256Digest digest = envelope_digest(ByteSpan{file.data(), file.size()});
    std::copy(digest.begin(), digest.end(), file.begin() + header::kDigest);
}

std::vector<std::uint8_t> write_trace_binary(const Manifest& manifest, const Segments& segments) {
    const std::vector<std::uint8_t> encoded = encode_manifest(manifest);
    const std::array<const std::vector<std::uint8_t>*, kSegmentCount> bodies{&encoded, &segments.weights,
                                                                             &segments.traces, &segments.self_tests};
    std::size_t total_bytes = header::kBytes;
    for (const auto* body : bodies) {
        total_bytes += align_up(body->size());
        if (total_bytes > kMaxFileBytes) {
            throw std::length_error{"the trace binary would be longer than " + std::to_string(kMaxFileBytes) +
                                    " bytes"};
        }
    }

    std::vector<std::uint8_t> file(total_bytes);
    const MutableByteSpan bytes{file.data(), file.size()};
    std::copy(kMagicBytes.begin(), kMagicBytes.end(), file.begin() + header::kMagic);
    store_le32(bytes, header::kEnvelopeVersion, kEnvelopeVersion);
    store_le32(bytes, header::kHeaderBytes, header::kBytes);
    store_le32(bytes, header::kTotalBytes, static_cast<std::uint32_t>(total_bytes));
    store_le32(bytes, header::kDigestAlgorithm, kDigestSha256);
    store_le32(bytes, header::kSignatureAlgorithm, kSignatureNone);
    std::copy(kSchemaHash.begin(), kSchemaHash.end(), file.begin() + header::kSchemaHash);

    std::size_t offset = header::kBytes;
    for (std::uint32_t i = 0U; i < kSegmentCount; ++i) {
        const std::vector<std::uint8_t>& body = *bodies.at(i);
        const std::size_t entry = header::kSegmentTable + (std::size_t{i} * header::kSegmentEntryBytes);
        store_le32(bytes, entry, i + 1U);
        store_le32(bytes, entry + header::kSegmentOffset, static_cast<std::uint32_t>(offset));
        store_le32(bytes, entry + header::kSegmentSize, static_cast<std::uint32_t>(body.size()));
        std::copy(body.begin(), body.end(), file.begin() + static_cast<std::ptrdiff_t>(offset));
        offset = align_up(offset + body.size());
    }
    fix_digest(file);
    return file;
}

}  // namespace pianola::capture
