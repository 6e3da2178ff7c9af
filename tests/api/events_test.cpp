// Events and two queues.
#include "tests/api/support.h"

namespace pianola::test {
namespace {

using host::HostRule;
using host::Program;

// Queue 1 writes inputs and reads outputs, queue 0 computes; every hand-over is an event. Any missing order would show
// as a wrong value.
void run_two_queues(bool threaded, std::uint32_t rounds) {
    host::DeviceOptions options = small_device(2U);
    options.threaded = threaded;
    const auto device = host::open_device(options);
    const host::BufferPtr input = device->allocate(flat(4096U));
    const host::BufferPtr output = device->allocate(flat(4096U));
    const host::EventId consumed = device->create_event();
    const host::EventId written = device->create_event();
    const host::EventId computed = device->create_event();
    const host::EventId fetched = device->create_event();
    Program program = constant_program(input, output, 3);
    device->record_event(0U, consumed);
    device->record_event(1U, fetched);
    std::vector<host::ReadHandle> reads;
    for (std::uint32_t i = 0U; i < rounds; ++i) {
        const Bytes data = pattern(4096U, i);
        device->wait_for_event(1U, consumed);
        device->enqueue_write(1U, input, view(data));
        device->record_event(1U, written);
        device->wait_for_event(0U, written);
        device->wait_for_event(0U, fetched);
        device->enqueue_program(0U, program);
        device->record_event(0U, consumed);
        device->record_event(0U, computed);
        device->wait_for_event(1U, computed);
        reads.push_back(device->enqueue_read(1U, output));
        device->record_event(1U, fetched);
    }
    for (std::uint32_t i = 0U; i < rounds; ++i) {
        ASSERT_EQ(reads[i].data(), plus(pattern(4096U, i), 3)) << i;
    }
    device->synchronize();
}

TEST(Events, TwoQueuesTakeTurns) {
    run_two_queues(false, 40U);
}
TEST(Events, TwoQueuesTakeTurnsInThreads) {
    run_two_queues(true, 200U);
}

TEST(Events, ThereIsNoLimit) {
    const auto device = host::open_device(small_device(2U));
    const host::BufferPtr buffer = device->allocate(flat(64U));
    std::vector<host::EventId> events;
    for (std::uint32_t i = 0U; i < 1000U; ++i) {
        events.push_back(device->create_event());
        EXPECT_FALSE(device->event_query(events.back()));
        device->enqueue_write(i % 2U, buffer, view(Bytes(64U, static_cast<std::uint8_t>(i))));
        device->record_event(i % 2U, events.back());
        device->wait_for_event((i + 1U) % 2U, events.back());
    }
    for (const host::EventId event : events) {
        device->event_synchronize(event);
        EXPECT_TRUE(device->event_query(event));
    }
    EXPECT_EQ(read(*device, buffer), Bytes(64U, static_cast<std::uint8_t>(999U)));
}

// A wait means the last record, whichever queue made it: queue 0 waits for what queue 1 did in between.
TEST(Events, AnEventCanBeRecordedAgain) {
    const auto device = host::open_device(small_device(2U));
    const host::BufferPtr buffer = device->allocate(flat(1U << 20U));
    const host::EventId event = device->create_event();
    device->record_event(0U, event);
    device->wait_for_event(1U, event);
    device->enqueue_write(1U, buffer, view(Bytes(1U << 20U)));  // 262 us
    device->record_event(1U, event);                            // on another queue
    device->wait_for_event(1U, event);                          // its own queue: nothing to wait for
    device->wait_for_event(0U, event);
    const std::uint64_t before_ns = device->now().host_ns;
    device->finish(0U);  // which has nothing of its own to do
    EXPECT_GT(device->now().host_ns, before_ns + 200'000U);
    EXPECT_TRUE(device->event_query(event));
}

TEST(Events, SynchronisingWaitsForTheRecordAndNothingBehindIt) {
    const auto device = host::open_device(small_device(2U));
    const host::BufferPtr buffer = device->allocate(flat(1U << 20U));
    const host::EventId event = device->create_event();
    device->record_event(0U, event);
    device->enqueue_write(0U, buffer, view(Bytes(1U << 20U)));  // 131,072 cycles of transfer: 262 us
    device->event_synchronize(event);
    const std::uint64_t after_event = device->now().host_ns;
    EXPECT_LT(after_event, 100'000U);
    device->finish(0U);
    EXPECT_GT(device->now().host_ns, after_event + 200'000U);
}

TEST(Events, Refusals) {
    const auto device = host::open_device(small_device(2U));
    const host::EventId event = device->create_event();
    expect_rule(HostRule::kEventNotRecorded, "never end", [&] { device->wait_for_event(0U, event); });
    expect_rule(HostRule::kEventNotRecorded, "never end", [&] { device->event_synchronize(event); });
    expect_rule(HostRule::kEventUnknown, "not one of this device's",
                [&] { device->record_event(0U, host::EventId{}); });
    expect_rule(HostRule::kQueue, "queue 2", [&] { device->record_event(2U, event); });
    const auto other = host::open_device(small_device(2U));
    expect_rule(HostRule::kEventUnknown, "not one of this device's", [&] { other->record_event(0U, event); });
    EXPECT_NE(other->create_event(), event);
}

TEST(DeviceOptions, Refusals) {
    const auto refused = [](const host::DeviceOptions& options, const std::string& part) {
        expect_rule(HostRule::kDeviceOptions, part, [&] { (void)host::open_device(options); });
    };
    refused(small_device(0U), "num_command_queues is 0");
    refused(small_device(3U), "num_command_queues is 3");
    refused(small_device(1U, 100U), "for example 128");
    refused(small_device(1U, 4U << 20U), "leave nothing");
    host::DeviceOptions options = small_device();
    options.dispatch_area_bytes = 0U;
    refused(options, "dispatch_area_bytes is 0");
    options = small_device();
    options.spec.grid_columns = 0U;
    refused(options, "grid_columns and grid_rows must be 1 to 8");
    options.spec.grid_columns = 9U;
    refused(options, "grid_columns and grid_rows must be 1 to 8");
    options = small_device();
    options.spec.l1_bytes = 255U;
    refused(options, "share of 255 bytes");
    options = small_device();
    options.spec.dram_bytes += 32U;
    refused(options, "multiple of 64");
    options.spec.dram_bytes = 0x80000040U;
    refused(options, "end of the address space");
    options = small_device();
    options.spec.l1_bytes = 0x70000100U;
    refused(options, "overlaps neither");
}

TEST(DeviceFaults, AreReportedAndStay) {
    const auto device = host::open_device(small_device());
    Program program;
    const host::SemaphoreHandle never = program.add_semaphore(host::one_core({0U, 0U}));
    const host::KernelHandle kernel = program.add_kernel("semaphore", host::one_core({0U, 0U}));
    // Waits for a count that nobody reaches: the device refuses to go on, and the host says so instead of hanging.
    program.set_common_runtime_args(kernel, {host::SemaphoreArgument{never, {}}, 3U, 1U});
    expect_rule(HostRule::kDeviceFault, "queue 0 has stopped", [&] { device->enqueue_program(0U, program, true); });
    expect_rule(HostRule::kDeviceFault, "queue 0 has stopped", [&] { device->finish(0U); });
}

}  // namespace
}  // namespace pianola::test
