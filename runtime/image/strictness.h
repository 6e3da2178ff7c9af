// StrictnessWalk: how the generated check of the manifest reports what it finds.
//
// Place in the whole: schemac (toolchains/schemac) makes from the schema a function check_strictness() that visits every field
// after the FlatBuffers verifier has accepted the structure, and calls these. Included by the generated source and by
// image.cpp only.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstdint>

#include "runtime/verdict/verdict.h"

namespace pianola {

namespace schema {
struct TraceBinary;
}
class StrictnessWalk;

// Visits every field of the manifest. False, with the verdict filled in, at the first that is not strict. Defined in the source
// that schemac makes from the schema.
[[nodiscard]] bool check_strictness(StrictnessWalk& walk, const schema::TraceBinary& root) noexcept;

// Every method returns true to go on; after false the verdict is filled in and the walk is over.
class StrictnessWalk {
  public:
    // file is the whole trace binary: offsets in verdicts count from its first byte.
    StrictnessWalk(ByteSpan file, Verdict& verdict) noexcept : file_{file}, verdict_{verdict} {}

    void enter(const char* field, std::uint32_t index = FieldPath::kNoIndex) noexcept {
        verdict_.path.enter(field, index);
    }
    void leave() noexcept { verdict_.path.leave(); }

    template <typename TableType>
    [[nodiscard]] bool enumerator(const TableType& table, flatbuffers::voffset_t field, const char* name, bool is_known,
                                  std::uint64_t value) noexcept {
        return is_known || refuse_at(Rule::kImgEnum, address(table, field), name, FieldPath::kNoIndex, value, 0U);
    }
    [[nodiscard]] bool enumerator_element(const char* name, std::uint32_t index, const void* where, bool is_known,
                                          std::uint64_t value) noexcept {
        return is_known || refuse_at(Rule::kImgEnum, where, name, index, value, 0U);
    }
    template <typename TableType>
    [[nodiscard]] bool union_type(const TableType& table, flatbuffers::voffset_t type_field, const char* name,
                                  bool is_known, std::uint64_t value) noexcept {
        return is_known || refuse_at(Rule::kImgUnion, address(table, type_field), name, FieldPath::kNoIndex, value, 0U);
    }
    template <typename TableType>
    [[nodiscard]] bool truth_value(const TableType& table, flatbuffers::voffset_t field, const char* name,
                                   std::uint8_t default_value) noexcept {
        const std::uint8_t value = as_table(table).template GetField<std::uint8_t>(field, default_value);
        return (value <= 1U) || refuse_at(Rule::kImgBool, address(table, field), name, FieldPath::kNoIndex, value, 1U);
    }
    [[nodiscard]] bool truth_element(const char* name, std::uint32_t index, const std::uint8_t* where) noexcept {
        return (*where <= 1U) || refuse_at(Rule::kImgBool, where, name, index, *where, 1U);
    }
    template <typename TableType>
    [[nodiscard]] bool count(const TableType& table, flatbuffers::voffset_t field, const char* name, std::uint32_t size,
                             std::uint32_t limit) noexcept {
        return (size <= limit) ||
               refuse_at(Rule::kImgCount, address(table, field), name, FieldPath::kNoIndex, size, limit);
    }
    template <typename TableType>
    [[nodiscard]] bool name(const TableType& table, flatbuffers::voffset_t field, const char* field_name,
                            const flatbuffers::String* text, std::uint32_t limit) noexcept {
        return is_name(text, limit) || refuse_at(Rule::kImgName, address(table, field), field_name, FieldPath::kNoIndex,
                                                 (text == nullptr) ? 0U : text->size(), limit);
    }
    [[nodiscard]] bool name_element(const char* field_name, std::uint32_t index, const flatbuffers::String* text,
                                    std::uint32_t limit) noexcept {
        return is_name(text, limit) || refuse_at(Rule::kImgName, text, field_name, index, text->size(), limit);
    }

  private:
    // flatc's tables inherit privately from flatbuffers::Table, and add nothing to it.
    template <typename TableType>
    [[nodiscard]] static const flatbuffers::Table& as_table(const TableType& table) noexcept {
        static_assert(sizeof(TableType) == sizeof(flatbuffers::Table));
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-006
        return reinterpret_cast<const flatbuffers::Table&>(table);
    }
    // Where the field's value lies, or the table where the field is absent.
    template <typename TableType>
    [[nodiscard]] static const void* address(const TableType& table, flatbuffers::voffset_t field) noexcept {
        const std::uint8_t* const value = as_table(table).GetAddressOf(field);
        return (value != nullptr) ? static_cast<const void*>(value) : static_cast<const void*>(&table);
    }
    [[nodiscard]] static bool is_name(const flatbuffers::String* text, std::uint32_t limit) noexcept;
    [[nodiscard]] bool refuse_at(Rule rule, const void* where, const char* field, std::uint32_t index,
                                 std::uint64_t actual, std::uint64_t limit) noexcept;

    ByteSpan file_;
    Verdict& verdict_;
};

}  // namespace pianola
