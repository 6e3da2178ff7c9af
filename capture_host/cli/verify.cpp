// pianola verify: would the target take these binaries?

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "capture_host/cli/cli.h"
#include "capture_host/cli/file_list.h"
#include "capture_host/cli/options.h"
#include "capture_host/cli/target_option.h"
#include "capture_host/cli/terminal.h"
#include "capture_host/cli/verify_outcome.h"
#include "capture_host/cli/verify_report.h"

namespace pianola::cli {
namespace {

constexpr std::uint32_t kMostJobs = 256U;

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
        std::vector<std::thread> workers;
        for (std::size_t i = 1U; i < jobs_; ++i) {
            workers.emplace_back([this] { work(); });
        }
        work();
        for (std::thread& worker : workers) {
            worker.join();
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
