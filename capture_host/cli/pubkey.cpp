// pianola pubkey: shows the public half of a key in the forms that others need.

#include <fmt/format.h>

#include "capture_host/binary/signing.h"
#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/options.h"

namespace pianola::cli {
namespace {

struct PubkeyArguments {
    std::string key;
    std::string format{"pem"};
    std::string symbol{"kSigningKey"};
    std::string language{"c++"};
    std::string output;
};

std::string to_list(ByteSpan bytes) {
    constexpr std::size_t kPerLine = 12U;
    std::string text;
    for (std::size_t i = 0U; i < bytes.size(); ++i) {
        text += fmt::format("{}0x{:02X}U,", ((i % kPerLine) == 0U) ? "\n        " : " ", bytes[i]);
    }
    return text;
}

std::string to_source(const signing::Key& key, const std::string& symbol) {
    return fmt::format(
        "// Public key, SHA-256 of its SubjectPublicKeyInfo {}; made by pianola pubkey.\n"
        "#include \"pianola/trust.h\"\n\n"
        "inline constexpr pianola::TrustedKey {}{{\n"
        "    {{{}}},\n    {{{}}},\n    pianola::KeyState::kTrusted}};\n",
        to_hex(ByteSpan{key.hash()}), symbol, to_list(ByteSpan{key.id()}), to_list(ByteSpan{key.point()}));
}

// For the C API: a constant with internal linkage, so that the header may be included wherever it is wanted.
std::string to_c99_source(const signing::Key& key, const std::string& symbol) {
    return fmt::format(
        "/* Public key, SHA-256 of its SubjectPublicKeyInfo {0}; made by pianola pubkey. */\n"
        "#ifndef PIANOLA_KEY_{1}_H\n#define PIANOLA_KEY_{1}_H\n\n"
        "#include \"pianola.h\"\n\n"
        "static const pnl_trusted_key_t {1} = {{\n"
        "    {{{2}}},\n    {{{3}}},\n    PNL_KEY_STATE_TRUSTED}};\n\n"
        "#endif\n",
        to_hex(ByteSpan{key.hash()}), symbol, to_list(ByteSpan{key.id()}), to_list(ByteSpan{key.point()}));
}

std::string key_to_json(const signing::Key& key) {
    nlohmann::json json{{"type", (key.kind() == signing::KeyKind::kP256) ? "p256" : "ed25519"},
                        {"hash", to_hex(ByteSpan{key.hash()})},
                        {"id", to_hex(ByteSpan{key.id()})},
                        {"pem", key.public_pem()}};
    if (key.kind() == signing::KeyKind::kP256) {
        json["point"] = to_hex(ByteSpan{key.point()});
    }
    return json_text(json) + "\n";
}

int show_public_key(const PubkeyArguments& arguments) {
    const signing::Key key = signing::Key::load_public(arguments.key);
    std::string text;
    if (arguments.format == "pem") {
        text = key.public_pem();
    } else if (arguments.format == "c") {
        text = (arguments.language == "c99") ? to_c99_source(key, arguments.symbol) : to_source(key, arguments.symbol);
    } else if (arguments.format == "hash") {
        text = to_hex(ByteSpan{key.hash()}) + "\n";
    } else {
        text = key_to_json(key);
    }
    write_result(arguments.output, text);
    return kDone;
}

}  // namespace

void add_pubkey(CLI::App& app, Action& action) {
    const auto [command, arguments] =
        add_command(app, action, "pubkey", "Shows the public half of a key", show_public_key);
    command->footer(
        "Examples:\n"
        "  pianola pubkey private.pem -o public.pem\n"
        "  pianola pubkey private.pem --format c --symbol kFleetKey -o fleet_key.h\n\n"
        "c is a header with a constant for the device's list of keys. hash is what\n"
        "`openssl pkey -pubin -outform DER | sha256sum` prints; its first 16 digits are the key's id in binaries.");
    add_text(*command, "key", arguments->key, kReads, "Private or public key, PEM")->required();
    command->add_option("--format", arguments->format, "pem, c, hash or json")
        ->check(CLI::IsMember({"pem", "c", "hash", "json"}))
        ->capture_default_str();
    add_symbol_option(*command, arguments->symbol, "Name of the constant, for --format c")->capture_default_str();
    add_language_option(*command, arguments->language, "c++", "Of the constant, for --format c");
    add_text(*command, "-o,--output", arguments->output, kWrites, "File; without it standard output");
}

}  // namespace pianola::cli
