#include "canonical_text.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace pianola::schemac {
namespace {

// The name of what a type refers to; the order of objects in the file must not matter, so that indices can not appear.
std::string reference(const reflection::Schema& schema, const reflection::Type& type, reflection::BaseType base) {
    const bool is_object = base == reflection::BaseType::Obj;
    const bool has_index = type.index() >= 0;
    if (!has_index) {
        return "";
    }
    const auto index = static_cast<flatbuffers::uoffset_t>(type.index());
    return ":" + (is_object ? schema.objects()->Get(index)->name()->str() : schema.enums()->Get(index)->name()->str());
}

std::string type_text(const reflection::Schema& schema, const reflection::Type& type) {
    std::string text = reflection::EnumNameBaseType(type.base_type());
    if ((type.base_type() == reflection::BaseType::Vector) || (type.base_type() == reflection::BaseType::Array)) {
        text += std::string{"<"} + reflection::EnumNameBaseType(type.element()) +
                reference(schema, type, type.element()) + "," + std::to_string(type.fixed_length()) + ">";
        return text;
    }
    return text + reference(schema, type, type.base_type());
}

std::string attributes_text(const reflection::Field& field) {
    std::vector<std::string> items;
    if (field.attributes() != nullptr) {
        for (const reflection::KeyValue* item : *field.attributes()) {
            const std::string value = (item->value() == nullptr) ? "" : item->value()->str();
            items.push_back(item->key()->str() + "=" + value);
        }
    }
    std::sort(items.begin(), items.end());
    std::string text;
    for (const std::string& item : items) {
        text += " " + item;
    }
    return text;
}

std::string object_text(const reflection::Schema& schema, const reflection::Object& object) {
    std::vector<const reflection::Field*> fields{object.fields()->begin(), object.fields()->end()};
    std::sort(fields.begin(), fields.end(),
              [](const auto* left, const auto* right) { return left->id() < right->id(); });
    std::string text = std::string{object.is_struct() ? "struct " : "table "} + object.name()->str() +
                       " align=" + std::to_string(object.minalign()) + " bytes=" + std::to_string(object.bytesize()) +
                       "\n";
    for (const reflection::Field* field : fields) {
        text += "  " + std::to_string(field->id()) + " " + field->name()->str() + " " +
                type_text(schema, *field->type()) + " default=" + std::to_string(field->default_integer()) + "/" +
                std::to_string(field->default_real()) + (field->required() ? " required" : "") +
                (field->deprecated() ? " deprecated" : "") + (field->optional() ? " optional" : "") +
                attributes_text(*field) + "\n";
    }
    return text;
}

std::string enum_text(const reflection::Enum& enumeration) {
    std::string text = std::string{enumeration.is_union() ? "union " : "enum "} + enumeration.name()->str() + " " +
                       reflection::EnumNameBaseType(enumeration.underlying_type()->base_type()) + "\n";
    for (const reflection::EnumVal* value : *enumeration.values()) {  // flatc stores them sorted by value
        text += "  " + value->name()->str() + "=" + std::to_string(value->value()) + "\n";
    }
    return text;
}

}  // namespace

std::string canonical_text(const reflection::Schema& schema) {
    std::vector<std::string> parts;
    for (const reflection::Object* object : *schema.objects()) {
        parts.push_back(object_text(schema, *object));
    }
    for (const reflection::Enum* enumeration : *schema.enums()) {
        parts.push_back(enum_text(*enumeration));
    }
    std::sort(parts.begin(), parts.end());
    if ((schema.root_table() == nullptr) || (schema.file_ident() == nullptr)) {
        throw std::runtime_error{"the schema has no root type, or no file identifier"};
    }
    std::string text =
        "root " + schema.root_table()->name()->str() + " identifier " + schema.file_ident()->str() + "\n";
    for (const std::string& part : parts) {
        text += part;
    }
    return text;
}

}  // namespace pianola::schemac
