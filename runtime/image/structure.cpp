#include "runtime/image/schema_check.h"
#include "runtime/image/table_cursor.h"

namespace pianola {
namespace {

using flatbuffers::String;
using flatbuffers::Table;
using flatbuffers::Verifier;
using NameList = flatbuffers::Vector<flatbuffers::Offset<String>>;

[[nodiscard]] bool verify_field(const FieldRule& field, const Table& table, const Verifier& verifier) noexcept {
    if ((field.kind == FieldKind::kUnion) &&
        !table.VerifyField<std::uint8_t>(verifier, type_entry(field), alignof(std::uint8_t))) {
        return false;
    }
    const std::uint8_t* const value = table.GetAddressOf(field.entry);
    if (value == nullptr) {
        return !field.required;
    }
    if (field.kind <= FieldKind::kEnumerator) {
        return verifier.VerifyFieldStruct(value, 0U, field.bytes, field.alignment);
    }
    if (verifier.VerifyOffset(value, 0U) == 0U) {
        return false;
    }
    const void* const target = target_at(table, field.entry);
    if (field.kind == FieldKind::kName) {
        return verifier.VerifyString(static_cast<const String*>(target));  // NOLINT(pianola-misra-8.2.6): DEV-069
    }
    if (!is_list(field.kind)) {
        return true;  // the table is looked at when it is entered
    }
    // NOLINTNEXTLINE(pianola-misra-8.2.6): DEV-069
    return verifier.VerifyVectorOrString(static_cast<const std::uint8_t*>(target), field.bytes) &&
           // NOLINTNEXTLINE(pianola-misra-8.2.6): DEV-069
           ((field.kind != FieldKind::kNames) || verifier.VerifyVectorOfStrings(static_cast<const NameList*>(target)));
}

// An offset to the root, and the identifier.
constexpr std::size_t kFrontBytes = sizeof(flatbuffers::uoffset_t) + flatbuffers::kFileIdentifierLength;

[[nodiscard]] bool check_tables(const SchemaRules& rules, Verifier& verifier, const Table& root,
                                std::uint32_t& tables) noexcept {
    if (!root.VerifyTableStart(verifier)) {
        return false;
    }
    TableCursor cursor{rules, root};
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
            default:  // too deep
                good = false;
                break;
        }
    }
    return good;
}

}  // namespace

bool check_structure(const SchemaRules& rules, ByteSpan buffer, const char* identifier, Verifier& verifier,
                     std::uint32_t& tables) noexcept {
    tables = 1U;
    return (buffer.size() >= kFrontBytes) && flatbuffers::BufferHasIdentifier(buffer.data(), identifier) &&
           (verifier.VerifyOffset(0U) != 0U) &&
           check_tables(rules, verifier, *flatbuffers::GetRoot<Table>(buffer.data()), tables) &&
           (verifier.GetComputedSize() != 0U);
}

}  // namespace pianola
