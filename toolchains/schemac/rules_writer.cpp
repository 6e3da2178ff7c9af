#include "rules_writer.h"

#include <flatbuffers/reflection.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <vector>

namespace pianola::schemac {
namespace {

using reflection::BaseType;

constexpr std::uint64_t kOffsetBytes = sizeof(flatbuffers::uoffset_t);

// FieldRule without its name and place, as text where it may be a constant of the runtime.
struct Rule {
    std::string kind;
    std::string limit{"0U"};
    std::uint64_t bytes{0U};
    std::uint64_t alignment{0U};
    std::uint64_t type{0U};
    bool is_named{true};  // appears in paths
};

std::string plural(const std::string& kind) {
    return kind + "s";
}

class RulesWriter {
  public:
    explicit RulesWriter(const reflection::Schema& schema) : schema_{schema} {}

    std::string write(const std::string& declaring_header) {
        check_enumerations();
        const reflection::Object& root = *schema_.root_table();
        const Table table = visit(root);
        const std::string name = root.name()->str();
        const std::size_t dot = name.rfind('.');
        if (dot == std::string::npos) {
            throw std::runtime_error{name + ": the root table needs a namespace"};
        }
        std::string scope = name.substr(0U, dot);
        for (std::size_t at = scope.find('.'); at != std::string::npos; at = scope.find('.')) {
            scope.replace(at, 1U, "::");
        }
        std::string text = fmt::format(
            "// Made by schemac from the schema. Do not edit.\n#include \"{}\"\n\n#include "
            "\"pianola/config.h\"\n\n"
            "namespace pianola {{\nnamespace {{\n\n"
            "static_assert({}U <= kMaxManifestDepth, \"nesting of the schema's tables\");\n\n",
            declaring_header, table.height);
        text += array("FieldRule", "kFields", fields_) + array("TableRule", "kTables", tables_) +
                array("EnumerationRule", "kEnumerations", enumerations_) +
                array("EnumeratorRule", "kEnumerators", enumerators_);
        return text + fmt::format(
                          "}}  // namespace\n}}  // namespace pianola\n\nnamespace {0} {{\n\n"
                          "constexpr ::pianola::SchemaRules k{1}Rules{{::pianola::kFields, ::pianola::kTables, "
                          "::pianola::kEnumerations,\n    ::pianola::kEnumerators, {2}U}};\n\n}}  // namespace {0}\n",
                          scope, name.substr(dot + 1U), table.index);
    }

  private:
    // A table that has been visited: its index, and how deep tables nest in it, itself included.
    struct Table {
        std::size_t index{0U};
        std::size_t height{0U};
    };

    [[nodiscard]] const reflection::Enum* enumeration_of(const reflection::Type& type) const {
        return (type.index() < 0) ? nullptr : schema_.enums()->Get(static_cast<flatbuffers::uoffset_t>(type.index()));
    }
    [[nodiscard]] const reflection::Object* object_of(const reflection::Type& type) const {
        return (type.index() < 0) ? nullptr : schema_.objects()->Get(static_cast<flatbuffers::uoffset_t>(type.index()));
    }

    [[noreturn]] static void unsupported(const reflection::Object& table, const reflection::Field& field,
                                         const std::string& what) {
        throw std::runtime_error{table.name()->str() + "." + field.name()->str() + ": " + what};
    }

    static std::string array(const std::string& type, const std::string& name, const std::vector<std::string>& rows) {
        std::string text = fmt::format("constexpr std::array<{}, {}> {}{{{{\n", type, rows.size(), name);
        for (const std::string& row : rows) {
            text += "    " + row + "\n";
        }
        return text + "}};\n\n";
    }

