// Jobs, random mutants and reports.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "capture_host/mutate/operators.h"
#include "capture_host/mutate/report.h"
#include "hal/crypto/bearssl_verifier.h"
#include "tests/mutate/subjects.h"

namespace pianola::test {
namespace {

using mutate::Job;
using mutate::Json;
using mutate::Kind;

const std::vector<Kind> kRandomKinds{Kind::kTruncation, Kind::kFlip, Kind::kEnvelope, Kind::kStructure,
                                     Kind::kResealed};

TEST(Jobs, EveryRuleHasAnOperatorOrAReason) {
    std::set<Rule> rules;
    std::set<std::string> names;
    for (const Job& job : mutate::list_jobs({{Kind::kSemantic}, 0U})) {
        rules.insert(mutate::rule_of(job));
        EXPECT_TRUE(names.insert(job.name).second) << job.name;
    }
    for (std::uint16_t i = 1U; i < static_cast<std::uint16_t>(Rule::kRuleCount); ++i) {
        const auto rule = static_cast<Rule>(i);
        EXPECT_NE(rules.count(rule) == 1U, mutate::why_no_mutant(rule) != nullptr) << rule_id(rule);
    }
}

TEST(Jobs, AreAFunctionOfTheKinds) {
    const std::vector<Job> jobs = mutate::list_jobs({{Kind::kFlip, Kind::kTruncation}, 3U});
    ASSERT_EQ(jobs.size(), 6U);
    EXPECT_EQ(jobs.front().name, "truncation.000000");
    EXPECT_EQ(jobs.back().name, "flip.000002");
}

TEST(RandomMutants, AreRefusedByTheGroupsThatTheyName) {
    constexpr std::uint32_t kCount = 300U;
    for (const NamedSubject& named : small_subjects()) {
        SCOPED_TRACE(named.name);
        mutate::Checker checker{named.subject};
        for (const Job& job : mutate::list_jobs({kRandomKinds, kCount})) {
            SCOPED_TRACE(job.name);
            const mutate::Outcome outcome = mutate::make_mutant(named.subject, job, 7U, checker);
            ASSERT_TRUE(outcome.mutant);
            const Verdict& verdict = checker.check(outcome.mutant->file, 0U, outcome.mutant->trust);
            EXPECT_EQ(verdict.status, Status::kRefused) << outcome.mutant->what;
            const std::string id = rule_id(verdict.rule);
            const std::vector<std::string>& groups = outcome.mutant->expected.groups;
            EXPECT_EQ(std::count(groups.begin(), groups.end(), id.substr(0U, id.find('-'))), 1)
                << outcome.mutant->what << ": " << id;
        }
    }
}

TEST(RandomMutants, AreAFunctionOfSeedAndJob) {
    const NamedSubject named = small_subjects().front();
    mutate::Checker checker{named.subject};
    std::set<mutate::Bytes> files;
    const std::vector<Job> jobs = mutate::list_jobs({{Kind::kStructure}, 20U});
    for (const Job& job : jobs) {
        const mutate::Bytes file = mutate::make_mutant(named.subject, job, 1U, checker).mutant->file;
        EXPECT_EQ(file, mutate::make_mutant(named.subject, job, 1U, checker).mutant->file);
        files.insert(file);
        files.insert(mutate::make_mutant(named.subject, job, 2U, checker).mutant->file);
    }
    EXPECT_GT(files.size(), jobs.size());
}

TEST(MutantKeys, SignTheSameDigestAlwaysTheSame) {
    const Sha256Digest digest = sha256(ByteSpan{});
    std::set<mutate::Bytes> signatures;
    for (const mutate::Signer signer :
         {mutate::Signer::kTrusted, mutate::Signer::kRevoked, mutate::Signer::kStranger}) {
        const Signature signature = mutate::sign_digest(signer, digest);
        EXPECT_EQ(signature, mutate::sign_digest(signer, digest));
        EXPECT_EQ(BearSslVerifier{}.verify(digest, signature, mutate::key_of(signer).point), Status::kOk);
        signatures.insert({signature.begin(), signature.end()});
    }
    EXPECT_EQ(signatures.size(), 3U);
}

// What the mutants of authenticity start from: without it, each of them could be refused for something else.
TEST(MutantKeys, ProductionAcceptsWhatTheTrustedKeyHasSigned) {
    const NamedSubject named = small_subjects().front();
    mutate::Checker checker{named.subject};
    const auto verdict_of = [&](mutate::Signer signer, std::uint32_t version) {
        const mutate::Bytes file = mutate::signed_file(named.subject.file, signer, signer, version);
        return std::string{rule_id(checker.check(file, 0U, mutate::TrustKind::kProduction).rule)};
    };
    EXPECT_EQ(verdict_of(mutate::Signer::kTrusted, mutate::kLowestVersion), "ACCEPTED");
    EXPECT_EQ(verdict_of(mutate::Signer::kTrusted, mutate::kLowestVersion - 1U), "AUT-VERSION");
    EXPECT_EQ(verdict_of(mutate::Signer::kRevoked, mutate::kLowestVersion), "AUT-REVOKED");
    EXPECT_EQ(verdict_of(mutate::Signer::kStranger, mutate::kLowestVersion), "AUT-KEY");
}

TEST(SignedSubjects, AreDamagedWithoutTheirSignature) {
    const NamedSubject plain = small_subjects().front();
    const mutate::Bytes file =
        mutate::signed_file(plain.subject.file, mutate::Signer::kStranger, mutate::Signer::kStranger, 0U);
    const NamedSubject named = make_subject("signed", file, plain.subject.device);
    EXPECT_EQ(named.subject.file, plain.subject.file);
    EXPECT_EQ(named.subject.given_bytes, file.size());
    EXPECT_EQ(named.subject.given_sha256, sha256(ByteSpan{file.data(), file.size()}));
    mutate::Checker checker{named.subject};
    for (const Job& job : mutate::list_jobs({{Kind::kTruncation, Kind::kFlip, Kind::kResealed, Kind::kSemantic}, 9U})) {
        if (job.name != "ENV-FILE-SIZE.too-long") {
            const mutate::Outcome of_signed = mutate::make_mutant(named.subject, job, 1U, checker);
            const mutate::Outcome of_plain = mutate::make_mutant(plain.subject, job, 1U, checker);
            ASSERT_EQ(of_signed.mutant.has_value(), of_plain.mutant.has_value()) << job.name;
            EXPECT_TRUE(!of_plain.mutant || (of_signed.mutant->file == of_plain.mutant->file)) << job.name;
        }
    }
}

TEST(SignedSubjects, KeepTheirSecurityVersion) {
    constexpr std::uint32_t kVersion = 7U;
    const NamedSubject plain = small_subjects().front();
    const mutate::Bytes file =
        mutate::signed_file(plain.subject.file, mutate::Signer::kTrusted, mutate::Signer::kTrusted, kVersion);
    const NamedSubject named = make_subject("signed", file, plain.subject.device);
    mutate::Checker checker{named.subject};
    const mutate::Draft draft{named.subject, checker};
    EXPECT_EQ(draft.write(), named.subject.file);
    EXPECT_EQ(mutate::load32(draft.write(), header::kSecurityVersion), kVersion);
}

class Reports : public ::testing::Test {
  protected:
    // A shard's report; of few jobs, so that it is quick.
    Json run_shard(std::uint32_t shard, std::uint32_t shards, std::uint32_t seed = 1U) {
        const mutate::Run run{"small.ptb", "0.0.0", {kRandomKinds, 3U}, seed, shard, shards};
        Json report = mutate::make_report(named_.subject, run);
        const std::vector<Job> jobs = mutate::list_jobs(run.jobs);
        for (std::uint32_t i = 0U; i < jobs.size(); ++i) {
            if (mutate::is_in_shard(i, shard, shards)) {
                const mutate::Outcome outcome = mutate::make_mutant(named_.subject, jobs[i], seed, checker_);
                const mutate::Mutant& mutant = *outcome.mutant;
                mutate::add_outcome(report, i, jobs[i], outcome, checker_.check(mutant.file, 0U, mutant.trust));
            }
        }
        mutate::summarise(report);
        return report;
    }

