// Capacities by profile: whatever the host was built with, a device's own profile decides, to the last range and table; and a refusal says what
// is needed and what fits.
#include <gtest/gtest.h>

#include "hal/refdev/command_encoding.h"
#include "runtime/session/footprint.h"
#include "tests/runtime/rule_case.h"

namespace pianola::test {
namespace {

using refdev::header_word;
using refdev::Opcode;

class Profiles : public testing::TestWithParam<const Capacities*> {
  protected:
    // The workload with that much more trace region and memory than the default device has.
    Status validate(Workload& workload) {
        constexpr std::uint32_t kTraceRegionBytes = 1024U * 1024U;
        DeviceDescription device = default_device();
        device.capacities = GetParam();
        device.trace_region_bytes = kTraceRegionBytes;
        workload.manifest.target.trace_region_bytes = kTraceRegionBytes;
        for (capture::ManifestRegion& region : workload.manifest.regions) {
            if (region.kind == RegionKind::kTrace) {
                region.base = device.dram_base + (device.dram_bytes - kTraceRegionBytes);
                region.size_bytes = kTraceRegionBytes;
            }
        }
        validator_ = std::make_unique<Validator>(device);
        return validator_->validate(workload.file());
    }

    [[nodiscard]] const Verdict& verdict() const { return validator_->verdict(); }

  private:
    std::unique_ptr<Validator> validator_;
};

INSTANTIATE_TEST_SUITE_P(All, Profiles, testing::ValuesIn(kProfiles),
                         [](const auto& instance) { return std::string{instance.param->name}; });

// Fills of every other byte: a range each, beside the one of the input.
TEST_P(Profiles, TakesExactlyItsRanges) {
    for (const std::uint32_t more : {0U, 1U}) {
        Workload workload = make_workload(1U);
        workload.manifest.regions[3].size_bytes = 16U * 1024U;
        std::vector<std::uint32_t> words;
        for (std::uint32_t i = 0U; i < ((GetParam()->intervals - 3U) + more); ++i) {
            const std::uint32_t address = workload.manifest.regions[3].base + 1024U + (2U * i);
            words.insert(words.end(), {header_word(Opcode::kFill, refdev::kFillWords), address, 1U, 0U});
        }
        const std::vector<std::uint32_t> old = words_of(workload.segments.traces);
        words.insert(words.end(), old.begin(), old.end());
        ASSERT_TRUE(set_trace(workload, words));
        ASSERT_EQ(validate(workload), (more == 0U) ? Status::kOk : Status::kRefused)
            << rule_id(verdict().rule) << " at " << path_text(verdict());
        if (more != 0U) {
            EXPECT_EQ(verdict().rule, Rule::kCapIntervals);
            EXPECT_EQ(verdict().actual, GetParam()->intervals + 1U);
            EXPECT_EQ(verdict().limit, GetParam()->intervals);
        }
    }
}

// What comes behind the tables refuses the programs, which stand for no commands.
TEST_P(Profiles, TakesExactlyItsTables) {
    Workload workload = make_workload(1U);
    workload.manifest.traces[0].programs.assign(GetParam()->manifest_tables, {"n", 1U});
    ASSERT_EQ(validate(workload), Status::kRefused);
    EXPECT_EQ(verdict().rule, Rule::kCapTables);
    EXPECT_EQ(verdict().actual, GetParam()->manifest_tables + 1U);
    EXPECT_EQ(verdict().limit, GetParam()->manifest_tables);
    constexpr std::uint32_t kOthers = 40U;  // at most
    // The small profile's boundary is found table by table; of the others the files are long.
    const std::uint32_t step = (GetParam() == &profiles::kSmallEcu) ? 1U : kOthers;
    std::uint32_t programs = GetParam()->manifest_tables;
    while ((verdict().rule == Rule::kCapTables) && (programs > (GetParam()->manifest_tables - kOthers))) {
        programs -= step;
        workload.manifest.traces[0].programs.resize(programs);
        static_cast<void>(validate(workload));
    }
    EXPECT_EQ(verdict().rule, Rule::kTrcPrograms);
}

// The largest file does not wrap the work, and every byte more admits no less.
TEST_P(Profiles, WorkGrowsWithTheFile) {
    std::uint32_t before = 0U;
    for (std::uint32_t bytes = 0U; bytes <= kMaxFileBytes; bytes += 64U * 1024U) {
        EXPECT_GE(GetParam()->max_work(bytes), before);
        before = GetParam()->max_work(bytes);
    }
}

// What docs/WORST_CASE.md says of each.
static_assert(plan_workspace_bytes32(profiles::kSmallEcu) == 7792U);
static_assert(plan_workspace_bytes32(profiles::kDefault) == 40048U);
static_assert(plan_workspace_bytes32(profiles::kHost) == 298096U);

// One program on the host would judge by arrays that the target does not have.
TEST(ProfilesOfDevices, MoreThanTheRuntimeWasBuiltWithIsRefused) {
    DeviceDescription device = default_device();
    Capacities beyond = kCapacities;
    beyond.intervals += 1U;
    device.capacities = &beyond;
    Validator validator{device};
    EXPECT_EQ(validator.validate(make_workload(1U).file()), Status::kRefused);
    EXPECT_EQ(validator.verdict().rule, Rule::kTgtMemory);
}

}  // namespace
}  // namespace pianola::test
