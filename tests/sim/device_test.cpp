// The device by itself, without a session: queues, events, doorbells, and a fault for whatever is outside its contract.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "tests/support/virtual_costs.h"

namespace pianola::sim {
namespace {

using refdev::header_word;
using refdev::Opcode;

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kToken = 7U;
constexpr std::uint32_t kRegionBytes = 256U;
constexpr std::uint32_t kHostBytes = 64U;

class DeviceRules : public testing::TestWithParam<Threading> {
  protected:
    DeviceRules() : device_{options()} {
        std::iota(host_.begin(), host_.end(), std::uint8_t{1U});
        EXPECT_EQ(device_.reset(), Status::kOk);
        RegionConfig data;
        data.base = spec_.l1_base;
        data.size_bytes = kRegionBytes;
        data.kernels_read = data.kernels_write = data.queues_read = data.queues_write = true;
        RegionConfig trace;
        trace.base = trace_base();
        trace.size_bytes = spec_.trace_region_bytes;
        trace.queues_write = trace.fetch = true;
        EXPECT_EQ(device_.program_region(data), Status::kOk);
        EXPECT_EQ(device_.program_region(trace), Status::kOk);
        EXPECT_EQ(device_.bind_source(0U, {host_.data(), host_.size()}), Status::kOk);
        EXPECT_EQ(device_.bind_destination(0U, {results_.data(), results_.size()}), Status::kOk);
    }

    static SimOptions options() {
        SimOptions options;
        options.threading = GetParam();
        options.keep_log = true;
        return options;
    }
    [[nodiscard]] std::uint32_t trace_base() const {
        return spec_.dram_base + spec_.dram_bytes - spec_.trace_region_bytes;
    }

    static QueueCommand command(QueueCommandKind kind, std::uint32_t address, std::uint32_t size_bytes,
                                std::uint32_t slot = 0U, std::uint32_t slot_offset = 0U) {
        QueueCommand command;
        command.kind = kind;
        command.address = address;
        command.size_bytes = size_bytes;
        command.slot = slot;
        command.slot_offset = slot_offset;
        return command;
    }
    static QueueCommand event(QueueCommandKind kind, std::uint32_t number, std::uint32_t value) {
        QueueCommand command;
        command.kind = kind;
        command.event = number;
        command.value = value;
        return command;
    }
    void enqueue(std::uint32_t queue, const QueueCommand& command) {
        ASSERT_EQ(device_.append(queue, command), Status::kOk);
    }
    void notify(std::uint32_t queue, std::uint32_t token = kToken) {
        QueueCommand command;
        command.kind = QueueCommandKind::kNotify;
        command.value = token;
        enqueue(queue, command);
        ASSERT_EQ(device_.ring_doorbell(queue), Status::kOk);
    }
    // Ends: every test gives the queue a notify or a fault.
    Status wait(std::uint32_t queue, Completion& completion, std::uint32_t token = kToken) {
        Status status = Status::kPending;
        while (status == Status::kPending) {
            EXPECT_EQ(device_.service(), Status::kOk);
            status = device_.completion(queue, token, completion);
        }
        return status;
    }
    // The fault of one queue command.
    DeviceFault fault_of(const QueueCommand& command) {
        enqueue(0U, command);
        notify(0U);
        Completion completion;
        return (wait(0U, completion) == Status::kDeviceFault) ? completion.fault : DeviceFault::kNone;
    }
    // The completion of a trace that the queue itself has put into the trace region.
    Completion replay(const Words& trace) {
        const auto size_bytes = static_cast<std::uint32_t>(trace.size() * sizeof(std::uint32_t));
        trace_.resize(size_bytes);
        std::memcpy(trace_.data(), trace.data(), size_bytes);
        EXPECT_EQ(device_.bind_source(1U, {trace_.data(), trace_.size()}), Status::kOk);
        enqueue(0U, command(QueueCommandKind::kWrite, trace_base(), size_bytes, 1U));
        enqueue(0U, command(QueueCommandKind::kReplay, trace_base(), size_bytes));
        notify(0U);
        Completion completion;
        (void)is_ok(wait(0U, completion));
        return completion;
    }
    static Words launch_words(const refdev::RequantizeArguments& arguments) {
        constexpr std::uint32_t kArguments = sizeof(arguments) / sizeof(std::uint32_t);
        Words words{header_word(Opcode::kLaunch, refdev::kLaunchHeadWords + kArguments),
                    static_cast<std::uint32_t>(refdev::KernelId::kRequantize), 100U};
        words.resize(words.size() + kArguments);
        std::memcpy(&words[refdev::kLaunchHeadWords], &arguments, sizeof(arguments));
        words.push_back(header_word(Opcode::kEnd, 1U));
        return words;
    }
    // A launch of a kernel that reads and writes 16 bytes.
    static Words launch(std::uint32_t input, std::uint32_t output) {
        return launch_words({input, output, 16U, 0, 1 << 30, 1, 0});
    }

