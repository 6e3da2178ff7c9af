// What an application in C can do wrong, as far as it can be found out: each gives a status, and nothing is done.
#include <cstring>
#include <functional>

#include "tests/c_api/bench.h"

namespace pianola::test {
namespace {

using Call = std::function<pnl_status_t(pnl_session_t*)>;

// Every call that gives a status, with arguments that would do in a session that has loaded.
std::vector<Call> calls() {
    static std::array<std::uint8_t, kWorkloadBytes> bytes{};
    static const pnl_bytes_t kFrom{bytes.data(), bytes.size()};
    static const pnl_memory_t kTo{bytes.data(), bytes.size()};
    static pnl_workspace_t workspace;
    static pnl_verdict_t verdict;
    static pnl_memory_t memory;
    static pnl_bytes_t view;
    static const pnl_parameter_value_t kValue{0U, 0U};
    return {[](pnl_session_t* s) { return pnl_session_load(s, bytes.data(), bytes.size(), &workspace, &verdict); },
            [](pnl_session_t* s) { return pnl_session_unload(s); },
            [](pnl_session_t* s) { return pnl_session_input_view(s, 0U, &memory); },
            [](pnl_session_t* s) { return pnl_session_output_view(s, 0U, &view); },
            [](pnl_session_t* s) { return pnl_session_start(s, &kFrom, 1U); },
            [](pnl_session_t* s) { return pnl_session_stop(s, &kTo, 1U); },
            [](pnl_session_t* s) { return pnl_session_set_parameters(s, &kValue, 1U); },
            [](pnl_session_t* s) { return pnl_session_submit_views(s); },
            [](pnl_session_t* s) { return pnl_session_submit(s, &kFrom, 1U, &kTo, 1U); },
            [](pnl_session_t* s) { return pnl_session_poll(s); },
            [](pnl_session_t* s) { return pnl_session_wait(s); },
            [](pnl_session_t* s) { return pnl_session_run(s, &kFrom, 1U, &kTo, 1U); },
            [](pnl_session_t* s) { return pnl_session_reset_state(s); },
            [](pnl_session_t* s) { return pnl_session_self_test(s, 0U, bytes.data(), bytes.size()); },
            [](pnl_session_t* s) { return pnl_session_self_test_all(s, bytes.data(), bytes.size()); },
            [](pnl_session_t* s) { return pnl_session_scrub(s); },
            [](pnl_session_t* s) { return pnl_session_confirm_start(s); },
            [](pnl_session_t* s) { return pnl_session_close(s); }};
}

void expect_no_session(pnl_session_t* session) {
    std::size_t number = 0U;
    for (const Call& call : calls()) {
        EXPECT_EQ(call(session), PNL_INVALID_STATE) << number;
        number += 1U;
    }
    EXPECT_FALSE(pnl_session_is_loaded(session));
    EXPECT_FALSE(pnl_session_has_views(session));
    EXPECT_FALSE(pnl_session_is_verifying(session));
    EXPECT_EQ(pnl_session_self_test_count(session), 0U);
    EXPECT_EQ(pnl_session_self_tests(session).data, nullptr);
    EXPECT_EQ(pnl_session_output_bytes(session), 0U);
    EXPECT_EQ(pnl_session_scrub_calls(session), 0U);
    EXPECT_EQ(pnl_session_plan(session), nullptr);
    EXPECT_EQ(pnl_session_fault(session), nullptr);
    EXPECT_EQ(pnl_session_past_fault(session, 0U), nullptr);
    EXPECT_EQ(pnl_session_fault_count(session), 0U);
    EXPECT_EQ(pnl_session_steps_completed(session), 0U);
}

TEST(Misuse, CallsWithoutASession) {
    expect_no_session(nullptr);
    const auto storage = std::make_unique<pnl_session_t>();
    for (const int filling : {0x00, 0xA5, 0xFF}) {
        std::memset(storage.get(), filling, sizeof(pnl_session_t));
        expect_no_session(storage.get());
    }
}

TEST(Misuse, CallsAfterClose) {
    CBench bench;
    bench.start();
    ASSERT_EQ(pnl_session_close(bench.session.get()), PNL_OK);
    expect_no_session(bench.session.get());
    EXPECT_EQ(bench.init(), PNL_OK);  // the storage is free
}

TEST(Misuse, ACopyIsNoSession) {
    CBench bench;
    bench.start();
    const auto copy = std::make_unique<pnl_session_t>(*bench.session);
    expect_no_session(copy.get());
    EXPECT_EQ(pnl_session_close(bench.session.get()), PNL_OK);
}

TEST(Misuse, InitOfWhatIsOpen) {
    CBench bench;
    bench.start();
    EXPECT_EQ(bench.init(), PNL_INVALID_STATE);
}

TEST(Misuse, ConfigurationsThatAreNotWhole) {
    CBench bench;
    EXPECT_EQ(pnl_session_init(nullptr, sizeof(pnl_session_t), &bench.config), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(pnl_session_init(bench.session.get(), sizeof(pnl_session_t), nullptr), PNL_INVALID_ARGUMENT);
    bench.configure();
    EXPECT_EQ(bench.init(), PNL_INVALID_ARGUMENT);  // objects that nobody has made
    ASSERT_EQ(bench.make_objects(), PNL_OK);
    const pnl_session_config_t whole = bench.config;
    const pnl_verifier_t no_verifier{};
    pnl_digest_engine_t no_engine{};
    const std::array<pnl_device_t*, 1> no_device{nullptr};
    const auto refuses = [&bench, &whole](const std::function<void(pnl_session_config_t&)>& damage) {
        bench.config = whole;
        damage(bench.config);
        return bench.init();
    };
    using Config = pnl_session_config_t;
    EXPECT_EQ(refuses([](Config& c) { c.struct_size -= 1U; }), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(refuses([](Config& c) { c.struct_size += 8U; }), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(refuses([](Config& c) { c.version = 0U; }), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(refuses([](Config& c) { c.version = 2U; }), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(refuses([](Config& c) { c.devices = nullptr; }), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(refuses([&no_device](Config& c) { c.devices = no_device.data(); }), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(refuses([](Config& c) { c.platform = nullptr; }), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(refuses([](Config& c) { c.command_set = nullptr; }), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(refuses([](Config& c) { c.settings.trust.key_count = 1U; }), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(refuses([&](Config& c) { c.settings.trust.verifier = &no_verifier; }), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(refuses([&](Config& c) { c.settings.trust.digest_engine = &no_engine; }), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(refuses([](Config& c) { c.rows = 0U; }), PNL_CAPACITY);
    EXPECT_EQ(refuses([](Config& c) { c.columns = 0U; }), PNL_CAPACITY);
    EXPECT_EQ(refuses([](Config& c) { c.rows = PNL_MESH_DEVICES + 1U; }), PNL_CAPACITY);
    EXPECT_EQ(refuses([](Config& c) {
                  c.rows = 65536U;
                  c.columns = 65536U;
              }),
              PNL_CAPACITY);
    bench.config = whole;
    EXPECT_EQ(pnl_session_init(bench.session.get(), sizeof(pnl_session_t) - 8U, &whole), PNL_CAPACITY);
    std::vector<std::uint64_t> storage((sizeof(pnl_session_t) / sizeof(std::uint64_t)) + 1U);
    void* const start = storage.data();
    // Through void: what is not aligned is no pnl_session_t.
    void* const misaligned = static_cast<std::uint8_t*>(start) + 4U;
    EXPECT_EQ(pnl_session_init(static_cast<pnl_session_t*>(misaligned), sizeof(pnl_session_t), &whole),
              PNL_INVALID_ARGUMENT);
    EXPECT_EQ(bench.init(), PNL_OK);
}

// A table with each of its words damaged.
template <typename Object, typename Ops, typename Init>
void try_tables(const Ops& whole, const Init& init) {
    Object object{};
    const Object zero{};
    const auto expect_refused = [&](const Ops* ops) {
        EXPECT_EQ(init(&object, ops), PNL_INVALID_ARGUMENT);
        EXPECT_EQ(std::memcmp(&object, &zero, sizeof(object)), 0);
    };
    expect_refused(nullptr);
    EXPECT_EQ(init(static_cast<Object*>(nullptr), &whole), PNL_INVALID_ARGUMENT);
    for (std::size_t offset = 8U; offset < sizeof(Ops); offset += sizeof(void*)) {
        Ops damaged = whole;
        void* const start = &damaged;
        std::memset(static_cast<std::uint8_t*>(start) + offset, 0, sizeof(void*));
        expect_refused(&damaged);
    }
    for (const std::uint32_t size : {0U, static_cast<std::uint32_t>(sizeof(Ops)) - 4U, UINT32_MAX}) {
        Ops damaged = whole;
        damaged.struct_size = size;
        expect_refused(&damaged);
    }
    for (const std::uint32_t version : {0U, 2U}) {
        Ops damaged = whole;
        damaged.version = version;
        expect_refused(&damaged);
    }
    std::array<std::uint64_t, (sizeof(Object) / 8U) + 1U> storage{};
    void* const start = storage.data();
    void* const misaligned = static_cast<std::uint8_t*>(start) + 4U;
    EXPECT_EQ(init(static_cast<Object*>(misaligned), &whole), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(init(&object, &whole), PNL_OK);
}

pnl_status_t no_digest(void* /*context*/) {
    return PNL_OK;
}
pnl_status_t no_update(void* /*context*/, const std::uint8_t* /*bytes*/, std::size_t /*size*/) {
    return PNL_OK;
}
pnl_status_t no_finish(void* /*context*/, std::uint8_t* /*digest*/) {
    return PNL_OK;
}

TEST(Misuse, TablesThatAreNotWhole) {
    try_tables<pnl_device_t>(tables::device(),
                             [](auto* object, const auto* ops) { return pnl_device_init(object, ops, nullptr); });
    try_tables<pnl_platform_t>(tables::platform(),
                               [](auto* object, const auto* ops) { return pnl_platform_init(object, ops, nullptr); });
    try_tables<pnl_command_set_t>(tables::command_set(), [](auto* object, const auto* ops) {
        return pnl_command_set_init(object, ops, nullptr);
    });
    try_tables<pnl_verifier_t>(tables::verifier(),
                               [](auto* object, const auto* ops) { return pnl_verifier_init(object, ops, nullptr); });
    const pnl_digest_engine_ops_t engine{sizeof(engine), PNL_API_VERSION, no_digest, no_update, no_finish};
    try_tables<pnl_digest_engine_t>(
        engine, [](auto* object, const auto* ops) { return pnl_digest_engine_init(object, ops, nullptr); });
}

TEST(Misuse, NullArguments) {
    const files::AlignedBytes file{make_workload(1U, 1U).file()};
    CBench bench;
    bench.start();
    pnl_session_t* const session = bench.session.get();
    const ByteSpan bytes = file.view();
    pnl_workspace_t* const workspace = bench.workspace.get();
    EXPECT_EQ(pnl_session_load(session, bytes.data(), bytes.size(), workspace, nullptr), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(pnl_session_load(session, nullptr, 64U, workspace, &bench.verdict), PNL_INVALID_ARGUMENT);
    EXPECT_NE(bench.verdict.status, PNL_OK);
    EXPECT_EQ(bench.verdict.rule, PNL_RULE_NOT_RUN);
    EXPECT_EQ(pnl_session_load(session, bytes.data(), bytes.size(), nullptr, &bench.verdict), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(pnl_session_load(session, nullptr, 0U, workspace, &bench.verdict), PNL_REFUSED);
    ASSERT_EQ(bench.load(bytes), PNL_OK);

    Bytes memory(kWorkloadBytes);
    const pnl_bytes_t input{memory.data(), memory.size()};
    const pnl_memory_t output{memory.data(), memory.size()};
    const pnl_bytes_t no_input{nullptr, memory.size()};
    const pnl_memory_t no_output{nullptr, memory.size()};
    EXPECT_EQ(pnl_session_input_view(session, 0U, nullptr), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(pnl_session_output_view(session, 0U, nullptr), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(pnl_session_start(session, nullptr, 1U), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(pnl_session_stop(session, nullptr, 1U), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(pnl_session_set_parameters(session, nullptr, 1U), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(pnl_session_self_test(session, 0U, nullptr, memory.size()), PNL_INVALID_ARGUMENT);
    EXPECT_EQ(pnl_session_self_test_all(session, nullptr, memory.size()), PNL_INVALID_ARGUMENT);
    for (const auto step : {pnl_session_submit, pnl_session_run}) {
        EXPECT_EQ(step(session, nullptr, 1U, &output, 1U), PNL_INVALID_ARGUMENT);
        EXPECT_EQ(step(session, &input, 1U, nullptr, 1U), PNL_INVALID_ARGUMENT);
        EXPECT_EQ(step(session, &no_input, 1U, &output, 1U), PNL_INVALID_ARGUMENT);
        EXPECT_EQ(step(session, &input, 1U, &no_output, 1U), PNL_INVALID_ARGUMENT);
        EXPECT_EQ(step(session, &input, SIZE_MAX, &output, 1U), PNL_INVALID_ARGUMENT);
        EXPECT_EQ(step(session, &input, 1U, &output, 0U), PNL_INVALID_ARGUMENT);
    }
    EXPECT_EQ(bench.run(workload_input(1U), memory), PNL_OK);  // nothing of that has left a trace
}

TEST(Misuse, VerdictsThatNothingHasWritten) {
    std::array<char, 32> text{'x'};
    pnl_verdict_t verdict;
    std::memset(&verdict, 0xFF, sizeof(verdict));
    EXPECT_EQ(pnl_verdict_path(&verdict, text.data(), text.size()), 0U);
    EXPECT_EQ(pnl_verdict_path(nullptr, text.data(), text.size()), 0U);
    EXPECT_EQ(pnl_verdict_path(&verdict, nullptr, 0U), 0U);
    EXPECT_STREQ(pnl_rule_id(0xFFFFU), "NOT-RUN");
}

TEST(Misuse, ExtentsThatAreNone) {
    pnl_extents_t extents{};
    const pnl_extent_t good{0x1000U, 16U, PNL_ACCESS_READ, "src", {1U, 0U}, {1U, 0U}};
    EXPECT_FALSE(pnl_extents_add(nullptr, &good));
    EXPECT_FALSE(pnl_extents_add(&extents, nullptr));
    const auto refuses = [&extents, &good](const std::function<void(pnl_extent_t&)>& damage) {
        pnl_extent_t extent = good;
        damage(extent);
        return !pnl_extents_add(&extents, &extent);
    };
    EXPECT_TRUE(refuses([](pnl_extent_t& e) { e.field = nullptr; }));
    EXPECT_TRUE(refuses([](pnl_extent_t& e) { e.access = 3U; }));
    EXPECT_TRUE(refuses([](pnl_extent_t& e) { e.access = PNL_ACCESS_UNSPECIFIED; }));
    EXPECT_TRUE(refuses([](pnl_extent_t& e) { e.size_bytes = 0U; }));
    EXPECT_TRUE(refuses([](pnl_extent_t& e) { e.inner.count = 0U; }));
    EXPECT_TRUE(refuses([](pnl_extent_t& e) { e.address = UINT32_MAX; }));
    for (std::uint32_t i = 0U; i < PNL_MAX_EXTENTS_PER_COMMAND; ++i) {
        EXPECT_TRUE(pnl_extents_add(&extents, &good));
    }
    EXPECT_FALSE(pnl_extents_add(&extents, &good));
}

}  // namespace
}  // namespace pianola::test
