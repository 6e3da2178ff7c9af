#include "strictness_writer.h"

#include <fmt/format.h>

#include <map>
#include <stdexcept>
#include <vector>

namespace pianola::schemac {
namespace {

using reflection::BaseType;

std::string cpp_name(const std::string& dotted) {
    std::string name = "::";
    for (const char character : dotted) {
        name += (character == '.') ? std::string{"::"} : std::string{character};
    }
    return name;
}

class StrictnessWriter {
  public:
    explicit StrictnessWriter(const reflection::Schema& schema) : schema_{schema} {}

    std::string write(const StrictnessHeaders& headers) {
        write_enumerations();
        visit(*schema_.root_table());
        return fmt::format(
            "// Made by schemac from the schema. Do not edit.\n#include \"{}\"\n#include \"{}\"\n"
            "#include \"runtime/core/config.h\"\n\nnamespace pianola {{\nnamespace {{\n\n{}}}  // namespace\n\n"
            "bool check_strictness(StrictnessWalk& walk, const {}& root) noexcept {{\n    return check(walk, "
            "root);\n}}\n\n"
            "}}  // namespace pianola\n",
            headers.declaring, headers.generated, body_, cpp_name(schema_.root_table()->name()->str()));
    }

  private:
    enum class Mark { kOpen, kDone };

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

    void write_enumerations() {
        for (const reflection::Enum* enumeration : *schema_.enums()) {
            const std::string type = cpp_name(enumeration->name()->str());
            const reflection::EnumVal* zero = enumeration->values()->LookupByKey(0);
            const std::string zero_name = enumeration->is_union() ? "NONE" : "Unspecified";
            if ((zero == nullptr) || (zero->name()->str() != zero_name)) {
                throw std::runtime_error{enumeration->name()->str() + ": the enumerator 0 must be " + zero_name};
            }
            body_ += "[[nodiscard]] bool known(" + type + " value) noexcept {\n    switch (value) {\n";
            for (const reflection::EnumVal* value : *enumeration->values()) {
                if (value->value() != 0) {
                    body_ += "        case " + type + "::" + value->name()->str() + ":\n";
                }
            }
            body_ += "            return true;\n        default:\n            return false;\n    }\n}\n\n";
        }
    }

    // Children first, so that every function is defined before it is called. A table that is met again while it is open
    // contains itself: the check would need recursion.
    void visit(const reflection::Object& table) {
        const std::string name = table.name()->str();
        const auto found = marks_.find(name);
        if (found != marks_.end()) {
            if (found->second == Mark::kOpen) {
                throw std::runtime_error{name +
                                         " contains itself; recursive tables can not be checked in fixed memory"};
            }
            return;
        }
        marks_[name] = Mark::kOpen;
        std::string checks;
        for (const reflection::Field* field : *table.fields()) {
            checks += field_check(table, *field);
        }
        marks_[name] = Mark::kDone;
        body_ += "[[nodiscard]] bool check(StrictnessWalk& walk, const " + cpp_name(name) + "& table) noexcept {\n";
        if (checks.empty()) {
            checks = "    static_cast<void>(walk);\n    static_cast<void>(table);\n";
        }
        body_ += ending_in_return(checks) + "}\n\n";
    }

    std::string guard(const std::string& condition) {
        last_condition_ = condition;
        return "    if (!" + condition + ") {\n        return false;\n    }\n";
    }

    // The checks of a function, and what it returns when all have passed. A last guard is the result itself.
    std::string ending_in_return(const std::string& checks) {
        const std::string condition = last_condition_;
        const std::string last = guard(condition);
        const bool ends_in_guard =
            (checks.size() >= last.size()) && (checks.compare(checks.size() - last.size(), last.size(), last) == 0);
        return ends_in_guard ? checks.substr(0U, checks.size() - last.size()) + "    return " + condition + ";\n"
                             : checks + "    return true;\n";
    }

    static std::string max_count(const reflection::Object& table, const reflection::Field& field) {
        const reflection::KeyValue* item =
            (field.attributes() == nullptr) ? nullptr : field.attributes()->LookupByKey("max_count");
        if ((item == nullptr) || (item->value() == nullptr)) {
            unsupported(table, field, "lists and strings need max_count");
        }
        return item->value()->str();
    }

    std::string field_check(const reflection::Object& table, const reflection::Field& field) {
        const std::string name = field.name()->str();
        const std::string place = "table, " + std::to_string(field.offset()) + "U, \"" + name + "\", ";
        const reflection::Type& type = *field.type();
        if ((field.attributes() != nullptr) && ((field.attributes()->LookupByKey("nested_flatbuffer") != nullptr) ||
                                                (field.attributes()->LookupByKey("flexbuffer") != nullptr))) {
            unsupported(table, field, "nested buffers restart the verifier's limits");
        }
        switch (type.base_type()) {
            case BaseType::Bool:
                return guard("walk.truth_value(" + place + std::to_string(field.default_integer()) + "U)");
            case BaseType::UType:
                return "";  // checked with the union itself
            case BaseType::String:
                return guard("walk.name(" + place + "table." + name + "(), " + max_count(table, field) + ")");
            case BaseType::Obj:
                return object_check(table, field, *object_of(type));
            case BaseType::Union:
                return union_check(table, field, *enumeration_of(type));
            case BaseType::Vector:
                return vector_check(table, field);
            case BaseType::None:
            case BaseType::Array:
                unsupported(table, field, "a type that no table can have");
            default:
                break;
        }
        if (enumeration_of(type) != nullptr) {
            return guard("walk.enumerator(" + place + "known(table." + name + "()), static_cast<std::uint64_t>(table." +
                         name + "()))");
        }
        return "";  // a plain number: any value is a value
    }

