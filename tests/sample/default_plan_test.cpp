#include <gtest/gtest.h>

#include "capture_host/sample/sample.h"

namespace pianola::sample {
namespace {

// The one slow test of the sample: the default plan gives what the documents promise.
TEST(DefaultPlan, ReachesItsAccuracy) {
    const Sample sample = make_sample(TrainingPlan{}, [](const Progress&) {});
    EXPECT_GE(sample.float_accuracy, 0.99);
    EXPECT_GE(sample.int8_estimate, 0.99);
    EXPECT_EQ(sample.test.size(), kTestPictures);
}

}  // namespace
}  // namespace pianola::sample
