// Random walks: two sessions side by side, each with state, and calls in any order, against a model of what each must
// say and give.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "capture_host/capture/capture.h"
#include "capture_host/capture/link.h"
#include "pianola_host/files.h"
#include "tests/campaign/hooked_device.h"
#include "tests/support/bench.h"
#include "tests/support/nested_calls.h"
#include "tests/support/random.h"
#include "tests/support/sums.h"
#include "tests/support/verifies.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kSelfTests = 3U;
constexpr std::uint8_t kFirstValue = 5U;

Bytes file_of(std::uint32_t queues, std::uint32_t self_tests) {
    capture::CaptureOptions options;
    options.self_tests = self_tests;
    options.link.queues = queues;
    return capture::capture_workload(record_sums(Bytes(kSumsBytes, kFirstValue)), options).file;
}

// What a session must be like, with nothing taken from the runtime.
struct Model {
    bool is_faulted{false};
    bool is_started{false};
    bool has_stepped{false};
    bool has_result{false};
    bool is_under_way{false};
    bool by_views{false};
    Bytes state = Bytes(kSumsBytes, kFirstValue);
    Bytes in_view = Bytes(kSumsBytes, 0U);
    Bytes output;

    Bytes step(const Bytes& input) {
        in_view = input;
        return step_of_sums(input, state);
    }
    void start() {
        state = Bytes(kSumsBytes, kFirstValue);
        is_started = true;
        has_stepped = false;
        has_result = false;
    }
    [[nodiscard]] Status ready() const {
        return is_faulted ? Status::kFaultLatched : (is_under_way ? Status::kInvalidState : Status::kOk);
    }
};

struct Choice {
    std::uint32_t queues;
    std::uint32_t self_tests;
    Release release;
    bool has_cache;
    bool nests;  // whatever the session calls, calls it
};

class Walker {
  public:
    Walker(const Choice& choice, std::uint32_t seed)
        : choice_{choice},
          config_{kDevelopmentTrust, choice.release},
          file_{file_of(choice.queues, choice.self_tests)},
          device_{options_of(choice)},
          random_{seed} {
        if (choice.nests) {
            nested_.make_on(session_, *workspace_, verdict_);
        }
        set_hook(std::nullopt);
        load();
    }

    void go() {
        using Move = void (Walker::*)();
        constexpr std::array<Move, 15> kMoves{
            &Walker::run,    &Walker::run,       &Walker::submit,     &Walker::submit_views, &Walker::submit_views,
            &Walker::finish, &Walker::finish,    &Walker::finish,     &Walker::reset,        &Walker::stop,
            &Walker::start,  &Walker::self_test, &Walker::one_vector, &Walker::scrub,        &Walker::look_at_views};
        constexpr std::uint32_t kFaultEvery = 40U;
        if ((random_.word() % kFaultEvery) == 0U) {
            break_device();
        } else {
            (this->*kMoves.at(random_.word() % kMoves.size()))();
        }
    }
    void end() {
        finish();
        look_at_views();
    }
    [[nodiscard]] std::uint32_t steps() const { return steps_; }
    [[nodiscard]] std::uint32_t faults() const { return faults_; }
    [[nodiscard]] std::uint32_t view_steps() const { return view_steps_; }
    [[nodiscard]] std::uint32_t nested_calls() const { return nested_.times(); }

