#include "runtime/image/table_cursor.h"

namespace pianola {

using flatbuffers::Table;
using TableList = flatbuffers::Vector<flatbuffers::Offset<Table>>;

namespace {

[[nodiscard]] const std::uint8_t* slot_of(const TableList& list, std::uint32_t index) noexcept {
    const ByteSpan slots{list.Data(), std::size_t{list.size()} * sizeof(flatbuffers::uoffset_t)};
    return &slots[std::size_t{index} * sizeof(flatbuffers::uoffset_t)];
}

}  // namespace

const void* follow(const std::uint8_t* slot) noexcept {
    return flatbuffers::IndirectHelper<flatbuffers::Offset<Table>>::Read(slot, 0U);
}

const void* target_at(const Table& table, flatbuffers::voffset_t entry) noexcept {
    const std::uint8_t* const slot = table.GetAddressOf(entry);
    return (slot != nullptr) ? follow(slot) : nullptr;
}

const EnumeratorRule* find_enumerator(const SchemaRules& rules, const FieldRule& field, std::uint32_t value) noexcept {
    const EnumerationRule& enumeration = rules.enumerations[field.type];
    for (std::uint32_t i = 0U; i < enumeration.count; ++i) {
        const EnumeratorRule& enumerator = rules.enumerators[enumeration.first + i];
        if (enumerator.value == value) {
            return &enumerator;
        }
    }
    return nullptr;
}

TableCursor::TableCursor(const SchemaRules& rules, const Table& root, const flatbuffers::Verifier* verifier) noexcept
    : rules_{rules}, verifier_{verifier} {
    enter(root, rules.root);
}

void TableCursor::enter(const Table& table, std::uint32_t rule) noexcept {
    const TableRule& fields = rules_.tables[rule];
    steps_[depth_] =
        Step{&table, fields.first, static_cast<std::uint16_t>(std::uint32_t{fields.first} + fields.count), 0U, false};
    depth_ += 1U;
    table_ = &table;
}

// Location of the offset to the step's next table, and that table's rule; nullptr if there is none.
const std::uint8_t* TableCursor::next_child(const Step& step, std::uint32_t& rule) const noexcept {
    const FieldRule& field = rules_.fields[step.field];
    rule = field.type;
    const std::uint8_t* const slot = step.table->GetAddressOf(field.entry);
    if (slot == nullptr) {
        return nullptr;
    }
    if (field.kind == FieldKind::kTables) {
        const auto& list = *static_cast<const TableList*>(follow(slot));  // NOLINT(pianola-misra-8.2.6): DEV-069
        return (step.children < list.size()) ? slot_of(list, step.children) : nullptr;
    }
    if (field.kind == FieldKind::kUnion) {
        const auto type = step.table->GetField<std::uint8_t>(type_entry(field), 0U);
        const EnumeratorRule* const enumerator = find_enumerator(rules_, field, type);
        if (enumerator == nullptr) {
            return nullptr;
        }
        rule = enumerator->table;
    }
    return (step.children == 0U) ? slot : nullptr;
}

TableCursor::Event TableCursor::next() noexcept {
    Step& step = steps_[depth_ - 1U];
    if (step.in_children) {
        std::uint32_t rule = 0U;
        const std::uint8_t* const slot = next_child(step, rule);
        if (slot != nullptr) {
            const void* const child = (verifier_ != nullptr) ? verified_target(*verifier_, slot, 0U) : follow(slot);
            if ((child == nullptr) || (depth_ >= steps_.size())) {
                return Event::kDeadEnd;
            }
            step.children += 1U;
            enter(*static_cast<const Table*>(child), rule);  // NOLINT(pianola-misra-8.2.6): DEV-069
            return Event::kTable;
        }
        step.in_children = false;
        step.field = static_cast<std::uint16_t>(step.field + 1U);
    }
    if (std::uint32_t{step.field} == step.end) {
        depth_ -= 1U;
        if (depth_ == 0U) {
            return Event::kEnd;
        }
        table_ = steps_[depth_ - 1U].table;
        return Event::kTableEnd;
    }
    field_ = &rules_.fields[step.field];
    if (has_tables(field_->kind)) {
        step.children = 0U;
        step.in_children = true;
    } else {
        step.field = static_cast<std::uint16_t>(step.field + 1U);
    }
    return Event::kField;
}

void TableCursor::describe(FieldPath& path) const noexcept {
    for (std::uint32_t i = 0U; (i + 1U) < depth_; ++i) {
        const FieldRule& field = rules_.fields[steps_[i].field];
        path.enter(field.name, (field.kind == FieldKind::kTables) ? (steps_[i].children - 1U) : FieldPath::kNoIndex);
    }
}

}  // namespace pianola
