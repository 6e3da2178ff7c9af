// Captures that expect the goldens of another implementation: what is stored, and what one wrong byte is called.
#include "capture_host/capture/expected.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/models/replay.h"
#include "tests/tflite/shared_models.h"

namespace pianola {
namespace {

using capture::ExpectedInference;
using replay::Bytes;

struct Model {
    const char* name;
    const char* goldens;  // the kind of their files
    bool has_state;
};

class Expected : public testing::TestWithParam<Model> {
  protected:
    void SetUp() override {
        if (tflite::models_dir().empty()) {
            GTEST_SKIP() << "no models: set PIANOLA_SHARED";
        }
        folder_ = tflite::models_dir() / GetParam().name;
        for (std::size_t record = 0U;; ++record) {
            const ExpectedInference inference{replay::load_record(folder_, "input", record),
                                              replay::load_record(folder_, GetParam().goldens, record)};
            if (inference.outputs.empty()) {
                break;
            }
            expected_.push_back(inference);
        }
        ASSERT_GE(expected_.size(), 3U);
    }
    [[nodiscard]] Bytes capture(capture::CaptureOptions options = {}) const {
        options.expected = expected_;
        return replay::capture_model(folder_ / "model.tflite", options);
    }
    // What is said of the capture; an inference that there is not where nothing is.
    [[nodiscard]] capture::OutputDifference difference(const capture::CaptureOptions& options = {}) const {
        try {
            static_cast<void>(capture(options));
        } catch (const capture::NotAsExpected& error) {
            return error.difference();
        }
        capture::OutputDifference none;
        none.inference = SIZE_MAX;
        return none;
    }

    std::filesystem::path folder_;
    std::vector<ExpectedInference> expected_;
};

TEST_P(Expected, GoldensAreTheVectorsThatAnyDeviceReplays) {
    for (const std::uint32_t more : {0U, 2U}) {
        capture::CaptureOptions options;
        options.self_tests = more;
        options.link.queues = 1U + (more / 2U);
        replay::Player player{capture(options), {}};
        ASSERT_EQ(player.session().self_test_count(), expected_.size() + more);
        const ByteSpan vectors = player.session().self_tests();
        std::size_t next = 0U;
        for (const ExpectedInference& inference : expected_) {
            for (const auto* tensors : {&inference.inputs, &inference.outputs}) {
                for (const Bytes& tensor : *tensors) {
                    const ByteSpan stored = vectors.subspan(next, tensor.size());
                    EXPECT_TRUE(std::equal(tensor.begin(), tensor.end(), stored.begin(), stored.end()));
                    next += tensor.size();
                }
            }
        }
        Bytes scratch(player.session().output_bytes());
        EXPECT_EQ(player.session().self_test({scratch.data(), scratch.size()}), Status::kOk);
    }
}

TEST_P(Expected, OneWrongBitIsFoundWhereverItIs) {
    for (const std::size_t record : {std::size_t{0U}, expected_.size() / 2U, expected_.size() - 1U}) {
        Bytes& output = expected_[record].outputs.back();
        for (const std::size_t byte : {std::size_t{0U}, output.size() - 1U}) {
            output[byte] ^= 0x01U;
            const capture::OutputDifference found = difference();
            EXPECT_EQ(found.inference, record);
            EXPECT_EQ(found.output, expected_[record].outputs.size() - 1U);
            EXPECT_EQ(found.element, byte / element_bytes(found.type));
            EXPECT_EQ(found.differing, 1U);
            EXPECT_EQ(found.differing_in_all, 1U);
            EXPECT_EQ(found.differing_inferences, 1U);
            EXPECT_EQ(found.inferences, expected_.size());
            EXPECT_EQ(found.has_state, GetParam().has_state);
            EXPECT_NE(found.expected, found.got);
            output[byte] ^= 0x01U;
        }
    }
}

TEST_P(Expected, OrderMattersWhereThereIsState) {
    std::reverse(expected_.begin(), expected_.end());
    EXPECT_EQ(difference().inference != SIZE_MAX, GetParam().has_state);
}

TEST_P(Expected, OverlappingStepsAreComparedToo) {
    capture::CaptureOptions options;
    options.link.queues = 2U;
    options.link.is_pipelined = true;
    options.link.steps_in_flight = 4U;
    if (GetParam().has_state) {
        EXPECT_THROW(static_cast<void>(capture(options)), capture::LinkError);
    } else {
        EXPECT_EQ(difference(options).inference, SIZE_MAX);
        expected_[1].outputs.front().front() ^= 0x80U;
        EXPECT_EQ(difference(options).inference, 1U);
    }
}

TEST_P(Expected, TensorsOfOtherSizesAreRefused) {
    expected_.back().outputs.back().push_back(0U);
    EXPECT_THROW(static_cast<void>(capture()), std::invalid_argument);
    expected_.back().outputs.back().pop_back();
    expected_.front().inputs.pop_back();
    EXPECT_THROW(static_cast<void>(capture()), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Models, Expected,
                         testing::Values(Model{"kws_ref_model", "golden", false},
                                         Model{"litert_single_add_a8w8", "golden", false},
                                         Model{"mww_okay_nabu_v2", "seqgolden", true},
                                         Model{"trained_lstm_int8", "seqgolden", true}),
                         [](const testing::TestParamInfo<Model>& tested) { return std::string{tested.param.name}; });

}  // namespace
}  // namespace pianola
