// Fuzzer of the envelope: any bytes as a file. parse_envelope() accepts exactly what docs/reference/format.md allows,
// here written down a second time in wide arithmetic; with the right digest the file is authentic, and with any byte
// changed it is not.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "pianola/config.h"
#include "pianola/development_config.h"
#include "pianola_schema_hash.h"
#include "tests/fuzz/harness.h"
#include "tests/hostile/target.h"

namespace pianola::fuzz {
namespace {

using test::ExactBytes;
using test::require;

constexpr std::size_t kHeaderBytes = test::kHeaderBytes;
constexpr std::size_t kSegments = 5U;

class Header {
  public:
    explicit Header(ByteSpan file) : file_{file} {}

    [[nodiscard]] std::uint64_t word(std::size_t offset) const {
        std::uint64_t value = 0U;
        for (std::size_t i = 4U; i > 0U; --i) {
            value = (value << 8U) | file_[offset + i - 1U];
        }
        return value;
    }
    [[nodiscard]] bool is_zero(std::uint64_t first, std::uint64_t end) const {
        for (std::uint64_t i = first; i < end; ++i) {
            if (file_[static_cast<std::size_t>(i)] != 0U) {
                return false;
            }
        }
        return true;
    }
    template <typename Constant>
    [[nodiscard]] bool holds(std::size_t offset, const Constant& constant) const {
        return std::equal(constant.begin(), constant.end(), file_.subspan(offset, constant.size()).begin());
    }

