// A runtime for one queue, without prologue and epilogue, without dispatches, strides and signatures: each is refused
// by rule and name, and nothing passes because its proof is not there.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "runtime/plan/cores.h"
#include "runtime/plan/events.h"
#include "tests/support/bench.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

using capture::ManifestCommand;

std::string refusal_of(const Workload& workload) {
    Bench bench;
    const files::AlignedBytes file{workload.file()};
    const Status status = bench.load(file.view());
    return is_ok(status) ? "accepted"
                         : (std::string{rule_id(bench.verdict.rule)} + " " + path_text(bench.verdict) + " " +
                            std::to_string(bench.verdict.actual) + " of " + std::to_string(bench.verdict.limit));
}

// What the proofs are made with, for calls of one of them.
struct ProofBench {
    ProofBench() { EXPECT_EQ(bench.device.describe(device), Status::kOk); }

    Bench bench;
    Image image;
    Plan plan;
    Verdict verdict;
    DeviceDescription device;
    proof::Context context{
        image, device, bench.command_set, *bench.workspace, plan, verdict, {proof::Field::kTraces, 0U, header::kBytes},
        0U};
};

TEST(WithoutQueues, RefusesASecondQueue) {
    verifies({"swr~left-out-features~1"});
    EXPECT_EQ(refusal_of(make_workload(1U)), "accepted");
    EXPECT_EQ(refusal_of(make_workload(2U)), "SCR-QUEUE scripts[1].commands[0].queue 1 of 1");
}

TEST(WithoutQueues, RefusesEvents) {
    Workload workload = make_workload(1U);
    workload.manifest.scripts.at(1U).commands.insert(workload.manifest.scripts.at(1U).commands.begin(),
                                                     ManifestCommand{ScriptCommandKind::kRecordEvent, 0U, 0U, 0U});
    EXPECT_EQ(refusal_of(workload), "SCR-INDEX scripts[1].commands[0].event 0 of 0");
}

// No plan with a second queue comes out of the scripts. Where one did, nothing would have looked for races.
TEST(WithoutQueues, RefusesWhatHasNotBeenLookedAt) {
    ProofBench proofs;
    EXPECT_TRUE(proof::check_races(proofs.context));
    proofs.plan.step.queues_used = queue_bit(0U, 0U);
    EXPECT_TRUE(proof::check_races(proofs.context));
    proofs.plan.step.queues_used |= queue_bit(0U, 1U);
    EXPECT_FALSE(proof::check_races(proofs.context));
    EXPECT_EQ(proofs.verdict.rule, Rule::kScrQueue);
    proof::Events events{};
    std::uint64_t cycles = 0U;
    PlannedCommand command;
    command.command.event = 3U;
    EXPECT_FALSE(proof::pass_event(proofs.context, command, 0U, events, cycles));
    EXPECT_EQ(proofs.verdict.rule, Rule::kScrIndex);
    EXPECT_EQ(proofs.verdict.actual, 3U);
}

TEST(WithoutPrologue, RefusesOtherScripts) {
    verifies({"swr~left-out-features~1"});
    for (const ScriptKind kind : {ScriptKind::kPrologue, ScriptKind::kEpilogue}) {
        Workload workload = make_workload(1U);
        workload.manifest.scripts.push_back({kind, {}});
        EXPECT_EQ(refusal_of(workload), "accepted") << "it does nothing";
        workload.manifest.scripts.back().commands = {{ScriptCommandKind::kReplayTrace, 0U, 0U, 0U}};
        EXPECT_EQ(refusal_of(workload), "CAP-COMMANDS scripts 1 of 0");
    }
}

TEST(WithoutPrologue, AnswersItsCallsAsWithoutOne) {
    Bench bench;
    EXPECT_EQ(bench.session.start({}), Status::kInvalidState);
    EXPECT_EQ(bench.session.stop({}), Status::kInvalidState);
    EXPECT_EQ(bench.session.reset_state(), Status::kInvalidState);
    const std::vector<std::uint8_t> input = workload_input(1U);
    std::vector<std::uint8_t> output(kWorkloadBytes);
    EXPECT_EQ(bench.run(input, output), Status::kInvalidState);
    const files::AlignedBytes file{make_workload(1U, 2U).file()};
    ASSERT_EQ(bench.load(file.view()), Status::kOk);
    EXPECT_EQ(bench.session.start({}), Status::kInvalidState);
    EXPECT_EQ(bench.session.stop({}), Status::kInvalidState);
    EXPECT_EQ(bench.session.reset_state(), Status::kOk);
    EXPECT_EQ(bench.run(input, output), Status::kOk);
    EXPECT_EQ(output, workload_output(input));
    std::vector<std::uint8_t> scratch(kWorkloadBytes);
    EXPECT_EQ(bench.session.self_test(MutableByteSpan{scratch.data(), scratch.size()}), Status::kOk);
    EXPECT_EQ(bench.session.self_test(1U, MutableByteSpan{scratch.data(), scratch.size()}), Status::kOk);
    *bench.device.memory_at(bench.session.plan().trace_region_base, 1U) ^= 1U;
    ASSERT_EQ(bench.session.scrub(), Status::kIntegrity);
    EXPECT_EQ(bench.session.start({}), Status::kFaultLatched);
    EXPECT_EQ(bench.session.stop({}), Status::kFaultLatched);
    EXPECT_EQ(bench.run(input, output), Status::kFaultLatched);
}