    void check_enumerations() const {
        for (const reflection::Enum* enumeration : *schema_.enums()) {
            const std::string name = enumeration->name()->str();
            const reflection::EnumVal* zero = enumeration->values()->LookupByKey(0);
            const std::string zero_name = enumeration->is_union() ? "NONE" : "Unspecified";
            if ((zero == nullptr) || (zero->name()->str() != zero_name)) {
                throw std::runtime_error{fmt::format("{}: the enumerator 0 must be {}", name, zero_name)};
            }
            for (const reflection::EnumVal* value : *enumeration->values()) {
                if ((value->value() < 0) || (value->value() > UINT16_MAX)) {
                    throw std::runtime_error{name + ": enumerators must fit 16 bits"};
                }
            }
        }
    }

    // The rules of a table, after those of the tables in it. A table that is met again while it is open contains
    // itself: the depth would have no bound.
    Table visit(const reflection::Object& table) {
        constexpr std::size_t kOpen = 0U;  // no table that is done is that low
        const std::string name = table.name()->str();
        const auto [found, is_new] = visited_.try_emplace(name, Table{0U, kOpen});
        if (!is_new) {
            if (found->second.height == kOpen) {
                throw std::runtime_error{name +
                                         " contains itself; recursive tables can not be checked in fixed memory"};
            }
            return found->second;
        }
        std::size_t height = 0U;
        std::vector<std::string> rows;
        for (const reflection::Field* field : *table.fields()) {
            if (field->type()->base_type() != BaseType::UType) {  // checked with the union itself
                rows.push_back(row(table, *field, rule_of(table, *field, height)));
            }
        }
        tables_.push_back(fmt::format("TableRule{{{}U, {}U}},  // {}", fields_.size(), rows.size(), name));
        fields_.insert(fields_.end(), rows.begin(), rows.end());
        const Table done{tables_.size() - 1U, height + 1U};
        visited_[name] = done;
        return done;
    }

    static std::string row(const reflection::Object& table, const reflection::Field& field, const Rule& rule) {
        for (const std::uint64_t number : {std::uint64_t{field.offset()}, rule.bytes, rule.alignment, rule.type}) {
            if (number > UINT8_MAX) {
                unsupported(table, field, "more fields, bytes or types than the rules have room for");
            }
        }
        const std::string name = field.name()->str();
        return fmt::format("FieldRule{{\"{}\", {}, {}U, FieldKind::{}, {}U, {}U, {}U, {}}},  // {}.{}",
                           rule.is_named ? name : "", rule.limit, field.offset(), rule.kind, rule.bytes, rule.alignment,
                           rule.type, field.required(), table.name()->str(), name);
    }

    static std::string max_count(const reflection::Object& table, const reflection::Field& field) {
        const reflection::KeyValue* item =
            (field.attributes() == nullptr) ? nullptr : field.attributes()->LookupByKey("max_count");
        if ((item == nullptr) || (item->value() == nullptr)) {
            unsupported(table, field, "lists and strings need max_count");
        }
        return item->value()->str();
    }

    // `height` rises to that of the highest table behind the field.
    Rule rule_of(const reflection::Object& table, const reflection::Field& field, std::size_t& height) {
        const reflection::Type& type = *field.type();
        if ((field.attributes() != nullptr) && ((field.attributes()->LookupByKey("nested_flatbuffer") != nullptr) ||
                                                (field.attributes()->LookupByKey("flexbuffer") != nullptr))) {
            unsupported(table, field, "nested buffers restart the verifier's limits");
        }
        switch (type.base_type()) {
            case BaseType::String:
                return {"kName", max_count(table, field)};
            case BaseType::Union:
                return {"kUnion", "0U", 0U, 0U, enumeration_index(table, field, height)};
            case BaseType::Vector: {
                Rule rule = value_rule(table, field, type.element(), height);
                rule.kind = plural(rule.kind);
                rule.limit = max_count(table, field);
                rule.alignment = 0U;
                rule.is_named = true;
                return rule;
            }
            default:
                return value_rule(table, field, type.base_type(), height);
        }
    }

