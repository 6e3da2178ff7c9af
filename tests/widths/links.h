// Links: every word of a FlatBuffer that leads somewhere, and every object that one could lead to.
//
// Where damage of the structure is done.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/image/schema_rules.h"

namespace pianola::test {

using Bytes = std::vector<std::uint8_t>;

[[nodiscard]] std::uint32_t word_at(const Bytes& bytes, std::size_t place);
[[nodiscard]] std::uint32_t half_at(const Bytes& bytes, std::size_t place);
void set_word(Bytes& bytes, std::size_t place, std::uint32_t value);
void set_half(Bytes& bytes, std::size_t place, std::uint32_t value);

struct Link {
    enum class Kind : std::uint8_t {
        kRoot,     // where the root is
        kVtable,   // of a table: how far its vtable is before it, or after it
        kEntry,    // a half word of a vtable: a size, or where a field is
        kOffset,   // of a field: where its object is
        kElement,  // of a list: where one of its tables or names is
        kLength,   // of a list or name
    };
    Kind kind{Kind::kRoot};
    std::uint32_t place{0U};
    std::uint32_t table{0U};          // entries: that of one table which has the vtable
    std::uint32_t element_bytes{1U};  // lengths
    const FieldRule* field{nullptr};  // offsets, elements, lengths
};

struct Links {
    std::vector<Link> links;
    std::vector<std::uint32_t> objects;  // tables, lists, names and vtables
};

// Of a buffer that the schema's checks accept.
[[nodiscard]] Links find_links(const SchemaRules& rules, const Bytes& buffer);

// The buffer with a copy of what a link of the kind kElement leads to in front of everything else. The element leads
// backwards to the copy, by an offset that is near 2^32. `gap` becomes the bytes that everything else was moved by.
// On a core of 32 bits the sum of address and offset wraps round, and the copy is as good as the original.
[[nodiscard]] Bytes wrap_element(const SchemaRules& rules, const Bytes& buffer, const Link& element,
                                 std::uint32_t& gap);

}  // namespace pianola::test