TEST(WithoutPrologue, AVectorThatFailsIsTheLast) {
    Workload workload = make_workload(1U, 2U);
    workload.segments.self_tests.at(kWorkloadBytes) ^= 1U;  // of the first output
    Bench bench;
    const files::AlignedBytes file{workload.file()};
    ASSERT_EQ(bench.load(file.view()), Status::kOk);
    std::vector<std::uint8_t> scratch(kWorkloadBytes);
    EXPECT_EQ(bench.session.self_test(MutableByteSpan{scratch.data(), scratch.size()}), Status::kIntegrity);
    EXPECT_EQ(bench.session.steps_completed(), 1U);
}

TEST(WithoutDispatch, RefusesAKernelOnOneCore) {
    verifies({"swr~left-out-features~1"});
    Workload workload = make_workload(1U);
    refdev::RequantizeArguments arguments{};
    arguments.input = workload.manifest.regions.at(3U).base;
    arguments.output = arguments.input + 1U;
    arguments.count = 1U;
    arguments.multiplier = 1 << 30;
    refdev::Words words = refdev::fill_words(arguments.input, 1U, 0U);
    refdev::append(words, refdev::dispatch_words(1U, refdev::KernelId::kRequantize, refdev::to_words(arguments)));
    refdev::append(words, words_of(workload.segments.traces));
    ASSERT_TRUE(set_trace(workload, words));
    EXPECT_EQ(refusal_of(workload), "TRC-ARGUMENT traces[0].commands[1].core 1 of 0");
}

// The hull stands for all runs, whatever their number, and nothing of it counts as written.
TEST(WithoutStrides, TakesTheHull) {
    proof::TraceCommand command;
    Extent extent{64U, 4U, Access::kWrite, "output", {2U, 8U}, {3U, 32U}};
    ASSERT_TRUE(command.decoded.extents.add(extent));
    extent.inner.count = 1U;
    ASSERT_TRUE(command.decoded.extents.add(extent));
    extent.outer.count = 1U;
    ASSERT_TRUE(command.decoded.extents.add(extent));
    ASSERT_TRUE(command.decoded.extents.add(extent));
    command.moved_bytes[3] = 2U;
    proof::Runs runs{command};
    struct Run {
        std::uint32_t touched;
        std::uint32_t certain;
    };
    for (const Run& run : {Run{76U, 0U}, Run{68U, 0U}, Run{4U, 4U}, Run{6U, 2U}}) {
        ASSERT_TRUE(runs.next());
        EXPECT_EQ(runs.run().address, 64U);
        EXPECT_EQ(runs.run().size_bytes, run.touched);
        EXPECT_EQ(runs.certain().size_bytes, run.certain);
    }
    EXPECT_FALSE(runs.next());
}

std::string envelope_refusal_of(const std::vector<std::uint8_t>& file, SignaturePolicy policy) {
    const files::AlignedBytes bytes{file};
    Envelope envelope;
    Verdict verdict;
    Trust trust;
    trust.signatures = policy;
    Status status = parse_envelope(bytes.view(), envelope, verdict);
    status = is_ok(status) ? authenticate(bytes.view(), envelope, trust, verdict) : status;
    return is_ok(status) ? "accepted" : (std::string{rule_id(verdict.rule)} + " " + path_text(verdict));
}

TEST(WithoutSignatures, RefusesThem) {
    verifies({"swr~left-out-features~1"});
    std::vector<std::uint8_t> file = make_workload(1U).file();
    EXPECT_EQ(envelope_refusal_of(file, SignaturePolicy::kOptional), "accepted");
    EXPECT_EQ(envelope_refusal_of(file, SignaturePolicy::kRequired), "AUT-UNSIGNED header.signature_algorithm");
    std::vector<std::uint8_t> signed_file = file;
    store32(signed_file, header::kSignatureAlgorithm, kSignatureEcdsaP256);
    EXPECT_EQ(envelope_refusal_of(signed_file, SignaturePolicy::kOptional), "ENV-SIGNATURE header.signature_algorithm");
    store32(file, header::kSignatureBytes, kSignatureBytes);
    EXPECT_EQ(envelope_refusal_of(file, SignaturePolicy::kOptional), "ENV-SIGNATURE header.signature_bytes");
    store32(file, header::kSignatureBytes, 0U);
    file.at(header::kKeyId + 1U) = 1U;
    EXPECT_EQ(envelope_refusal_of(file, SignaturePolicy::kOptional), "ENV-RESERVED header.key_id");
}

}  // namespace
}  // namespace pianola::test
