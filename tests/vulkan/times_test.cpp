// The table of measured times.
#include "tests/vulkan/times.h"

#include <gtest/gtest.h>

#include <numeric>

namespace pianola::vulkan {
namespace {

TEST(VulkanTimes, PercentilesAreTimesThatSoManyDoNotExceed) {
    std::vector<std::uint64_t> times(1000U);
    std::iota(times.begin(), times.end(), 1U);
    EXPECT_EQ(percentile(times, 50'000U), 500U);
    EXPECT_EQ(percentile(times, 99'000U), 990U);
    EXPECT_EQ(percentile(times, 99'900U), 999U);
    EXPECT_EQ(percentile(times, 100'000U), 1000U);
    EXPECT_EQ(percentile(times, 0U), 1U);
    EXPECT_EQ(percentile({7U}, 99'990U), 7U);
    EXPECT_EQ(percentile({1U, 9U, 9U}, 33'334U), 9U) << "rounded up: more than a third are at most that";
}

TEST(VulkanTimes, TheTableLeavesOutWhatTooFewStepsSayNothingOf) {
    std::vector<std::uint64_t> times(1000U, 2000U);
    times.at(17U) = 1500U;
    times.at(500U) = 900'000U;
    const std::string head =
        "| steps | shortest | half | 99 % | 99.9 % | 99.99 % | longest |\n|---:|---:|---:|---:|---:|---:|---:|\n";
    EXPECT_EQ(table_of(times), head + "| 1000 | 1.5 | 2.0 | 2.0 | 2.0 | - | 900.0 |\n");
    EXPECT_EQ(table_of({3000U}), head + "| 1 | 3.0 | - | - | - | - | 3.0 |\n");
    EXPECT_EQ(table_of({}), "");
}

}  // namespace
}  // namespace pianola::vulkan
