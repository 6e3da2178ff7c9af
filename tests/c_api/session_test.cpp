// The C API does what the session does: each call against the same call of C++.
#include <algorithm>
#include <cstring>
#include <string>

#include "pianola/footprint.h"
#include "runtime/c/cpp_ports.h"
#include "tests/c_api/bench.h"

namespace pianola::test {
namespace {

std::uint32_t value_of(Status status) {
    return static_cast<std::uint32_t>(status);
}

TEST(Session, ReplaysTheWorkload) {
    for (const std::uint32_t queues : {1U, 2U}) {
        const files::AlignedBytes file{make_workload(queues, 2U).file()};
        CBench bench;
        bench.start();
        // Loading finds what is left of other use.
        std::memset(bench.workspace.get(), 0xA5, sizeof(pnl_workspace_t));
        ASSERT_EQ(bench.load(file.view()), PNL_OK);
        EXPECT_EQ(bench.verdict.status, PNL_OK);
        EXPECT_EQ(bench.verdict.rule, PNL_RULE_ACCEPTED);
        for (std::uint32_t step = 1U; step <= 5U; ++step) {
            const Bytes input = workload_input(step);
            Bytes output(kWorkloadBytes);
            ASSERT_EQ(bench.run(input, output), PNL_OK);
            EXPECT_EQ(output, workload_output(input));
            EXPECT_EQ(pnl_session_steps_completed(bench.session.get()), step);
        }
        EXPECT_EQ(pnl_session_close(bench.session.get()), PNL_OK);
    }
}

TEST(Session, SubmitsAndPollsAndVerifies) {
    const files::AlignedBytes file{make_workload(1U).file()};
    CBench bench;
    bench.start();
    ASSERT_EQ(bench.load(file.view()), PNL_OK);
    const Bytes input = workload_input(3U);
    Bytes output(kWorkloadBytes);
    ASSERT_EQ(bench.submit(input, output), PNL_OK);
    EXPECT_EQ(pnl_session_unload(bench.session.get()), PNL_INVALID_STATE);
    EXPECT_EQ(pnl_session_close(bench.session.get()), PNL_INVALID_STATE);
    EXPECT_EQ(bench.load(file.view()), PNL_INVALID_STATE);
    EXPECT_EQ(bench.verdict.status, PNL_INVALID_STATE);
    pnl_status_t status = PNL_PENDING;
    bool verified = false;
    while (status == PNL_PENDING) {
        status = pnl_session_poll(bench.session.get());
        verified = verified || pnl_session_is_verifying(bench.session.get());
        bench.platform.idle();
    }
    EXPECT_EQ(status, PNL_OK);
    EXPECT_TRUE(verified || (pnl_session_scrub_calls(bench.session.get()) <= 1U));
    EXPECT_EQ(output, workload_output(input));
    EXPECT_EQ(pnl_session_poll(bench.session.get()), PNL_INVALID_STATE);
    EXPECT_EQ(pnl_session_wait(bench.session.get()), PNL_INVALID_STATE);
    EXPECT_EQ(pnl_session_unload(bench.session.get()), PNL_OK);
    EXPECT_FALSE(pnl_session_is_loaded(bench.session.get()));
    EXPECT_EQ(pnl_session_close(bench.session.get()), PNL_OK);
}

TEST(Session, MovesTensorsThroughViews) {
    const files::AlignedBytes file{make_workload(1U).file()};
    CBench bench;
    bench.start();
    ASSERT_EQ(bench.load(file.view()), PNL_OK);
    ASSERT_TRUE(pnl_session_has_views(bench.session.get()));
    const Bytes input = workload_input(9U);
    pnl_memory_t to{};
    ASSERT_EQ(pnl_session_input_view(bench.session.get(), 0U, &to), PNL_OK);
    ASSERT_EQ(to.size, input.size());
    std::copy(input.begin(), input.end(), to.data);
    ASSERT_EQ(pnl_session_submit_views(bench.session.get()), PNL_OK);
    ASSERT_EQ(pnl_session_wait(bench.session.get()), PNL_OK);
    pnl_bytes_t from{};
    ASSERT_EQ(pnl_session_output_view(bench.session.get(), 0U, &from), PNL_OK);
    EXPECT_EQ(Bytes(from.data, from.data + from.size), workload_output(input));
    EXPECT_EQ(pnl_session_output_view(bench.session.get(), 1U, &from), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(from.data, nullptr);
    EXPECT_EQ(from.size, 0U);
}

// What a binary without prologue and parameters answers, beside the session of C++ in the same state.
TEST(Session, AnswersAsTheSessionOfCppDoes) {
    const files::AlignedBytes file{make_workload(2U, 3U).file()};
    CBench c;
    c.start();
    Bench cpp;
    ASSERT_EQ(c.load(file.view()), PNL_OK);
    ASSERT_EQ(cpp.load(file.view()), Status::kOk);
    pnl_session_t* const session = c.session.get();
    const pnl_parameter_value_t value{0U, 1U};
    const std::array<Session::ParameterValue, 1> values{Session::ParameterValue{0U, 1U}};
    EXPECT_EQ(pnl_session_set_parameters(session, &value, 1U), value_of(cpp.session.set_parameters(values)));
    EXPECT_EQ(pnl_session_set_parameters(session, nullptr, 0U), value_of(cpp.session.set_parameters({})));
    EXPECT_EQ(pnl_session_start(session, nullptr, 0U), value_of(cpp.session.start({})));
    EXPECT_EQ(pnl_session_stop(session, nullptr, 0U), value_of(cpp.session.stop({})));
    EXPECT_EQ(pnl_session_reset_state(session), value_of(cpp.session.reset_state()));
    EXPECT_EQ(pnl_session_scrub(session), value_of(cpp.session.scrub()));
    EXPECT_EQ(pnl_session_scrub_calls(session), cpp.session.scrub_calls());
    EXPECT_EQ(pnl_session_confirm_start(session), value_of(cpp.session.confirm_start()));
    EXPECT_EQ(pnl_session_output_bytes(session), cpp.session.output_bytes());
    Bytes scratch(cpp.session.output_bytes());
    for (const std::uint32_t index : {0U, 2U, 3U, UINT32_MAX}) {
        EXPECT_EQ(pnl_session_self_test(session, index, scratch.data(), scratch.size()),
                  value_of(cpp.session.self_test(index, {scratch.data(), scratch.size()})));
    }
    EXPECT_EQ(pnl_session_self_test_all(session, scratch.data(), 1U),
              value_of(cpp.session.self_test({scratch.data(), 1U})));
    EXPECT_EQ(pnl_session_self_test_all(session, scratch.data(), scratch.size()),
              value_of(cpp.session.self_test({scratch.data(), scratch.size()})));
    EXPECT_EQ(pnl_session_confirm_start(session), value_of(cpp.session.confirm_start()));
    EXPECT_EQ(pnl_session_self_test_count(session), cpp.session.self_test_count());
    const pnl_bytes_t vectors = pnl_session_self_tests(session);
    EXPECT_EQ(vectors.data, cpp.session.self_tests().data());
    EXPECT_EQ(vectors.size, cpp.session.self_tests().size());
    EXPECT_EQ(pnl_session_is_loaded(session), cpp.session.is_loaded());
    EXPECT_EQ(pnl_session_has_views(session), cpp.session.has_views());
    EXPECT_EQ(pnl_session_is_verifying(session), cpp.session.is_verifying());
    EXPECT_EQ(pnl_session_steps_completed(session), cpp.session.steps_completed());
    EXPECT_EQ(pnl_session_fault_count(session), cpp.session.fault_count());
}

TEST(Session, ShowsThePlan) {
    const files::AlignedBytes file{make_workload(2U).file()};
    CBench c;
    c.start();
    Bench cpp;
    EXPECT_EQ(pnl_session_plan(c.session.get()), nullptr);
    ASSERT_EQ(c.load(file.view()), PNL_OK);
    ASSERT_EQ(cpp.load(file.view()), Status::kOk);
    const pnl_plan_t* const plan = pnl_session_plan(c.session.get());
    ASSERT_NE(plan, nullptr);
    const Plan& twin = cpp.session.plan();
    EXPECT_EQ(plan->attestation, static_cast<std::uint8_t>(twin.attestation));
    EXPECT_EQ(plan->views, static_cast<std::uint8_t>(twin.views.answer));
    EXPECT_EQ(plan->queue_count, twin.queue_count);
    EXPECT_EQ(plan->region_count, twin.region_count);
    EXPECT_EQ(plan->inputs[0].bytes, kWorkloadBytes);
    EXPECT_EQ(plan->step.deadline_us, twin.step.deadline_us);
    EXPECT_EQ(plan->step.cycles, twin.step.cycles);
    EXPECT_EQ(plan->step.executed_commands[0][1], twin.step.executed_commands[0][1]);
    for (std::uint32_t i = 0U; i < twin.region_count; ++i) {
        EXPECT_EQ(plan->regions[i].base, twin.regions.at(i).base);
        EXPECT_EQ(plan->regions[i].kernels_write, twin.regions.at(i).kernels_write);
    }
}

TEST(Session, SaysWhyAFileIsRefused) {
    Bytes bytes = make_workload(1U).file();
    bytes[bytes.size() / 2U] ^= 1U;
    const files::AlignedBytes file{bytes};
    CBench bench;
    bench.start();
    EXPECT_EQ(bench.load(file.view()), PNL_REFUSED);
    EXPECT_EQ(bench.verdict.status, PNL_REFUSED);
    EXPECT_STREQ(pnl_rule_id(bench.verdict.rule), "ENV-DIGEST");
    EXPECT_STREQ(pnl_rule_message(bench.verdict.rule), rule_message(Rule::kEnvDigest));
    EXPECT_STREQ(pnl_rule_reason(bench.verdict.rule), rule_reason(Rule::kEnvDigest));
    std::array<char, 64> text{};
    Bench cpp;
    static_cast<void>(cpp.load(file.view()));
    std::array<char, 64> expected{};
    EXPECT_EQ(pnl_verdict_path(&bench.verdict, text.data(), text.size()),
              format_path(cpp.verdict.path, Span<char>{expected}));
    EXPECT_STREQ(text.data(), expected.data());
    EXPECT_EQ(bench.verdict.file_offset, cpp.verdict.file_offset);
    EXPECT_EQ(bench.verdict.actual, cpp.verdict.actual);
    EXPECT_EQ(bench.verdict.limit, cpp.verdict.limit);
    EXPECT_FALSE(pnl_session_is_loaded(bench.session.get()));
}

TEST(Session, KeepsFaults) {
    const files::AlignedBytes file{make_workload(1U).file()};
    CBench bench;
    bench.start();
    ASSERT_EQ(bench.load(file.view()), PNL_OK);
    ASSERT_EQ(pnl_session_fault(bench.session.get())->status, PNL_OK);
    Bytes output(kWorkloadBytes, 0x77U);
    ASSERT_EQ(bench.submit(workload_input(1U), output), PNL_OK);
    const std::uint64_t started_us = bench.platform.now_us();
    while ((bench.platform.now_us() - started_us) <= pnl_session_plan(bench.session.get())->step.deadline_us) {
        bench.platform.idle();
    }
    EXPECT_EQ(pnl_session_poll(bench.session.get()), PNL_TIMEOUT);
    EXPECT_EQ(output, Bytes(kWorkloadBytes, 0U));
    EXPECT_EQ(bench.platform.safe_state_entries(), 1U);
    const pnl_fault_t* const fault = pnl_session_fault(bench.session.get());
    EXPECT_EQ(fault->status, PNL_TIMEOUT);
    EXPECT_EQ(fault->stage, PNL_FAULT_STAGE_STEP);
    EXPECT_TRUE(fault->device_stopped);
    EXPECT_EQ(pnl_session_fault_count(bench.session.get()), 1U);
    EXPECT_EQ(pnl_session_past_fault(bench.session.get(), 0U)->time_us, fault->time_us);
    EXPECT_EQ(pnl_session_past_fault(bench.session.get(), PNL_FAULT_RECORDS), nullptr);
    EXPECT_EQ(pnl_session_poll(bench.session.get()), PNL_FAULT_LATCHED);
    EXPECT_EQ(pnl_session_scrub(bench.session.get()), PNL_FAULT_LATCHED);
    // A new load clears it; a session with a fault can be closed.
    ASSERT_EQ(bench.load(file.view()), PNL_OK);
    EXPECT_EQ(pnl_session_fault(bench.session.get())->status, PNL_OK);
    EXPECT_EQ(pnl_session_close(bench.session.get()), PNL_OK);
}

TEST(Session, TakesObjectsOfCppAsTheyAre) {
    const files::AlignedBytes file{make_workload(1U).file()};
    CBench bench;
    bench.configure();
    const std::array<pnl_device_t*, 1> devices{c_api::as_c(bench.device)};
    bench.config.devices = devices.data();
    bench.config.platform = c_api::as_c(bench.platform);
    bench.config.command_set = c_api::as_c(bench.command_set);
    ASSERT_EQ(bench.init(), PNL_OK);
    ASSERT_EQ(bench.load(file.view()), PNL_OK);
    const Bytes input = workload_input(4U);
    Bytes output(kWorkloadBytes);
    ASSERT_EQ(bench.run(input, output), PNL_OK);
    EXPECT_EQ(output, workload_output(input));
}

TEST(Session, RefusesADeviceSetOfAnotherShape) {
    const files::AlignedBytes file{make_workload(1U).file()};
    CBench bench;
    sim::SimDevice second{Bench::options_for({})};
    ASSERT_EQ(bench.make_objects(), PNL_OK);
    bench.configure();
    const std::array<pnl_device_t*, 2> devices{&bench.device_object, c_api::as_c(second)};
    bench.config.devices = devices.data();
    bench.config.columns = 2U;
    ASSERT_EQ(bench.init(), PNL_OK);
    EXPECT_EQ(bench.load(file.view()), PNL_REFUSED);
    EXPECT_STREQ(pnl_rule_id(bench.verdict.rule), "TGT-MESH");
}

TEST(Session, StoragesAreLargeEnough) {
    EXPECT_GE(sizeof(pnl_session_t), sizeof(Session));
    EXPECT_LT(sizeof(pnl_session_t), sizeof(Session) + 32U);
    EXPECT_GE(sizeof(pnl_workspace_t), sizeof(PlanWorkspace));
    EXPECT_EQ(PNL_SUBMIT_POLL_STACK_BYTES, kSubmitPollStackBytes);
    EXPECT_EQ(PNL_LOAD_STACK_BYTES, kLoadStackBytes);
}

TEST(Session, EvidenceIsJudgedAsInCpp) {
    EXPECT_TRUE(pnl_is_enough(PNL_ATTESTATION_DIGEST, PNL_EVIDENCE_DIGEST));
    EXPECT_FALSE(pnl_is_enough(PNL_ATTESTATION_COUNT, PNL_EVIDENCE_DIGEST));
    EXPECT_FALSE(pnl_is_enough(PNL_ATTESTATION_COUNT, 0U));  // what is none of them is treated as the strictest
    EXPECT_TRUE(pnl_is_enough(PNL_ATTESTATION_NOTHING, PNL_EVIDENCE_NOTIFICATION));
}

}  // namespace
}  // namespace pianola::test
