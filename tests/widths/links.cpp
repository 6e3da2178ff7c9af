#include "tests/widths/links.h"

#include <cstring>

#include "runtime/image/table_cursor.h"

namespace pianola::test {
namespace {

using flatbuffers::Table;

constexpr std::uint32_t kWord = sizeof(flatbuffers::uoffset_t);
constexpr std::uint32_t kHalf = sizeof(flatbuffers::voffset_t);
constexpr std::uint32_t kFrontBytes = 8U;  // the root's offset, and the identifier

bool has_names(const FieldRule& field) {
    return field.kind == FieldKind::kNames;
}

class Finder {
  public:
    Finder(const SchemaRules& rules, const Bytes& buffer) : rules_{rules}, aligned_(words_of(buffer)) {}

    Links find() {
        found_.links.push_back({Link::Kind::kRoot, 0U});
        const auto& root = *flatbuffers::GetRoot<Table>(aligned_.data());
        note_table(root);
        TableCursor cursor{rules_, root, nullptr};
        for (TableCursor::Event event = cursor.next(); event != TableCursor::Event::kEnd; event = cursor.next()) {
            if (event == TableCursor::Event::kTable) {
                note_table(cursor.table());
            } else if (event == TableCursor::Event::kField) {
                note_field(cursor.table(), cursor.field());
            } else {
                // The end of a table has nothing to note.
            }
        }
        return std::move(found_);
    }

  private:
    static std::vector<std::uint64_t> words_of(const Bytes& buffer) {
        std::vector<std::uint64_t> words((buffer.size() / sizeof(std::uint64_t)) + 1U);
        std::memcpy(words.data(), buffer.data(), buffer.size());
        return words;
    }

    [[nodiscard]] std::uint32_t place_of(const void* at) const {
        const void* const start = aligned_.data();
        return static_cast<std::uint32_t>(static_cast<const std::uint8_t*>(at) -
                                          static_cast<const std::uint8_t*>(start));
    }

    void note_table(const Table& table) {
        const std::uint32_t place = place_of(&table);
        const std::uint32_t vtable = place_of(table.GetVTable());
        found_.links.push_back({Link::Kind::kVtable, place});
        found_.objects.insert(found_.objects.end(), {place, vtable});
        const auto size = flatbuffers::ReadScalar<flatbuffers::voffset_t>(table.GetVTable());
        for (std::uint32_t entry = 0U; entry < size; entry += kHalf) {
            found_.links.push_back({Link::Kind::kEntry, vtable + entry, place});
        }
    }

    void note_field(const Table& table, const FieldRule& field) {
        const std::uint8_t* const offset = table.GetAddressOf(field.entry);
        if ((offset == nullptr) || (field.kind <= FieldKind::kEnumerator)) {
            return;
        }
        const auto* const target = static_cast<const std::uint8_t*>(follow(offset));
        found_.links.push_back({Link::Kind::kOffset, place_of(offset), 0U, 1U, &field});
        found_.objects.push_back(place_of(target));
        if (!is_list(field.kind) && (field.kind != FieldKind::kName)) {
            return;
        }
        const std::uint32_t bytes = is_list(field.kind) ? field.bytes : 1U;
        found_.links.push_back({Link::Kind::kLength, place_of(target), 0U, bytes, &field});
        if (!has_names(field) && (field.kind != FieldKind::kTables)) {
            return;
        }
        const auto count = flatbuffers::ReadScalar<flatbuffers::uoffset_t>(target);
        for (std::uint32_t i = 1U; i <= count; ++i) {
            const std::uint8_t* const slot = target + (std::size_t{i} * kWord);
            found_.links.push_back({Link::Kind::kElement, place_of(slot), 0U, 1U, &field});
            if (has_names(field)) {
                found_.links.push_back({Link::Kind::kLength, place_of(follow(slot)), 0U, 1U, &field});
                found_.objects.push_back(place_of(follow(slot)));
            }
        }
    }

    const SchemaRules& rules_;
    std::vector<std::uint64_t> aligned_;
    Links found_;
};

void copy_bytes(Bytes& bytes, std::uint32_t from, std::uint32_t size, std::uint32_t to) {
    for (std::uint32_t i = 0U; i < size; ++i) {
        bytes.at(std::size_t{to} + i) = bytes.at(std::size_t{from} + i);
    }
}

// Copies a table to `place`; all that it leads to lies after both.
void copy_table(const SchemaRules& rules, std::uint32_t rule, Bytes& bytes, std::uint32_t table, std::uint32_t place) {
    const std::uint32_t vtable = table - word_at(bytes, table);
    const std::uint32_t size = half_at(bytes, vtable + kHalf);
    copy_bytes(bytes, table, size, place);
    set_word(bytes, place, place - vtable);
    const TableRule& fields = rules.tables[rule];
    for (std::uint32_t i = fields.first; i < (std::uint32_t{fields.first} + fields.count); ++i) {
        const FieldRule& field = rules.fields[i];
        const bool there = field.entry < half_at(bytes, vtable);
        const std::uint32_t entry = there ? half_at(bytes, vtable + field.entry) : 0U;
        if ((entry != 0U) && (field.kind > FieldKind::kEnumerator)) {
            set_word(bytes, place + entry, word_at(bytes, table + entry) + (table - place));
        }
    }
}

}  // namespace

std::uint32_t half_at(const Bytes& bytes, std::size_t place) {
    return bytes.at(place) | (static_cast<std::uint32_t>(bytes.at(place + 1U)) << 8U);
}

std::uint32_t word_at(const Bytes& bytes, std::size_t place) {
    return half_at(bytes, place) | (half_at(bytes, place + kHalf) << 16U);
}

void set_half(Bytes& bytes, std::size_t place, std::uint32_t value) {
    bytes.at(place) = static_cast<std::uint8_t>(value);
    bytes.at(place + 1U) = static_cast<std::uint8_t>(value >> 8U);
}

void set_word(Bytes& bytes, std::size_t place, std::uint32_t value) {
    set_half(bytes, place, value);
    set_half(bytes, place + kHalf, value >> 16U);
}

Links find_links(const SchemaRules& rules, const Bytes& buffer) {
    return Finder{rules, buffer}.find();
}

Bytes wrap_element(const SchemaRules& rules, const Bytes& buffer, const Link& element, std::uint32_t& gap) {
    constexpr std::uint32_t kAlignment = 64U;
    const std::uint32_t old = element.place + word_at(buffer, element.place);
    const bool names = has_names(*element.field);
    const std::uint32_t size =
        names ? (kWord + word_at(buffer, old) + 1U) : half_at(buffer, (old - word_at(buffer, old)) + kHalf);
    gap = ((size + (2U * kAlignment) - 1U) / kAlignment) * kAlignment;
    Bytes bytes{buffer.begin(), buffer.begin() + kFrontBytes};
    bytes.resize(kFrontBytes + gap);
    bytes.insert(bytes.end(), buffer.begin() + kFrontBytes, buffer.end());
    set_word(bytes, 0U, word_at(bytes, 0U) + gap);
    const std::uint32_t target = old + gap;
    const std::uint32_t place = (2U * kFrontBytes) + (target % kFrontBytes);  // aligned as the original
    if (names) {
        copy_bytes(bytes, target, size, place);
    } else {
        copy_table(rules, element.field->type, bytes, target, place);
    }
    set_word(bytes, element.place + gap, place - (element.place + gap));
    return bytes;
}

}  // namespace pianola::test
