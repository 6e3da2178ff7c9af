// pianola keygen: makes a private key to sign with.

#include <fmt/format.h>

#include "capture_host/binary/signing.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/json_text.h"
#include "capture_host/cli/options.h"

namespace pianola::cli {
namespace {

struct KeygenArguments {
    std::string output;
    std::string type{"p256"};
    bool json{false};
};

int make_key(const KeygenArguments& arguments) {
    const signing::Key key =
        signing::Key::generate((arguments.type == "p256") ? signing::KeyKind::kP256 : signing::KeyKind::kEd25519);
    files::store_new_secret(arguments.output, key.private_pem());
    const nlohmann::json json{{"file", arguments.output},
                              {"type", arguments.type},
                              {"hash", to_hex(ByteSpan{key.hash()})},
                              {"id", to_hex(ByteSpan{key.id()})}};
    print_result(arguments.json, json,
                 files::readable(arguments.output) + fill(": a private key, readable by you alone\n  id {id}\n", json));
    return kDone;
}

}  // namespace

void add_keygen(CLI::App& app, Action& action) {
    const auto [command, arguments] =
        add_command(app, action, "keygen", "Makes a private key to sign binaries or receipts with", make_key);
    command->footer(
        "Examples:\n"
        "  pianola keygen -o private.pem\n"
        "  pianola keygen -o verifier.pem --type ed25519\n\n"
        "The key is written without a password, readable by its owner alone: keep it off build machines, or leave it "
        "in\n"
        "an HSM and sign with `pianola sign --digest-out`. An existing file is never overwritten.");
    add_text(*command, "-o,--output", arguments->output, kWrites, "Private key, PEM (PKCS#8)")->required();
    command->add_option("--type", arguments->type, "p256 signs binaries and receipts, ed25519 receipts only")
        ->check(CLI::IsMember({"p256", "ed25519"}))
        ->capture_default_str();
    command->add_flag("--json", arguments->json, "Print hash and id as JSON");
}

}  // namespace pianola::cli
