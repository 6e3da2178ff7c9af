#include "runtime/image/schema_check.h"
#include "runtime/image/table_cursor.h"
#include "runtime/verdict/refusal.h"

namespace pianola {
namespace {

using flatbuffers::String;
using flatbuffers::Table;
using ByteList = flatbuffers::Vector<std::uint8_t>;  // stands for a list of any elements

[[nodiscard]] constexpr bool is_printable(std::uint8_t character) noexcept {
    constexpr std::uint32_t kFirst = 0x20U;
    constexpr std::uint32_t kLast = 0x7EU;
    return (character >= kFirst) && (character <= kLast);
}

[[nodiscard]] bool is_name(const String* text, std::uint32_t limit) noexcept {
    if ((text == nullptr) || (text->size() == 0U) || (text->size() > limit)) {
        return false;
    }
    const ByteSpan characters{text->Data(), text->size()};
    std::size_t printable = 0U;
    while ((printable < characters.size()) && is_printable(characters[printable])) {
        printable += 1U;
    }
    return printable == characters.size();
}

class StrictnessCheck {
  public:
    StrictnessCheck(const SchemaRules& rules, ByteSpan file, const Table& root, Verdict& verdict) noexcept
        : rules_{rules}, cursor_{rules, root, nullptr}, file_{file}, verdict_{verdict} {}

    [[nodiscard]] bool run() noexcept {
        TableCursor::Event event = cursor_.next();
        while (event != TableCursor::Event::kEnd) {  // as many tables as the verifier of the structure admits
            if ((event == TableCursor::Event::kDeadEnd) ||
                ((event == TableCursor::Event::kField) && !check_field(cursor_.field(), cursor_.table()))) {
                return false;
            }
            event = cursor_.next();
        }
        return true;
    }

  private:
    [[nodiscard]] bool check_field(const FieldRule& field, const Table& table) noexcept {
        if (is_list(field.kind)) {
            const auto* const list = target_of<ByteList>(table, field.entry);
            return (list == nullptr) || check_list(field, *list);
        }
        if (field.kind == FieldKind::kUnion) {
            return check_union(field, table);
        }
        if (field.kind == FieldKind::kName) {
            const auto* const text = target_of<String>(table, field.entry);
            return is_name(text, field.limit)
                       ? true
                       : refuse_field(Rule::kImgName, (text == nullptr) ? 0U : text->size(), field.limit);
        }
        if (!is_choice(field.kind)) {
            return true;  // any number is a value; a table is checked when it is entered
        }
        const std::uint8_t* const value = table.GetAddressOf(field.entry);
        // A truth value that is absent is its default; an enumerator that is absent is Unspecified.
        return (value != nullptr) ? check_value(field, value, FieldPath::kNoIndex)
                                  : ((field.kind == FieldKind::kTruth) ? true : refuse_field(Rule::kImgEnum, 0U, 0U));
    }

    // In place, and not every value is legal.
    [[nodiscard]] static constexpr bool is_choice(FieldKind kind) noexcept {
        return (kind == FieldKind::kTruth) || (kind == FieldKind::kEnumerator);
    }

    // An enumerator or a truth value.
    [[nodiscard]] bool check_value(const FieldRule& field, const std::uint8_t* where, std::uint32_t index) noexcept {
        const ByteSpan bytes{where, field.bytes};
        std::uint32_t value = 0U;
        for (std::size_t i = bytes.size(); i > 0U; --i) {
            value = (value << 8U) | bytes[i - 1U];
        }
        if ((field.kind == FieldKind::kTruth) || (field.kind == FieldKind::kTruths)) {
            return (value <= 1U) ? true : refuse_at(Rule::kImgBool, where, index, value, 1U);
        }
        return (find_enumerator(rules_, field, value) != nullptr) ? true
                                                                  : refuse_at(Rule::kImgEnum, where, index, value, 0U);
    }

    [[nodiscard]] bool check_union(const FieldRule& field, const Table& table) noexcept {
        const std::uint8_t* const where = table.GetAddressOf(type_entry(field));
        const std::uint32_t type = (where != nullptr) ? *where : 0U;
        return ((find_enumerator(rules_, field, type) != nullptr) && (target_of<Table>(table, field.entry) != nullptr))
                   ? true
                   : refuse_at(Rule::kImgUnion, place_of(where), FieldPath::kNoIndex, type, 0U);
    }

    // max_count of a list whose length only the file bounds.
    static constexpr std::uint32_t kNoLimit = UINT16_MAX;

    [[nodiscard]] bool check_list(const FieldRule& field, const ByteList& list) noexcept {
        if ((list.size() > field.limit) && (field.limit != kNoLimit)) {
            return refuse_field(Rule::kImgCount, list.size(), field.limit);
        }
        if ((field.kind == FieldKind::kNumbers) || (field.kind == FieldKind::kTables)) {
            return true;
        }
        const ByteSpan elements{list.Data(), std::size_t{list.size()} * field.bytes};
        bool good = true;
        for (std::uint32_t i = 0U; good && (i < list.size()); ++i) {
            const std::uint8_t* const element = &elements[std::size_t{i} * field.bytes];
            good = (field.kind == FieldKind::kNames) ? check_name_element(element, i) : check_value(field, element, i);
        }
        return good;
    }

    [[nodiscard]] bool check_name_element(const std::uint8_t* slot, std::uint32_t index) noexcept {
        const auto* const text = static_cast<const String*>(follow(slot));  // NOLINT(pianola-misra-8.2.6): DEV-069
        return is_name(text, kMaxNameBytes) ? true
                                            : refuse_at(Rule::kImgName, text, index, text->size(), kMaxNameBytes);
    }

    // A field of the table, or the table if the field is absent.
    [[nodiscard]] const void* place_of(const std::uint8_t* value) const noexcept {
        return (value != nullptr) ? static_cast<const void*>(value) : static_cast<const void*>(&cursor_.table());
    }

    // Both return false.
    [[nodiscard]] bool refuse_field(Rule rule, std::uint32_t actual, std::uint32_t limit) noexcept {
        return refuse_at(rule, place_of(cursor_.table().GetAddressOf(cursor_.field().entry)), FieldPath::kNoIndex,
                         actual, limit);
    }
    [[nodiscard]] bool refuse_at(Rule rule, const void* where, std::uint32_t index, std::uint32_t actual,
                                 std::uint32_t limit) noexcept {
        cursor_.describe(verdict_.path);
        verdict_.path.enter(cursor_.field().name, index);
        // NOLINTNEXTLINE(pianola-misra-8.2.6, pianola-misra-8.7.2): DEV-069
        const auto offset = static_cast<const std::uint8_t*>(where) - file_.data();
        return is_passed_over(refuse(verdict_, rule, static_cast<std::uint32_t>(offset), actual, limit));
    }

    const SchemaRules& rules_;
    TableCursor cursor_;
    ByteSpan file_;
    Verdict& verdict_;
};

}  // namespace

bool check_strictness(const SchemaRules& rules, ByteSpan file, const Table& root, Verdict& verdict) noexcept {
    return StrictnessCheck{rules, file, root, verdict}.run();
}

}  // namespace pianola