  private:
    static sim::SimOptions options_of(const Choice& choice) {
        sim::SimOptions options;
        options.write_back_cache = choice.has_cache;
        return options;
    }
    // What the device's service() answers from now on, where it is not the device that does.
    void set_hook(std::optional<Status> service) {
        device_.set_hook([this, service](campaign::Call made, std::uint32_t /*number*/) {
            nested_.make();
            return (made == campaign::Call::kService) ? service : std::nullopt;
        });
    }
    void load() {
        ASSERT_EQ(session_.load(file_.view(), *workspace_, verdict_), Status::kOk) << rule_id(verdict_.rule);
        ASSERT_TRUE(session_.has_views());
        model_ = Model{};
    }
    Bytes fresh() {
        Bytes bytes(kSumsBytes);
        for (std::uint8_t& byte : bytes) {
            byte = static_cast<std::uint8_t>(random_.word() >> 11U);
        }
        return bytes;
    }
    Status submit_transfers() {
        const std::array<ByteSpan, 1> inputs{ByteSpan{input_.data(), input_.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output_.data(), output_.size()}};
        return session_.submit(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs});
    }
    // What is under way keeps its tensors: input_ and output_.
    void run() {
        const Bytes input = fresh();
        Bytes output(kSumsBytes, 0x77U);
        const std::array<ByteSpan, 1> inputs{ByteSpan{input.data(), input.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
        const Status wanted = model_.ready();
        ASSERT_EQ(session_.run(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs}), wanted);
        if (!is_ok(wanted)) {
            return;
        }
        if (!model_.is_started) {
            model_.start();
        }
        model_.output = model_.step(input);
        model_.has_stepped = true;
        model_.has_result = true;
        steps_ += 1U;
        ASSERT_EQ(output, model_.output);
    }
    [[nodiscard]] Status submit_ready() const {
        const Status ready = model_.ready();
        return (is_ok(ready) && !model_.is_started) ? Status::kInvalidState : ready;
    }
    void submit() {
        const Status wanted = submit_ready();
        if (is_ok(wanted)) {
            input_ = fresh();
            output_ = Bytes(kSumsBytes, 0x77U);
        }
        ASSERT_EQ(submit_transfers(), wanted);
        if (is_ok(wanted)) {
            model_.is_under_way = true;
            model_.by_views = false;
            model_.has_result = false;
        }
    }
    // At times without writing the input: it is what the last step took.
    void submit_views() {
        const Status wanted = submit_ready();
        MutableByteSpan view;
        const Status seen = session_.input_view(0U, view);
        ASSERT_EQ(seen, model_.ready());
        const bool is_kept = (random_.word() % 4U) == 0U;
        const Bytes input = is_kept ? model_.in_view : fresh();
        if (is_ok(wanted) && !is_kept) {
            std::copy(input.begin(), input.end(), view.begin());
        }
        ASSERT_EQ(session_.submit(), wanted);
        if (is_ok(wanted)) {
            input_ = input;
            model_.is_under_way = true;
            model_.by_views = true;
            model_.has_result = false;
        }
    }
    void finish() {
        if (!model_.is_under_way) {
            ASSERT_EQ(session_.poll(), model_.is_faulted ? Status::kFaultLatched : Status::kInvalidState);
            return;
        }
        ASSERT_EQ(session_.wait(), Status::kOk);
        model_.is_under_way = false;
        model_.output = model_.step(input_);
        model_.has_stepped = true;
        model_.has_result = true;
        steps_ += 1U;
        view_steps_ += model_.by_views ? 1U : 0U;
        if (!model_.by_views) {
            ASSERT_EQ(output_, model_.output);
        }
        look_at_views();
    }
    void look_at_views() {
        MutableByteSpan input;
        ASSERT_EQ(session_.input_view(0U, input), model_.ready());
        ByteSpan output;
        const Status ready = model_.ready();
        ASSERT_EQ(session_.output_view(0U, output),
                  (is_ok(ready) && !model_.has_result) ? Status::kInvalidState : ready);
        if (is_ok(ready)) {
            ASSERT_EQ(Bytes(input.begin(), input.end()), model_.in_view);
        }
        if (is_ok(ready) && model_.has_result) {
            ASSERT_EQ(Bytes(output.begin(), output.end()), model_.output);
        }
    }
    void reset() {
        const Status wanted = model_.ready();
        ASSERT_EQ(session_.reset_state(), wanted);
        if (is_ok(wanted) && (model_.has_stepped || !model_.is_started)) {
            model_.start();
        }
    }
    void stop() {
        const Status ready = model_.ready();
        const bool may = model_.is_started && model_.has_stepped;
        ASSERT_EQ(session_.stop({}), (is_ok(ready) && !may) ? Status::kInvalidState : ready);
        if (is_ok(ready) && may) {
            ASSERT_EQ(session_.wait(), Status::kOk);
            model_.is_started = false;
            model_.has_stepped = false;
            model_.has_result = false;
        }
    }
    void start() {
        const Status ready = model_.ready();
        ASSERT_EQ(session_.start({}), (is_ok(ready) && model_.is_started) ? Status::kInvalidState : ready);
        if (is_ok(ready) && !model_.is_started) {
            ASSERT_EQ(session_.wait(), Status::kOk);
            model_.start();
        }
    }
    // Behind vectors the state is as at first, and the input is the last vector's.
    void vectors_ran(std::uint32_t last) {
        const Bytes stored(session_.self_tests().begin() + (std::size_t{2U} * kSumsBytes * last),
                           session_.self_tests().begin() + (((std::size_t{2U} * last) + 1U) * kSumsBytes));
        model_.start();
        model_.in_view = stored;
    }
    void self_test() {
        const Status wanted = model_.ready();
        ASSERT_EQ(session_.self_test({scratch_.data(), scratch_.size()}), wanted);
        if (is_ok(wanted) && (choice_.self_tests != 0U)) {
            vectors_ran(choice_.self_tests - 1U);
        }
    }
    void one_vector() {
        const std::uint32_t index = random_.word() % kSelfTests;
        const Status ready = model_.ready();
        const bool is_there = index < choice_.self_tests;
        ASSERT_EQ(session_.self_test(index, {scratch_.data(), scratch_.size()}),
                  (is_ok(ready) && !is_there) ? Status::kInvalidArgument : ready);
        if (is_ok(ready) && is_there) {
            vectors_ran(index);
        }
    }
    // Also while a step is under way.
    void scrub() {
        for (std::uint32_t call = 0U; call < session_.scrub_calls(); ++call) {
            ASSERT_EQ(session_.scrub(), model_.is_faulted ? Status::kFaultLatched : Status::kOk);
        }
    }
    // A fault in a step: nothing goes on before the next load, and that begins anew.
    void break_device() {
        finish();
        if (!model_.is_started) {
            start();
        }
        submit();
        set_hook(Status::kTimeout);
        ASSERT_EQ(session_.wait(), Status::kDeviceFault);
        set_hook(std::nullopt);
        ASSERT_EQ(output_, Bytes(kSumsBytes, 0U)) << "withheld";
        model_.is_under_way = false;
        model_.is_faulted = true;
        faults_ += 1U;
        for (const auto move :
             {&Walker::run, &Walker::submit, &Walker::submit_views, &Walker::finish, &Walker::reset, &Walker::stop,
              &Walker::start, &Walker::self_test, &Walker::one_vector, &Walker::scrub, &Walker::look_at_views}) {
            (this->*move)();
        }
        load();
    }

    Choice choice_;
    SessionConfig config_;
    files::AlignedBytes file_;
    campaign::HookedDevice device_;
    NestedCalls nested_{file_.view(), kSumsBytes, kSumsBytes};
    sim::SimPlatform clock_{device_.inner()};
    NestingPlatform platform_{clock_, nested_};
    refdev::RefdevCommandSet command_set_;
    Session session_{device_, platform_, command_set_, config_};
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};
    Verdict verdict_;
    Random random_;
    Model model_;
    Bytes input_ = Bytes(kSumsBytes);
    Bytes output_ = Bytes(kSumsBytes);
    Bytes scratch_ = Bytes(kSumsBytes);
    std::uint32_t steps_{0U};
    std::uint32_t view_steps_{0U};
    std::uint32_t faults_{0U};
};

