// Models with state, as a stream: golden sequences of another implementation, resets, self-tests, and what happens to
// a stream whose state is damaged.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "tests/models/replay.h"
#include "tests/support/verifies.h"
#include "tests/tflite/shared_models.h"

namespace pianola {
namespace {

using replay::Bytes;
using replay::Player;
using replay::Tensors;

constexpr std::uint32_t kSelfTests = 4U;
constexpr std::uint32_t kSteps = 1000U;

class Streams : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (tflite::models_dir().empty()) {
            GTEST_SKIP() << "no models: set PIANOLA_SHARED";
        }
        folder_ = tflite::models_dir() / GetParam();
        capture::CaptureOptions options;
        options.self_tests = kSelfTests;
        file_ = replay::capture_model(folder_ / "model.tflite", options);
    }
    // Where the state lies, and how much there is.
    [[nodiscard]] RegionConfig state_of(Player& player) const {
        for (const RegionConfig& region : Span<const RegionConfig>{player.plan().regions}) {
            if (region.kernels_write && region.queues_write && !region.queues_read) {
                return region;
            }
        }
        ADD_FAILURE() << "no state";
        return {};
    }
    static std::vector<Tensors> stream(Player& player, std::uint32_t steps) {
        std::vector<Tensors> outputs;
        for (std::uint32_t i = 0U; i < steps; ++i) {
            outputs.push_back(player.run(player.seeded_inputs(i + 1U)));
        }
        return outputs;
    }
    static void self_test(Player& player) {
        Bytes scratch(player.session().output_bytes());
        EXPECT_EQ(player.session().self_test({scratch.data(), scratch.size()}), Status::kOk);
    }

    std::filesystem::path folder_;
    Bytes file_;
};

TEST_P(Streams, AreTheGoldenSequences) {
    test::verifies({"swr~golden-outputs~1"});
    Player player{file_, {}};
    for (std::uint32_t pass = 0U; pass < 3U; ++pass) {
        std::size_t record = 0U;
        for (;; ++record) {
            const Tensors goldens = replay::load_record(folder_, "seqgolden", record);
            if (goldens.empty()) {
                break;
            }
            EXPECT_EQ(player.run(replay::load_record(folder_, "input", record)), goldens) << record;
        }
        EXPECT_GE(record, 18U);
        if (pass == 0U) {
            self_test(player);  // which resets
        } else {
            EXPECT_EQ(player.session().reset_state(), Status::kOk);
        }
    }
}

TEST_P(Streams, OfAThousandStepsAreEqualAfterAReset) {
    Player player{file_, {}};
    const std::vector<Tensors> first = stream(player, kSteps);
    EXPECT_NE(first, stream(player, kSteps)) << "state does not matter";
    EXPECT_EQ(player.session().reset_state(), Status::kOk);
    EXPECT_EQ(first, stream(player, kSteps));
}

// State changes in every step: nothing says what it should be, so that no comparison sees the damage. Docs say so.
TEST_P(Streams, ADamagedStateIsDetectedBeforeTheNextStep) {
    Player player{file_, {}};
    const std::vector<Tensors> whole = stream(player, 30U);
    EXPECT_EQ(player.session().reset_state(), Status::kOk);
    static_cast<void>(stream(player, 3U));
    const RegionConfig state = state_of(player);
    std::uint8_t* const bytes = player.device().memory_at(state.base, state.size_bytes);
    for (std::uint32_t i = 0U; i < state.size_bytes; ++i) {
        bytes[i] ^= 0x40U;
    }
    EXPECT_EQ(player.session().reset_state(), Status::kIntegrity);
    EXPECT_EQ(player.session().fault().stage, FaultStage::kScrub);
}

INSTANTIATE_TEST_SUITE_P(Models, Streams, testing::Values("trained_lstm_int8", "mww_okay_nabu_v2"));

}  // namespace
}  // namespace pianola
