// pianola sign: a binary with a signature, made here or by a key that is kept elsewhere.

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>

#include "capture_host/binary/signing.h"
#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/json_text.h"
#include "capture_host/cli/options.h"
#include "hal/crypto/bearssl_verifier.h"

namespace pianola::cli {
namespace {

// One less than the value of a platform's counter that does not answer, which no file passes.
constexpr std::uint32_t kHighestSecurityVersion = std::numeric_limits<std::uint32_t>::max() - 1U;

struct SignArguments {
    std::string file;
    std::string output;
    std::string key;           // private
    std::string public_key;    // of a key that is kept elsewhere
    std::string digest_out;    // first half of signing elsewhere
    std::string signature_in;  // second half
    TargetArguments target;
    std::optional<std::uint32_t> security_version;
    bool json{false};
};

int report(const SignArguments& arguments, const signing::Key& key, const signing::Bytes& file, const char* what) {
    const nlohmann::json json{{"file", arguments.output},
                              {"state", what},
                              {"key", to_hex(ByteSpan{key.id()})},
                              {"security_version", signing::security_version_of(file)},
                              {"digest", to_hex(ByteSpan{signing::digest_of(file)})}};
    print_result(
        arguments.json, json,
        files::readable(arguments.output) + fill(": {state}, key {key}, security version {security_version}\n", json));
    return kDone;
}

// Only a file that the validator accepts is signed, in canonical form.
signing::Bytes prepare(const SignArguments& arguments, const signing::Key& key) {
    static_cast<void>(key.point());  // a key without one cannot sign binaries: refused before the digest is written
    const VerifiedFile file{arguments.file, arguments.target};
    const signing::Bytes bytes(file.bytes().begin(), file.bytes().end());
    return signing::prepare(bytes, key.id(), arguments.security_version.value_or(signing::security_version_of(bytes)));
}

// Writes the signed file, if the signature is the key's.
int finish(const SignArguments& arguments, const signing::Key& key, const signing::Bytes& prepared,
           const Signature& signature) {
    const BearSslVerifier verifier;
    if (!is_ok(verifier.verify(signing::digest_of(prepared), signature, key.point()))) {
        throw CliError{kRefused, "the signature is not that of the key, over this file's digest"};
    }
    const signing::Bytes file = signing::with_signature(prepared, signature);
    files::store_file(arguments.output, file);
    return report(arguments, key, file, "signed");
}

int sign_here(const SignArguments& arguments) {
    const signing::Key key = signing::Key::load_private(arguments.key);
    const signing::Bytes prepared = prepare(arguments, key);
    return finish(arguments, key, prepared, key.sign_digest(signing::digest_of(prepared)));
}

int write_digest(const SignArguments& arguments) {
    const signing::Key key = signing::Key::load_public(arguments.public_key);
    const signing::Bytes prepared = prepare(arguments, key);
    const Sha256Digest digest = signing::digest_of(prepared);
    files::store_file(arguments.digest_out, std::vector<std::uint8_t>(digest.begin(), digest.end()));
    files::store_file(arguments.output, prepared);
    return report(arguments, key, prepared, "prepared, not signed yet");
}

int take_signature(const SignArguments& arguments) {
    const signing::Key key = signing::Key::load_public(arguments.public_key);
    const VerifiedFile file{arguments.file, arguments.target};
    const signing::Bytes prepared(file.bytes().begin(), file.bytes().end());
    const Envelope& envelope = file.image().envelope();
    if ((envelope.signature_bytes == 0U) || (envelope.key_id != key.id())) {
        throw CliError{kUsage, fmt::format("{}: was not prepared for this key; use --digest-out first",
                                           files::readable(arguments.file))};
    }
    return finish(arguments, key, prepared,
                  signing::parse_signature(files::load_file(arguments.signature_in, files::kSmallLimitBytes)));
}

int sign_file(const SignArguments& arguments) {
    if (!arguments.key.empty()) {
        return sign_here(arguments);
    }
    return arguments.digest_out.empty() ? take_signature(arguments) : write_digest(arguments);
}

}  // namespace

void add_sign(CLI::App& app, Action& action) {
    auto arguments = std::make_shared<SignArguments>();
    CLI::App* const command = app.add_subcommand("sign", "Signs a binary that the validator accepts (ECDSA, P-256)");
    command->footer(
        "The signature covers the whole file: the key's id and the security version too.\n\n"
        "With a key in a file:\n"
        "  pianola sign model.ptb --key private.pem -o signed.ptb\n"
        "With a key that stays in an HSM, or with OpenSSL's own tool:\n"
        "  pianola sign model.ptb --public public.pem --digest-out digest.bin -o prepared.ptb\n"
        "  openssl pkeyutl -sign -inkey private.pem -in digest.bin -out signature.der\n"
        "  pianola sign prepared.ptb --public public.pem --signature-in signature.der -o signed.ptb");
    add_text(*command, "file", arguments->file, kReads, "Trace binary; a signature that it has is replaced")
        ->required();
    add_text(*command, "-o,--output", arguments->output, kWrites, "Where the result goes")->required();
    CLI::Option* const key = add_text(*command, "--key", arguments->key, kReads, "Private key, PEM");
    CLI::Option* const public_key = add_text(*command, "--public", arguments->public_key, kReads,
                                             "Public key, PEM, of a key that is kept elsewhere");
    CLI::Option* const digest_out = add_text(*command, "--digest-out", arguments->digest_out, kWrites,
                                             "Write the 32 bytes that are to be signed elsewhere");
    CLI::Option* const signature_in = add_text(*command, "--signature-in", arguments->signature_in, kReads,
                                               "Take the signature that was made: DER, or 64 bytes");
    CLI::Option* const version = command
                                     ->add_option("--security-version", arguments->security_version,
                                                  "Against loading what is older; without it as in the file")
                                     ->check(CLI::Range(0U, kHighestSecurityVersion));
    key->excludes(public_key)->excludes(digest_out)->excludes(signature_in);
    digest_out->needs(public_key)->excludes(signature_in);
    signature_in->needs(public_key)->excludes(version);
    add_target_options(*command, arguments->target);
    command->add_flag("--json", arguments->json, "Print the result as JSON");
    command->callback([arguments, &action] {
        if (arguments->key.empty() && arguments->digest_out.empty() && arguments->signature_in.empty()) {
            throw CLI::ValidationError{"sign", "one of --key, --digest-out and --signature-in is needed"};
        }
        action = [arguments] { return sign_file(*arguments); };
    });
}

}  // namespace pianola::cli
