// The host API on the Vulkan device: the same programs, the same results.
#include "tests/api/trace_support.h"
#include "tests/vulkan/vulkan_port.h"

namespace pianola::test {
namespace {

using host::BufferPtr;
using host::HostRule;
using host::Program;

host::DeviceOptions vulkan_device(std::uint32_t queues = 1U) {
    host::DeviceOptions options = small_device(queues);
    options.vulkan = vulkan::tested_device();
    return options;
}

TEST(VulkanApi, ProgramsThatTakeTurns) {
    const auto device = host::open_device(vulkan_device());
    const BufferPtr input = device->allocate(flat(100U));
    const BufferPtr output = device->allocate(flat(100U));
    const Bytes bytes = pattern(100U, 1U);
    device->enqueue_write(0U, input, view(bytes));
    for (int turn = 0; turn < 12; ++turn) {
        Program program = constant_program(input, output, turn % 3);
        device->enqueue_program(0U, program);
        EXPECT_EQ(read(*device, output), plus(bytes, turn % 3)) << turn;
    }
}

TEST(VulkanApi, ATraceIsReplayedOnWhatItsInputHoldsThen) {
    const auto device = host::open_device(vulkan_device());
    const BufferPtr input = device->allocate(flat(64U));
    const BufferPtr middle = device->allocate(flat(64U));
    const BufferPtr output = device->allocate(flat(64U));
    Program first = constant_program(input, middle, 3, "first");
    Program second = constant_program(middle, output, 4, "second");
    const host::TraceId trace = captured(*device, {&first, &second});
    for (std::uint32_t seed = 0U; seed < 20U; ++seed) {
        const Bytes bytes = pattern(64U, seed);
        device->enqueue_write(0U, input, view(bytes));
        device->execute_trace(0U, trace);
        EXPECT_EQ(read(*device, output), plus(plus(bytes, 3), 4)) << seed;
    }
}

// More commands than the ring holds, and nobody looks at the device in between.
TEST(VulkanApi, AFullRingEmptiesWhileTheHostWaits) {
    const auto device = host::open_device(vulkan_device());
    const BufferPtr buffer = device->allocate(flat(64U));
    Program up = constant_program(buffer, buffer, 1, "up");
    Program down = constant_program(buffer, buffer, -1, "down");
    const host::TraceId rise = captured(*device, {&up});
    const host::TraceId fall = captured(*device, {&down});
    const Bytes bytes(64U, 7U);
    device->enqueue_write(0U, buffer, view(bytes));
    for (int turn = 0; turn < 100; ++turn) {
        for (const host::TraceId trace : {rise, rise, rise, fall, fall}) {
            device->execute_trace(0U, trace);
        }
    }
    EXPECT_EQ(read(*device, buffer), plus(bytes, 100));
}

// New traces while the other queue is at work: what their warm-up does to memory must not be seen.
TEST(VulkanApi, TwoQueuesOrderedByEvents) {
    const auto device = host::open_device(vulkan_device(2U));
    const BufferPtr input = device->allocate(flat(64U));
    const BufferPtr output = device->allocate(flat(64U));
    const host::EventId written = device->create_event();
    const host::EventId computed = device->create_event();
    for (std::uint32_t seed = 0U; seed < 20U; ++seed) {
        const Bytes bytes = pattern(64U, seed);
        if (seed > 0U) {
            device->wait_for_event(1U, computed);
        }
        device->enqueue_write(1U, input, view(bytes));
        device->record_event(1U, written);
        device->wait_for_event(0U, written);
        Program program = constant_program(input, output, static_cast<int>(seed));
        device->enqueue_program(0U, program);
        device->record_event(0U, computed);
        EXPECT_EQ(read(*device, output), plus(bytes, static_cast<int>(seed))) << seed;
    }
}

TEST(VulkanApi, WhatIsNotThereIsRefusedByName) {
    host::DeviceOptions options = small_device();
    options.vulkan = 15U;
    expect_rule(HostRule::kDeviceOptions, "vulkan:15 can not be opened; missing: a Vulkan device of this index",
                [&] { (void)host::open_device(options); });
    options.keep_log = true;
    expect_rule(HostRule::kDeviceOptions, "keep_log", [&] { (void)host::open_device(options); });
}

}  // namespace
}  // namespace pianola::test
