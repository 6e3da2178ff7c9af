// pianola receipt: what a signed statement about a binary says.

#include "capture_host/binary/receipt.h"

#include <fmt/format.h>

#include "capture_host/binary/openssl_digest.h"
#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/facts.h"
#include "capture_host/cli/options.h"

namespace pianola::cli {
namespace {

struct CheckArguments {
    std::string receipt;
    std::string key;
    std::string binary;
    bool json{false};
};

// Empty if the statement has no device.
std::string describe_device(const nlohmann::json& device) {
    for (const char* const member : {"family", "attestation", "costs", "profile"}) {
        if (!device.contains(member) || !device.at(member).is_string()) {
            return {};
        }
    }
    return fmt::format("  device    {}, attests {}, costs {}, profile {}\n", printable(device.at("family")),
                       printable(device.at("attestation")), printable(device.at("costs")),
                       printable(device.at("profile")));
}

std::string describe(const nlohmann::json& statement) {
    const nlohmann::json& verdict = statement.at("verdict");
    const nlohmann::json& binary = statement.at("binary");
    const nlohmann::json& validator = statement.at("validator");
    const std::string judgement =
        verdict.at("accepted").get<bool>()
            ? "accepted"
            : fmt::format("refused: {} at {}", printable(verdict.at("rule")), printable(verdict.at("field")));
    const std::string plugin =
        validator.contains("plugin") ? ("  plugin    " + validator.at("plugin").get<std::string>() + "\n") : "";
    return fmt::format(
        "the signature holds\n  binary    {}, {} bytes\n{}  validator {}, {} rules\n{}  verdict   {}\n{}",
        binary.at("sha256").get<std::string>(), binary.at("bytes").get<std::uint64_t>(),
        describe_device(statement.at("device")), printable(validator.at("version")), validator.at("rules").size(),
        plugin, judgement, evidence_text(statement));
}

int check(const CheckArguments& arguments) {
    nlohmann::json statement;
    try {
        statement = signing::open_receipt(files::load_file(arguments.receipt, files::kSmallLimitBytes),
                                          signing::Key::load_public(arguments.key));
    } catch (const signing::SigningError& error) {
        throw CliError{kRefused, fmt::format("{}: {}", files::readable(arguments.receipt), error.what())};
    }
    if (!arguments.binary.empty()) {
        const std::vector<std::uint8_t> bytes = load_binary(arguments.binary);
        if (statement.at("binary").at("sha256") !=
            to_hex(ByteSpan{signing::openssl_sha256(ByteSpan{bytes.data(), bytes.size()})})) {
            throw CliError{kRefused,
                           fmt::format("{}: the receipt speaks of another binary", files::readable(arguments.binary))};
        }
    }
    if (arguments.json) {
        nlohmann::json shown = statement;
        shown["schema_version"] = kJsonSchemaVersion;
        fmt::print("{}\n", shown.dump(2, ' ', true));
    } else {
        fmt::print("{}", describe(statement));
    }
    return statement.at("verdict").at("accepted").get<bool>() ? kDone : kRefused;
}

}  // namespace

void add_receipt(CLI::App& app, Action& action) {
    CLI::App* const command = app.add_subcommand("receipt", "Looks at what `pianola verify --receipt` has written");
    command->require_subcommand(1);
    command->footer(
        "Examples:\n"
        "  pianola verify model.ptb --receipt model.receipt --receipt-key verifier.pem\n"
        "  pianola receipt check model.receipt --key verifier.pem --binary model.ptb\n\n"
        "docs/reference/receipt.md describes the file.");
    const auto [check_command, arguments] =
        add_command(*command, action, "check", "Verifies a receipt and says what it states", check);
    check_command->footer(
        "Exit code 0: the signature holds, the binary was accepted, and with --binary it is this one. 3: one of these "
        "is\n"
        "not so.");
    add_text(*check_command, "receipt", arguments->receipt, kReadsJson, "Receipt, JSON")->required();
    add_text(*check_command, "--key", arguments->key, kReads, "Public key, PEM, of who has verified")->required();
    add_text(*check_command, "--binary", arguments->binary, kReads, "Trace binary that the receipt must speak of");
    check_command->add_flag("--json", arguments->json, "Print the statement as JSON");
}

}  // namespace pianola::cli