    // Structs have no vtable to walk: they may hold nothing whose values must be checked.
    static void require_numbers(const reflection::Object& table, const reflection::Field& field,
                                const reflection::Object& target) {
        for (const reflection::Field* member : *target.fields()) {
            const reflection::Type& type = *member->type();
            const bool is_array = type.base_type() == BaseType::Array;
            const BaseType base = is_array ? type.element() : type.base_type();
            if ((type.index() >= 0) || (base == BaseType::Bool)) {  // an enumeration, or another struct
                unsupported(table, field, "structs hold numbers only");
            }
        }
    }

    std::string object_check(const reflection::Object& table, const reflection::Field& field,
                             const reflection::Object& target) {
        if (target.is_struct()) {
            require_numbers(table, field, target);
            return "";
        }
        visit(target);
        const std::string name = field.name()->str();
        return "    if (table." + name + "() != nullptr) {\n        walk.enter(\"" + name +
               "\");\n        if (!check(walk, *table." + name +
               "())) {\n            return false;\n        }\n        walk.leave();\n    }\n";
    }

    std::string union_check(const reflection::Object& table, const reflection::Field& field,
                            const reflection::Enum& enumeration) {
        const std::string name = field.name()->str();
        const std::string type = cpp_name(enumeration.name()->str());
        std::string text = guard("walk.union_type(table, " + std::to_string(field.offset() - 2U) + "U, \"" + name +
                                 "\", known(table." + name + "_type()) && (table." + name +
                                 "() != nullptr), static_cast<std::uint64_t>(table." + name + "_type()))");
        text += "    walk.enter(\"" + name + "\");\n    switch (table." + name + "_type()) {\n";
        for (const reflection::EnumVal* value : *enumeration.values()) {
            if (value->value() == 0) {
                continue;
            }
            const reflection::Object* target = object_of(*value->union_type());
            if ((target == nullptr) || target->is_struct()) {
                unsupported(table, field, "unions hold tables only");
            }
            visit(*target);
            text += fmt::format(
                "        case {0}::{1}:\n            if (!check(walk, *table.{2}_as_{1}())) {{\n                return "
                "false;\n"
                "            }}\n            break;\n",
                type, value->name()->str(), name);
        }
        return text + "        default:\n            return false;\n    }\n    walk.leave();\n";
    }

    std::string vector_check(const reflection::Object& table, const reflection::Field& field) {
        const std::string name = field.name()->str();
        const std::string place = "table, " + std::to_string(field.offset()) + "U, \"" + name + "\", ";
        const reflection::Type& type = *field.type();
        std::string inner;
        switch (type.element()) {
            case BaseType::Bool:
                inner = "            if (!walk.truth_element(\"" + name +
                        "\", i, list->Data() + i)) {\n                return false;\n            }\n";
                break;
            case BaseType::String:
                inner = "            if (!walk.name_element(\"" + name +
                        "\", i, list->Get(i), kMaxNameBytes)) {\n                return false;\n            }\n";
                break;
            case BaseType::Obj: {
                const reflection::Object& target = *object_of(type);
                if (target.is_struct()) {
                    require_numbers(table, field, target);
                } else {
                    visit(target);
                    inner = "            walk.enter(\"" + name +
                            "\", i);\n            if (!check(walk, *list->Get(i))) {\n                return false;\n  "
                            "          }\n"
                            "            walk.leave();\n";
                }
                break;
            }
            case BaseType::UType:
            case BaseType::Union:
            case BaseType::Vector:
                unsupported(table, field, "lists of unions or lists can not be checked");
            default:
                if (enumeration_of(type) != nullptr) {
                    inner = "            const auto value = static_cast<" +
                            cpp_name(enumeration_of(type)->name()->str()) +
                            ">(list->Get(i));\n            if (!walk.enumerator_element(\"" + name +
                            "\", i, list->Data() + (std::size_t{i} * sizeof(value)), known(value), "
                            "static_cast<std::uint64_t>(value))) {\n"
                            "                return false;\n            }\n";
                }
                break;
        }
        std::string text = "    if (const auto* const list = table." + name +
                           "(); list != nullptr) {\n        if (!walk.count(" + place + "list->size(), " +
                           max_count(table, field) + ")) {\n            return false;\n        }\n";
        if (!inner.empty()) {
            text += "        for (std::uint32_t i = 0U; i < list->size(); ++i) {\n" + inner + "        }\n";
        }
        return text + "    }\n";
    }

    const reflection::Schema& schema_;
    std::map<std::string, Mark> marks_;
    std::string last_condition_;
    std::string body_;
};

}  // namespace

std::string strictness_source(const reflection::Schema& schema, const StrictnessHeaders& headers) {
    return StrictnessWriter{schema}.write(headers);
}

}  // namespace pianola::schemac
