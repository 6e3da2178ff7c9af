// The model of a cache that is not coherent with the device, and what driver and session do about one.
#include "hal/devices/refdev/sim/write_back_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "pianola_host/files.h"
#include "tests/support/bench.h"
#include "tests/support/verifies.h"
#include "tests/support/workload.h"

namespace pianola::sim {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint8_t kReused = 0x77U;

TEST(WriteBackCache, TheDeviceSeesWhatWasCleaned) {
    WriteBackCache cache;
    const Bytes mine(4U, 1U);
    const ByteSpan seen = cache.lend_source(0U, {mine.data(), mine.size()});
    EXPECT_NE(seen[0], mine[0]);
    cache.clean(seen);
    EXPECT_EQ(seen[0], mine[0]);
    EXPECT_EQ(cache.lender_of(seen).data(), mine.data());
}

TEST(WriteBackCache, TheApplicationSeesWhatWasInvalidated) {
    WriteBackCache cache;
    Bytes mine(4U, 1U);
    const MutableByteSpan seen = cache.lend_destination(0U, {mine.data(), mine.size()});
    cache.clean(seen);
    seen[0] = 2U;
    EXPECT_EQ(mine[0], 1U);
    cache.invalidate(seen);
    EXPECT_EQ(mine[0], 2U);
}

TEST(WriteBackCache, WhatWasNotCleanedIsWrittenBackOverTheDevicesBytes) {
    WriteBackCache cache;
    Bytes mine(4U, 1U);
    const MutableByteSpan seen = cache.lend_destination(0U, {mine.data(), mine.size()});
    seen[0] = 2U;
    cache.invalidate(seen);
    EXPECT_EQ(mine[0], 1U);
}

TEST(WriteBackCache, AnInvalidationTooManyTakesWhatWasWrittenSince) {
    WriteBackCache cache;
    Bytes mine(4U, 1U);
    const MutableByteSpan seen = cache.lend_destination(0U, {mine.data(), mine.size()});
    cache.clean(seen);
    Bytes other(4U, 1U);
    EXPECT_EQ(cache.lend_destination(0U, {other.data(), other.size()}).size(), other.size());
    mine[0] = kReused;
    cache.invalidate(seen);
    EXPECT_EQ(mine[0], 1U);
}

// Between a release and the next submission nothing of the application is bound, and what was given back stays as the
// application leaves it: over steps with other memory, and over steps without any.
TEST(SessionBindings, MemoryThatWasGivenBackIsLeftAlone) {
    test::verifies({"swr~bound-memory~1"});
    test::Bench bench;
    const files::AlignedBytes file{test::make_workload(2U).file()};
    ASSERT_EQ(bench.load(file.view()), Status::kOk);
    ASSERT_TRUE(bench.session.has_views());
    std::vector<Bytes> outputs(4U, Bytes(test::kWorkloadBytes));
    for (std::uint32_t step = 0U; step < outputs.size(); ++step) {
        const Bytes input = test::workload_input(step);
        ASSERT_EQ(bench.run(input, outputs.at(step)), Status::kOk);
        ASSERT_EQ(outputs.at(step), test::workload_output(input));
        std::fill(outputs.at(step).begin(), outputs.at(step).end(), kReused);
        for (std::uint32_t slot = kFirstInputSlot; slot < kSourceSlots; ++slot) {
            EXPECT_TRUE(bench.device.bound_source(slot).empty()) << slot;
        }
        for (std::uint32_t slot = 0U; slot < kDestinationSlots; ++slot) {
            EXPECT_TRUE(bench.device.bound_destination(slot).empty()) << slot;
        }
    }
    for (std::uint32_t step = 0U; step < 4U; ++step) {
        ASSERT_EQ(bench.session.submit(), Status::kOk);
        ASSERT_EQ(bench.session.wait(), Status::kOk);
    }
    for (const Bytes& output : outputs) {
        EXPECT_EQ(output, Bytes(test::kWorkloadBytes, kReused));
    }
}

}  // namespace
}  // namespace pianola::sim