  private:
    ByteSpan file_;
};

struct Places {
    std::array<std::uint64_t, kSegments> offsets{};
    std::array<std::uint64_t, kSegments> sizes{};
};

// The table of docs/reference/format.md, in its order; the digest is not looked at.
std::optional<Places> read_by_the_book(ByteSpan file) {
    constexpr std::array<std::uint8_t, 8> kMagic{0x89U, 0x50U, 0x54U, 0x42U, 0x0DU, 0x0AU, 0x1AU, 0x0AU};
    if ((file.size() < kHeaderBytes) || (file.size() > (std::size_t{64U} << 20U))) {
        return std::nullopt;
    }
    const Header header{file};
    if (!header.holds(0U, kMagic) || (header.word(8U) != 1U) || (header.word(12U) != kHeaderBytes) ||
        (header.word(16U) != file.size()) || (header.word(24U) != 1U) || !header.is_zero(44U, 48U) ||
        !header.holds(48U, kSchemaHash) || !header.is_zero(140U, 160U)) {
        return std::nullopt;
    }
    const bool is_signed = header.word(28U) == 2U;
    const std::uint64_t signature_bytes = is_signed ? 64U : 0U;
    if ((!is_signed && ((header.word(28U) != 1U) || !header.is_zero(36U, 44U))) ||
        (header.word(32U) != signature_bytes) || (file.size() < (kHeaderBytes + signature_bytes))) {
        return std::nullopt;
    }
    const std::uint64_t body_end = file.size() - signature_bytes;
    Places places;
    std::uint64_t at = kHeaderBytes;
    for (std::size_t i = 0U; i < kSegments; ++i) {
        const std::size_t entry = 80U + (i * 12U);
        const std::uint64_t size = header.word(entry + 8U);
        const std::uint64_t contents_end = at + size;
        const std::uint64_t padded = ((contents_end + 63U) / 64U) * 64U;
        if ((header.word(entry) != (i + 1U)) || (header.word(entry + 4U) != at) || (padded > body_end) ||
            !header.is_zero(contents_end, padded)) {
            return std::nullopt;
        }
        places.offsets.at(i) = at;
        places.sizes.at(i) = size;
        at = padded;
    }
    return (at == body_end) ? std::optional<Places>{places} : std::nullopt;
}

void require_same_places(const Places& places, const Envelope& envelope) {
    const std::array<Segment, kSegments> segments{envelope.manifest, envelope.weights, envelope.traces,
                                                  envelope.self_tests, envelope.checks};
    for (std::size_t i = 0U; i < kSegments; ++i) {
        require((segments.at(i).offset == places.offsets.at(i)) && (segments.at(i).size_bytes == places.sizes.at(i)),
                "a segment is where the table says");
    }
}

bool is_authentic(const ExactBytes& bytes) {
    Envelope envelope;
    Verdict verdict;
    const Status parsed = parse_envelope(test::view_of(bytes), envelope, verdict);
    const Status status =
        is_ok(parsed) ? authenticate(test::view_of(bytes), envelope, kDevelopmentTrust, verdict) : parsed;
    if (!is_ok(status)) {
        test::require_honest_refusal(status, verdict, bytes.size());
    }
    return is_ok(status);
}

void require_digest_covers(const ExactBytes& bytes) {
    // The signature, where there is one, is made over the digest and not under it.
    const std::size_t signature_bytes = test::load32(Bytes(bytes.begin(), bytes.end()), 32U);
    std::vector<std::uint8_t> file{bytes.begin(), bytes.end()};
    file.resize(file.size() - signature_bytes);
    const std::size_t covered = file.size();
    capture::fix_digest(file);
    file.insert(file.end(), bytes.end() - static_cast<std::ptrdiff_t>(signature_bytes), bytes.end());
    ExactBytes fixed(file.begin(), file.end());
    require(is_authentic(fixed), "a whole file with the right digest is authentic");
    // Some byte, which the input decides.
    const std::size_t chosen = (std::size_t{bytes[160U]} << 8U) | bytes[161U];
    std::uint8_t& damaged = fixed[chosen % covered];
    damaged = static_cast<std::uint8_t>(damaged ^ (1U << (bytes[162U] % 8U)));
    require(!is_authentic(fixed), "every byte is under the digest");
}

// Sizes as they were, as far as there is room; everything else of the table right.
void retile(Bytes& file, test::Random& random) {
    file.resize(((file.size() + 63U) / 64U) * 64U);
    test::store32(file, test::kTotalBytesOffset, static_cast<std::uint32_t>(file.size()));
    std::size_t at = kHeaderBytes;
    for (std::uint32_t i = 0U; i < kSegments; ++i) {
        const std::size_t entry = test::kSegmentTableOffset + (std::size_t{i} * test::kSegmentEntryBytes);
        const std::size_t room = file.size() - at;
        std::size_t size = test::load32(file, entry + 8U) % (room + 1U);
        if (i == (kSegments - 1U)) {
            size = room - std::min<std::size_t>(room, random.below(64U));
        }
        test::store32(file, entry, i + 1U);
        test::store32(file, entry + 4U, static_cast<std::uint32_t>(at));
        test::store32(file, entry + 8U, static_cast<std::uint32_t>(size));
        const std::size_t padded = ((at + size + 63U) / 64U) * 64U;
        std::fill(file.begin() + static_cast<std::ptrdiff_t>(at + size),
                  file.begin() + static_cast<std::ptrdiff_t>(padded), std::uint8_t{0U});
        at = padded;
    }
}

}  // namespace

void run_one(ByteSpan input) {
    const ExactBytes bytes(input.begin(), input.end());
    const std::optional<Places> expected = read_by_the_book(input);
    Envelope envelope;
    Verdict verdict;
    const Status status = parse_envelope(test::view_of(bytes), envelope, verdict);
    if (!is_ok(status)) {
        require(verdict.status == status, "the verdict carries the status");
        test::require_honest_refusal(status, verdict, bytes.size());
        require(
            (std::string{rule_id(verdict.rule)}.rfind("ENV-", 0U) == 0U) || (verdict.rule == Rule::kAutSignatureSize),
            "an envelope breaks a rule of envelopes");
    }
    require(is_ok(status) == expected.has_value(), "what is accepted is what the format's description allows");
    if (expected.has_value()) {
        require_same_places(*expected, envelope);
        require_digest_covers(bytes);
    }
}

void mutate(Bytes& input, std::size_t max_bytes, test::Random& random) {
    mutate_bytes(input, max_bytes, random);
    if ((input.size() < kHeaderBytes) || random.one_in(3U)) {
        return;
    }
    if (random.one_in(3U)) {
        test::store32(input, test::kTotalBytesOffset, static_cast<std::uint32_t>(input.size()));
        return;
    }
    retile(input, random);
    if (random.one_in(2U)) {
        // One word of a header that is right but for it.
        const std::size_t word = std::size_t{4U} * random.below(kHeaderBytes / 4U);
        test::store32(input, word, test::load32(input, word) ^ (1U << random.below(32U)));
    }
}

}  // namespace pianola::fuzz
