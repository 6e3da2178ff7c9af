#include "tests/runtime/rule_case.h"

namespace pianola::test {
namespace {

constexpr std::uint32_t kEntry = kSegmentTableOffset;
constexpr std::uint32_t kNext = kSegmentEntryBytes;

BytesEdit set(std::uint32_t offset, std::uint32_t value) {
    return [offset, value](std::vector<std::uint8_t>& file) { store32(file, offset, value); };
}

BytesEdit flip(std::uint32_t offset) {
    return [offset](std::vector<std::uint8_t>& file) {
        file.at(offset) = static_cast<std::uint8_t>(file.at(offset) ^ 1U);
    };
}

// As long as the edit leaves it, and saying so.
BytesEdit resized(std::int32_t by_bytes) {
    return [by_bytes](std::vector<std::uint8_t>& file) {
        file.resize(file.size() + static_cast<std::size_t>(static_cast<std::ptrdiff_t>(by_bytes)));
        store32(file, kTotalBytesOffset, static_cast<std::uint32_t>(file.size()));
    };
}

std::uint32_t end_of_trace(const std::vector<std::uint8_t>& file) {
    return segment_offset(file, 2U) + segment_bytes(file, 2U);
}

}  // namespace

std::vector<RuleCase> envelope_cases() {
    constexpr std::size_t kTooLong = (std::size_t{64} * 1024U * 1024U) + 64U;
    return {
        {Rule::kEnvFileSize, "a byte shorter than the header", "header.total_bytes", fixed(16U),
         bytes_edit([](auto& file) { file.resize(kHeaderBytes - 1U); }, false)},
        {Rule::kEnvFileSize, "empty", "header.total_bytes", fixed(16U),
         bytes_edit([](auto& file) { file.clear(); }, false)},
        {Rule::kEnvFileSize, "longer than the runtime hashes", "header.total_bytes", fixed(16U),
         bytes_edit([](auto& file) { file.resize(kTooLong); }, false)},
        {Rule::kEnvMagic, "first byte of the magic", "header.magic", fixed(0U), bytes_edit(flip(0U))},
        {Rule::kEnvMagic, "last byte of the magic", "header.magic", fixed(0U), bytes_edit(flip(7U))},
        {Rule::kEnvVersion, "next version", "header.envelope_version", fixed(8U), bytes_edit(set(8U, 2U))},
        {Rule::kEnvHeaderSize, "longer header", "header.header_bytes", fixed(12U), bytes_edit(set(12U, 256U))},
        {Rule::kEnvDigestAlgorithm, "none", "header.digest_algorithm", fixed(24U), bytes_edit(set(24U, 0U))},
        {Rule::kEnvSignature, "unknown algorithm", "header.signature_algorithm", fixed(28U), bytes_edit(set(28U, 3U))},
        {Rule::kEnvSignature, "bytes without algorithm", "header.signature_bytes", fixed(32U),
         bytes_edit(set(32U, 64U))},
        {Rule::kAutSignatureSize, "a signature of no bytes", "header.signature_bytes", fixed(32U),
         bytes_edit(set(28U, 2U))},
        {Rule::kAutSignatureSize, "half a signature", "header.signature_bytes", fixed(32U), bytes_edit([](auto& file) {
             resized(32)(file);
             set(28U, 2U)(file);
             set(32U, 32U)(file);
         })},
        {Rule::kEnvTotalSize, "says more than there is", "header.total_bytes", fixed(16U),
         bytes_edit(set(16U, 1U << 20U))},
        {Rule::kEnvTotalSize, "is less than it says", "header.total_bytes", fixed(16U),
         bytes_edit([](auto& file) { file.pop_back(); })},
        {Rule::kEnvSchemaHash, "first byte", "header.schema_hash", fixed(48U), bytes_edit(flip(48U))},
        {Rule::kEnvSchemaHash, "last byte", "header.schema_hash", fixed(48U), bytes_edit(flip(79U))},
        {Rule::kEnvReserved, "a key, and no signature", "header.key_id", fixed(36U), bytes_edit(flip(36U))},
        {Rule::kEnvReserved, "the last byte of a key, and no signature", "header.key_id", fixed(43U),
         bytes_edit(flip(43U))},
        {Rule::kEnvReserved, "first byte before the table", "header.reserved", fixed(44U), bytes_edit(flip(44U))},
        {Rule::kEnvReserved, "last byte before the table", "header.reserved", fixed(47U), bytes_edit(flip(47U))},
        {Rule::kEnvReserved, "first byte behind the table", "header.reserved", fixed(140U), bytes_edit(flip(140U))},
        {Rule::kEnvReserved, "last byte behind the table", "header.reserved", fixed(159U), bytes_edit(flip(159U))},
        {Rule::kEnvSegmentKind, "weights say traces", "header.weights", fixed(kEntry + kNext),
         bytes_edit(set(kEntry + kNext, 3U))},
        {Rule::kEnvSegmentLayout, "a gap in front of the manifest", "header.manifest", fixed(kEntry + 4U),
         bytes_edit(set(kEntry + 4U, kHeaderBytes + 64U))},
        {Rule::kEnvSegmentLayout, "weights start in the header", "header.weights", fixed(kEntry + kNext + 4U),
         bytes_edit(set(kEntry + kNext + 4U, 64U))},
        {Rule::kEnvSegmentSize, "wraps round 32 bits", "header.manifest", fixed(kEntry + 8U),
         bytes_edit(set(kEntry + 8U, UINT32_MAX))},
        {Rule::kEnvSegmentSize, "the file ends in the padding", "header.checks", fixed(kEntry + (4U * kNext) + 8U),
         bytes_edit(resized(-1))},
        {Rule::kEnvPadding, "first byte of padding", "header.traces", end_of_trace,
         bytes_edit([](auto& file) { file.at(end_of_trace(file)) = 1U; })},
        {Rule::kEnvTrailing, "a block of zeros", "header.total_bytes",
         [](const auto& file) { return static_cast<std::uint32_t>(file.size() - 64U); }, bytes_edit(resized(64))},
        {Rule::kEnvTrailing, "one zero", "header.total_bytes",
         [](const auto& file) { return static_cast<std::uint32_t>(file.size() - 1U); }, bytes_edit(resized(1))},
        {Rule::kEnvDigest, "a bit of the last byte", "header.digest", fixed(160U),
         bytes_edit([](auto& file) { file.at(end_of_trace(file) - 1U) ^= 0x80U; }, false)},
        {Rule::kEnvDigest, "a bit of the digest", "header.digest", fixed(160U), bytes_edit(flip(191U), false)},
        {Rule::kEnvDigest, "the security version", "header.digest", fixed(160U), bytes_edit(flip(20U), false)},
    };
}

}  // namespace pianola::test
