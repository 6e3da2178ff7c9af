// In C++: the devices of a plugin's executor, and a simulator on one.
#include <gtest/gtest.h>

#include "pianola_host/replay.h"
#include "pianola_host/targets.h"

namespace pianola {
namespace {

TEST(PluginExecutor, IsNamedAsABuiltInOne) {
    const targets::Targets targets{PIANOLA_COPY_NPU};
    const ExecutorDevice second = targets.executor("rig:1");
    ASSERT_NE(second.executor, nullptr);
    EXPECT_STREQ(second.executor->title(), "Rig");
    EXPECT_EQ(second.number, 1U);
    EXPECT_EQ(targets.executor("rig").executor, second.executor);
    EXPECT_EQ(targets.executor("rig").number, 0U);
    EXPECT_EQ(targets.executor("vulkan").executor, targets::Targets{}.executor("vulkan").executor);
    for (const char* const text : {"rig:", "rig:x", "rigs", "simulator", ""}) {
        EXPECT_EQ(targets.executor(text).executor, nullptr) << text;
    }
    EXPECT_EQ(targets::Targets{}.executor("rig").executor, nullptr);
}

TEST(PluginExecutor, SimulatesForItsOwnFamilyOnly) {
    const targets::Targets targets{PIANOLA_COPY_NPU};
    SimulatorOptions options;
    options.check_accesses = true;
    options.executor = targets.executor("rig");
    const Target& target = targets.usual();
    replay::require_simulator(target, options);
    const auto simulator = options.executor.executor->simulate(target.usual_device(), options);
    EXPECT_EQ(simulator->access_violations(), 1U);
    const Target* const other = targets.find("pianola-refdev");
    ASSERT_NE(other, nullptr);
    EXPECT_THROW(replay::require_simulator(*other, options), replay::NotOffered);
    options.executor.number = 1U;
    EXPECT_THROW(static_cast<void>(options.executor.executor->simulate(target.usual_device(), options)),
                 ExecutorRefused);
}

}  // namespace
}  // namespace pianola
