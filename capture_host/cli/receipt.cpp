// pianola receipt: what a signed statement about a binary says.

#include "capture_host/signing/receipt.h"

#include <fmt/format.h>

#include <memory>

#include "capture_host/cli/cli.h"

namespace pianola::cli {
namespace {

struct CheckArguments {
    std::string receipt;
    std::string key;
    std::string binary;
    bool json{false};
};

std::string describe(const nlohmann::json& statement) {
    const nlohmann::json& verdict = statement.at("verdict");
    const nlohmann::json& binary = statement.at("binary");
    const nlohmann::json& validator = statement.at("validator");
    const std::string judgement = verdict.at("accepted").get<bool>()
                                      ? "accepted"
                                      : fmt::format("refused: {} at {}", verdict.at("rule").get<std::string>(),
                                                    verdict.at("field").get<std::string>());
    return fmt::format("the signature holds\n  binary    {}, {} bytes\n  validator {}, {} rules\n  verdict   {}\n",
                       binary.at("sha256").get<std::string>(), binary.at("bytes").get<std::uint64_t>(),
                       validator.at("version").get<std::string>(), validator.at("rules").size(), judgement);
}

int check(const CheckArguments& arguments) {
    nlohmann::json statement;
    try {
        statement = signing::open_receipt(files::load_file(arguments.receipt, files::kSmallLimitBytes),
                                          signing::Key::load_public(arguments.key));
    } catch (const signing::SigningError& error) {
        throw CliError{kRefused, fmt::format("{}: {}", arguments.receipt, error.what())};
    }
    try {
        const std::string text = describe(statement);
        if (!arguments.binary.empty()) {
            const std::vector<std::uint8_t> bytes = files::load_file(arguments.binary);
            if (statement.at("binary").at("sha256") != to_hex(ByteSpan{sha256(ByteSpan{bytes.data(), bytes.size()})})) {
                throw CliError{kRefused, fmt::format("{}: the receipt speaks of another binary", arguments.binary)};
            }
        }
        fmt::print("{}", arguments.json ? (statement.dump(2) + "\n") : text);
        return statement.at("verdict").at("accepted").get<bool>() ? kDone : kRefused;
    } catch (const nlohmann::json::exception& error) {
        // Somebody else's tool has signed it.
        throw CliError{kRefused,
                       fmt::format("{}: signed, but no statement of a verdict: {}", arguments.receipt, error.what())};
    }
}

}  // namespace

void add_receipt(CLI::App& app, Action& action) {
    CLI::App* const command = app.add_subcommand("receipt", "Looks at what `pianola verify --receipt` has written");
    command->require_subcommand(1);
    auto arguments = std::make_shared<CheckArguments>();
    CLI::App* const check_command = command->add_subcommand("check", "Verifies a receipt and says what it states");
    check_command->footer(
        "Exit code 0: the signature holds, it is this binary's, and the binary was accepted. 3: one of these is not "
        "so.");
    check_command->add_option("receipt", arguments->receipt, "Receipt, JSON")->required()->type_name(kReadsJson);
    check_command->add_option("--key", arguments->key, "Public key, PEM, of who has verified")
        ->required()
        ->type_name(kReads);
    check_command->add_option("--binary", arguments->binary, "Trace binary that the receipt must speak of")
        ->type_name(kReads);
    check_command->add_flag("--json", arguments->json, "Print the statement as JSON");
    check_command->callback([arguments, &action] { action = [arguments] { return check(*arguments); }; });
}

}  // namespace pianola::cli
