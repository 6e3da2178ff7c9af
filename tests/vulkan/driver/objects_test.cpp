// What is made, and when: counted beforehand, at open and at load, and nothing later.
#include <algorithm>
#include <thread>

#include "hal/devices/refdev/host/command_words.h"
#include "hal/devices/refdev/vulkan/vulkan_executor.h"
#include "tests/support/random.h"
#include "tests/support/trace_file.h"
#include "tests/vulkan/driver/small_host.h"

namespace pianola::vulkan {
namespace {

using Calls = std::map<std::string, std::uint64_t>;

const std::set<std::string> kOfSteps{"vkQueueSubmit", "vkGetSemaphoreCounterValue"};
// Behind a moved operand. None of them makes an object.
const std::set<std::string> kOfRecording{"vkBeginCommandBuffer", "vkEndCommandBuffer", "vkUpdateDescriptorSets"};

// Names of what was called between the two, except those in `permitted`.
std::set<std::string> others(const Calls& before, const Calls& after, const std::set<std::string>& permitted) {
    std::set<std::string> names;
    for (const auto& [name, number] : after) {
        const auto known = before.find(name);
        const bool was_called = (known == before.end()) || (known->second != number);
        if (was_called && (permitted.count(name) == 0U)) {
            names.insert(name);
        }
    }
    return names;
}

class VulkanObjects : public ShimTest {
  protected:
    using Objects = std::map<std::string, std::uint64_t>;

    static Objects made() {
        const auto number = [](const char* kind) {
            const auto found = shim().created().find(kind);
            return (found == shim().created().end()) ? std::uint64_t{0U} : found->second;
        };
        return {{"pipelines", number("VkPipeline")},
                {"semaphores", number("VkSemaphore")},
                {"buffers", number("VkBuffer")},
                {"descriptor sets", number("VkDescriptorSet")},
                {"command buffers", number("VkCommandBuffer")},
                {"memory objects", number("VkDeviceMemory")}};
    }
    static Objects counted(WordSpan words) {
        Objects objects;
        for (const ObjectCount& each : VulkanExecutor{}.objects(refdev::description_of({}), words)) {
            objects[each.kind] = each.count;
        }
        return objects;
    }
};

TEST_F(VulkanObjects, AreAsManyAsWereCountedBeforehand) {
    const test::Workload workload = test::make_small_workload(2U);
    const std::vector<std::uint32_t> words = test::words_of(workload.segments.traces);
    ASSERT_EQ(workload.manifest.traces.size(), 1U);
    SmallHost host{2U};
    EXPECT_EQ(made(), counted({}));
    const Calls opened = shim().calls();
    shim().clear();
    ASSERT_EQ(host.load(), Status::kOk);
    EXPECT_EQ(made(), counted({words.data(), words.size()}));
    EXPECT_EQ(counted({words.data(), words.size()}).at("pipelines"), 2U) << "of the kernels that it uses";
    // A second load: the pipelines are there.
    shim().clear();
    ASSERT_EQ(host.load(), Status::kOk);
    EXPECT_EQ(made().at("pipelines"), 0U);
}

TEST_F(VulkanObjects, NothingIsMadeAfterLoad) {
    for (const std::uint32_t queues : {1U, 2U}) {
        SmallHost host{queues};
        ASSERT_EQ(host.load(), Status::kOk);
        const Calls before = shim().calls();
        for (std::uint32_t i = 0U; i < 100U; ++i) {
            ASSERT_EQ(host.step(i), Status::kOk);
            ASSERT_EQ(host.output(), host.expected());
        }
        EXPECT_EQ(others(before, shim().calls(), kOfSteps), std::set<std::string>{});
        EXPECT_GE(shim().calls().at("vkQueueSubmit"), before.at("vkQueueSubmit") + 100U);
    }
}

// The workload, then a fill of eight bytes of the output somewhere, and a copy of eight from somewhere to its end.
class MovedOperands {
  public:
    static constexpr std::uint32_t kBytes = 8U;
    static constexpr std::uint8_t kValue = 0x5AU;
    static constexpr std::uint32_t kLast = test::kWorkloadBytes - kBytes;

