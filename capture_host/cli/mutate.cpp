// pianola mutate: damaged copies of a binary, which every build of the validator must refuse.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>

#include "capture_host/base/json.h"
#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/options.h"
#include "capture_host/cli/terminal.h"
#include "capture_host/mutate/report.h"

namespace pianola::cli {
namespace {

using mutate::Job;
using mutate::Json;

constexpr std::uint32_t kMostShards = 4096U;
constexpr std::uint32_t kDefaultSeed = 1U;
constexpr const char* kReportName = "mutants.json";
constexpr std::uint64_t kLimitBytesOfReport = std::uint64_t{256U} << 20U;  // some 400,000 mutants

struct MutateArguments {
    std::string file;
    std::string output;
    TargetArguments target;
    std::string shard{"1/1"};
    std::vector<std::string> kinds;
    std::vector<std::string> merge;
    std::uint32_t seed{kDefaultSeed};
    std::uint32_t count{mutate::JobOptions{}.count};
    bool report_only{false};
    bool json{false};
};

std::vector<std::string> kind_names() {
    std::vector<std::string> names;
    for (std::size_t i = 0U; i < mutate::kKindCount; ++i) {
        names.emplace_back(mutate::kind_name(static_cast<mutate::Kind>(i)));
    }
    return names;
}

// The error in the form of --shard; empty if there is none.
std::string complaint_of_shard(const std::string& text) {
    constexpr std::size_t kLongest = 9U;
    const bool is_form = (text.size() <= kLongest) && (std::count(text.begin(), text.end(), '/') == 1) &&
                         (text.front() != '/') && (text.back() != '/') &&
                         (text.find_first_not_of("0123456789/") == std::string::npos);
    return is_form ? std::string{} : ("'" + text + "' is not of the form I/N");
}

// "2/8": the parser has checked the form.
void set_shard(const std::string& text, mutate::Run& run) {
    const std::size_t slash = text.find('/');
    const std::uint64_t shard = std::stoul(text.substr(0U, slash));
    const std::uint64_t shards = std::stoul(text.substr(slash + 1U));
    if ((shard == 0U) || (shard > shards) || (shards > kMostShards)) {
        throw CliError{kUsage,
                       fmt::format("--shard {}: parts are counted from 1, and are at most {}", text, kMostShards)};
    }
    run.shard = static_cast<std::uint32_t>(shard);
    run.shards = static_cast<std::uint32_t>(shards);
}

std::string rule_line(const Json& rule) {
    std::string text =
        fmt::format("  {:<22}{:>6}{:>13}{:>7}", rule.at("rule").get<std::string>(), rule.at("made").get<int>(),
                    rule.at("as_expected").get<int>(), rule.at("alone").get<int>());
    if (rule.contains("never_alone")) {
        text += fmt::format("  never alone: {}", rule.at("never_alone").get<std::string>());
    } else if (rule.contains("not_applicable")) {
        text += fmt::format("  not applicable: {}",
                            fmt::join(rule.at("not_applicable").get<std::vector<std::string>>(), "; "));
    } else {
        // Nothing is to be explained.
    }
    return text;
}

std::string verdict_line(const Json& mutant) {
    const Json& expected = mutant.at("expected");
    const Json& verdict = mutant.at("verdict");
    const std::string wanted =
        expected.contains("rule")
            ? expected.at("rule").get<std::string>()
            : fmt::format("{}-*", fmt::join(expected.at("any_of_group").get<std::vector<std::string>>(), "-* or "));
    const std::string got =
        verdict.at("accepted").get<bool>()
            ? "accepted"
            : fmt::format("{} at {}", verdict.at("rule").get<std::string>(), verdict.at("path").get<std::string>());
    return fmt::format("  {}: expected {}{}, got {}", mutant.at("name").get<std::string>(), wanted,
                       expected.contains("path") ? (" at " + expected.at("path").get<std::string>()) : "", got);
}

// Prints the rules that were looked at, the mutants whose verdict was not the expected one, and totals.
void print_report(const Json& report) {
    const Json& totals = report.at("totals");
    const bool semantic =
        std::find(report.at("kinds").begin(), report.at("kinds").end(), "semantic") != report.at("kinds").end();
    if (semantic) {
        fmt::print("  {:<22}{:>6}{:>13}{:>7}\n", "rule", "made", "as expected", "alone");
        for (const Json& rule : report.at("rules")) {
            fmt::print("{}\n", rule_line(rule));
        }
    }
    for (const Json& mutant : report.at("mutants")) {
        if (!mutant.at("as_expected").get<bool>()) {
            fmt::print("{}\n", verdict_line(mutant));
        }
    }
    fmt::print(
        "{}: {} mutants, {} refused as expected, {} accepted, {} refused otherwise; {} operators not applicable\n",
        report.at("file").at("name").get<std::string>(), totals.at("mutants").get<int>(),
        totals.at("as_expected").get<int>(), totals.at("accepted").get<int>(),
        totals.at("refused_otherwise").get<int>(), totals.at("not_applicable").get<int>());
    if (semantic) {
        fmt::print("{} rules: {} with a mutant, {} with one that has nothing else wrong\n",
                   totals.at("rules").get<int>(), totals.at("rules_with_mutant").get<int>(),
                   totals.at("rules_with_mutant_alone").get<int>());
    }
}

int report_result(const Json& report, bool as_json) {
    if (as_json) {
        Json shown = report;
        shown["schema_version"] = kJsonSchemaVersion;
        fmt::print("{}\n", shown.dump(2));
    } else {
        print_report(report);
    }
    return mutate::is_as_expected(report) ? kDone : kDifferent;
}

Json load_report(const std::filesystem::path& path) {
    const std::vector<std::uint8_t> text = files::load_file(path, kLimitBytesOfReport);
    try {
        return files::parse_json<Json>(text);
    } catch (const files::JsonError& error) {
        throw CliError{kFileTrouble, fmt::format("{}: not a report: {}", path.string(), error.what())};
    }
}

int merge(const MutateArguments& arguments) {
    std::vector<mutate::NamedReport> reports;
    for (const std::string& name : arguments.merge) {
        reports.push_back({name, load_report(name)});
    }
    try {
        const Json merged = mutate::merge_reports(reports);
        if (!arguments.output.empty()) {
            files::store_file(arguments.output, merged.dump(1) + "\n");
        }
        return report_result(merged, arguments.json);
    } catch (const mutate::ReportError& error) {
        throw CliError{kFileTrouble, error.what()};
    } catch (const mutate::MergeError& error) {
        throw CliError{kUsage, error.what()};
    }
}

class Mutation {
  public:
    explicit Mutation(const MutateArguments& arguments)
        : arguments_{arguments}, file_{arguments.file, arguments.target} {
        subject_ = mutate::read_subject(file_.bytes(), file_.image(), file_.target(), file_.device());
        checker_ = std::make_unique<mutate::Checker>(subject_);
        run_.file_name = base_name(arguments.file);
        run_.tool_version = PIANOLA_VERSION;
        run_.jobs = {mutate::kinds_named(arguments.kinds.empty() ? kind_names() : arguments.kinds), arguments.count};
        run_.seed = arguments.seed;
        set_shard(arguments.shard, run_);
    }

