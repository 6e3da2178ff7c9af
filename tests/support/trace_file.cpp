#include "tests/support/trace_file.h"

#include <algorithm>

#include "pianola/development_config.h"
#include "pianola_schema_hash.h"

namespace pianola::test {
namespace {

constexpr std::size_t kAlignment = 64U;

std::size_t align_up(std::size_t value) {
    return ((value + kAlignment - 1U) / kAlignment) * kAlignment;
}

}  // namespace

std::vector<std::uint8_t> assemble_without_digest(const std::vector<std::uint8_t>& manifest,
                                                  const capture::Segments& segments,
                                                  const std::vector<std::uint8_t>& checks) {
    constexpr std::array<std::uint8_t, 8> kMagic{0x89U, 0x50U, 0x54U, 0x42U, 0x0DU, 0x0AU, 0x1AU, 0x0AU};
    constexpr std::size_t kSchemaHashOffset = 48U;
    std::vector<std::uint8_t> file(kHeaderBytes);
    std::copy(kMagic.begin(), kMagic.end(), file.begin());
    store32(file, 8U, 1U);
    store32(file, 12U, kHeaderBytes);
    store32(file, 24U, 1U);
    store32(file, 28U, 1U);
    std::copy(kSchemaHash.begin(), kSchemaHash.end(), file.begin() + kSchemaHashOffset);
    std::uint32_t kind = 1U;
    for (const auto* segment : {&manifest, &segments.weights, &segments.traces, &segments.self_tests, &checks}) {
        const std::size_t entry = kSegmentTableOffset + ((kind - 1U) * std::size_t{kSegmentEntryBytes});
        store32(file, entry, kind);
        store32(file, entry + 4U, static_cast<std::uint32_t>(file.size()));
        store32(file, entry + 8U, static_cast<std::uint32_t>(segment->size()));
        file.insert(file.end(), segment->begin(), segment->end());
        file.resize(align_up(file.size()));
        kind += 1U;
    }
    store32(file, kTotalBytesOffset, static_cast<std::uint32_t>(file.size()));
    return file;
}

std::vector<std::uint8_t> assemble(const std::vector<std::uint8_t>& manifest, const capture::Segments& segments,
                                   const std::vector<std::uint8_t>& checks) {
    std::vector<std::uint8_t> file = assemble_without_digest(manifest, segments, checks);
    capture::fix_digest(file);
    return file;
}

std::uint32_t load32(const std::vector<std::uint8_t>& file, std::size_t offset) {
    std::uint32_t value = 0U;
    for (std::size_t i = 0U; i < 4U; ++i) {
        value |= static_cast<std::uint32_t>(file.at(offset + i)) << (8U * i);
    }
    return value;
}

void store32(std::vector<std::uint8_t>& file, std::size_t offset, std::uint32_t value) {
    for (std::size_t i = 0U; i < 4U; ++i) {
        file.at(offset + i) = static_cast<std::uint8_t>(value >> (8U * i));
    }
}

std::uint32_t segment_offset(const std::vector<std::uint8_t>& file, std::uint32_t index) {
    return load32(file, kSegmentTableOffset + (std::size_t{index} * kSegmentEntryBytes) + 4U);
}

std::uint32_t segment_bytes(const std::vector<std::uint8_t>& file, std::uint32_t index) {
    return load32(file, kSegmentTableOffset + (std::size_t{index} * kSegmentEntryBytes) + 8U);
}

std::string path_text(const Verdict& verdict) {
    std::array<char, 256> text{};
    const std::size_t length = format_path(verdict.path, Span<char>{text});
    return {text.data(), length};
}

Validator::Validator() {
    refdev::describe(refdev::DeviceSpec{}, device_);
}

Status Validator::validate(ByteSpan file, const Trust& trust) {
    return pianola::validate(file, device_, command_set_, trust, *workspace_, image_, *plan_, verdict_);
}

Status Validator::validate(ByteSpan file) {
    return validate(file, kDevelopmentTrust);
}

Status Validator::validate_behind_digest(ByteSpan file) {
    Envelope envelope;
    const Status parsed = parse_envelope(file, envelope, verdict_);
    const Status opened = is_ok(parsed) ? open_image(file, envelope, *device_.capacities, image_, verdict_) : parsed;
    const Status proved =
        is_ok(opened) ? prove_plan(image_, device_, command_set_, *workspace_, *plan_, verdict_) : opened;
    return is_ok(proved) ? prove_checks(file, envelope.checks, plan_->constants, verdict_) : proved;
}

Status Validator::validate(const std::vector<std::uint8_t>& file) {
    bytes_ = std::make_unique<files::AlignedBytes>(file);
    return validate(bytes_->view());
}

}  // namespace pianola::test