    MovedOperands() : workload_{test::make_small_workload(1U)} {
        for (const capture::ManifestRegion& region : workload_.manifest.regions) {
            base_ = (region.kind == RegionKind::kOutput) ? region.base : base_;
        }
        std::vector<std::uint32_t> words = test::words_of(workload_.segments.traces);
        const auto first = static_cast<std::uint32_t>(words.size() - 1U);  // where the end was
        std::vector<std::uint32_t> more = refdev::fill_words(base_, kBytes, kValue);
        const auto copy = first + static_cast<std::uint32_t>(more.size());
        refdev::append(more, refdev::copy_words(base_ + kLast, base_, kBytes));
        words.insert(words.end() - 1, more.begin(), more.end());
        EXPECT_TRUE(test::set_trace(workload_, words));
        const std::uint32_t most = base_ + kLast - kBytes;
        workload_.manifest.parameters = {
            {"fill", ParameterKind::kBufferAddress, base_, most, 1U, {{0U, first + 1U}}},
            {"copy", ParameterKind::kBufferAddress, base_, most, 1U, {{0U, copy + 2U}}},
        };
    }
    [[nodiscard]] Bytes file() const { return workload_.file(); }
    static Bytes expected(Bytes output, std::uint32_t fill, std::uint32_t copy) {
        std::fill_n(output.begin() + fill, kBytes, kValue);
        std::copy_n(output.begin() + copy, kBytes, output.begin() + kLast);
        return output;
    }
    [[nodiscard]] Status set(SmallHost& host, std::uint32_t fill, std::uint32_t copy) const {
        const std::array<Session::ParameterValue, 2> values{Session::ParameterValue{0U, base_ + fill},
                                                            Session::ParameterValue{1U, base_ + copy}};
        return host.session().set_parameters(Span<const Session::ParameterValue>{values});
    }

  private:
    test::Workload workload_;
    std::uint32_t base_{0U};
};

TEST_F(VulkanObjects, MovedOperandsAreRecordedAgainAndMakeNothing) {
    const MovedOperands moved;
    SmallHost host{moved.file(), small_machine()};
    ASSERT_EQ(host.load(), Status::kOk);
    ASSERT_EQ(host.step(0U), Status::kOk);
    EXPECT_EQ(host.output(), MovedOperands::expected(host.expected(), 0U, 0U));
    const Calls before = shim().calls();
    test::Random random{4U};
    for (std::uint32_t i = 1U; i <= 50U; ++i) {
        const std::uint32_t fill = random.below(MovedOperands::kLast - MovedOperands::kBytes);
        const std::uint32_t copy = random.below(MovedOperands::kLast - MovedOperands::kBytes);
        ASSERT_EQ(moved.set(host, fill, copy), Status::kOk);
        for (std::uint32_t repeat = 0U; repeat < 2U; ++repeat) {
            ASSERT_EQ(host.step(i), Status::kOk);
            ASSERT_EQ(host.output(), MovedOperands::expected(host.expected(), fill, copy)) << fill << ' ' << copy;
        }
    }
    std::set<std::string> permitted = kOfSteps;
    permitted.insert(kOfRecording.begin(), kOfRecording.end());
    EXPECT_EQ(others(before, shim().calls(), permitted), std::set<std::string>{});
    EXPECT_LE(shim().calls().at("vkBeginCommandBuffer"), before.at("vkBeginCommandBuffer") + 50U)
        << "more than once for both operands";
    // Back where it was at load.
    ASSERT_EQ(moved.set(host, 0U, 0U), Status::kOk);
    ASSERT_EQ(host.step(99U), Status::kOk);
    EXPECT_EQ(host.output(), MovedOperands::expected(host.expected(), 0U, 0U));
}

TEST_F(VulkanObjects, ALostDeviceThatRecordsAgainLatches) {
    const MovedOperands moved;
    SmallHost host{moved.file(), small_machine()};
    ASSERT_EQ(host.load(), Status::kOk);
    ASSERT_EQ(moved.set(host, 5U, 9U), Status::kOk);
    shim().fail({"vkBeginCommandBuffer", 1U, VK_ERROR_OUT_OF_DEVICE_MEMORY, false});
    // The trace is made anew, as one that nobody has loaded, and once more nobody sees a difference.
    EXPECT_EQ(host.step(1U), Status::kOk);
    EXPECT_EQ(host.output(), MovedOperands::expected(host.expected(), 5U, 9U));
    ASSERT_EQ(moved.set(host, 6U, 10U), Status::kOk);
    shim().fail({"vkQueueSubmit", 1U, VK_ERROR_DEVICE_LOST, true});
    EXPECT_EQ(host.step(2U), Status::kDeviceFault);
    EXPECT_EQ(host.session().fault().device_fault, DeviceFault::kLost);
}

TEST_F(VulkanObjects, KhronosLayerHasNothingToSayOfMovedOperands) {
    std::uint32_t count = 0U;
    static_cast<void>(vkEnumerateInstanceLayerProperties(&count, nullptr));
    std::vector<VkLayerProperties> layers(count);
    static_cast<void>(vkEnumerateInstanceLayerProperties(&count, layers.data()));
    if (std::none_of(layers.begin(), layers.end(), [](const VkLayerProperties& layer) {
            return std::string{static_cast<const char*>(layer.layerName)} == "VK_LAYER_KHRONOS_validation";
        })) {
        GTEST_SKIP() << "the layer VK_LAYER_KHRONOS_validation is not installed";
    }
    const MovedOperands moved;
    for (const Judge judge : {Judge::kSynchronization, Judge::kAccess}) {
        std::vector<std::string> messages;
        MachineOptions options = small_machine();
        options.context.judge = judge;
        options.context.user = &messages;
        options.context.sink = [](void* user, const char* text) {
            static_cast<std::vector<std::string>*>(user)->emplace_back(text);
        };
        SmallHost host{moved.file(), options};
        ASSERT_EQ(host.load(), Status::kOk);
        for (std::uint32_t i = 1U; i < 8U; ++i) {
            ASSERT_EQ(moved.set(host, i * 7U, i * 5U), Status::kOk);
            ASSERT_EQ(host.step(i), Status::kOk);
            EXPECT_EQ(host.output(), MovedOperands::expected(host.expected(), i * 7U, i * 5U));
        }
        EXPECT_EQ(messages, std::vector<std::string>{});
    }
}

// A host that has no load writes a program, replays it, and looks: its first replay is its load.
class VulkanPrograms : public VulkanObjects {
  protected:
    static constexpr std::uint32_t kFilled = 16U;

