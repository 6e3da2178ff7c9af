// What validate() accepts gives, with one thread per queue and as many scripts under way as it allows, what its
// commands mean one after the other, and at the same virtual times as in one thread. ThreadSanitizer runs this too:
// bytes that two queues touch without order would be a data race of the simulator.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <tuple>

#include "hal/devices/refdev/sim/sim_platform.h"
#include "tests/proofs/patterns.h"
#include "tests/proofs/performance.h"

namespace pianola::test {
namespace {

constexpr std::uint32_t kCases = 300U / PIANOLA_REPLAY_PART;
constexpr std::uint32_t kRunsOfPatterns = 8U / PIANOLA_REPLAY_PART;

using Logs = std::array<std::vector<std::string>, kMaxQueues>;

std::uint32_t steps_on_views = 0U;  // of all tests

// Every command of every queue, with all that is logged of it.
Logs perform(const SmallCase& small, sim::Threading threading, std::uint32_t seed) {
    sim::SimOptions options;
    options.spec = small_device();
    options.threading = threading;
    options.keep_log = true;
    options.write_back_cache = true;
    sim::SimDevice device{options};
    sim::SimPlatform platform{device};
    Performance performance{small, device, platform, seed};
    performance.run();
    steps_on_views += performance.steps_on_views();
    Logs logs;
    for (std::uint32_t queue = 0U; queue < options.spec.queue_count; ++queue) {
        for (const refdev::ExecutedCommand& each : device.log(queue)) {
            std::string& line = logs.at(queue).emplace_back();
            for (const std::uint64_t field :
                 {std::uint64_t{each.sequence}, static_cast<std::uint64_t>(each.opcode), std::uint64_t{each.kernel_id},
                  static_cast<std::uint64_t>(each.fault), each.digest, each.start_cycles, each.end_cycles,
                  std::uint64_t{each.core}}) {
                line += std::to_string(field) + " ";
            }
        }
    }
    return logs;
}

std::string first_difference(const Logs& left, const Logs& right) {
    for (std::size_t queue = 0U; queue < left.size(); ++queue) {
        const auto& [one, other] = std::tie(left.at(queue), right.at(queue));
        for (std::size_t i = 0U; i < std::max(one.size(), other.size()); ++i) {
            const std::string mine = (i < one.size()) ? one[i] : "nothing";
            const std::string others = (i < other.size()) ? other[i] : "nothing";
            if (mine != others) {
                std::string text = "queue " + std::to_string(queue) + ": ";
                return text.append(mine).append("instead of ").append(others);
            }
        }
    }
    return {};
}

void expect_agreement(const SmallCase& small, std::uint32_t runs) {
    SCOPED_TRACE(text_of(small));
    for (std::uint32_t run = 1U; (run <= runs) && !testing::Test::HasFailure(); ++run) {
        // The seed decides which steps are on views, and so what there is to do.
        const Logs alone = perform(small, sim::Threading::kInProcess, run);
        EXPECT_EQ(first_difference(perform(small, sim::Threading::kThreaded, run), alone), "")
            << "threaded run " << run;
    }
}

TEST(ScriptReplay, PatternsGiveWhatTheyMeanAtTheSameTimes) {
    for (const auto script : {script_one_queue, script_pattern_one, script_pattern_two}) {
        for (const std::uint32_t in_flight : {1U, 2U, 16U}) {
            for (const std::uint32_t traces : {1U, 2U, 3U}) {
                const std::uint32_t tensors = (in_flight > 2U) ? 1U : 2U;  // the rings have room for all steps
                if ((tensors == 1U) && (traces == 3U)) {
                    continue;
                }
                SmallCase small = plain_memory(tensors, tensors, traces);
                small.in_flight = in_flight;
                script(small);
                expect_agreement(small, kRunsOfPatterns);
            }
        }
    }
}

TEST(ScriptReplay, AcceptedCasesGiveWhatTheyMeanAtTheSameTimes) {
    const std::uint32_t overlapping =
        for_accepted_cases(kCases, 11U, [](const SmallCase& small) { expect_agreement(small, 1U); });
    EXPECT_GT(overlapping, kCases / 4U);
    EXPECT_GT(steps_on_views, kCases / 4U);
    std::cout << kCases << " cases, " << overlapping << " of them with two scripts under way\n";
}

}  // namespace
}  // namespace pianola::test
