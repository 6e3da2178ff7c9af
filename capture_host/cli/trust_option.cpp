#include "capture_host/cli/trust_option.h"

#include <limits>

#include "capture_host/signing/keys.h"

namespace pianola::cli {

TrustOption::TrustOption(const TrustArguments& arguments) {
    const auto add = [this](const std::vector<std::string>& files, KeyState state) {
        for (const std::string& file : files) {
            const signing::Key key = signing::Key::load_public(file);
            keys_.push_back({key.id(), key.point(), state});
        }
    };
    add(arguments.revoked, KeyState::kRevoked);  // first: a key that is both is revoked
    add(arguments.keys, KeyState::kTrusted);
    trust_.signatures = keys_.empty() ? SignaturePolicy::kOptional : SignaturePolicy::kRequired;
    trust_.keys = {keys_.data(), keys_.size()};
    trust_.verifier = &verifier_;
    trust_.lowest_security_version = arguments.lowest_security_version;
}

void add_trust_options(CLI::App& command, TrustArguments& arguments) {
    command
        .add_option("--key", arguments.keys,
                    "Public key, PEM: only what this key has signed is accepted; may be given several times")
        ->type_name(kReads);
    command.add_option("--revoked", arguments.revoked, "Public key, PEM: what it has signed is refused")
        ->type_name(kReads);
    command
        .add_option("--lowest-security-version", arguments.lowest_security_version,
                    "Refuse binaries of a lower security version, as a device whose counter stands there")
        ->check(CLI::Range(0U, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace pianola::cli
