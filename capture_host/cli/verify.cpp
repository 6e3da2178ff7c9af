// pianola verify: would the target take this binary?

#include "capture_host/writer/verify.h"

#include <fmt/format.h>

#include <limits>
#include <memory>

#include "capture_host/cli/cli.h"
#include "capture_host/cli/evidence_text.h"
#include "capture_host/cli/target_option.h"
#include "capture_host/signing/keys.h"
#include "capture_host/signing/receipt.h"
#include "capture_host/writer/profiles.h"
#include "hal/crypto/bearssl_verifier.h"
#include "pianola/trust.h"

namespace pianola::cli {
namespace {

struct VerifyArguments {
    std::string file;
    TargetArguments target;
    std::vector<std::string> keys;     // PEM files
    std::vector<std::string> revoked;  // PEM files
    std::uint32_t lowest_security_version{0U};
    std::string receipt;
    std::string receipt_key;
    bool json{false};
};

std::vector<TrustedKey> load_keys(const VerifyArguments& arguments) {
    std::vector<TrustedKey> keys;
    const auto add = [&keys](const std::vector<std::string>& files, KeyState state) {
        for (const std::string& file : files) {
            const signing::Key key = signing::Key::load_public(file);
            keys.push_back({key.id(), key.point(), state});
        }
    };
    add(arguments.revoked, KeyState::kRevoked);  // first: a key that is both is revoked
    add(arguments.keys, KeyState::kTrusted);
    return keys;
}

int verify_file(const VerifyArguments& arguments) {
    const BinaryFile file{arguments.file, arguments.target};
    // What a device has in its configuration. Without any key signatures are not looked at, which is what development
    // wants.
    const std::vector<TrustedKey> keys = load_keys(arguments);
    const BearSslVerifier verifier;
    const Trust trust{keys.empty() ? SignaturePolicy::kOptional : SignaturePolicy::kRequired,
                      {keys.data(), keys.size()},
                      &verifier,
                      arguments.lowest_security_version};

    const auto workspace = std::make_unique<PlanWorkspace>();
    Image image;
    Plan plan;
    Verdict verdict;
    const Status status = capture::verify(file.bytes(), file.device(), file.target().command_set(), trust, *workspace,
                                          image, plan, verdict);
    if (!arguments.receipt.empty()) {
        const nlohmann::json statement =
            signing::make_statement({file.bytes(), file.device(), trust, verdict, image, file.target().command_set(),
                                     PIANOLA_VERSION, file.plugin()});
        files::store_file(arguments.receipt,
                          signing::make_receipt(statement, signing::Key::load_private(arguments.receipt_key)));
    }
    const nlohmann::json evidence =
        is_ok(status) ? evidence_of(image, &file.target().command_set()) : nlohmann::json::object();
    const std::string remedy =
        capture::capacity_remedy(file.bytes(), file.device(), file.target().command_set(), trust, verdict);
    if (arguments.json) {
        nlohmann::json json = file.to_json(verdict, image);
        json["file"] = arguments.file;
        json.update(evidence);
        if (!remedy.empty()) {
            json["remedy"] = remedy;
        }
        if (!file.plugin().empty()) {
            json["plugin"] = file.plugin();
        }
        fmt::print("{}\n", json_text(json));
    } else {
        fmt::print("{}: {}\n", arguments.file, file.describe(verdict, image));
        fmt::print("{}", evidence_text(evidence));
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
    const auto [command, arguments] =
        add_command(app, action, "verify", "Runs every check that the target runs, and those of the host", verify_file);
    command->footer(
        "A refusal names the rule (docs/reference/rules.md), the field and the byte offset, and ends with exit code 3. "
        "With "
        "--key,\n"
        "files that are not signed, or by others, are refused as a device in production refuses them.");
    add_text(*command, "file", arguments->file, kReads, "Trace binary")->required();
    add_text(*command, "--key", arguments->keys, kReads,
             "Public key, PEM: only what this key has signed is accepted; may be given several times");
    add_text(*command, "--revoked", arguments->revoked, kReads, "Public key, PEM: what it has signed is refused");
    command
        ->add_option("--lowest-security-version", arguments->lowest_security_version,
                     "Refuse binaries of a lower security version, as a device whose counter stands there")
        ->check(CLI::Range(0U, std::numeric_limits<std::uint32_t>::max()));
    CLI::Option* const receipt = add_text(*command, "--receipt", arguments->receipt, kWrites,
                                          "Write a signed statement of the verdict (docs/reference/receipt.md)");
    CLI::Option* const receipt_key = add_text(*command, "--receipt-key", arguments->receipt_key, kReads,
                                              "Private key, PEM, that signs the statement");
    receipt->needs(receipt_key);
    receipt_key->needs(receipt);
    add_target_options(*command, arguments->target);
    command->add_flag("--json", arguments->json, "Print the verdict as JSON");
}

}  // namespace pianola::cli
