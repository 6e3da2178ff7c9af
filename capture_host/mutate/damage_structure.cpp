// Offsets and lengths of the manifest's FlatBuffer.
#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

#include "capture_host/mutate/damage.h"
#include "runtime/image/schema_rules.h"

namespace pianola::mutate {
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

    // Remembers the tables behind a field.
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
