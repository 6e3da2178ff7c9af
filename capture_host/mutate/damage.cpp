#include "capture_host/mutate/damage.h"

#include <fmt/format.h>

#include <array>

namespace pianola::mutate {
namespace {

// A word of the header, and the bits that may be changed: each change is one that a rule of the envelope refuses.
struct HeaderWord {
    std::uint32_t offset;
    std::uint32_t mask;
};

constexpr std::uint32_t kAll = UINT32_MAX;
// A size may change by whole blocks only: less may leave the padding in peace, and be what another rule is for.
constexpr std::uint32_t kBlocks = ~(kFileAlignmentBytes - 1U);
// A changed number of a signature algorithm may be a known algorithm; a large number is not.
constexpr std::uint32_t kUpperHalf = 0xFFFF'0000U;

std::uint32_t mask_of(std::uint32_t offset) {
    if ((offset == header::kSignatureAlgorithm) || (offset == header::kSignatureBytes)) {
        return kUpperHalf;
    }
    if ((offset >= header::kSegmentTable) && (offset < header::kReservedAfterTable)) {
        const std::uint32_t field = (offset - header::kSegmentTable) % header::kSegmentEntryBytes;
        return (field == header::kSegmentSize) ? kBlocks : kAll;
    }
    return (offset == header::kSecurityVersion) ? 0U : kAll;  // any security version is one
}

}  // namespace

std::uint32_t below(Engine& engine, std::size_t limit) {
    return static_cast<std::uint32_t>(engine() % limit);
}

std::string truncate_file(std::uint32_t index, Engine& engine, Bytes& file) {
    const std::size_t all = file.size();
    const std::array<std::size_t, 7> ends{
        0U, 1U, header::kBytes - 1U, header::kBytes, all / 2U, all - kFileAlignmentBytes, all - 1U};
    file.resize((index < ends.size()) ? ends.at(index) : below(engine, all));
    return fmt::format("the first {} of {} bytes", file.size(), all);
}

std::string flip_bytes(std::uint32_t index, Engine& engine, Bytes& file) {
    const std::array<std::size_t, 4> ends{0U, header::kDigest, header::kBytes, file.size() - 1U};
    const std::size_t offset = (index < ends.size()) ? ends.at(index) : below(engine, file.size());
    const bool one_bit = below(engine, 2U) == 0U;
    const std::uint32_t mask = one_bit ? (1U << below(engine, 8U)) : (1U + below(engine, 255U));
    flip(file, offset, mask);
    return fmt::format("byte {} with bits {:02X} flipped, and the old digest", offset, mask);
}

std::string reseal_file(std::uint32_t index, Engine& engine, Bytes& file) {
    const std::size_t body = file.size() - kSignatureBytes;
    const std::array<std::size_t, 7> ends{header::kSecurityVersion,
                                          header::kSignatureAlgorithm,
                                          header::kSignatureBytes,
                                          header::kKeyId,
                                          header::kBytes,
                                          body - 1U,
                                          body};
    std::size_t offset = (index < ends.size()) ? ends.at(index) : below(engine, file.size());
    if ((offset >= header::kDigest) && (offset < header::kBytes)) {
        offset += kSha256Bytes;  // the digest would be mended, and nothing be wrong
    }
    const std::uint32_t bit = below(engine, 8U);
    flip(file, offset, 1U << bit);
    set_digest(file, kSignatureBytes);
    return fmt::format("bit {} of byte {} of a file that is signed, the digest put right and the signature as it was",
                       bit, offset);
}

std::string damage_header(Engine& engine, Bytes& file) {
    std::uint32_t offset = 0U;
    std::uint32_t mask = 0U;
    while (mask == 0U) {
        offset = below(engine, header::kDigest / kWordBytes) * kWordBytes;
        mask = static_cast<std::uint32_t>(engine()) & mask_of(offset);
    }
    store32(file, offset, load32(file, offset) ^ mask);
    return fmt::format("the header's word at {} with bits {:08X} flipped", offset, mask);
}

}  // namespace pianola::mutate
