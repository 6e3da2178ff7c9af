#include "runtime/image/table_cursor.h"

namespace pianola {

using flatbuffers::Table;
using TableList = flatbuffers::Vector<flatbuffers::Offset<Table>>;

const void* target_at(const Table& table, flatbuffers::voffset_t entry) noexcept {
    return table.GetPointer<const void*>(entry);
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

TableCursor::TableCursor(const SchemaRules& rules, const Table& root) noexcept : rules_{rules} {
    enter(root, rules.root);
}

void TableCursor::enter(const Table& table, std::uint32_t rule) noexcept {
    const TableRule& fields = rules_.tables[rule];
    steps_[depth_] =
        Step{&table, fields.first, static_cast<std::uint16_t>(std::uint32_t{fields.first} + fields.count), 0U, false};
    depth_ += 1U;
    table_ = &table;
}

// The next table behind the step's field, and its rule; nullptr where there is none.
const Table* TableCursor::next_child(const Step& step, std::uint32_t& rule) const noexcept {
    const FieldRule& field = rules_.fields[step.field];
    rule = field.type;
    if (field.kind == FieldKind::kTables) {
        const auto* const list = target_of<TableList>(*step.table, field.entry);
        return ((list != nullptr) && (step.children < list->size())) ? list->Get(step.children) : nullptr;
    }
    if (step.children != 0U) {
        return nullptr;
    }
    if (field.kind == FieldKind::kUnion) {
        const auto type = step.table->GetField<std::uint8_t>(type_entry(field), 0U);
        const EnumeratorRule* const enumerator = find_enumerator(rules_, field, type);
        if (enumerator == nullptr) {
            return nullptr;
        }
        rule = enumerator->table;
    }
    return target_of<Table>(*step.table, field.entry);
}

TableCursor::Event TableCursor::next() noexcept {
    Step& step = steps_[depth_ - 1U];
    if (step.in_children) {
        std::uint32_t rule = 0U;
        const Table* const child = next_child(step, rule);
        if (child != nullptr) {
            if (depth_ >= steps_.size()) {
                return Event::kTooDeep;
            }
            step.children += 1U;
            enter(*child, rule);
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
