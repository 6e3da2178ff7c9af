// SmallHost: the small workload in a session on a Vulkan device, with the shim before the driver.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "pianola/development_config.h"
#include "pianola/session.h"
#include "pianola_host/files.h"
#include "tests/support/workload.h"
#include "tests/vulkan/driver/shim.h"
#include "tests/vulkan/vulkan_port.h"

namespace pianola::vulkan {

using Bytes = std::vector<std::uint8_t>;

[[nodiscard]] inline MachineOptions small_machine() {
    MachineOptions options;
    options.spec = test::small_device();
    return options;
}

class SmallHost {
  public:
    // Throws std::runtime_error with the refusal where the device is not opened.
    explicit SmallHost(const Bytes& file, const MachineOptions& options) : file_{file}, opened_{options} {}
    explicit SmallHost(std::uint32_t queues) : SmallHost{test::make_small_workload(queues).file(), small_machine()} {}

    Status load() { return session_.load(file_.view(), *workspace_, verdict_); }
    // One step with the input of that number.
    Status step(std::uint32_t seed) {
        input_ = test::workload_input(seed);
        const std::array<ByteSpan, 1> inputs{ByteSpan{input_.data(), input_.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output_.data(), output_.size()}};
        return session_.run(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs});
    }
    [[nodiscard]] const Bytes& output() const { return output_; }
    // What the last step should have given.
    [[nodiscard]] Bytes expected() const { return test::workload_output(input_); }

    [[nodiscard]] Session& session() { return session_; }
    [[nodiscard]] VulkanDevice& device() { return opened_.device; }
    [[nodiscard]] Machine& machine() { return opened_.device.machine(); }
    [[nodiscard]] VulkanPlatform& platform() { return opened_.platform; }

  private:
    files::AlignedBytes file_;
    Opened opened_;
    Session session_{opened_.device, opened_.platform, opened_.command_set, kDevelopmentConfig};
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};
    Verdict verdict_;
    Bytes input_;
    Bytes output_ = Bytes(test::kWorkloadBytes);
};

// Begins without anything of the test before, and checks what is left: no object, nothing done that must not be.
class ShimTest : public testing::Test {
  protected:
    void SetUp() override {
        PhysicalDeviceList list;
        if (!is_ok(list_physical_devices(list)) || (list.count <= tested_device())) {
            GTEST_SKIP() << "this machine has no Vulkan device of that number";
        }
        shim().clear();
    }
    void TearDown() override {
        expect_nothing_left();
        shim().clear();
    }
    static DriverShim& shim() { return DriverShim::get(); }
    static void expect_nothing_left() {
        EXPECT_EQ(shim().alive(), "");
        EXPECT_EQ(shim().errors(), std::vector<std::string>{});
        EXPECT_EQ(shim().two_queues.errors(), std::vector<std::string>{});
    }
};

}  // namespace pianola::vulkan