    // Of what can be a field by itself, or an element of a list.
    Rule value_rule(const reflection::Object& table, const reflection::Field& field, BaseType base,
                    std::size_t& height) {
        const reflection::Type& type = *field.type();
        const std::uint64_t bytes = flatbuffers::GetTypeSize(base);
        switch (base) {
            case BaseType::Bool:
                return {"kTruth", "0U", bytes, bytes};
            case BaseType::String:
                return {"kName", "0U", kOffsetBytes};
            case BaseType::Obj:
                return object_rule(table, field, *object_of(type), height);
            case BaseType::UType:
            case BaseType::Union:
            case BaseType::Vector:
                unsupported(table, field, "lists of unions or lists can not be checked");
            case BaseType::None:
            case BaseType::Array:
                unsupported(table, field, "a type that no table can have");
            default:
                break;
        }
        if (enumeration_of(type) == nullptr) {
            return {"kNumber", "0U", bytes, bytes, 0U, false};  // any number is a value
        }
        if ((bytes > sizeof(std::uint32_t)) || (field.default_integer() != 0)) {
            unsupported(table, field, "enumerators have at most 32 bits, and are Unspecified where they are absent");
        }
        return {"kEnumerator", "0U", bytes, bytes, enumeration_index(table, field, height)};
    }

    Rule object_rule(const reflection::Object& table, const reflection::Field& field, const reflection::Object& target,
                     std::size_t& height) {
        if (!target.is_struct()) {
            const Table child = visit(target);
            height = std::max(height, child.height);
            return {"kTable", "0U", kOffsetBytes, 0U, child.index};
        }
        // Structs have no vtable to walk: they may hold nothing whose values must be checked.
        for (const reflection::Field* member : *target.fields()) {
            const reflection::Type& type = *member->type();
            const bool is_array = type.base_type() == BaseType::Array;
            const BaseType base = is_array ? type.element() : type.base_type();
            if ((type.index() >= 0) || (base == BaseType::Bool)) {  // an enumeration, or another struct
                unsupported(table, field, "structs hold numbers only");
            }
        }
        return {"kNumber",
                "0U",
                static_cast<std::uint64_t>(target.bytesize()),
                static_cast<std::uint64_t>(target.minalign()),
                0U,
                false};
    }

    // Of a union or an enumeration. Its rules are made where it is used first; the tables of a union come before.
    std::size_t enumeration_index(const reflection::Object& table, const reflection::Field& field,
                                  std::size_t& height) {
        const reflection::Enum& enumeration = *enumeration_of(*field.type());
        std::vector<std::string> rows;
        for (const reflection::EnumVal* value : *enumeration.values()) {
            if (value->value() == 0) {
                continue;
            }
            std::size_t index = 0U;
            if (enumeration.is_union()) {
                const reflection::Object* target = object_of(*value->union_type());
                if ((target == nullptr) || target->is_struct()) {
                    unsupported(table, field, "unions hold tables only");
                }
                const Table child = visit(*target);
                height = std::max(height, child.height);
                index = child.index;
            }
            rows.push_back(fmt::format("EnumeratorRule{{{}U, {}U}},  // {}.{}", value->value(), index,
                                       enumeration.name()->str(), value->name()->str()));
        }
        const auto [found, is_new] = enumeration_indices_.try_emplace(enumeration.name()->str(), enumerations_.size());
        if (is_new) {
            enumerations_.push_back(fmt::format("EnumerationRule{{{}U, {}U}},  // {}", enumerators_.size(), rows.size(),
                                                enumeration.name()->str()));
            enumerators_.insert(enumerators_.end(), rows.begin(), rows.end());
        }
        return found->second;
    }

    const reflection::Schema& schema_;
    std::map<std::string, Table> visited_;
    std::map<std::string, std::size_t> enumeration_indices_;
    std::vector<std::string> fields_;
    std::vector<std::string> tables_;
    std::vector<std::string> enumerations_;
    std::vector<std::string> enumerators_;
};

}  // namespace

std::string rules_source(const reflection::Schema& schema, const std::string& declaring_header) {
    return RulesWriter{schema}.write(declaring_header);
}

}  // namespace pianola::schemac
