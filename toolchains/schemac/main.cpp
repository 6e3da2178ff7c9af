// schemac: derives from a compiled schema (.bfbs) what the runtime must not forget.
//
// Runs at build, on the host. From the reflection of the manifest's schema it makes
//   1. the canonical text of the schema's meaning (no comments, no white space, no order of declaration),
//   2. a header with the SHA-256 of that text, which writer and runtime compile in,
//   3. the rules of every field of every table, as tables of constants: what the verifier checks, which enumerators,
//      union types and truth values the schema names, and the bound of every list and string.
// A new enumeration is checked because it is in the schema. What the rules cannot express (recursive tables, nested
// buffers, lists of unions) is refused here, at build.

#include <flatbuffers/reflection_generated.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "pianola/sha256.h"
#include "rules_writer.h"

namespace {

// The name of the type that a type refers to: indices would depend on the order of objects in the file.
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

// What the schema hash is computed over: one line per enumeration, enumerator, object and field, sorted by name and id.
// Two schemas have the same text exactly where files of one mean the same when read with the other. Throws
// std::runtime_error on what the manifest must not use.
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

std::vector<char> read_file(const std::string& name) {
    std::ifstream stream{name, std::ios::binary};
    if (!stream) {
        throw std::runtime_error{"can not read " + name};
    }
    return {std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
}

void write_file(const std::string& name, const std::string& text) {
    std::ofstream stream{name, std::ios::binary};
    stream << text;
    stream.flush();
    if (!stream) {
        throw std::runtime_error{"can not write " + name};
    }
}

std::string hash_header(const std::string& meaning) {
    const std::vector<std::uint8_t> bytes{meaning.begin(), meaning.end()};
    const pianola::Sha256Digest digest = pianola::sha256({bytes.data(), bytes.size()});
    static constexpr const char* kDigits = "0123456789ABCDEF";
    std::string text =
        "// Made by schemac from the schema. Do not edit.\n#pragma once\n\n#include <array>\n#include <cstdint>\n\n"
        "namespace pianola {\n\n// SHA-256 of the schema's meaning.\n"
        "inline constexpr std::array<std::uint8_t, 32> kSchemaHash{";
    for (const std::uint8_t byte : digest) {
        text += std::string{"0x"} + kDigits[byte >> 4U] + kDigits[byte & 15U] + "U, ";
    }
    text.erase(text.size() - 2U);
    return text + "};\n\n}  // namespace pianola\n";
}

int run(const std::vector<std::string>& arguments) {
    if (arguments.size() != 3U) {
        std::cerr << "usage: schemac SCHEMA.bfbs DECLARING_HEADER OUT_FOLDER\n"
                     "makes OUT_FOLDER/schema.txt, pianola_schema_hash.h and schema_rules_generated.cpp\n";
        return 2;
    }
    const std::vector<char> bytes = read_file(arguments[0]);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-010
    const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data());
    flatbuffers::Verifier verifier{first, bytes.size()};
    if (!reflection::VerifySchemaBuffer(verifier)) {
        throw std::runtime_error{arguments[0] + " is not a compiled schema"};
    }
    const reflection::Schema& schema = *reflection::GetSchema(bytes.data());
    const std::string text = canonical_text(schema);
    // First what can be refused: no file where there is no check.
    const std::string rules = pianola::schemac::rules_source(schema, arguments[1]);
    write_file(arguments[2] + "/schema.txt", text);
    write_file(arguments[2] + "/pianola_schema_hash.h", hash_header(text));
    write_file(arguments[2] + "/schema_rules_generated.cpp", rules);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        std::cerr << "schemac: " << error.what() << '\n';
        return 1;
    }
}
