#include "capture_host/mutate/damage.h"

#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

#include <array>

#include "runtime/image/schema_rules.h"

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

namespace {

// A word of the file that leads somewhere.
struct Link {
    enum class Kind : std::uint8_t {
        kVtable,  // of a table: where its vtable is
        kOffset,  // of a field: where its object is
        kLength,  // of a list or name
    };
    Kind kind;
    std::uint32_t file_offset;
    const char* field;
};

// Notes every link of the manifest, table by table. The structure has been proved.
class LinkFinder {
  public:
    explicit LinkFinder(const Bytes& file) : file_{file} {
        const std::uint32_t manifest = segment_of(file, SegmentKind::kManifest).offset;
        tables_.push_back({flatbuffers::GetRoot<flatbuffers::Table>(file.data() + manifest), rules_.root, "root"});
        while (!tables_.empty()) {
            const Visit visit = tables_.back();
            tables_.pop_back();
            visit_table(visit);
        }
    }
    [[nodiscard]] const std::vector<Link>& links() const noexcept { return links_; }

  private:
    // A table that is still to be looked at.
    struct Visit {
        const flatbuffers::Table* table;
        std::uint32_t rule;
        const char* name;
    };
    using Tables = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::Table>>;

    void note(Link::Kind kind, const void* at, const char* field) {
        links_.push_back(
            {kind, static_cast<std::uint32_t>(static_cast<const std::uint8_t*>(at) - file_.data()), field});
    }

    void visit_table(const Visit& visit) {
        const flatbuffers::Table& table = *visit.table;
        note(Link::Kind::kVtable, &table, visit.name);
        const TableRule& fields = rules_.tables[visit.rule];
        for (std::uint32_t i = fields.first; i < (std::uint32_t{fields.first} + fields.count); ++i) {
            const FieldRule& field = rules_.fields[i];
            const std::uint8_t* const offset = table.GetAddressOf(field.entry);
            const bool has_length = is_list(field.kind) || (field.kind == FieldKind::kName);
            if ((offset == nullptr) || !(has_length || has_tables(field.kind))) {
                continue;
            }
            const void* const target = offset + flatbuffers::ReadScalar<flatbuffers::uoffset_t>(offset);
            note(Link::Kind::kOffset, offset, field.name);
            if (has_length) {
                note(Link::Kind::kLength, target, field.name);
            }
            note_tables(table, field, target);
        }
    }

    // Adds the tables that a field refers to.
    void note_tables(const flatbuffers::Table& table, const FieldRule& field, const void* target) {
        if (field.kind == FieldKind::kTable) {
            tables_.push_back({static_cast<const flatbuffers::Table*>(target), field.type, field.name});
        } else if (field.kind == FieldKind::kTables) {
            for (const flatbuffers::Table* const each : *static_cast<const Tables*>(target)) {
                tables_.push_back({each, field.type, field.name});
            }
        } else if (field.kind == FieldKind::kUnion) {
            constexpr std::uint32_t kEntryBytes = sizeof(flatbuffers::voffset_t);
            const auto type =
                table.GetField<std::uint8_t>(static_cast<flatbuffers::voffset_t>(field.entry - kEntryBytes), 0U);
            const EnumerationRule& members = rules_.enumerations[field.type];
            for (std::uint32_t i = members.first; i < (std::uint32_t{members.first} + members.count); ++i) {
                if (rules_.enumerators[i].value == type) {
                    tables_.push_back(
                        {static_cast<const flatbuffers::Table*>(target), rules_.enumerators[i].table, field.name});
                }
            }
        } else {
            // Names and numbers lead nowhere.
        }
    }

    const SchemaRules& rules_{schema::kTraceBinaryRules};
    const Bytes& file_;
    std::vector<Visit> tables_;
    std::vector<Link> links_;
};

}  // namespace

// The written offset leads outside the manifest wherever it is: a manifest is at most 1 MiB long.
std::string damage_structure(Engine& engine, Bytes& file) {
    constexpr std::uint32_t kFar = 0x1000'0000U;
    const std::vector<Link> links = LinkFinder{file}.links();
    const Link& link = links.at(below(engine, links.size()));
    const std::uint32_t value = kFar | (static_cast<std::uint32_t>(engine()) & (kFar - 1U));
    store32(file, link.file_offset, value);
    const char* const what = (link.kind == Link::Kind::kVtable)   ? "vtable of"
                             : (link.kind == Link::Kind::kOffset) ? "offset of"
                                                                  : "length of";
    return fmt::format("the {} {} at {} is 0x{:08X}", what, link.field, link.file_offset, value);
}

}  // namespace pianola::mutate
