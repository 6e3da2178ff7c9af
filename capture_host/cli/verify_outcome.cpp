#include "capture_host/cli/verify_outcome.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "capture_host/binary/openssl_digest.h"
#include "capture_host/binary/receipt.h"
#include "capture_host/binary/signing.h"
#include "capture_host/cli/complaint.h"
#include "capture_host/cli/evidence_text.h"
#include "capture_host/cli/packing.h"
#include "capture_host/cli/terminal.h"
#include "hal/crypto/bearssl_verifier.h"
#include "pianola/envelope.h"
#include "pianola/rule.h"

namespace pianola::cli {
namespace {

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

bool is_of(const char* rule, std::string_view group) {
    return std::string_view{rule}.substr(0U, group.size()) == group;
}

nlohmann::json rules_to_json(bool has_keys) {
    std::uint32_t checked = 0U;
    nlohmann::json others = nlohmann::json::array();
    for (std::uint32_t i = 1U; i < static_cast<std::uint32_t>(Rule::kRuleCount); ++i) {
        const auto rule = static_cast<Rule>(i);
        if (applies(rule, has_keys)) {
            checked += 1U;
        } else {
            others.push_back(rule_id(rule));
        }
    }
    return {{"checked", checked}, {"not_applied", others}};
}

// Uses the verdict: authenticity is checked immediately after the envelope.
nlohmann::json signature_to_json(const Envelope& envelope, const Verdict& verdict, bool is_accepted, bool has_keys) {
    if (envelope.signature_bytes == 0U) {
        return {{"state", "unsigned"}};
    }
    const char* const rule = is_accepted ? "" : rule_id(verdict.rule);
    const std::string key = to_hex(ByteSpan{envelope.key_id});
    if (!has_keys) {
        return {{"state", "not_checked"}, {"key", key}, {"why", "no key was given with --key"}};
    }
    const bool is_before =
        is_of(rule, "ENV-") || (verdict.rule == Rule::kAutSignatureSize) || (verdict.rule == Rule::kAutVersion);
    if (!is_accepted && is_before) {
        return {{"state", "not_checked"}, {"key", key}, {"why", "the file is refused before that"}};
    }
    // Otherwise signatures are required, and another rule has refused, or none.
    return {{"state", is_of(rule, "AUT-") ? "refused" : "valid"}, {"key", key}};
}

std::string signature_text(const nlohmann::json& signature) {
    const auto state = signature.at("state").get<std::string>();
    if (state == "unsigned") {
        return "none: the file is not signed";
    }
    const auto key = signature.at("key").get<std::string>();
    if (state == "not_checked") {
        return fmt::format("by key {}, not checked: {}", key, signature.at("why").get<std::string>());
    }
    return fmt::format("by key {}, {}", key, state);
}

// What the file says of itself, as far as its header can be read.
nlohmann::json facts_of(const BinaryFile& file, const Envelope* envelope) {
    nlohmann::json facts{{"bytes", file.bytes().size()},
                         {"sha256", to_hex(ByteSpan{signing::openssl_sha256(file.bytes())})},
                         {"device", {{"family", file.device().family}, {"profile", file.device().capacities->name}}}};
    if (envelope != nullptr) {
        facts["segments"] = {{"manifest", envelope->manifest.size_bytes},
                             {"weights", envelope->weights.size_bytes},
                             {"traces", envelope->traces.size_bytes},
                             {"self_tests", envelope->self_tests.size_bytes}};
        facts["security_version"] = envelope->security_version;
    }
    return facts;
}

std::string facts_text(const nlohmann::json& facts) {
    std::string text = fmt::format("  sha256    {}\n  bytes     {}", facts.at("sha256").get<std::string>(),
                                   facts.at("bytes").get<std::uint64_t>());
    if (facts.contains("segments")) {
        const nlohmann::json& segments = facts.at("segments");
        const auto bytes = [&segments](const char* name) { return segments.at(name).get<std::uint64_t>(); };
        text += fmt::format(": manifest {}, weights {}, traces {}, self-tests {}", bytes("manifest"), bytes("weights"),
                            bytes("traces"), bytes("self_tests"));
    }
    text += fmt::format("\n  device    {}, profile {}\n", facts.at("device").at("family").get<std::string>(),
                        facts.at("device").at("profile").get<std::string>());
    if (facts.contains("signature")) {
        text += fmt::format("  signature {}\n  security  version {}\n", signature_text(facts.at("signature")),
                            facts.at("security_version").get<std::uint64_t>());
    }
    if (facts.contains("packed")) {
        text += fmt::format("  packed    for {}; a core with other loops refuses the file\n",
                            packing_text(facts.at("packed")));
    }
    if (facts.contains("rules")) {
        const nlohmann::json& others = facts.at("rules").at("not_applied");
        text += fmt::format("  rules     {} checked; not applied here: {}\n",
                            facts.at("rules").at("checked").get<std::uint64_t>(),
                            fmt::join(others.get<std::vector<std::string>>(), ", "));
    }
    return text;
}

std::string line_of(const VerifyOutcome& outcome, const std::string& refusal) {
    if (outcome.code == kRefused) {
        return fmt::format("{}: {}\n", files::readable(outcome.file), refusal);
    }
    const nlohmann::json& facts = outcome.facts;
    return fmt::format("{}: {}, {} bytes, {}, security version {}, sha256 {}\n", files::readable(outcome.file),
                       paint(stdout, Colour::kGood, "accepted"), facts.at("bytes").get<std::uint64_t>(),
                       facts.at("signature").at("state").get<std::string>(),
                       facts.at("security_version").get<std::uint64_t>(), facts.at("sha256").get<std::string>());
}

// The outcome as text: whole, and as a line among others.
void say(VerifyOutcome& outcome, const BinaryFile& file, const std::string& verdict) {
    outcome.text = fmt::format("{}: {}\n{}{}", files::readable(outcome.file), verdict, facts_text(outcome.facts),
                               evidence_text(outcome.facts)) +
                   (file.plugin().empty() ? "" : fmt::format("  plugin  {}\n", file.plugin()));
    outcome.line = line_of(outcome, verdict);
}

}  // namespace

bool applies(Rule rule, bool has_keys) {
    const bool is_of_keys = (rule == Rule::kAutUnsigned) || (rule == Rule::kAutKey) || (rule == Rule::kAutRevoked) ||
                            (rule == Rule::kAutSignature);
    return (rule != Rule::kAutCounter) && (has_keys || !is_of_keys);
}

Verifier::Verifier(const VerifyArguments& arguments)
    : arguments_{arguments},
      targets_{load_targets(arguments.target.plugin)},
      device_{arguments.target.device},
      keys_{load_keys(arguments)} {}

VerifyOutcome Verifier::judge(const std::string& name, capture::Verification& proofs) const {
    const BinaryFile file{name, targets_, device_};
    // What a device has in its configuration. Without any key signatures are not looked at, which is what development
    // wants.
    const BearSslVerifier bear;
    signing::OpensslDigest engine;
    const Trust trust{keys_.empty() ? SignaturePolicy::kOptional : SignaturePolicy::kRequired,
                      {keys_.data(), keys_.size()},
                      &bear,
                      arguments_.lowest_security_version,
                      &engine};
    const Status status = proofs.verify(file.bytes(), file.device(), file.target().command_set(), trust);
    const Image& image = proofs.image;
    const Verdict& verdict = proofs.verdict;
    if (!arguments_.receipt.empty()) {
        const nlohmann::json statement =
            signing::make_statement({file.bytes(), file.device(), trust, verdict, image, file.target().command_set(),
                                     PIANOLA_VERSION, file.plugin()});
        files::store_file(arguments_.receipt,
                          signing::make_receipt(statement, signing::Key::load_private(arguments_.receipt_key)));
    }
    Envelope envelope;
    Verdict of_envelope;
    const bool has_header = is_ok(parse_envelope(file.bytes(), envelope, of_envelope));

    VerifyOutcome outcome;
    outcome.file = name;
    outcome.code = is_ok(status) ? kDone : kRefused;
    const std::string remedy = file.remedy(verdict, trust);
    outcome.facts = file.to_json(verdict, image, remedy);
    outcome.facts["file"] = name;
    outcome.facts.update(facts_of(file, has_header ? &envelope : nullptr));
    if (has_header) {
        outcome.facts["signature"] = signature_to_json(envelope, verdict, is_ok(status), !keys_.empty());
    }
    if (is_ok(status)) {
        outcome.facts["rules"] = rules_to_json(!keys_.empty());
        const nlohmann::json packing = packing_of(file.target(), image);
        if (!packing.empty()) {
            outcome.facts["packed"] = packing;
        }
        outcome.facts.update(evidence_of(image, &file.target().command_set()));
    }
    if (!file.plugin().empty()) {
        outcome.facts["plugin"] = file.plugin();
    }
    say(outcome, file,
        is_ok(status) ? paint(stdout, Colour::kGood, "accepted") : file.describe(verdict, image, remedy));
    return outcome;
}

VerifyOutcome Verifier::verify(const ListedFile& listed, capture::Verification& proofs, bool complains) const {
    const std::string& file = listed.name;
    try {
        listed.check();
        return judge(file, proofs);
    } catch (const std::exception& error) {
        const Complaint complaint = complaint_of(error);
        if (complains || (complaint.code == kUsage)) {
            throw;
        }
        VerifyOutcome outcome;
        outcome.file = file;
        outcome.code = complaint.code;
        outcome.facts = {{"file", file}, {"error", error_to_json(complaint)}};
        outcome.line = fmt::format("{}: {}: {}\n  remedy  {}\n", files::readable(file),
                                   paint(stdout, Colour::kBad, "not looked at"), without_controls(complaint.message),
                                   complaint.remedy);
        return outcome;
    }
}

}  // namespace pianola::cli