    refdev::DeviceSpec spec_;
    std::vector<std::uint8_t> host_ = std::vector<std::uint8_t>(kHostBytes);
    std::vector<std::uint8_t> results_ = std::vector<std::uint8_t>(kHostBytes);
    std::vector<std::uint8_t> trace_;
    SimDevice device_;
};

TEST_P(DeviceRules, MovesBytesInAndOut) {
    enqueue(0U, command(QueueCommandKind::kWrite, spec_.l1_base, kHostBytes));
    enqueue(0U, command(QueueCommandKind::kRead, spec_.l1_base, kHostBytes));
    notify(0U);
    Completion completion;
    ASSERT_EQ(wait(0U, completion), Status::kOk);
    EXPECT_EQ(results_, host_);
    EXPECT_EQ(completion.executed_commands, 3U);
    EXPECT_EQ(completion.token, kToken);
    EXPECT_EQ(completion.time_cycles, (2U * refdev::transfer_cycles(kHostBytes)) + refdev::kCommandCycles);
}

TEST_P(DeviceRules, RunsATrace) {
    enqueue(0U, command(QueueCommandKind::kWrite, spec_.l1_base, kHostBytes));
    const Completion completion = replay(launch(spec_.l1_base, spec_.l1_base + 128U));
    EXPECT_EQ(completion.fault, DeviceFault::kNone);
    EXPECT_EQ(completion.executed_commands, 6U);
    std::vector<std::uint8_t> output(16U);
    ASSERT_EQ(device_.read_back(spec_.l1_base + 128U, {output.data(), output.size()}), Status::kOk);
    EXPECT_EQ(output, std::vector<std::uint8_t>(host_.begin(), host_.begin() + 16));
}

// Without its doorbell a queue sees nothing; a doorbell is for one queue only.
TEST_P(DeviceRules, NothingRunsBeforeTheDoorbell) {
    enqueue(0U, command(QueueCommandKind::kWrite, spec_.l1_base, kHostBytes));
    notify(1U);
    Completion completion;
    ASSERT_EQ(wait(1U, completion), Status::kOk);
    EXPECT_EQ(device_.completion(0U, kToken, completion), Status::kPending);
    EXPECT_TRUE(device_.log(0U).empty());
    notify(0U);
    ASSERT_EQ(wait(0U, completion), Status::kOk);
    EXPECT_EQ(device_.log(0U).size(), 2U);
}

TEST_P(DeviceRules, AnEventHoldsAQueueBack) {
    enqueue(0U, event(QueueCommandKind::kWaitEvent, 3U, 1U));
    notify(0U);
    ASSERT_EQ(device_.service(), Status::kOk);
    Completion completion;
    EXPECT_EQ(device_.completion(0U, kToken, completion), Status::kPending);
    enqueue(1U, command(QueueCommandKind::kWrite, spec_.l1_base, kHostBytes));
    enqueue(1U, event(QueueCommandKind::kRecordEvent, 3U, 1U));
    notify(1U);
    Completion recorded;
    ASSERT_EQ(wait(1U, recorded), Status::kOk);
    ASSERT_EQ(wait(0U, completion), Status::kOk);
    const refdev::ExecutedCommand& waited = device_.log(0U).front();
    const refdev::ExecutedCommand& record = device_.log(1U).at(1U);
    EXPECT_EQ(waited.end_cycles, record.end_cycles + refdev::kCommandCycles);
}

// Who waits compares by difference: a counter that has wrapped round counts as reached.
TEST_P(DeviceRules, EventCountersMayWrap) {
    enqueue(0U, event(QueueCommandKind::kRecordEvent, 0U, 1U));
    enqueue(0U, event(QueueCommandKind::kWaitEvent, 0U, UINT32_MAX));
    notify(0U);
    Completion completion;
    EXPECT_EQ(wait(0U, completion), Status::kOk);
}

// An idle queue starts at the time of its doorbell, whatever it did before.
TEST_P(DeviceRules, AnIdleQueueStartsAtItsDoorbell) {
    notify(1U, 1U);
    Completion completion;
    ASSERT_EQ(wait(1U, completion, 1U), Status::kOk);
    enqueue(0U, command(QueueCommandKind::kWrite, spec_.l1_base, kHostBytes));
    notify(0U);
    ASSERT_EQ(wait(0U, completion), Status::kOk);
    const std::uint64_t now = device_.now_cycles();
    notify(1U, 2U);
    ASSERT_EQ(wait(1U, completion, 2U), Status::kOk);
    EXPECT_EQ(device_.log(1U).back().start_cycles, now);
}

// The time of a doorbell is that of the work which it publishes: a later one, for work behind it, does not delay what a
// queue has not come to yet.
TEST_P(DeviceRules, EachCommandStartsAtItsOwnDoorbell) {
    enqueue(0U, event(QueueCommandKind::kWaitEvent, 3U, 1U));
    notify(0U, 1U);
    ASSERT_EQ(device_.service(), Status::kOk);  // the queue is held
    enqueue(1U, command(QueueCommandKind::kWrite, spec_.l1_base, kHostBytes));
    notify(1U, 1U);
    Completion completion;
    ASSERT_EQ(wait(1U, completion, 1U), Status::kOk);
    const std::uint64_t later = device_.now_cycles();
    ASSERT_GT(later, 0U);
    notify(0U, 2U);
    enqueue(1U, event(QueueCommandKind::kRecordEvent, 3U, 1U));
    notify(1U, 2U);
    ASSERT_EQ(wait(0U, completion, 2U), Status::kOk);
    EXPECT_EQ(device_.log(0U).front().start_cycles, 0U);
    EXPECT_GE(device_.log(0U).back().start_cycles, later);
}

TEST_P(DeviceRules, FullRingsAndUnknownQueuesAreRefused) {
    QueueCommand notify_command;
    notify_command.kind = QueueCommandKind::kNotify;
    Status status = Status::kOk;
    std::uint32_t accepted = 0U;
    while (is_ok(status) && (accepted <= refdev::kRingWords)) {
        status = device_.append(0U, notify_command);
        accepted += is_ok(status) ? 1U : 0U;
    }
    EXPECT_EQ(status, Status::kBusy);
    EXPECT_EQ(accepted, refdev::kRingWords / refdev::kNotifyWords);
    EXPECT_EQ(device_.enqueue(spec_.queue_count, notify_command), Status::kInvalidArgument);
    EXPECT_EQ(device_.append(0U, QueueCommand{}), Status::kInvalidArgument);
    EXPECT_EQ(device_.ring_doorbell(spec_.queue_count), Status::kInvalidArgument);
}

TEST_P(DeviceRules, ALaunchOutsideTheRegionsIsABusFault) {
    const std::uint32_t inside = spec_.l1_base;
    const std::uint32_t outside = spec_.l1_base + kRegionBytes;
    EXPECT_EQ(replay(launch(outside, inside)).fault, DeviceFault::kBus);
    // A fault stops the queue for good.
    notify(0U, kToken + 1U);
    Completion completion;
    EXPECT_EQ(device_.completion(0U, kToken + 1U, completion), Status::kDeviceFault);
}

TEST_P(DeviceRules, AnOperandAcrossTheEndOfARegionIsABusFault) {
    const std::vector<std::uint8_t> before(spec_.l1_bytes - kRegionBytes, 0U);
    EXPECT_EQ(replay(launch(spec_.l1_base, spec_.l1_base + kRegionBytes - 15U)).fault, DeviceFault::kBus);
    std::vector<std::uint8_t> after(before.size());
    ASSERT_EQ(device_.read_back(spec_.l1_base + kRegionBytes, {after.data(), after.size()}), Status::kOk);
    EXPECT_EQ(after, before);
}

TEST_P(DeviceRules, KernelsMayNotTouchTheTraceRegion) {
    EXPECT_EQ(replay(launch(spec_.l1_base, trace_base() + 1024U)).fault, DeviceFault::kBus);
}

TEST_P(DeviceRules, CopiesStayInsideTheRegions) {
    const std::uint32_t end = header_word(Opcode::kEnd, 1U);
    const std::uint32_t outside = spec_.dram_base;
    const Completion completion =
        replay({header_word(Opcode::kCopy, refdev::kCopyWords), spec_.l1_base, outside, 4U, end});
    EXPECT_EQ(completion.fault, DeviceFault::kBus);
    EXPECT_EQ(completion.fault_address, outside);
}

TEST_P(DeviceRules, FillsStayInsideTheRegions) {
    const Completion completion = replay(
        {header_word(Opcode::kFill, refdev::kFillWords), spec_.dram_base, 4U, 0U, header_word(Opcode::kEnd, 1U)});
    EXPECT_EQ(completion.fault, DeviceFault::kBus);
    EXPECT_EQ(completion.fault_address, spec_.dram_base);
}

TEST_P(DeviceRules, UnknownOpcodesAreFaults) {
    EXPECT_EQ(replay({(1U << refdev::kLengthShift) | 0x18U}).fault, DeviceFault::kUnknownCommand);
}

TEST_P(DeviceRules, QueueCommandsInATraceAreFaults) {
    EXPECT_EQ(replay({header_word(Opcode::kNotify, refdev::kNotifyWords), 0U}).fault, DeviceFault::kUnknownCommand);
}

TEST_P(DeviceRules, ReservedBitsAreFaults) {
    EXPECT_EQ(replay({header_word(Opcode::kBarrier, 1U) | 0x100U, header_word(Opcode::kEnd, 1U)}).fault,
              DeviceFault::kUnknownCommand);
}

TEST_P(DeviceRules, ACommandOfLengthZeroIsAFault) {
    EXPECT_EQ(replay({header_word(Opcode::kBarrier, 0U), header_word(Opcode::kEnd, 1U)}).fault,
              DeviceFault::kUnknownCommand);
}

TEST_P(DeviceRules, UnknownKernelsAreFaults) {
    Words words = launch(spec_.l1_base, spec_.l1_base + 128U);
    words[1] = 0xFFFFU;
    EXPECT_EQ(replay(words).fault, DeviceFault::kUnknownKernel);
}

TEST_P(DeviceRules, BadArgumentsAreFaults) {
    EXPECT_EQ(replay(launch_words({spec_.l1_base, spec_.l1_base + 128U, 0U, 0, 1 << 30, 1, 0})).fault,
              DeviceFault::kBadArgument);
}

TEST_P(DeviceRules, ATraceWithoutAnEndIsAFault) {
    EXPECT_EQ(replay({header_word(Opcode::kBarrier, 1U)}).fault, DeviceFault::kTraceOverrun);
}

TEST_P(DeviceRules, ATraceThatGoesOnAfterItsEndIsAFault) {
    EXPECT_EQ(replay({header_word(Opcode::kEnd, 1U), header_word(Opcode::kBarrier, 1U)}).fault,
              DeviceFault::kTraceOverrun);
}

TEST_P(DeviceRules, TracesAreFetchedFromTheTraceRegionOnly) {
    EXPECT_EQ(fault_of(command(QueueCommandKind::kReplay, spec_.l1_base, 4U)), DeviceFault::kBus);
}

TEST_P(DeviceRules, ATransferFromBeyondTheHostMemoryIsAFault) {
    EXPECT_EQ(fault_of(command(QueueCommandKind::kWrite, spec_.l1_base, kHostBytes, 0U, 1U)), DeviceFault::kHostMemory);
}

TEST_P(DeviceRules, ATransferBeyondTheHostMemoryIsAFault) {
    EXPECT_EQ(fault_of(command(QueueCommandKind::kRead, spec_.l1_base, 1U, 0U, kHostBytes)), DeviceFault::kHostMemory);
}

TEST_P(DeviceRules, SlotsThatDoNotExistAreFaults) {
    EXPECT_EQ(fault_of(command(QueueCommandKind::kWrite, spec_.l1_base, 1U, kSourceSlots)), DeviceFault::kHostMemory);
}

TEST_P(DeviceRules, ATransferOutsideTheRegionsIsABusFault) {
    enqueue(0U, command(QueueCommandKind::kWrite, spec_.dram_base, 1U));
    notify(0U);
    Completion completion;
    ASSERT_EQ(wait(0U, completion), Status::kDeviceFault);
    EXPECT_EQ(completion.fault, DeviceFault::kBus);
    EXPECT_EQ(completion.fault_address, spec_.dram_base);
}

TEST_P(DeviceRules, EventsThatDoNotExistAreFaults) {
    EXPECT_EQ(fault_of(event(QueueCommandKind::kRecordEvent, kMaxEvents, 1U)), DeviceFault::kBadArgument);
}

TEST_P(DeviceRules, AfterResetAFaultIsForgotten) {
    EXPECT_EQ(fault_of(command(QueueCommandKind::kReplay, spec_.l1_base, 4U)), DeviceFault::kBus);
    ASSERT_EQ(device_.reset(), Status::kOk);
    notify(0U);
    Completion completion;
    ASSERT_EQ(wait(0U, completion), Status::kOk);
    EXPECT_EQ(completion.fault, DeviceFault::kNone);
    EXPECT_EQ(completion.executed_commands, 1U);
}

std::string mode_name(const testing::TestParamInfo<Threading>& mode) {
    return (mode.param == Threading::kThreaded) ? "threaded" : "in_process";
}

INSTANTIATE_TEST_SUITE_P(Modes, DeviceRules, testing::Values(Threading::kInProcess, Threading::kThreaded), mode_name);

}  // namespace
}  // namespace pianola::sim
