// Capacities by profile: whatever the host was built with, a device's own profile decides, to the last range and table;
// and a refusal says what is needed and what fits.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hal/devices/refdev/command_encoding.h"
#include "pianola/footprint.h"
#include "tests/runtime/rule_case.h"
#include "tests/support/verifies.h"

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
    verifies({"swr~capacities~1"});
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

// Steps that rings have room for: the workload on one queue takes few words.
TEST_P(Profiles, TakesExactlyItsStepsInFlight) {
    for (const std::uint32_t more : {0U, 1U}) {
        Workload workload = make_workload(1U);
        workload.manifest.steps_in_flight = GetParam()->steps_in_flight + more;
        ASSERT_EQ(validate(workload), (more == 0U) ? Status::kOk : Status::kRefused) << rule_id(verdict().rule);
        if (more != 0U) {
            EXPECT_EQ(verdict().rule, Rule::kBudInFlight);
            EXPECT_EQ(verdict().actual, GetParam()->steps_in_flight + 1U);
            EXPECT_EQ(verdict().limit, GetParam()->steps_in_flight);
        }
    }
}

// Values of as many fills as fit, and of one more; the last ones come first in the lists.
TEST_P(Profiles, TakesExactlyItsPatchPoints) {
    for (const std::uint32_t more : {0U, 1U}) {
        Workload workload = make_workload(1U);
        workload.manifest.regions[3].size_bytes = 16U * 1024U;
        const std::uint32_t points = GetParam()->patch_points + more;
        std::vector<std::uint32_t> words;
        std::vector<capture::ManifestPatchPoint> places;
        for (std::uint32_t i = 0U; i < points; ++i) {
            words.insert(words.end(), {header_word(Opcode::kFill, refdev::kFillWords),
                                       workload.manifest.regions[3].base + 1024U + i, 1U, 7U});
            places.insert(places.begin(), {0U, static_cast<std::uint32_t>(words.size()) - 1U});
        }
        const std::vector<std::uint32_t> old = words_of(workload.segments.traces);
        words.insert(words.end(), old.begin(), old.end());
        ASSERT_TRUE(set_trace(workload, words));
        const auto half = places.begin() + static_cast<std::ptrdiff_t>(points / 2U);
        workload.manifest.parameters = {
            {"behind", ParameterKind::kRuntimeArgument, 0U, 9U, 1U, {places.begin(), half}},
            {"in front", ParameterKind::kRuntimeArgument, 0U, 9U, 1U, {half, places.end()}}};
        ASSERT_EQ(validate(workload), (more == 0U) ? Status::kOk : Status::kRefused) << rule_id(verdict().rule);
        if (more != 0U) {
            EXPECT_EQ(verdict().rule, Rule::kCapPoints);
            EXPECT_EQ(verdict().actual, GetParam()->patch_points + 1U);
            EXPECT_EQ(verdict().limit, GetParam()->patch_points);
        }
    }
}

// Writes of the same weights. A list of more than any profile takes is refused before.
TEST_P(Profiles, TakesExactlyItsScriptCommands) {
    verifies({"swr~capacities~1"});
    const std::uint32_t capacity = GetParam()->script_commands;
    for (const std::uint32_t more : {0U, 1U}) {
        Workload workload = make_workload(1U);
        auto& setup = workload.manifest.scripts.at(0U).commands;
        while (setup.size() < (capacity + more)) {
            setup.insert(setup.begin(), setup.at(0U));
        }
        ASSERT_EQ(validate(workload), Status::kRefused);
        if (more == 0U) {
            EXPECT_EQ(verdict().rule, Rule::kScrWeightsOnce);
        } else {
            EXPECT_EQ(verdict().rule, (capacity < kMaxScriptCommands) ? Rule::kCapCommands : Rule::kImgCount);
            EXPECT_EQ(verdict().actual, capacity + 1U);
            EXPECT_EQ(verdict().limit, capacity);
        }
    }
}

// What comes behind the tables refuses the programs, which stand for no commands.
TEST_P(Profiles, TakesExactlyItsTables) {
    verifies({"swr~capacities~1"});
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

// What docs/evidence/worst_case.md says of each.
static_assert(plan_workspace_bytes32(profiles::kSmallEcu) == 8464U);
static_assert(plan_workspace_bytes32(profiles::kDefault) == 42296U);
static_assert(plan_workspace_bytes32(profiles::kHost) == 300408U);

static_assert(session_bytes32(profiles::kSmallEcu) == 3536U);
static_assert(session_bytes32(profiles::kDefault) == 11224U);
static_assert(session_bytes32(profiles::kHost) == 14008U);

// At run time too: tools of the host ask for a profile that they are told.
TEST_P(Profiles, WorkspacesGrowWithTheirRanges) {
    verifies({"swr~stated-footprint~1"});
    Capacities more = *GetParam();
    more.intervals += 1U;
    EXPECT_EQ(plan_workspace_bytes32(more) - plan_workspace_bytes32(*GetParam()), 72U)
        << "runtime/include/pianola/config.h";
}

// One program on the host would judge by arrays that the target does not have.
TEST(ProfilesOfDevices, MoreThanTheRuntimeWasBuiltWithIsRefused) {
    DeviceDescription device = default_device();
    for (const auto capacity : {&Capacities::intervals, &Capacities::steps_in_flight, &Capacities::patch_points,
                                &Capacities::script_commands, &Capacities::mesh_devices}) {
        Capacities beyond = kCapacities;
        beyond.*capacity += 1U;
        device.capacities = &beyond;
        Validator validator{device};
        EXPECT_EQ(validator.validate(make_workload(1U).file()), Status::kRefused);
        EXPECT_EQ(validator.verdict().rule, Rule::kTgtMemory);
    }
}

// Decoding a patched command with other values is work, too.
TEST(ProfilesOfDevices, WorkOfPatchedCommandsIsCounted) {
    for (const AcceptedCase& accepted : accepted_combinations()) {
        Capacities capacities = profiles::kSmallEcu;
        capacities.work_of_block = 0U;
        capacities.work_of_file = 0U;
        DeviceDescription device = default_device();
        device.capacities = &capacities;
        Validator validator{device};
        while (!is_ok(validator.validate(accepted.file)) && (capacities.work_of_file < 1000U)) {
            EXPECT_EQ(validator.verdict().rule, Rule::kCapWork) << capacities.work_of_file;
            EXPECT_EQ(validator.verdict().limit, capacities.work_of_file);
            capacities.work_of_file += 1U;
        }
        EXPECT_GT(capacities.work_of_file, 6U * (kWorkPerCommand + refdev::kFillWords)) << accepted.what;
        EXPECT_LT(capacities.work_of_file, 1000U) << accepted.what;
    }
}

}  // namespace
}  // namespace pianola::test