    void open() {
        opened_ = std::make_unique<Opened>(small_machine());
        VulkanDevice& device = opened_->device;
        const refdev::DeviceSpec& spec = device.spec();
        region_ = spec.dram_base + spec.dram_bytes - spec.trace_region_bytes;
        ASSERT_EQ(device.reset(), Status::kOk);
        ASSERT_EQ(device.program_region({spec.dram_base, region_ - spec.dram_base, true, true, true, true, false}),
                  Status::kOk);
        ASSERT_EQ(device.program_region({region_, spec.trace_region_bytes, false, false, false, true, true}),
                  Status::kOk);
    }
    // The completion's status of a program that fills memory with `value`.
    Status run(std::uint8_t value) {
        VulkanDevice& device = opened_->device;
        std::vector<std::uint32_t> words = refdev::fill_words(device.spec().dram_base, kFilled, value);
        refdev::append(words, refdev::end_words());
        Bytes source(words.size() * sizeof(std::uint32_t));
        std::memcpy(source.data(), words.data(), source.size());
        static_cast<void>(device.bind_source(0U, {source.data(), source.size()}));
        QueueCommand command;
        command.address = region_;
        command.size_bytes = static_cast<std::uint32_t>(source.size());
        for (const QueueCommandKind kind :
             {QueueCommandKind::kWrite, QueueCommandKind::kReplay, QueueCommandKind::kNotify}) {
            token_ += (kind == QueueCommandKind::kNotify) ? 1U : 0U;
            command.kind = kind;
            command.value = token_;
            static_cast<void>(device.append(0U, command));
        }
        static_cast<void>(device.ring_doorbell(0U));
        Completion completion;
        Status status = Status::kPending;
        while (status == Status::kPending) {
            static_cast<void>(device.service());
            status = device.completion(0U, token_, completion);
            std::this_thread::yield();
        }
        static_cast<void>(device.bind_source(0U, {}));
        const std::uint8_t* const memory = device.machine().memory_at(device.spec().dram_base, kFilled);
        if (is_ok(status)) {
            EXPECT_TRUE(std::all_of(memory, memory + kFilled, [value](std::uint8_t byte) { return byte == value; }));
        }
        return status;
    }
    [[nodiscard]] Machine& machine() { return opened_->device.machine(); }
    void close() { opened_.reset(); }
    void TearDown() override {
        close();
        ShimTest::TearDown();
    }

  private:
    std::unique_ptr<Opened> opened_;
    std::uint32_t region_{0U};
    std::uint32_t token_{0U};
};

TEST_F(VulkanPrograms, AreMadeAtTheirFirstReplayOnly) {
    open();
    for (std::uint8_t value = 1U; value <= 3U; ++value) {
        ASSERT_EQ(run(value), Status::kOk);
    }
    const Calls before = shim().calls();
    for (std::uint32_t turn = 0U; turn < 30U; ++turn) {
        ASSERT_EQ(run(static_cast<std::uint8_t>(1U + (turn % 3U))), Status::kOk);
    }
    EXPECT_EQ(others(before, shim().calls(), kOfSteps), std::set<std::string>{});
    ASSERT_EQ(run(4U), Status::kOk);
    EXPECT_NE(others(before, shim().calls(), kOfSteps), std::set<std::string>{});
}

TEST_F(VulkanPrograms, WithoutMemoryForThemAreAFaultAndTheNextWorks) {
    for (const char* const call : {"vkCreateBuffer", "vkAllocateMemory", "vkAllocateCommandBuffers"}) {
        open();
        ASSERT_EQ(run(1U), Status::kOk);
        shim().fail({call, 1U, VK_ERROR_OUT_OF_DEVICE_MEMORY, false});
        EXPECT_EQ(run(2U), Status::kDeviceFault) << call;
        EXPECT_EQ(machine().why(), std::string{call} + ": VK_ERROR_OUT_OF_DEVICE_MEMORY");
        close();
        expect_nothing_left();
        shim().clear();
        open();
        EXPECT_EQ(run(2U), Status::kOk);
        close();
    }
}

}  // namespace
}  // namespace pianola::vulkan
