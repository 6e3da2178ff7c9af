// Kernels by identity: a binary is refused where a kernel that it names is another one, and only there.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "hal/devices/refdev/kernels/kernel_library.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "pianola/development_config.h"
#include "tests/runtime/rule_case.h"
#include "tests/support/doubles.h"
#include "tests/support/trace_file.h"

namespace pianola::test {
namespace {

constexpr std::uint32_t kAddId = 7U;
constexpr std::uint32_t kRequantizeId = 9U;  // the workload launches these two
constexpr std::uint32_t kAddedId = 1000U;    // no kernel of the ROM

// The reference device's command set in a later version: some kernels are others, or new.
class LaterCommandSet final : public ForwardingCommandSet {
  public:
    [[nodiscard]] KernelIdentity kernel(std::uint32_t id) const noexcept override {
        const auto found = changed.find(id);
        return (found != changed.end()) ? found->second : ForwardingCommandSet::kernel(id);
    }

    std::map<std::uint32_t, KernelIdentity> changed;
};

// The verdict of a target of the later version on a binary of today.
Verdict later_verdict(const LaterCommandSet& command_set, const Workload& workload, const DeviceDescription& device) {
    const files::AlignedBytes file{workload.file()};
    const auto workspace = std::make_unique<PlanWorkspace>();
    const auto plan = std::make_unique<Plan>();
    Image image;
    Verdict verdict;
    EXPECT_EQ(validate(file.view(), device, command_set, kDevelopmentTrust, *workspace, image, *plan, verdict),
              verdict.status);
    return verdict;
}

DeviceDescription device_of_today() {
    DeviceDescription device;
    refdev::describe(refdev::DeviceSpec{}, device);
    return device;
}

Verdict later_verdict(const LaterCommandSet& command_set) {
    return later_verdict(command_set, make_workload(1U), device_of_today());
}

// Every kernel that the binary does not name is of another version, with other costs, and new ones are there.
LaterCommandSet& with_other_kernels(LaterCommandSet& command_set) {
    for (std::uint32_t id = 1U; command_set.ForwardingCommandSet::kernel(id).version != 0U; ++id) {
        if ((id != kAddId) && (id != kRequantizeId)) {
            KernelIdentity other = command_set.ForwardingCommandSet::kernel(id);
            other.version += (id % 2U);
            other.cost_version += 1U;
            other.argument_words += (id % 3U);
            command_set.changed[id] = other;
        }
    }
    command_set.changed[kAddedId] = {1U, 2U, 1U};
    return command_set;
}

TEST(KernelIdentity, ABinaryNamesExactlyTheKernelsThatItLaunches) {
    const Workload workload = make_workload(1U);
    std::set<std::uint32_t> ids;
    for (const capture::ManifestKernel& kernel : workload.manifest.target.kernels) {
        ids.insert(kernel.id);
    }
    EXPECT_EQ(ids, (std::set<std::uint32_t>{kAddId, kRequantizeId}));
}

TEST(KernelIdentity, ABinaryLoadsAndRunsWhereOtherKernelsWereAddedOrChanged) {
    LaterCommandSet later;
    with_other_kernels(later);
    ASSERT_GT(later.changed.size(), 30U);
    const Workload workload = make_workload(1U, 1U);
    const files::AlignedBytes file{workload.file()};
    sim::SimDevice device{sim::SimOptions{}};
    sim::SimPlatform platform{device};
    const auto session = std::make_unique<Session>(device, platform, later, kDevelopmentConfig);
    const auto workspace = std::make_unique<PlanWorkspace>();
    Verdict verdict;
    ASSERT_EQ(session->load(file.view(), *workspace, verdict), Status::kOk) << rule_id(verdict.rule);
    std::vector<std::uint8_t> scratch(kWorkloadBytes);
    EXPECT_EQ(session->self_test(0U, MutableByteSpan{scratch.data(), scratch.size()}), Status::kOk);
}

TEST(KernelIdentity, ABinaryIsRefusedByTheKernelThatIsAnotherOne) {
    const auto change = [](std::uint32_t id, auto edit) {
        LaterCommandSet later;
        KernelIdentity other = later.kernel(id);
        edit(other);
        with_other_kernels(later).changed[id] = other;
        const Verdict verdict = later_verdict(later);
        return std::pair{std::string{rule_id(verdict.rule)}, path_text(verdict)};
    };
    const auto refusal = [](const char* path) { return std::pair{std::string{"TGT-KERNEL"}, std::string{path}}; };
    EXPECT_EQ(change(kAddId, [](auto& kernel) { kernel.version += 1U; }), refusal("target.kernels[0].version"));
    EXPECT_EQ(change(kAddId, [](auto& kernel) { kernel.argument_words += 1U; }),
              refusal("target.kernels[0].argument_words"));
    EXPECT_EQ(change(kRequantizeId, [](auto& kernel) { kernel.cost_version += 1U; }),
              refusal("target.kernels[1].cost_version"));
    EXPECT_EQ(change(kRequantizeId, [](auto& kernel) { kernel = {}; }), refusal("target.kernels[1].id"));
}

// As many as a list may have, found or not whatever their place.
TEST(KernelIdentity, EveryNamedKernelIsFoundInAListOfAnyLength) {
    for (const std::uint32_t count : {2U, 3U, 4U, 7U, kMaxKernels - 1U, kMaxKernels}) {
        for (const std::uint32_t first : {1U, 2U, kAddId}) {
            LaterCommandSet later;
            Workload workload = make_workload(1U);
            auto& kernels = workload.manifest.target.kernels;
            kernels.clear();
            for (std::uint32_t i = 0U; i < count; ++i) {
                const KernelIdentity identity = later.kernel(first + i);
                const KernelIdentity named = (identity.version != 0U) ? identity : KernelIdentity{1U, 1U, 1U};
                later.changed[first + i] = named;
                kernels.push_back({first + i, named});
            }
            const bool has_both = (first <= kAddId) && ((first + count) > kRequantizeId);
            const Verdict verdict = later_verdict(later, workload, device_of_today());
            EXPECT_STREQ(rule_id(verdict.rule), has_both ? "ACCEPTED" : "TRC-KERNEL-NAMED") << count << " " << first;
        }
    }
}

TEST(KernelIdentity, TheClockOfACoreIsRoundedDown) {
    constexpr std::uint32_t kCoreKhz = 1'000'000U;
    for (const std::uint32_t millicycles : {1U, 999U, 1000U, 1001U, 3000U, 7777U, 1'000'000'000U, UINT32_MAX}) {
        DeviceDescription device = device_of_today();
        device.core_khz = kCoreKhz;
        device.millicycles_per_instruction = millicycles;
        const std::uint64_t clock = (std::uint64_t{kCoreKhz} * 1000U) / millicycles;
        for (const std::uint64_t claimed : {clock - 1U, clock, clock + 1U}) {
            if ((claimed == 0U) || (claimed > UINT32_MAX)) {
                continue;
            }
            device.clock_khz = static_cast<std::uint32_t>(claimed);
            Workload workload = make_workload(1U);
            workload.manifest.step_deadline_us = UINT32_MAX;
            workload.manifest.setup_deadline_us = UINT32_MAX;
            const std::vector<capture::ManifestKernel> kernels = workload.manifest.target.kernels;
            const CapacityProfile profile = workload.manifest.target.profile;
            workload.manifest.target = capture::make_target(device);
            workload.manifest.target.kernels = kernels;
            workload.manifest.target.profile = profile;
            const Verdict verdict = later_verdict(LaterCommandSet{}, workload, device);
            EXPECT_STREQ(rule_id(verdict.rule), (claimed == clock) ? "ACCEPTED" : "TGT-CLOCK")
                << millicycles << " " << claimed;
        }
    }
}

}  // namespace
}  // namespace pianola::test