    NamedSubject named_{small_subjects().front()};
    mutate::Checker checker_{named_.subject};
};

Json merged(const std::vector<Json>& reports) {
    std::vector<mutate::NamedReport> named;
    for (const Json& report : reports) {
        named.push_back({fmt::format("report {}", named.size()), report});
    }
    return mutate::merge_reports(named);
}

TEST_F(Reports, OfShardsAreThatOfTheWhole) {
    const Json whole = run_shard(1U, 1U);
    EXPECT_TRUE(whole["complete"].get<bool>());
    EXPECT_EQ(merged({run_shard(3U, 5U), run_shard(1U, 5U), run_shard(2U, 5U), run_shard(5U, 5U), run_shard(4U, 5U)}),
              whole);
    EXPECT_EQ(merged({whole}), whole);
}

TEST_F(Reports, ThatDoNotBelongTogetherAreNotMerged) {
    const Json first = run_shard(1U, 2U);
    const Json second = run_shard(2U, 2U);
    Json incomplete = second;
    incomplete["complete"] = false;
    Json of_other_device = second;
    of_other_device["device"]["profile"] = "host";
    for (const std::vector<Json>& wrong : {std::vector<Json>{},
                                           {first},
                                           {first, first},
                                           {first, run_shard(2U, 2U, 9U)},
                                           {first, run_shard(2U, 3U)},
                                           {first, incomplete},
                                           {first, of_other_device}}) {
        EXPECT_THROW(static_cast<void>(merged(wrong)), mutate::MergeError);
    }
}

// What two shards say together is not what one run says, as soon as a job is missing, twice, or somebody else's.
TEST_F(Reports, HaveEveryJobOnceAndInItsShard) {
    const Json first = run_shard(1U, 2U);
    const Json second = run_shard(2U, 2U);
    static_cast<void>(merged({first, second}));
    Json short_one = second;
    short_one["mutants"].erase(0U);
    Json doubled = second;
    doubled["mutants"].back() = doubled["mutants"].front();
    Json of_other_shard = second;
    of_other_shard["mutants"][0] = first["mutants"][0];
    Json renamed = second;
    renamed["mutants"][0]["name"] = first["mutants"][0]["name"];
    Json believed = second;
    believed["mutants"][0]["verdict"] = {{"accepted", true}};
    Json behind = second;
    behind["mutants"][0]["job"] = second["jobs"];
    for (const Json& wrong : {short_one, doubled, of_other_shard, renamed, believed, behind}) {
        EXPECT_THROW(static_cast<void>(merged({first, wrong})), mutate::ReportError);
    }
}

TEST_F(Reports, SayWhatIsNotAsExpected) {
    const Job job = mutate::list_jobs({{Kind::kFlip}, 1U}).front();
    mutate::Outcome outcome = mutate::make_mutant(named_.subject, job, 1U, checker_);
    Json report = mutate::make_report(named_.subject, {"small.ptb", "0.0.0", {{Kind::kFlip}, 3U}, 1U, 1U, 1U});
    mutate::add_outcome(report, 0U, job, outcome, checker_.check(outcome.mutant->file));
    EXPECT_TRUE(mutate::is_as_expected(report));
    // The same verdict, where another rule, or another field, is wanted; and a file that is accepted.
    outcome.mutant->expected = {Rule::kTrcEnd, {}};
    mutate::add_outcome(report, 1U, job, outcome, checker_.check(outcome.mutant->file));
    outcome.mutant->expected = {std::nullopt, {"ENV"}};
    outcome.mutant->expected_path = "traces[0]";
    mutate::add_outcome(report, 1U, job, outcome, checker_.check(outcome.mutant->file));
    mutate::add_outcome(report, 2U, job, outcome, checker_.check(named_.subject.file));
    mutate::summarise(report);
    EXPECT_FALSE(mutate::is_as_expected(report));
    EXPECT_EQ(report["totals"]["as_expected"], 1U);
    EXPECT_EQ(report["totals"]["accepted"], 1U);
    EXPECT_EQ(report["totals"]["refused_otherwise"], 2U);
}

}  // namespace
}  // namespace pianola::test
