// Many replays of a real model: the last is like the first, in results and in virtual time.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/models/replay.h"
#include "tests/sim/logs.h"
#include "tests/tflite/shared_models.h"

namespace pianola::sim {
namespace {

constexpr std::uint32_t kReplays = PIANOLA_REPLAYS;

TEST(Replays, EveryReplayOfKwsIsTheSame) {
    if (tflite::models_dir().empty()) {
        GTEST_SKIP() << "no models: set PIANOLA_SHARED";
    }
    const std::filesystem::path folder = tflite::models_dir() / "kws_ref_model";
    SimOptions options;
    options.keep_log = true;
    replay::Player player{replay::capture_model(folder / "model.tflite", replay::with_queues(2U)), options};
    const replay::Tensors inputs = replay::load_record(folder, "input", 0U);
    const replay::Tensors golden = replay::load_record(folder, "golden", 0U);
    ASSERT_FALSE(golden.empty());
    std::array<std::vector<std::string>, 2> first;
    for (std::uint32_t i = 0U; i < kReplays; ++i) {
        player.device().clear_log();
        const std::uint64_t origin = player.device().now_cycles();
        ASSERT_EQ(player.run(inputs), golden) << "replay " << i;
        const std::array<std::vector<std::string>, 2> logs{relative_log(player.device(), 0U, origin),
                                                           relative_log(player.device(), 1U, origin)};
        if (i == 0U) {
            first = logs;
            ASSERT_GT(first[0].size(), 10U);
            ASSERT_GT(first[1].size(), 3U);
        }
        ASSERT_EQ(logs, first) << "replay " << i;
    }
    EXPECT_EQ(player.session().steps_completed(), kReplays);
    EXPECT_EQ(player.platform().safe_state_entries(), 0U);
    std::cout << kReplays << " replays, all identical to the golden output and to each other's log\n";
}

}  // namespace
}  // namespace pianola::sim
