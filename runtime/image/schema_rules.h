// SchemaRules: the properties of every field of a schema, as constant tables.
//
// schemac (toolchains/schemac) makes one SchemaRules from each schema; the checks in schema_check.h compare a buffer
// with it. Tables are several times smaller than a function per table of the schema.
#pragma once

#include <cstdint>

#include "pianola/span.h"

namespace pianola {

enum class FieldKind : std::uint8_t {
    // In place.
    kNumber,  // a number or a struct
    kTruth,
    kEnumerator,
    // Reached through an offset.
    kName,
    kTable,
    kUnion,  // its type is in place, in the field before
    // Lists, reached through an offset.
    kTables,
    kNumbers,
    kTruths,
    kEnumerators,
    kNames,
};

// Whether a field of that kind leads to tables.
[[nodiscard]] constexpr bool has_tables(FieldKind kind) noexcept {
    return (kind >= FieldKind::kTable) && (kind <= FieldKind::kTables);
}

[[nodiscard]] constexpr bool is_list(FieldKind kind) noexcept {
    return kind >= FieldKind::kTables;
}

struct FieldRule {
    const char* name{""};     // for paths in verdicts
    std::uint16_t limit{0U};  // most elements of a list, or bytes of a name
    std::uint8_t entry{0U};   // place in the vtable, bytes
    FieldKind kind{FieldKind::kNumber};
    std::uint8_t bytes{0U};      // of a value in place, or of one element of a list
    std::uint8_t alignment{0U};  // of a value in place
    std::uint8_t type{
        0U};  // tables: index into SchemaRules::tables; unions and enumerators: into SchemaRules::enumerations
    bool required{false};
};

// Fields [first, first + count) of SchemaRules::fields.
struct TableRule {
    std::uint16_t first{0U};
    std::uint16_t count{0U};
};

// Enumerators [first, first + count) of SchemaRules::enumerators. Zero is never among them.
struct EnumerationRule {
    std::uint16_t first{0U};
    std::uint16_t count{0U};
};

struct EnumeratorRule {
    std::uint16_t value{0U};
    std::uint16_t table{0U};  // of a union: index into SchemaRules::tables
};

struct SchemaRules {
    Span<const FieldRule> fields;
    Span<const TableRule> tables;
    Span<const EnumerationRule> enumerations;
    Span<const EnumeratorRule> enumerators;
    std::uint32_t root{0U};  // index into tables
};

namespace schema {

// Of the manifest's schema. Defined in the source that schemac makes from it.
extern const SchemaRules kTraceBinaryRules;

}  // namespace schema

}  // namespace pianola