    int run() {
        Json report = mutate::make_report(subject_, run_);
        const std::vector<Job> jobs = mutate::list_jobs(run_.jobs);
        if (writes()) {
            check_folder(jobs);
        }
        prepare_folder();
        const Json earlier = load_earlier(report);
        std::uint32_t since_stored = 0U;
        auto progress = std::make_unique<Progress>("mutants");
        for (std::uint32_t i = 0U; i < jobs.size(); ++i) {
            progress->set(i + 1U, jobs.size());
            if (!mutate::is_in_shard(i, run_.shard, run_.shards)) {
                continue;
            }
            if (reuse(report, mutate::find_job(earlier, i), jobs[i])) {
                reused_ += 1U;
            } else {
                make(report, i, jobs[i]);
                since_stored += 1U;
            }
            if (since_stored == kJobsBetweenStores) {
                since_stored = 0U;
                store(report);
            }
        }
        progress.reset();
        mutate::summarise(report);
        store(report);
        if (reused_ != 0U) {
            print_error(fmt::format("{} of an earlier run were there already\n", reused_));
        }
        return report_result(report, arguments_.json);
    }

  private:
    static constexpr std::uint32_t kJobsBetweenStores = 32U;  // at most these are lost if a run is interrupted

    [[nodiscard]] bool writes() const { return !arguments_.output.empty(); }
    [[nodiscard]] std::filesystem::path folder() const { return arguments_.output; }
    [[nodiscard]] std::string report_name() const {
        return (run_.shards == 1U) ? std::string{kReportName}
                                   : fmt::format("mutants-{}of{}.json", run_.shard, run_.shards);
    }

