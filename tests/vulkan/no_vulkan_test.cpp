// A build without Vulkan says so, finds no device, and opens none. Executors are found by name.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>

#include "hal/devices/refdev/vulkan/vulkan_executor.h"
#include "hal/host/target.h"

namespace pianola::vulkan {
namespace {

TEST(NoVulkan, IsNotBuiltAndRefusesByName) {
    const VulkanExecutor executor;
    EXPECT_STREQ(executor.name(), "vulkan");
    EXPECT_FALSE(executor.is_built());
    const ExecutorDevices found = executor.devices();
    EXPECT_TRUE(found.devices.empty());
    EXPECT_NE(found.why_none.find("this build has no Vulkan device"), std::string::npos) << found.why_none;
    const std::array<std::uint32_t, 1U> words{};
    EXPECT_TRUE(executor.objects({}, {}).empty());
    EXPECT_TRUE(executor.objects({}, words).empty());
    EXPECT_THROW(static_cast<void>(executor.simulate({}, {})), ExecutorRefused);
}

class NamedTarget final : public Target {
  public:
    explicit NamedTarget(Span<const Executor* const> executors) : executors_{executors} {}
    [[nodiscard]] DeviceDescription usual_device() const override { return {}; }
    [[nodiscard]] std::string what_is_wrong_with(const DeviceDescription& /*device*/) const override { return {}; }
    [[nodiscard]] const CommandSet& command_set() const noexcept override { std::abort(); }
    [[nodiscard]] const char* kernel_name(std::uint32_t /*kernel_id*/) const noexcept override { return nullptr; }
    [[nodiscard]] Span<const Executor* const> executors() const noexcept override { return executors_; }

  private:
    Span<const Executor* const> executors_;
};

TEST(NoVulkan, ExecutorsAreFoundByNameAndNumber) {
    const VulkanExecutor executor;
    const std::array<const Executor*, 1U> executors{&executor};
    const NamedTarget without{{}};
    const NamedTarget with{executors};
    const std::array<const Target*, 2U> targets{&without, &with};
    EXPECT_EQ(find_executor(targets, "vulkan").executor, &executor);
    EXPECT_EQ(find_executor(targets, "vulkan").number, 0U);
    EXPECT_EQ(find_executor(targets, "vulkan:12").executor, &executor);
    EXPECT_EQ(find_executor(targets, "vulkan:12").number, 12U);
    for (const char* const text : {"", "vulkan:", "vulkan:-1", "vulkan:1x", "vulkan:12345", "vulkans", "other:0"}) {
        EXPECT_EQ(find_executor(targets, text).executor, nullptr) << text;
    }
}

}  // namespace
}  // namespace pianola::vulkan
