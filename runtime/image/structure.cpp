#include "runtime/image/schema_check.h"
#include "runtime/image/table_cursor.h"

namespace pianola {
namespace {

using flatbuffers::String;
using flatbuffers::Table;
using flatbuffers::Verifier;
using NameList = flatbuffers::Vector<flatbuffers::Offset<String>>;

// The names of a list that lies inside the buffer. VerifyVectorOfStrings() is not used: it follows an offset that was
// not verified.
[[nodiscard]] bool verify_names(const NameList& list, const Verifier& verifier) noexcept {
    const ByteSpan slots{list.Data(), std::size_t{list.size()} * sizeof(flatbuffers::uoffset_t)};
    for (std::size_t at = 0U; at < slots.size(); at += sizeof(flatbuffers::uoffset_t)) {
        // NOLINTNEXTLINE(pianola-misra-8.2.6): DEV-069
        const auto* const name = static_cast<const String*>(verified_target(verifier, &slots[at], 0U));
        if ((name == nullptr) || !verifier.VerifyString(name)) {
            return false;
        }
    }
    return true;
}

[[nodiscard]] bool verify_field(const FieldRule& field, const Table& table, const Verifier& verifier) noexcept {
    // Fields are given by their offset in the table: an unverified address could wrap round.
    const void* const first = &table;
    const auto* const start = static_cast<const std::uint8_t*>(first);  // NOLINT(pianola-misra-8.2.6): DEV-069
    // If a type is absent, its offset is 0, and the table's first byte is in the buffer.
    if ((field.kind == FieldKind::kUnion) &&
        !verifier.VerifyField<std::uint8_t>(start, table.GetOptionalFieldOffset(type_entry(field)),
                                            alignof(std::uint8_t))) {
        return false;
    }
    const flatbuffers::voffset_t place = table.GetOptionalFieldOffset(field.entry);
    if (place == 0U) {
        return !field.required;
    }
    if (field.kind <= FieldKind::kEnumerator) {
        return verifier.VerifyFieldStruct(start, place, field.bytes, field.alignment);
    }
    const void* const target = verified_target(verifier, start, place);
    if (target == nullptr) {
        return false;
    }
    if (field.kind == FieldKind::kName) {
        return verifier.VerifyString(static_cast<const String*>(target));  // NOLINT(pianola-misra-8.2.6): DEV-069
    }
    if (!is_list(field.kind)) {
        return true;  // the table is checked when it is entered
    }
    // NOLINTNEXTLINE(pianola-misra-8.2.6): DEV-069
    return verifier.VerifyVectorOrString(static_cast<const std::uint8_t*>(target), field.bytes) &&
           // NOLINTNEXTLINE(pianola-misra-8.2.6): DEV-069
           ((field.kind != FieldKind::kNames) || verify_names(*static_cast<const NameList*>(target), verifier));
}

// An offset to the root, and the identifier.
constexpr std::size_t kFrontBytes = sizeof(flatbuffers::uoffset_t) + flatbuffers::kFileIdentifierLength;

[[nodiscard]] bool check_tables(const SchemaRules& rules, Verifier& verifier, const Table& root,
                                std::uint32_t& tables) noexcept {
    if (!root.VerifyTableStart(verifier)) {
        return false;
    }
    TableCursor cursor{rules, root, &verifier};
    bool good = true;
    while (good) {  // the verifier bounds the number of tables, and the schema that of fields
        switch (cursor.next()) {
            case TableCursor::Event::kField:
                good = verify_field(cursor.field(), cursor.table(), verifier);
                break;
            case TableCursor::Event::kTable:
                tables += 1U;
                good = cursor.table().VerifyTableStart(verifier);
                break;
            case TableCursor::Event::kTableEnd:
                good = verifier.EndTable();
                break;
            case TableCursor::Event::kEnd:
                return verifier.EndTable();
            default:  // a dead end
                good = false;
                break;
        }
    }
    return good;
}

}  // namespace

const void* verified_target(const Verifier& verifier, const std::uint8_t* base, flatbuffers::voffset_t place) noexcept {
    const ByteSpan front{base, std::size_t{place} + 1U};  // as far as the slot
    return (verifier.VerifyOffset(base, place) != 0U) ? follow(&front[place]) : nullptr;
}

bool check_structure(const SchemaRules& rules, ByteSpan buffer, const char* identifier, Verifier& verifier,
                     std::uint32_t& tables) noexcept {
    tables = 1U;
    if ((buffer.size() < kFrontBytes) || !flatbuffers::BufferHasIdentifier(buffer.data(), identifier)) {
        return false;
    }
    // NOLINTNEXTLINE(pianola-misra-8.2.6): DEV-069
    const auto* const root = static_cast<const Table*>(verified_target(verifier, buffer.data(), 0U));
    return (root != nullptr) && check_tables(rules, verifier, *root, tables) && (verifier.GetComputedSize() != 0U);
}

}  // namespace pianola