    // Whether the folder gets a file of that name.
    [[nodiscard]] bool puts(const std::string& name, const std::vector<Job>& jobs) const {
        return (name == report_name()) ||
               (!arguments_.report_only &&
                std::any_of(jobs.begin(), jobs.end(), [&name](const Job& job) { return name == file_name(job); }));
    }
    static std::string file_name(const Job& job) { return job.name + ".ptb"; }

    // Throws CliError if a file of the folder that would be written is an input, or a destination of this program's
    // output, directly or through a link.
    void check_folder(const std::vector<Job>& jobs) const {
        const std::array<std::pair<std::string, const char*>, 5> others{{{arguments_.file, "reads"},
                                                                         {arguments_.target.device, "reads"},
                                                                         {arguments_.target.plugin, "reads"},
                                                                         {"/dev/stdout", "prints to"},
                                                                         {"/dev/stderr", "prints to"}}};
        std::error_code error;
        for (const auto& entry : std::filesystem::directory_iterator{folder(), error}) {
            const std::string name = entry.path().filename().string();
            for (const auto& [other, use] : others) {
                if (!other.empty() && files::is_same_file(entry.path(), other) && puts(name, jobs)) {
                    throw CliError{kUsage, fmt::format("--output {}: {} in it is {}, which the command {}",
                                                       files::readable(arguments_.output), name, other, use)};
                }
            }
        }
    }

    void prepare_folder() const {
        if (!writes()) {
            return;
        }
        std::error_code error;
        std::filesystem::create_directories(folder(), error);
        if (error) {
            throw files::FileError{
                fmt::format("{}: can not be made: {}", files::readable(arguments_.output), error.message())};
        }
    }

    void check_earlier(const Json& earlier) const {
        try {
            mutate::check_report(earlier);
        } catch (const mutate::ReportError& error) {
            throw CliError{kFileTrouble, fmt::format("{}: not a report that one can go on from: {}",
                                                     (folder() / report_name()).string(), error.what())};
        }
    }

    // The report of an earlier run of the same file, device and options; an empty one without such a run.
    [[nodiscard]] Json load_earlier(const Json& report) const {
        if (writes() && std::filesystem::exists(folder() / report_name())) {
            Json earlier = load_report(folder() / report_name());
            if (!earlier.is_object() || !earlier.contains("format")) {
                throw CliError{kFileTrouble, fmt::format("{}: is no report; it would be written over",
                                                         (folder() / report_name()).string())};
            }
            if (mutate::is_same_run(earlier, report)) {
                check_earlier(earlier);
                if (!arguments_.report_only || !earlier.at("complete").get<bool>()) {
                    return earlier;
                }
            }
        }
        return report;
    }

    // Takes over a mutant of an earlier run, and checks it with this validator. With --report-only there are no files,
    // and the earlier verdict is kept.
    bool reuse(Json& report, const Json* known, const Job& job) {
        if ((known == nullptr) || known->contains("because")) {
            return false;
        }
        if (arguments_.report_only) {
            mutate::add_known(report, *known);
            return true;
        }
        const std::filesystem::path path = folder() / file_name(job);
        if (!std::filesystem::exists(path)) {
            return false;
        }
        const mutate::Bytes file = files::load_file(path);
        const std::optional<mutate::TrustKind> trust = mutate::trust_named(known->at("trust").get<std::string>());
        const bool is_same = trust && (mutate::sha256_hex(file) == known->at("sha256"));
        if (is_same) {
            mutate::add_known(report, *known,
                              &checker_->check(file, known->at("shift_bytes").get<std::uint32_t>(), *trust));
        }
        return is_same;
    }

