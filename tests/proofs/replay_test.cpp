// What validate() accepts gives, with one thread per queue and as many scripts under way as it allows, what its commands mean one after
// the other. ThreadSanitizer runs this too: bytes that two queues touch without order would be a data race of the simulator.
#include <gtest/gtest.h>

#include <deque>
#include <iostream>

#include "tests/proofs/generator.h"
#include "tests/proofs/patterns.h"
#include "tests/support/bench.h"
#include "tests/support/trace_file.h"

namespace pianola::test {
namespace {

using Tensors = Interpreter::Tensors;

constexpr std::uint32_t kCases = 300U;
constexpr std::uint32_t kCycles = 2U;
constexpr std::uint32_t kSteps = 6U;  // of a cycle

std::uint32_t steps_on_views = 0U;  // of all tests

Tensors zeros(const std::vector<ByteRange>& ranges) {
    Tensors tensors;
    for (const ByteRange& range : ranges) {
        tensors.emplace_back(range.count);
    }
    return tensors;
}

Tensors random_inputs(Random& random, const SmallCase& small) {
    Tensors inputs = zeros(small.inputs);
    for (auto& input : inputs) {
        for (std::uint8_t& byte : input) {
            byte = random.byte();
        }
    }
    return inputs;
}

// A case on the threaded simulator, and its meaning beside it.
class Performance {
  public:
    Performance(const SmallCase& small, Random& random)
        : small_{small}, random_{random}, file_{binary_of(small)}, meaning_{small} {}

    void run() {
        ASSERT_EQ(bench_.load(file_.view()), Status::kOk) << path_text(bench_.verdict);
        for (std::uint32_t cycle = 0U; cycle < kCycles; ++cycle) {
            if (starts()) {
                start();
            }
            for (std::uint32_t step = 0U; step < kSteps; ++step) {
                submit();
            }
            if (starts()) {
                stop();
            }
            finish(1U);
        }
        EXPECT_EQ(bench_.session.poll(), Status::kInvalidState);
    }

  private:
    // A submission under way, with the memory that it needs.
    struct Turn {
        Tensors inputs;
        Tensors outputs;
        Tensors expected;
        std::vector<ByteSpan> sources;
        std::vector<MutableByteSpan> destinations;
    };

    // A prologue that does nothing need not be started.
    [[nodiscard]] bool starts() const { return small_.prologue.has_value() && !small_.prologue->empty(); }

    // At most `limit` submissions are under way with this one.
    Turn& begin(const Commands& commands, bool takes_inputs, std::size_t limit) {
        finish(limit);
        Turn& turn = turns_.emplace_back();
        turn.inputs = takes_inputs ? random_inputs(random_, small_) : Tensors{};
        turn.expected = meaning_.run(commands, turn.inputs);
        turn.outputs = turn.expected.empty() ? Tensors{} : zeros(small_.outputs);
        for (const auto& input : turn.inputs) {
            turn.sources.emplace_back(input.data(), input.size());
        }
        for (auto& output : turn.outputs) {
            turn.destinations.emplace_back(output.data(), output.size());
        }
        return turn;
    }

    void start() {
        const Turn& turn = begin(*small_.prologue, small_.pipelined(), 1U);
        ASSERT_EQ(bench_.session.start({turn.sources.data(), turn.sources.size()}), Status::kOk);
    }
    void submit() {
        Turn& turn = begin(small_.step, true, is_step_under_way_ ? small_.in_flight : 1U);
        is_step_under_way_ = true;
        if (bench_.session.has_views() && random_.one_in(2U)) {
            submit_on_views(turn);
            return;
        }
        ASSERT_EQ(bench_.session.submit({turn.sources.data(), turn.sources.size()},
                                        {turn.destinations.data(), turn.destinations.size()}),
                  Status::kOk);
    }
    void stop() {
        const Turn& turn = begin(small_.epilogue.value_or(Commands{}), false, 1U);
        is_step_under_way_ = false;
        ASSERT_EQ(bench_.session.stop({turn.destinations.data(), turn.destinations.size()}), Status::kOk);
    }

    // Such a step is done before the next begins: its outputs are those that the views then show.
    void submit_on_views(Turn& turn) {
        for (std::uint32_t i = 0U; i < turn.inputs.size(); ++i) {
            MutableByteSpan view;
            ASSERT_EQ(bench_.session.input_view(i, view), Status::kOk);
            std::copy(turn.inputs.at(i).begin(), turn.inputs.at(i).end(), view.begin());
        }
        ASSERT_EQ(bench_.session.submit(), Status::kOk);
        ASSERT_EQ(bench_.session.wait(), Status::kOk);
        for (std::uint32_t i = 0U; i < turn.outputs.size(); ++i) {
            ByteSpan view;
            ASSERT_EQ(bench_.session.output_view(i, view), Status::kOk);
            EXPECT_EQ(turn.expected.at(i), (std::vector<std::uint8_t>{view.begin(), view.end()}));
        }
        turns_.pop_front();
        steps_on_views += 1U;
    }

    // Until fewer than `limit` submissions are under way.
    void finish(std::size_t limit) {
        while (turns_.size() >= limit) {
            ASSERT_EQ(bench_.session.wait(), Status::kOk);
            ASSERT_EQ(turns_.front().outputs, turns_.front().expected);
            turns_.pop_front();
        }
    }

    static sim::SimOptions options() {
        sim::SimOptions options;
        options.spec = small_device();
        options.threading = sim::Threading::kThreaded;
        return options;
    }

    const SmallCase& small_;
    Random& random_;
    files::AlignedBytes file_;
    Interpreter meaning_;
    Bench bench_{options()};
    std::deque<Turn> turns_;
    bool is_step_under_way_{false};  // steps may overlap with steps only
};

void expect_agreement(const SmallCase& small, Random& random) {
    SCOPED_TRACE(text_of(small));
    Performance{small, random}.run();
}

TEST(ScriptReplay, PatternsGiveWhatTheyMean) {
    Random random{7U};
    for (const auto script : {script_one_queue, script_pattern_one, script_pattern_two}) {
        for (const std::uint32_t in_flight : {1U, 2U}) {
            for (const std::uint32_t traces : {1U, 2U, 3U}) {
                SmallCase small = plain_memory(2U, 2U, traces);
                small.in_flight = in_flight;
                script(small);
                expect_agreement(small, random);
            }
        }
    }
}

TEST(ScriptReplay, AcceptedCasesGiveWhatTheyMean) {
    DeviceDescription device;
    refdev::describe(small_device(), device);
    Validator validator{device};
    Random random{11U};
    std::uint32_t replayed = 0U;
    std::uint32_t overlapping = 0U;
    while ((replayed < kCases) && !HasFatalFailure()) {
        constexpr std::array<Origin, 4> kOrigins{Origin::kPattern, Origin::kOrdered, Origin::kTurns,
                                                 Origin::kArbitrary};
        const SmallCase small = random_case(random, kOrigins.at(random.below(4U)));
        if (is_ok(validator.validate(binary_of(small)))) {
            expect_agreement(small, random);
            replayed += 1U;
            overlapping += (small.in_flight == 2U) ? 1U : 0U;
        }
    }
    EXPECT_GT(overlapping, kCases / 4U);
    EXPECT_GT(steps_on_views, kCases / 4U);
    std::cout << replayed << " cases, " << overlapping << " of them with two scripts under way\n";
}

}  // namespace
}  // namespace pianola::test
