// TableCursor: visits every table and field of a FlatBuffer in the order of its schema's rules.
//
// Both checks of schema_check.h traverse the tree with it. There is no recursion: the tables on the path from the root
// are kept in a stack of fixed depth. Included by the sources of runtime/image only.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <array>
#include <cstdint>

#include "pianola/config.h"
#include "pianola/verdict.h"
#include "runtime/image/schema_rules.h"

namespace pianola {

// The target of the offset at `base + place`; nullptr if the verifier refuses that offset. The only way to follow an
// unverified offset: FlatBuffers' own Vector::Get() adds whatever the file says to an address, and on a core of 32 bits
// that sum wraps round to another place in the buffer. Defined in structure.cpp.
[[nodiscard]] const void* verified_target(const flatbuffers::Verifier& verifier, const std::uint8_t* base,
                                          flatbuffers::voffset_t place) noexcept;

// Follows an offset that the verifier has accepted.
[[nodiscard]] const void* follow(const std::uint8_t* slot) noexcept;

// The target of an offset field of any type; nullptr if the field is absent.
[[nodiscard]] const void* target_at(const flatbuffers::Table& table, flatbuffers::voffset_t entry) noexcept;
template <typename Target>
[[nodiscard]] const Target* target_of(const flatbuffers::Table& table, flatbuffers::voffset_t entry) noexcept {
    return static_cast<const Target*>(target_at(table, entry));  // NOLINT(pianola-misra-8.2.6): DEV-069
}

// The vtable entry of a union's type.
[[nodiscard]] constexpr flatbuffers::voffset_t type_entry(const FieldRule& union_field) noexcept {
    return static_cast<flatbuffers::voffset_t>(union_field.entry - sizeof(flatbuffers::voffset_t));
}

// The rule of an enumerator; nullptr where the enumeration has no such value.
[[nodiscard]] const EnumeratorRule* find_enumerator(const SchemaRules& rules, const FieldRule& field,
                                                    std::uint32_t value) noexcept;

class TableCursor {
  public:
    enum class Event : std::uint8_t {
        kField,     // field() of table() is visited; the next call enters the table that it leads to
        kTable,     // table() was entered
        kTableEnd,  // a table was left; table() is the one around it
        kEnd,       // the root was left
        kDeadEnd,   // there is no room for another table, or the verifier refuses the offset to it
    };

    // Starts inside the root. The verifier checks the offset to every table before it is followed; nullptr if all
    // offsets were verified already.
    TableCursor(const SchemaRules& rules, const flatbuffers::Table& root,
                const flatbuffers::Verifier* verifier) noexcept;

    // Returns the next event. Must not be called again after kEnd or kDeadEnd.
    [[nodiscard]] Event next() noexcept;

    [[nodiscard]] const flatbuffers::Table& table() const noexcept { return *table_; }
    // The field that was visited last.
    [[nodiscard]] const FieldRule& field() const noexcept { return *field_; }

    // Adds the path from the root to table() to the verdict's path.
    void describe(FieldPath& path) const noexcept;

  private:
    // A table on the path from the root.
    struct Step {
        const flatbuffers::Table* table{nullptr};
        std::uint16_t field{0U};     // index into rules_.fields: the next to visit, or the one whose tables are visited
        std::uint16_t end{0U};       // index after the table's last field
        std::uint32_t children{0U};  // tables of the field that have been entered
        bool in_children{false};
    };

    void enter(const flatbuffers::Table& table, std::uint32_t rule) noexcept;
    [[nodiscard]] const std::uint8_t* next_child(const Step& step, std::uint32_t& rule) const noexcept;

    const SchemaRules& rules_;
    const flatbuffers::Verifier* verifier_;
    const flatbuffers::Table* table_{nullptr};
    const FieldRule* field_{nullptr};
    std::uint32_t depth_{0U};
    std::array<Step, kMaxManifestDepth> steps_{};
};

}  // namespace pianola
