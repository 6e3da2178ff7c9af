// Order between submissions on the Vulkan device: small cases of two queues give what their commands mean one after the
// other, with as many steps under way as they admit; and without any one record or wait they are refused at load, by
// the rule that the validator has for it.
#include <gtest/gtest.h>

#include <iostream>
#include <optional>

#include "tests/proofs/patterns.h"
#include "tests/proofs/performance.h"
#include "tests/vulkan/vulkan_port.h"

namespace pianola::vulkan {
namespace {

using test::Commands;
using test::SmallCase;

constexpr std::uint32_t kCases = 300U;

class VulkanOrders : public testing::Test {
  protected:
    void SetUp() override {
        PhysicalDeviceList list;
        if (!is_ok(list_physical_devices(list)) || (list.count <= tested_device())) {
            GTEST_SKIP() << "there is no vulkan:" << tested_device();
        }
        opened_.emplace(options());
    }
    void expect_meaning(const SmallCase& small, std::uint32_t seed) {
        SCOPED_TRACE(test::text_of(small));
        test::Performance performance{small, opened_->device, opened_->platform, seed};
        performance.run();
        played_ += 1U;
        steps_on_views_ += performance.steps_on_views();
    }
    // The rule by which the device's session refuses the binary; empty where it loads it.
    [[nodiscard]] std::string refusal_of(const SmallCase& small) {
        const files::AlignedBytes file{test::binary_of(small)};
        const auto workspace = std::make_unique<PlanWorkspace>();
        Session session{opened_->device, opened_->platform, opened_->command_set, kDevelopmentConfig};
        Verdict verdict;
        return is_ok(session.load(file.view(), *workspace, verdict)) ? "" : rule_id(verdict.rule);
    }
    void expect_all_needed(SmallCase small) {
        ASSERT_EQ(refusal_of(small), "");
        for (Commands* const script : {&small.prologue.emplace(small.prologue.value_or(Commands{})), &small.step,
                                       &small.epilogue.emplace(small.epilogue.value_or(Commands{}))}) {
            for (std::size_t i = 0U; i < script->size(); ++i) {
                const capture::ManifestCommand command = script->at(i);
                if ((command.kind != ScriptCommandKind::kRecordEvent) &&
                    (command.kind != ScriptCommandKind::kWaitEvent)) {
                    continue;
                }
                const auto place = script->begin() + static_cast<std::ptrdiff_t>(i);
                script->erase(place);
                EXPECT_EQ(refusal_of(small).rfind("ORD-EVENT-", 0U), 0U) << "without command " << i << " of a script";
                script->insert(script->begin() + static_cast<std::ptrdiff_t>(i), command);
                removed_ += 1U;
            }
        }
    }

    static MachineOptions options() {
        MachineOptions options;
        options.spec = test::small_device();
        return options;
    }

    std::optional<Opened> opened_;
    std::uint32_t steps_on_views_{0U};
    std::uint32_t removed_{0U};
    std::uint32_t played_{0U};
};

SmallCase pattern(void (*script)(SmallCase&), std::uint32_t in_flight) {
    SmallCase small = test::plain_memory(1U, 1U, 2U);
    small.in_flight = in_flight;
    script(small);
    return small;
}

TEST_F(VulkanOrders, PatternsGiveWhatTheyMean) {
    for (const auto script : {test::script_one_queue, test::script_pattern_one, test::script_pattern_two}) {
        for (const std::uint32_t in_flight : {1U, 2U, 16U}) {
            expect_meaning(pattern(script, in_flight), in_flight);
        }
    }
    EXPECT_EQ(played_, 9U);
}

TEST_F(VulkanOrders, AcceptedCasesGiveWhatTheyMean) {
    const std::uint32_t overlapping =
        test::for_accepted_cases(kCases, 15U, [this](const SmallCase& small) { expect_meaning(small, 1U); });
    EXPECT_GT(overlapping, kCases / 5U);
    EXPECT_GT(steps_on_views_, kCases / 5U);
    std::cout << kCases << " cases, " << overlapping << " of them with two steps under way\n";
}

TEST_F(VulkanOrders, EveryRecordAndWaitIsNeeded) {
    for (const std::uint32_t in_flight : {1U, 2U}) {
        expect_all_needed(pattern(test::script_pattern_one, in_flight));
        expect_all_needed(pattern(test::script_pattern_two, in_flight));
    }
    EXPECT_EQ(removed_, 2U * (5U + 16U));
    std::cout << removed_ << " records and waits taken out, each refused\n";
}

}  // namespace
}  // namespace pianola::vulkan
