// schemac: derives from a compiled schema (.bfbs) what the runtime must not forget.
//
// Runs at build, on the host. From the reflection of the manifest's schema it makes
//   1. the canonical text of the schema's meaning (no comments, no white space, no order of declaration), 2. a header
//   with the SHA-256 of that text, which writer and runtime compile in, 3. the rules of every field of every table, as
//   tables of constants: what the verifier has to look at, which enumerators,
//      union types and truth values the schema names, and the bound of every list and string.
// A new enumeration is checked because it is in the schema: nobody has to remember it. What the rules can not express
// (recursive tables, nested buffers, lists of unions) is refused here, at build.

#include <flatbuffers/reflection_generated.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "canonical_text.h"
#include "pianola/sha256.h"
#include "rules_writer.h"

namespace {

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

std::string hash_header(const std::string& canonical_text) {
    const std::vector<std::uint8_t> bytes{canonical_text.begin(), canonical_text.end()};
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
    const std::string text = pianola::schemac::canonical_text(schema);
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
