#include "tests/widths/mutants.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "pianola/envelope.h"
#include "runtime/image/schema_rules.h"
#include "tests/runtime/probe_file.h"
#include "tests/runtime/probe_rules.h"
#include "tests/widths/placed_file.h"

namespace pianola::test {
namespace {

// Where the header has its fields: docs/reference/format.md.
constexpr std::size_t kHeaderBytes = 192U;
constexpr std::size_t kTotalBytes = 16U;
constexpr std::size_t kDigest = 160U;
constexpr std::size_t kSegments = 5U;
constexpr std::size_t kAlignment = 64U;

std::size_t entry_of(std::size_t segment) {
    constexpr std::size_t kSegmentTable = 80U;
    constexpr std::size_t kEntryBytes = 12U;
    return kSegmentTable + (segment * kEntryBytes);
}

Bytes segment_of(const Bytes& file, std::size_t segment) {
    const std::size_t offset = word_at(file, entry_of(segment) + 4U);
    const std::size_t size = word_at(file, entry_of(segment) + 8U);
    if ((offset > file.size()) || (size > (file.size() - offset))) {
        throw std::out_of_range{"a segment is not inside the file"};
    }
    const auto first = file.begin() + static_cast<std::ptrdiff_t>(offset);
    return {first, first + static_cast<std::ptrdiff_t>(size)};
}

std::size_t aligned(std::size_t size) {
    return ((size + kAlignment - 1U) / kAlignment) * kAlignment;
}

class Damage {
  public:
    Damage(const Subject& subject, Random& random) : subject_{subject}, random_{random}, bytes_{subject.buffer} {}

    Bytes make() {
        constexpr std::uint32_t kMostEdits = 3U;
        if (random_.one_in(4U)) {
            wrap();
        }
        const std::uint32_t edits = random_.below(kMostEdits) + ((gap_ == 0U) ? 1U : 0U);
        for (std::uint32_t i = 0U; i < edits; ++i) {
            damage(pick(subject_.links.links));
        }
        if (random_.one_in(32U)) {
            bytes_.resize((bytes_.size() + random_.below(9U)) - 4U);
        }
        return std::move(bytes_);
    }

  private:
    template <typename Item>
    const Item& pick(const std::vector<Item>& items) {
        return items.at(random_.below(static_cast<std::uint32_t>(items.size())));
    }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(bytes_.size()); }
    // Where something of the subject's buffer is now.
    [[nodiscard]] std::uint32_t moved(std::uint32_t place) const { return (place == 0U) ? 0U : (place + gap_); }
    std::uint32_t near(std::uint32_t value) { return (value + random_.below(9U)) - 4U; }

    void wrap() {
        std::vector<Link> elements;
        for (const Link& link : subject_.links.links) {
            if (link.kind == Link::Kind::kElement) {
                elements.push_back(link);
            }
        }
        if (!elements.empty()) {
            bytes_ = wrap_element(*subject_.rules, bytes_, pick(elements), gap_);
        }
    }

    void damage(const Link& link) {
        const std::uint32_t place = moved(link.place);
        if (link.kind == Link::Kind::kEntry) {
            set_half(bytes_, place, entry(half_at(bytes_, place), moved(link.table)));
        } else if (link.kind == Link::Kind::kLength) {
            set_word(bytes_, place, length(place, link.element_bytes));
        } else {
            set_word(bytes_, place, offset(place, link.kind == Link::Kind::kVtable));
        }
    }

    std::uint32_t offset(std::uint32_t place, bool backwards) {
        const std::uint32_t target = moved(pick(subject_.links.objects));
        switch (random_.below(9U)) {
            case 0U:
                return near(0U);
            case 1U:
                return near(0x8000'0000U);
            case 2U:  // the end of the buffer, and what lies in front of it
                return near(size() - place);
            case 3U:
                return near(0U - place);
            case 4U:  // any place in the buffer
                return (random_.below(size() / 2U) * 2U) - place;
            case 5U:
                return near(word_at(bytes_, place));
            case 6U:
                return word_at(bytes_, moved(pick(subject_.links.links).place) & ~3U);
            default:  // an object, which mostly lies where such an offset cannot lead
                return backwards ? (place - target) : (target - place);
        }
    }

    std::uint32_t length(std::uint32_t place, std::uint32_t element_bytes) {
        constexpr std::array<std::uint32_t, 8> kLimits{0xFFFF'FFFFU, 0x8000'0000U, 0x7FFF'FFFFU, 0x4000'0000U,
                                                       0x3FFF'FFFFU, 0x2000'0000U, 0x1FFF'FFFFU, 0x1000'0000U};
        switch (random_.below(5U)) {
            case 0U:
                return near(kLimits.at(random_.below(kLimits.size())));
            case 1U:  // times the bytes of an element: as little as fits
                return near((0U - place) / element_bytes);
            case 2U:
                return near((size() - place) / element_bytes);
            case 3U:
                return near(word_at(bytes_, place));
            default:
                return random_.below(size());
        }
    }

    std::uint32_t entry(std::uint32_t value, std::uint32_t table) {
        // Where the sum with the table's address is 2^32, if the file ends where Places has its highest end.
        const std::uint32_t file_bytes = static_cast<std::uint32_t>(
            subject_.file.empty() ? aligned(bytes_.size())
                                  : (subject_.file.size() + aligned(bytes_.size()) - aligned(subject_.buffer.size())));
        const auto first = subject_.file.empty() ? 0U : static_cast<std::uint32_t>(kHeaderBytes);
        const std::uint32_t start = static_cast<std::uint32_t>(Places::kHighestEnd) - file_bytes + first;
        switch (random_.below(6U)) {
            case 0U:
                return near(0xFFFFU);
            case 1U:
                return near(size() - table);
            case 2U:
                return random_.below(0x1'0000U);
            case 3U:
                return 0U - (start + table);
            default:
                return near(value);
        }
    }

    const Subject& subject_;
    Random& random_;
    Bytes bytes_;
    std::uint32_t gap_{0U};
};

}  // namespace

Subject manifest_subject(std::string name, Bytes file) {
    Bytes buffer = segment_of(file, 0U);
    Links links = find_links(schema::kTraceBinaryRules, buffer);
    return {std::move(name), &schema::kTraceBinaryRules, std::move(file), std::move(buffer), std::move(links)};
}

Subject probe_subject() {
    Bytes buffer = encode({});
    Links links = find_links(probe::kProbeRules, buffer);
    return {"probe", &probe::kProbeRules, {}, std::move(buffer), std::move(links)};
}

Bytes file_with(const Subject& subject, const Bytes& buffer) {
    if (subject.file.empty()) {
        return buffer;
    }
    Bytes file{subject.file.begin(), subject.file.begin() + kHeaderBytes};
    for (std::size_t i = 0U; i < kSegments; ++i) {
        const Bytes part = (i == 0U) ? buffer : segment_of(subject.file, i);
        set_word(file, entry_of(i) + 4U, static_cast<std::uint32_t>(file.size()));
        set_word(file, entry_of(i) + 8U, static_cast<std::uint32_t>(part.size()));
        file.insert(file.end(), part.begin(), part.end());
        file.resize(aligned(file.size()));
    }
    set_word(file, kTotalBytes, static_cast<std::uint32_t>(file.size()));
    const Sha256Digest digest = envelope_digest({file.data(), file.size()});
    std::copy(digest.begin(), digest.end(), file.begin() + kDigest);
    return file;
}

Bytes make_mutant(const Subject& subject, Random& random) {
    return Damage{subject, random}.make();
}

}  // namespace pianola::test
