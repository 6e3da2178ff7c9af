// Performance: a small case in a session, and its meaning beside it.
//
// Plays two cycles from prologue to epilogue, with as many steps under way as the binary admits, and compares every
// output with what the interpreter says.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>

#include "hal/devices/refdev/refdev_command_set.h"
#include "pianola/development_config.h"
#include "pianola/session.h"
#include "tests/proofs/generator.h"
#include "tests/support/trace_file.h"

namespace pianola::test {

class Performance {
  public:
    using Tensors = Interpreter::Tensors;

    // All must outlive the performance. The same seed gives the same inputs.
    Performance(const SmallCase& small, Device& device, Platform& platform, std::uint32_t seed)
        : small_{small}, random_{seed}, device_{device}, platform_{platform} {}

    // Before every submission that finds the device idle.
    void at_rest(std::function<void(Session&)> action) { at_rest_ = std::move(action); }

    [[nodiscard]] std::uint32_t steps_on_views() const noexcept { return steps_on_views_; }

    void run() {
        const files::AlignedBytes file{binary_of(small_)};
        const auto workspace = std::make_unique<PlanWorkspace>();
        Verdict verdict;
        ASSERT_EQ(session_.load(file.view(), *workspace, verdict), Status::kOk) << path_text(verdict);
        constexpr std::uint32_t kCycles = 2U;
        const std::uint32_t steps = 4U + std::max(2U, small_.in_flight);
        for (std::uint32_t cycle = 0U; (cycle < kCycles) && !testing::Test::HasFatalFailure(); ++cycle) {
            // A prologue that does nothing need not be started.
            const bool starts = small_.prologue.has_value() && !small_.prologue->empty();
            if (starts) {
                start();
            }
            for (std::uint32_t step = 0U; (step < steps) && !testing::Test::HasFatalFailure(); ++step) {
                submit((step == 0U) ? 1U : small_.in_flight);
            }
            if (starts) {
                stop();
            }
            finish(1U);
        }
        EXPECT_EQ(session_.poll(), Status::kInvalidState);
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

    static Tensors zeros(const std::vector<ByteRange>& ranges) {
        Tensors tensors;
        for (const ByteRange& range : ranges) {
            tensors.emplace_back(range.count);
        }
        return tensors;
    }

    // At most `limit` submissions are under way with this one.
    Turn& begin(const Commands& commands, bool takes_inputs, std::size_t limit) {
        finish(limit);
        if (turns_.empty() && at_rest_) {
            at_rest_(session_);
        }
        Turn& turn = turns_.emplace_back();
        turn.inputs = takes_inputs ? zeros(small_.inputs) : Tensors{};
        for (auto& input : turn.inputs) {
            for (std::uint8_t& byte : input) {
                byte = random_.byte();
            }
            turn.sources.emplace_back(input.data(), input.size());
        }
        turn.expected = meaning_.run(commands, turn.inputs);
        turn.outputs = turn.expected.empty() ? Tensors{} : zeros(small_.outputs);
        for (auto& output : turn.outputs) {
            turn.destinations.emplace_back(output.data(), output.size());
        }
        return turn;
    }

    void start() {
        const Turn& turn = begin(*small_.prologue, small_.pipelined(), 1U);
        ASSERT_EQ(session_.start({turn.sources.data(), turn.sources.size()}), Status::kOk);
    }
    void submit(std::uint32_t limit) {
        const Turn& turn = begin(small_.step, true, limit);
        if (session_.has_views() && random_.one_in(2U)) {
            submit_on_views(turn);
            return;
        }
        ASSERT_EQ(session_.submit({turn.sources.data(), turn.sources.size()},
                                  {turn.destinations.data(), turn.destinations.size()}),
                  Status::kOk);
    }
    void stop() {
        const Turn& turn = begin(small_.epilogue.value_or(Commands{}), false, 1U);
        ASSERT_EQ(session_.stop({turn.destinations.data(), turn.destinations.size()}), Status::kOk);
    }

    // Such a step is done before the next begins: its outputs are those that the views then show.
    void submit_on_views(const Turn& turn) {
        for (std::uint32_t i = 0U; i < turn.inputs.size(); ++i) {
            MutableByteSpan view;
            ASSERT_EQ(session_.input_view(i, view), Status::kOk);
            std::copy(turn.inputs.at(i).begin(), turn.inputs.at(i).end(), view.begin());
        }
        ASSERT_EQ(session_.submit(), Status::kOk);
        ASSERT_EQ(session_.wait(), Status::kOk);
        for (std::uint32_t i = 0U; i < turn.expected.size(); ++i) {
            ByteSpan view;
            ASSERT_EQ(session_.output_view(i, view), Status::kOk);
            EXPECT_EQ(turn.expected.at(i), (std::vector<std::uint8_t>{view.begin(), view.end()}));
        }
        turns_.pop_front();
        steps_on_views_ += 1U;
    }

    // Until fewer than `limit` submissions are under way.
    void finish(std::size_t limit) {
        while (turns_.size() >= limit) {
            ASSERT_EQ(session_.wait(), Status::kOk);
            ASSERT_EQ(turns_.front().outputs, turns_.front().expected);
            turns_.pop_front();
        }
    }

    const SmallCase& small_;
    Random random_;
    Device& device_;
    Platform& platform_;
    refdev::RefdevCommandSet command_set_;
    Session session_{device_, platform_, command_set_, kDevelopmentConfig};
    Interpreter meaning_{small_};
    std::deque<Turn> turns_;
    std::function<void(Session&)> at_rest_;
    std::uint32_t steps_on_views_{0U};
};

// Calls `use` with the first `count` random cases that validate() accepts. Returns how many of them have two steps in
// flight.
template <typename Use>
std::uint32_t for_accepted_cases(std::uint32_t count, std::uint32_t seed, Use use) {
    DeviceDescription device;
    refdev::describe(small_device(), device);
    Validator validator{device};
    Random random{seed};
    std::uint32_t overlapping = 0U;
    for (std::uint32_t used = 0U; (used < count) && !testing::Test::HasFatalFailure();) {
        constexpr std::array<Origin, 4> kOrigins{Origin::kPattern, Origin::kOrdered, Origin::kTurns,
                                                 Origin::kArbitrary};
        const SmallCase small = random_case(random, kOrigins.at(random.below(4U)));
        if (is_ok(validator.validate(binary_of(small)))) {
            use(small);
            used += 1U;
            overlapping += (small.in_flight == 2U) ? 1U : 0U;
        }
    }
    return overlapping;
}

}  // namespace pianola::test
