// pianola verify: would the target take this binary?

#include "capture_host/writer/verify.h"

#include <fmt/format.h>

#include <memory>

#include "capture_host/cli/cli.h"
#include "capture_host/cli/target_option.h"
#include "capture_host/cli/trust_option.h"
#include "capture_host/signing/receipt.h"
#include "capture_host/writer/profiles.h"

namespace pianola::cli {
namespace {

struct VerifyArguments {
    std::string file;
    TargetArguments target;
    TrustArguments trust;
    std::string receipt;
    std::string receipt_key;
    bool json{false};
};

int verify_file(const VerifyArguments& arguments) {
    const BinaryFile file{arguments.file, arguments.target};
    const TrustOption trust{arguments.trust};

    const auto workspace = std::make_unique<PlanWorkspace>();
    Image image;
    Plan plan;
    Verdict verdict;
    const Status status = capture::verify(file.bytes(), file.device(), file.target().command_set(), trust.trust(),
                                          *workspace, image, plan, verdict);
    if (!arguments.receipt.empty()) {
        const nlohmann::json statement = signing::make_statement(
            {file.bytes(), file.device(), trust.trust(), verdict, PIANOLA_VERSION, file.plugin()});
        files::store_file(arguments.receipt,
                          signing::make_receipt(statement, signing::Key::load_private(arguments.receipt_key)));
    }
    const std::string remedy =
        capture::capacity_remedy(file.bytes(), file.device(), file.target().command_set(), trust.trust(), verdict);
    if (arguments.json) {
        nlohmann::json json = file.to_json(verdict, image);
        json["file"] = arguments.file;
        if (!remedy.empty()) {
            json["remedy"] = remedy;
        }
        if (!file.plugin().empty()) {
            json["plugin"] = file.plugin();
        }
        fmt::print("{}\n", json_text(json));
    } else {
        fmt::print("{}: {}\n", arguments.file, file.describe(verdict, image));
        if (!remedy.empty()) {
            fmt::print("  remedy  {}\n", remedy);
        }
        if (!file.plugin().empty()) {
            fmt::print("  plugin  {}\n", file.plugin());
        }
    }
    return is_ok(status) ? kDone : kRefused;
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
    auto arguments = std::make_shared<VerifyArguments>();
    CLI::App* const command =
        app.add_subcommand("verify", "Runs every check that the target runs, and those of the host");
    command->footer(
        "A refusal names the rule (docs/reference/rules.md), the field and the byte offset, and ends with exit code 3. "
        "With "
        "--key,\n"
        "files that are not signed, or by others, are refused as a device in production refuses them.");
    command->add_option("file", arguments->file, "Trace binary")->required()->type_name(kReads);
    add_trust_options(*command, arguments->trust);
    CLI::Option* const receipt = command
                                     ->add_option("--receipt", arguments->receipt,
                                                  "Write a signed statement of the verdict (docs/reference/receipt.md)")
                                     ->type_name(kWrites);
    CLI::Option* const receipt_key =
        command->add_option("--receipt-key", arguments->receipt_key, "Private key, PEM, that signs the statement")
            ->type_name(kReads);
    receipt->needs(receipt_key);
    receipt_key->needs(receipt);
    add_target_options(*command, arguments->target);
    command->add_flag("--json", arguments->json, "Print the verdict as JSON");
    command->callback([arguments, &action] { action = [arguments] { return verify_file(*arguments); }; });
}

}  // namespace pianola::cli
