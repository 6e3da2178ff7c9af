#include "capture_host/mutate/file_bytes.h"

#include <array>
#include <utility>

#include "runtime/core/bytes.h"
#include "runtime/core/config.h"

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

// The header stays, but for the segments' places and the size of the whole.
void assemble(Bytes& file, const Contents& contents) {
    file.resize(header::kBytes);
    for (std::uint32_t i = 0U; i < kSegmentCount; ++i) {
        const auto kind = static_cast<SegmentKind>(i + 1U);
        const Bytes& segment = contents.at(i);
        store32(file, table_offset(kind, header::kSegmentOffset), static_cast<std::uint32_t>(file.size()));
        store32(file, table_offset(kind, header::kSegmentSize), static_cast<std::uint32_t>(segment.size()));
        file.insert(file.end(), segment.begin(), segment.end());
        file.resize((file.size() + (kFileAlignmentBytes - 1U)) & ~std::size_t{kFileAlignmentBytes - 1U});
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

void grow_segment(Bytes& file, SegmentKind kind, std::uint32_t by_bytes) {
    Contents contents = contents_of(file);
    Bytes& segment = contents.at(static_cast<std::size_t>(kind) - 1U);
    segment.resize(segment.size() + by_bytes);
    assemble(file, contents);
}

}  // namespace pianola::mutate