    void make(Json& report, std::uint32_t number, const Job& job) {
        const mutate::Outcome outcome = mutate::make_mutant(subject_, job, run_.seed, *checker_);
        Verdict verdict;
        if (outcome.mutant) {
            if (writes() && !arguments_.report_only) {
                files::store_file(folder() / file_name(job), outcome.mutant->file);
            }
            verdict = checker_->check(outcome.mutant->file, outcome.mutant->shift_bytes, outcome.mutant->trust);
        }
        mutate::add_outcome(report, number, job, outcome, verdict);
    }

    void store(const Json& report) const {
        if (writes()) {
            files::store_file(folder() / report_name(), report.dump(1) + "\n");
        }
    }

    const MutateArguments& arguments_;
    VerifiedFile file_;
    mutate::Subject subject_;
    std::unique_ptr<mutate::Checker> checker_;
    mutate::Run run_;
    std::uint32_t reused_{0U};
};

int run(const MutateArguments& arguments) {
    if (arguments.merge.empty() && arguments.file.empty()) {
        throw CliError{kUsage, "mutate: a trace binary, or --merge with reports, is needed"};
    }
    if (arguments.merge.empty() && arguments.output.empty() && !arguments.report_only) {
        throw CliError{kUsage, "mutate: say where to with -o, or --report-only"};
    }
    try {
        return arguments.merge.empty() ? Mutation{arguments}.run() : merge(arguments);
    } catch (const nlohmann::json::exception& error) {
        throw CliError{kFileTrouble, fmt::format("a report is damaged: {}", error.what())};
    }
}

}  // namespace

void add_mutate(CLI::App& app, Action& action) {
    const auto [command, arguments] = add_command(
        app, action, "mutate", "Makes damaged copies, each with the verdict that a validator must give", run);
    command->footer(
        "Examples:\n"
        "  pianola mutate kws.ptb -o kws.mutants             every kind; kws.mutants/mutants.json says what each must "
        "come to\n"
        "  pianola mutate kws.ptb --report-only --kind semantic           which rules this build enforces on this "
        "file\n"
        "  pianola mutate kws.ptb -o kws.mutants --count 10000 --shard 2/8    the second of eight parts\n"
        "  pianola mutate --merge kws.mutants/mutants-*.json -o kws.mutants/mutants.json\n\n"
        "Kinds: truncation, flip (digest not fixed), envelope, structure, resealed (a bit behind a signature), and\n"
        "semantic (one rule is broken); the last four behind a right digest. Rules about signatures need devices that\n"
        "trust somebody: such a mutant is signed, or not, with keys that everybody has, and names the trust that it "
        "is\n"
        "for. A signature of the binary itself is dropped. Every mutant goes through this build's validator while it\n"
        "is made. A run that was interrupted goes on where it was, when it is called again. Ends with exit code 7 "
        "where\n"
        "a mutant is accepted, or refused by another rule than expected.\n"
        "docs/evidence/mutation.md describes kinds, report and how a port uses them.");
    add_text(*command, "file", arguments->file, kReads, "Trace binary, which the validator accepts");
    CLI::Option* const output = add_text(*command, "-o,--output", arguments->output, kWrites,
                                         "Folder for mutants and mutants.json; with --merge, a file");
    command
        ->add_option("--kind", arguments->kinds,
                     "Make this kind only; several with commas, or once per kind. Default: all")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(kind_names()));
    add_number(*command, "--seed", arguments->seed, 0U, std::numeric_limits<std::uint32_t>::max(),
               "Seed of what is random");
    add_number(*command, "--count", arguments->count, 1U, mutate::kMostMutants,
               "Mutants of each kind but semantic, which has a fixed number");
    command->add_option("--shard", arguments->shard, "Do part I of N only, I/N from 1/N to N/N")
        ->check(complaint_of_shard)
        ->type_name(kSaysName)
        ->capture_default_str();
    CLI::Option* const merge_option = add_text(*command, "--merge", arguments->merge, kReadsJson,
                                               "Join the reports of all shards, and check that nothing is missing");
    command->add_flag("--report-only", arguments->report_only, "Write no mutants; with -o, the report alone");
    add_target_options(*command, arguments->target);
    for (CLI::Option* const making : command->get_options()) {
        if ((making != merge_option) && (making != output)) {
            merge_option->excludes(making);
        }
    }
    command->add_flag("--json", arguments->json, "Print the report as JSON");
}

}  // namespace pianola::cli
