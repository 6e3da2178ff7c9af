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
    const nlohmann::json& verdict = statement["verdict"];
    const std::string judgement =
        verdict["accepted"].get<bool>()
            ? "accepted"
            : fmt::format("refused: {} at {}", verdict["rule"].get<std::string>(), verdict["field"].get<std::string>());
    return fmt::format(
        "the signature holds\n  binary    {}, {} bytes\n  validator {}, {} rules\n  verdict   {}\n",
        statement["binary"]["sha256"].get<std::string>(), statement["binary"]["bytes"].get<std::uint64_t>(),
        statement["validator"]["version"].get<std::string>(), statement["validator"]["rules"].size(), judgement);
}

int check(const CheckArguments& arguments) {
    nlohmann::json statement;
    try {
        statement =
            signing::open_receipt(files::load_file(arguments.receipt), signing::Key::load_public(arguments.key));
    } catch (const signing::SigningError& error) {
        throw CliError{kRefused, fmt::format("{}: {}", arguments.receipt, error.what())};
    }
    if (!arguments.binary.empty()) {
        const std::vector<std::uint8_t> bytes = files::load_file(arguments.binary);
        if (statement["binary"]["sha256"] != to_hex(ByteSpan{sha256(ByteSpan{bytes.data(), bytes.size()})})) {
            throw CliError{kRefused, fmt::format("{}: the receipt speaks of another binary", arguments.binary)};
        }
    }
    fmt::print("{}", arguments.json ? (statement.dump(2) + "\n") : describe(statement));
    return statement["verdict"]["accepted"].get<bool>() ? kDone : kRefused;
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
    check_command->add_option("receipt", arguments->receipt, "Receipt, JSON")->required();
    check_command->add_option("--key", arguments->key, "Public key, PEM, of who has verified")->required();
    check_command->add_option("--binary", arguments->binary, "Trace binary that the receipt must speak of");
    check_command->add_flag("--json", arguments->json, "Print the statement as JSON");
    check_command->callback([arguments, &action] { action = [arguments] { return check(*arguments); }; });
}

}  // namespace pianola::cli
