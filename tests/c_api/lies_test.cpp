// Ports in C that do not keep their contract: what they give is refused or latches a fault, and calls that they make
// back into the session do nothing.
#include <cstring>

#include "tests/c_api/bench.h"

namespace pianola::test {
namespace {

// What the functions of a lying port look at: one test at a time.
struct Liar {
    CBench* bench{nullptr};
    pnl_status_t answer{PNL_OK};
    std::uint32_t calls{0U};
    std::vector<pnl_status_t> answers;  // of calls from inside
};
Liar liar;

class Lies : public testing::Test {
  protected:
    void SetUp() override { liar = Liar{&bench_, PNL_OK, 0U, {}}; }
    void TearDown() override { liar = Liar{}; }
    // Status of a load with the tables as they are now.
    [[nodiscard]] pnl_status_t load() {
        bench_.start();
        return bench_.load(file_.view());
    }

    CBench bench_;
    files::AlignedBytes file_{make_workload(2U, 1U).file()};
};

TEST_F(Lies, StatusesThatAreNone) {
    for (const pnl_status_t wrong : {pnl_status_t{0U}, pnl_status_t{1U}, PNL_OK ^ 1U, UINT32_MAX}) {
        for (int which = 0; which < 7; ++which) {
            SCOPED_TRACE(which);
            CBench bench;
            liar.answer = wrong;
            bench.device_ops = tables::device();
            bench.platform_ops = tables::platform();
            switch (which) {
                case 0:
                    bench.device_ops.describe = [](const void*, pnl_device_description_t*) { return liar.answer; };
                    break;
                case 1:
                    bench.device_ops.reset = [](void*) { return liar.answer; };
                    break;
                case 2:
                    bench.device_ops.program_region = [](void*, const pnl_region_t*) { return liar.answer; };
                    break;
                case 3:
                    bench.device_ops.bind_source = [](void*, uint32_t, const uint8_t*, size_t) { return liar.answer; };
                    break;
                case 4:
                    bench.device_ops.enqueue = [](void*, uint32_t, const pnl_queue_command_t*) { return liar.answer; };
                    break;
                case 5:
                    bench.device_ops.completion = [](void*, uint32_t, uint32_t, pnl_completion_t*) {
                        return liar.answer;
                    };
                    break;
                default:
                    bench.platform_ops.lowest_security_version = [](void*, uint32_t*) { return liar.answer; };
                    break;
            }
            bench.start();
            const pnl_status_t status = bench.load(file_.view());
            EXPECT_NE(status, PNL_OK);
            EXPECT_NE(status, wrong);
            EXPECT_FALSE(pnl_session_has_views(bench.session.get()));
        }
    }
}

TEST_F(Lies, ADescriptionWithoutTexts) {
    bench_.device_ops.describe = [](const void* context, pnl_device_description_t* description) {
        const pnl_status_t status = tables::device().describe(context, description);
        description->family = nullptr;
        return status;
    };
    EXPECT_EQ(load(), PNL_DEVICE_FAULT);
    EXPECT_EQ(pnl_session_fault(bench_.session.get())->stage, PNL_FAULT_STAGE_RESET);
}

TEST_F(Lies, ADescriptionWithoutCapacities) {
    bench_.device_ops.describe = [](const void* context, pnl_device_description_t* description) {
        const pnl_status_t status = tables::device().describe(context, description);
        description->capacities = nullptr;
        return status;
    };
    EXPECT_EQ(load(), PNL_DEVICE_FAULT);
}

TEST_F(Lies, MoreExtentsThanThereAre) {
    for (const std::uint32_t count : {PNL_MAX_EXTENTS_PER_COMMAND + 1U, UINT32_MAX}) {
        CBench bench;
        liar.calls = count;
        bench.command_set_ops.decode = [](const void* context, const uint32_t* words, size_t size,
                                          pnl_decode_state_t* state, pnl_decoded_command_t* command,
                                          pnl_decode_error_t* error) {
            const pnl_status_t status = tables::command_set().decode(context, words, size, state, command, error);
            command->extents.private_count = liar.calls;
            return status;
        };
        bench.start();
        EXPECT_EQ(bench.load(file_.view()), PNL_REFUSED);
        EXPECT_STREQ(pnl_rule_id(bench.verdict.rule), "TRC-ARGUMENT");
    }
}

TEST_F(Lies, MoreStateThanThereIs) {
    bench_.command_set_ops.decode = [](const void* context, const uint32_t* words, size_t size,
                                       pnl_decode_state_t* state, pnl_decoded_command_t* command,
                                       pnl_decode_error_t* error) {
        const pnl_status_t status = tables::command_set().decode(context, words, size, state, command, error);
        state->used = PNL_MAX_DECODE_STATE_WORDS + 1U;
        return status;
    };
    EXPECT_EQ(load(), PNL_REFUSED);
}

// What kernel() leaves as it arrives is no kernel.
TEST_F(Lies, NoKernels) {
    bench_.command_set_ops.kernel = [](const void*, uint32_t, pnl_kernel_t*) {};
    EXPECT_EQ(load(), PNL_REFUSED);
    EXPECT_STREQ(pnl_rule_id(bench_.verdict.rule), "TGT-KERNEL");
}

TEST_F(Lies, LengthsThatLeaveTheTrace) {
    for (const std::uint32_t length : {0U, 1U << 30U, UINT32_MAX}) {
        CBench bench;
        liar.calls = length;
        bench.command_set_ops.decode = [](const void* context, const uint32_t* words, size_t size,
                                          pnl_decode_state_t* state, pnl_decoded_command_t* command,
                                          pnl_decode_error_t* error) {
            const pnl_status_t status = tables::command_set().decode(context, words, size, state, command, error);
            command->length_words = liar.calls;
            return status;
        };
        bench.start();
        EXPECT_EQ(bench.load(file_.view()), PNL_REFUSED);
        EXPECT_STREQ(pnl_rule_id(bench.verdict.rule), "TRC-COMMAND");
    }
}

TEST_F(Lies, ARefusalWithoutAField) {
    bench_.command_set_ops.decode = [](const void*, const uint32_t*, size_t, pnl_decode_state_t*,
                                       pnl_decoded_command_t*, pnl_decode_error_t* error) {
        error->field = nullptr;
        error->word = UINT32_MAX;
        return pnl_status_t{PNL_REFUSED};
    };
    EXPECT_EQ(load(), PNL_REFUSED);
    std::array<char, 64> text{};
    EXPECT_GT(pnl_verdict_path(&bench_.verdict, text.data(), text.size()), 0U);
}

TEST_F(Lies, BindingsOfOtherMemory) {
    bench_.device_ops.bound_source = [](const void*, uint32_t, pnl_bytes_t* bound) {
        *bound = pnl_bytes_t{nullptr, SIZE_MAX};
    };
    ASSERT_EQ(load(), PNL_OK);
    Bytes output(kWorkloadBytes, 0x77U);
    EXPECT_EQ(bench_.run(workload_input(1U), output), PNL_DEVICE_FAULT);
    EXPECT_EQ(output, Bytes(kWorkloadBytes, 0U));
}

TEST_F(Lies, NoViewsAnywhere) {
    bench_.device_ops.host_view = [](void*, uint32_t, uint32_t) -> uint8_t* { return nullptr; };
    ASSERT_EQ(load(), PNL_OK);
    EXPECT_FALSE(pnl_session_has_views(bench_.session.get()));
    const Bytes input = workload_input(2U);
    Bytes output(kWorkloadBytes);
    ASSERT_EQ(bench_.run(input, output), PNL_OK);
    EXPECT_EQ(output, workload_output(input));
}

// Every call that gives a status, from inside another.
void call_back() {
    pnl_session_t* const session = liar.bench->session.get();
    Bytes memory(kWorkloadBytes);
    const pnl_bytes_t input{memory.data(), memory.size()};
    const pnl_memory_t output{memory.data(), memory.size()};
    pnl_memory_t view{};
    liar.answers.push_back(pnl_session_poll(session));
    liar.answers.push_back(pnl_session_submit(session, &input, 1U, &output, 1U));
    liar.answers.push_back(pnl_session_run(session, &input, 1U, &output, 1U));
    liar.answers.push_back(pnl_session_unload(session));
    liar.answers.push_back(pnl_session_close(session));
    liar.answers.push_back(liar.bench->load({}));
    liar.answers.push_back(pnl_session_input_view(session, 0U, &view));
    liar.answers.push_back(liar.bench->init());
    static_cast<void>(pnl_session_steps_completed(session));  // what does not change it may be asked
}

TEST_F(Lies, CallsFromInsideOfACall) {
    bench_.platform_ops.serve_watchdog = [](void* context) {
        tables::platform().serve_watchdog(context);
        call_back();
    };
    bench_.device_ops.completion = [](void* context, uint32_t queue, uint32_t token, pnl_completion_t* completion) {
        call_back();
        return tables::device().completion(context, queue, token, completion);
    };
    bench_.platform_ops.enter_safe_state = [](void* context, const pnl_fault_t* fault) {
        EXPECT_EQ(fault->status, PNL_TIMEOUT);
        tables::platform().enter_safe_state(context, fault);
        call_back();
    };
    ASSERT_EQ(load(), PNL_OK);
    const Bytes input = workload_input(7U);
    Bytes output(kWorkloadBytes);
    ASSERT_EQ(bench_.run(input, output), PNL_OK);
    EXPECT_EQ(output, workload_output(input));
    ASSERT_EQ(bench_.submit(input, output), PNL_OK);
    const std::uint64_t started_us = bench_.platform.now_us();
    while ((bench_.platform.now_us() - started_us) <= pnl_session_plan(bench_.session.get())->step.deadline_us) {
        bench_.platform.idle();
    }
    EXPECT_EQ(pnl_session_poll(bench_.session.get()), PNL_TIMEOUT);
    EXPECT_GT(liar.answers.size(), 24U);
    for (const pnl_status_t answer : liar.answers) {
        EXPECT_EQ(answer, PNL_INVALID_STATE);
    }
}

// An engine that hands out what it was given, through the table's adapter.
struct Engine {
    Sha256 sha;
    bool lies{false};
    std::uint32_t finished{0U};
};
constexpr pnl_digest_engine_ops_t kEngineOps{sizeof(pnl_digest_engine_ops_t), PNL_API_VERSION,
                                             [](void* context) {
                                                 static_cast<Engine*>(context)->sha = Sha256{};
                                                 return pnl_status_t{PNL_OK};
                                             },
                                             [](void* context, const uint8_t* bytes, size_t size) {
                                                 static_cast<Engine*>(context)->sha.update({bytes, size});
                                                 return pnl_status_t{PNL_OK};
                                             },
                                             [](void* context, uint8_t* digest) {
                                                 auto& engine = *static_cast<Engine*>(context);
                                                 const Sha256Digest made = engine.sha.finish();
                                                 std::memcpy(digest, made.data(), made.size());
                                                 digest[0] = engine.lies ? static_cast<std::uint8_t>(digest[0] ^ 1U)
                                                                         : digest[0];
                                                 engine.finished += 1U;
                                                 return pnl_status_t{PNL_OK};
                                             }};

TEST_F(Lies, ADigestEngineIsBelieved) {
    Engine engine;
    pnl_digest_engine_t object{};
    ASSERT_EQ(pnl_digest_engine_init(&object, &kEngineOps, &engine), PNL_OK);
    ASSERT_EQ(bench_.make_objects(), PNL_OK);
    bench_.configure();
    bench_.config.settings.trust.digest_engine = &object;
    ASSERT_EQ(bench_.init(), PNL_OK);
    EXPECT_EQ(bench_.load(file_.view()), PNL_OK);
    EXPECT_EQ(engine.finished, 1U);
    engine.lies = true;
    EXPECT_EQ(bench_.load(file_.view()), PNL_REFUSED);
    EXPECT_STREQ(pnl_rule_id(bench_.verdict.rule), "ENV-DIGEST");
}

TEST_F(Lies, ValidationWithoutASession) {
    const auto storage = std::make_unique<pnl_validation_t>();
    std::memset(storage.get(), 0xA5, sizeof(pnl_validation_t));
    ASSERT_EQ(bench_.make_objects(), PNL_OK);
    pnl_device_description_t description{};
    pnl_trust_t trust{};
    trust.signatures = PNL_SIGNATURE_POLICY_OPTIONAL;
    DeviceDescription described;
    ASSERT_EQ(bench_.device.describe(described), Status::kOk);
    ASSERT_EQ(tables::device().describe(static_cast<const Device*>(&bench_.device), &description), PNL_OK);
    const ByteSpan file = file_.view();
    const auto validate = [&](const pnl_device_description_t* device, std::size_t bytes) {
        return pnl_validate(file.data(), file.size(), device, &bench_.command_set_object, &trust, storage.get(), bytes,
                            &bench_.verdict);
    };
    EXPECT_EQ(validate(&description, sizeof(pnl_validation_t)), PNL_OK);
    EXPECT_EQ(bench_.verdict.rule, PNL_RULE_ACCEPTED);
    EXPECT_EQ(validate(&description, sizeof(pnl_validation_t) - 8U), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(bench_.verdict.rule, PNL_RULE_NOT_RUN);
    EXPECT_EQ(validate(nullptr, sizeof(pnl_validation_t)), PNL_INVALID_ARGUMENT);
    description.clock_khz += 1U;
    EXPECT_EQ(validate(&description, sizeof(pnl_validation_t)), PNL_REFUSED);
    EXPECT_STREQ(pnl_rule_id(bench_.verdict.rule), "TGT-CLOCK");
    trust.signatures = 0U;  // what is neither is treated as required
    EXPECT_EQ(validate(&description, sizeof(pnl_validation_t)), PNL_REFUSED);
    EXPECT_STREQ(pnl_rule_id(bench_.verdict.rule), "AUT-UNSIGNED");
}

}  // namespace
}  // namespace pianola::test