void walk(bool ports_call_back) {
    constexpr std::uint32_t kMoves = 3000U;
    std::uint32_t seed = 1U;
    for (const std::uint32_t queues : {1U, 2U}) {
        for (const Release release : {Release::kVerified, Release::kAtCompletion}) {
            for (const std::uint32_t self_tests : {0U, kSelfTests}) {
                SCOPED_TRACE(std::to_string(queues) + " queues, seed " + std::to_string(seed));
                Walker left{{queues, self_tests, release, true, ports_call_back}, seed};
                Walker right{{3U - queues, self_tests, release, false, ports_call_back}, seed + 1U};
                Random order{seed};
                for (std::uint32_t i = 0U; (i < kMoves) && !testing::Test::HasFatalFailure(); ++i) {
                    ((order.word() % 2U) == 0U ? left : right).go();
                }
                ASSERT_FALSE(testing::Test::HasFatalFailure());
                for (Walker* const walker : {&left, &right}) {
                    walker->end();
                    EXPECT_GT(walker->steps(), kMoves / 20U);
                    EXPECT_GT(walker->view_steps(), kMoves / 60U);
                    EXPECT_GT(walker->faults(), 3U);
                    EXPECT_EQ(walker->nested_calls() > kMoves, ports_call_back);
                }
                seed += 2U;
            }
        }
    }
}

TEST(SessionWalks, TwoSessionsWithStateDoWhatTheirModelsSay) {
    walk(false);
}

TEST(SessionWalks, NothingDependsOnPortsThatCallBack) {
    verifies({"swr~not-reentered~1"});
    walk(true);
}

}  // namespace
}  // namespace pianola::test
