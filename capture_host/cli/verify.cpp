// pianola verify: would the target take these binaries?

#include "capture_host/cli/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "capture_host/base/workers.h"
#include "capture_host/binary/openssl_digest.h"
#include "capture_host/binary/receipt.h"
#include "capture_host/binary/signing.h"
#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/complaint.h"
#include "capture_host/cli/facts.h"
#include "capture_host/cli/file_list.h"
#include "capture_host/cli/options.h"
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

// Facts in the file's header, as far as it can be read.
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
      device_{arguments.target.device, targets_},
      keys_{load_keys(arguments)} {}

VerifyOutcome Verifier::judge(const std::string& name, capture::Verification& proofs) const {
    const BinaryFile file{name, targets_, device_};
    // A device has this in its configuration. Without any key signatures are not checked, as in development.
    const BearSslVerifier bear;
    signing::OpensslDigest engine;
    const Trust trust{keys_.empty() ? SignaturePolicy::kOptional : SignaturePolicy::kRequired,
                      {keys_.data(), keys_.size()},
                      &bear,
                      arguments_.lowest_security_version,
                      &engine};
    const Status status =
        proofs.verify(file.bytes(), file.device(), file.target().command_set(), trust, file.authentication());
    const Image& image = proofs.image;
    const Verdict& verdict = proofs.verdict;
    if (!arguments_.receipt.empty()) {
        const nlohmann::json statement =
            signing::make_statement({file.bytes(), file.device(), trust, verdict, image, file.target().command_set(),
                                     file.target().cost_model_name(), PIANOLA_VERSION, file.plugin()});
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

namespace {

// Verifies all files in parallel. Each worker takes the next file, has one workspace for all of them, and holds the
// bytes of one file at a time; only what is reported stays. Outcomes are in the order of the files, not of completion.
class ManyFiles {
  public:
    ManyFiles(const VerifyArguments& arguments, std::vector<ListedFile> files)
        : verifier_{arguments}, files_{std::move(files)}, outcomes_(files_.size()) {
        const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
        jobs_ = std::min<std::size_t>((arguments.jobs == 0U) ? cores : arguments.jobs, files_.size());
    }

    std::vector<VerifyOutcome> verify() {
        {
            Workers workers;
            workers.start(jobs_, [this] { work(); });
            work();
        }
        if (failure_) {
            std::rethrow_exception(failure_);
        }
        progress_.reset();
        return std::move(outcomes_);
    }

  private:
    void work() noexcept {
        try {
            capture::Verification proofs;
            for (std::size_t i = next_++; i < files_.size(); i = next_++) {
                outcomes_[i] = verifier_.verify(files_[i], proofs, false);
                note(outcomes_[i].code);
            }
        } catch (...) {
            const std::lock_guard<std::mutex> lock{mutex_};
            failure_ = std::current_exception();
            next_ = files_.size();  // the others need not go on
        }
    }

    void note(ExitCode code) {
        const std::lock_guard<std::mutex> lock{mutex_};
        done_ += 1U;
        refused_ += (code == kDone) ? 0U : 1U;
        progress_->set(fmt::format("verify, {} not accepted,", refused_), done_, files_.size());
    }

    Verifier verifier_;
    std::vector<ListedFile> files_;
    std::vector<VerifyOutcome> outcomes_;
    std::size_t jobs_{1U};
    std::atomic<std::size_t> next_{0U};
    std::mutex mutex_;
    std::size_t done_{0U};
    std::size_t refused_{0U};
    std::exception_ptr failure_;
    std::unique_ptr<Progress> progress_{std::make_unique<Progress>("verify")};  // the last member: it looks at none
};

// Each form goes to one file.
void check_forms(const VerifyArguments& arguments) {
    std::set<std::string> forms;
    for (const ReportFile& report : report_files(arguments.reports)) {
        if (!forms.insert(report.form).second) {
            throw CliError{kUsage,
                           fmt::format("--report {}={}: a report of form {} is asked for already", report.form,
                                       report.name, report.form),
                           "give --report once for each form, and copy the file that it writes"};
        }
    }
}

// A report must not replace what a folder or a list has brought in.
void check_reports(const VerifyArguments& arguments, const std::vector<ListedFile>& files) {
    for (const ReportFile& report : report_files(arguments.reports)) {
        for (const ListedFile& file : files) {
            if ((file.name != kStandardInput) && files::is_same_file(report.name, file.name)) {
                throw CliError{kUsage, fmt::format("--report {}: would be written over {}, which the command reads",
                                                   report.name, file.name)};
            }
        }
    }
}

// A file that could not be looked at is a complaint; verdicts are results.
void print_line(const VerifyOutcome& outcome, bool as_json) {
    const bool is_verdict = (outcome.code == kDone) || (outcome.code == kRefused);
    if (!is_verdict) {
        (void)std::fflush(stdout);
        print_error(outcome.line);
    } else if (!as_json) {
        fmt::print("{}", outcome.line);
    } else {
        // In the object that follows.
    }
}

int verify_one(const VerifyArguments& arguments, const ListedFile& file) {
    const Verifier verifier{arguments};
    capture::Verification proofs;
    const VerifyOutcome outcome = verifier.verify(file, proofs, arguments.reports.empty());
    store_reports(arguments.reports, {outcome});
    if (arguments.json) {
        fmt::print("{}\n", json_text(outcome.facts));
    }
    if (arguments.json || outcome.text.empty()) {
        print_line(outcome, true);
    } else {
        fmt::print("{}", outcome.text);
    }
    return outcome.code;
}

int verify_files(const VerifyArguments& arguments) {
    check_forms(arguments);
    if (is_one_file(arguments.files)) {
        const ListedFile file{arguments.files.front(), nullptr};
        check_reports(arguments, {file});
        return verify_one(arguments, file);
    }
    if (!arguments.receipt.empty()) {
        throw CliError{kUsage, "--receipt: a receipt is about one file, and several were given",
                       "call `pianola verify` once for each file that needs one"};
    }
    std::vector<ListedFile> files = expand_files(arguments.files);
    check_reports(arguments, files);
    const std::vector<VerifyOutcome> outcomes = ManyFiles{arguments, std::move(files)}.verify();
    store_reports(arguments.reports, outcomes);
    int code = kDone;
    for (const VerifyOutcome& outcome : outcomes) {
        print_line(outcome, arguments.json);
        code = std::max<int>(code, outcome.code);
    }
    if (arguments.json) {
        fmt::print("{}\n", json_text(outcomes_to_json(outcomes)));
    } else {
        fmt::print("{}", summary_text(outcomes));
    }
    return code;
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
    const auto [command, arguments] = add_command(
        app, action, "verify", "Runs every check that the target runs, and those of the host", verify_files);
    command->footer(
        "Examples:\n"
        "  pianola verify signs.ptb\n"
        "  pianola verify signs.ptb --key public.pem                 as a device in production\n"
        "  pianola verify release/ --jobs 8 --report junit=verify.xml --report sarif=verify.sarif\n"
        "  pianola verify @names.txt --json\n"
        "  ssh build cat signs.ptb | pianola verify -\n\n"
        "A refusal names the rule (docs/reference/rules.md), the field and the byte offset, and ends with exit code 3. "
        "With\n"
        "--key, files that are not signed, or by others, are refused as a device in production refuses them. Of "
        "several\n"
        "files all are looked at, and reported in their order; the exit code is the largest.");
    add_files_option(*command, arguments->files);
    add_text(*command, "--key", arguments->keys, kReads,
             "Public key, PEM: only what this key has signed is accepted; may be given several times")
        ->allow_extra_args(false);
    add_text(*command, "--revoked", arguments->revoked, kReads,
             "Public key, PEM: what it has signed is refused. Signatures are required, as with --key")
        ->allow_extra_args(false);
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
    add_text(*command, "--report", arguments->reports, kWritesAs,
             "junit=OUT or sarif=OUT: write a report for a CI system; once per form")
        ->allow_extra_args(false)
        ->check(complaint_of_report);
    add_target_options(*command, arguments->target);
    command->add_option("--jobs", arguments->jobs, "Files that are verified side by side; default: one per core")
        ->check(CLI::Range(1U, kMostJobs));
    command->add_flag("--json", arguments->json, "Print the verdict as JSON");
}

}  // namespace pianola::cli
