// The driver against an engine that misbehaves in ways that QEMU's never does: one that is busy for ever, does not
// stop, or reports bus errors.
#include "hal/devices/pl330/driver.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "hal/devices/pl330/command_set.h"

namespace pianola::test {
namespace {

using pl330::EngineSpec;

constexpr EngineSpec kSpec{0x0100'0000U, 64U * 1024U, 0x2000'0000U, 4096U, 4096U};
constexpr std::uint32_t kTraceAddress = kSpec.dram_base + kSpec.dram_bytes - kSpec.trace_region_bytes;
constexpr std::uint32_t kTraceBytes = 64U;
constexpr std::uint32_t kProgramAddress = 0x3000'0000U;  // of all programs of the driver
constexpr std::uint32_t kInterrupts = 0x028U;
constexpr std::uint32_t kStates = 0x100U;
constexpr std::uint32_t kCounters = 0x104U;
constexpr std::uint32_t kFaultTypes = 0x040U;
constexpr std::uint32_t kDebugStatus = 0xD00U;
constexpr std::uint32_t kDebugCommand = 0xD04U;
constexpr std::uint32_t kExecuting = 1U;
constexpr std::uint32_t kFaultingCompleting = 14U;
constexpr std::uint32_t kFaulting = 15U;

// Registers, and nothing that they would do: tests say what the threads are in.
class StillLink final : public pl330::EngineLink {
  public:
    [[nodiscard]] std::uint32_t read(std::uint32_t offset) noexcept override { return registers_.at(offset / 4U); }
    void write(std::uint32_t offset, std::uint32_t value) noexcept override {
        commands += (offset == kDebugCommand) ? 1U : 0U;
        registers_.at(offset / 4U) = value;
    }
    [[nodiscard]] std::uint8_t* memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept override {
        const MutableByteSpan found =
            MutableByteSpan{memory_.data(), memory_.size()}.subspan(address - kSpec.dram_base, size_bytes);
        return found.data();
    }
    [[nodiscard]] std::uint32_t bus_address(const std::uint8_t* /*memory*/) noexcept override {
        return kProgramAddress;
    }
    void clean(ByteSpan /*memory*/) noexcept override {}
    void invalidate(MutableByteSpan /*memory*/) noexcept override {}
    [[nodiscard]] std::uint64_t now_us() noexcept override { return now_us_ += 10U; }

    std::uint32_t commands{0U};

  private:
    std::array<std::uint32_t, 1024> registers_{};
    std::vector<std::uint8_t> memory_ = std::vector<std::uint8_t>(kSpec.dram_bytes);
    std::uint64_t now_us_{0U};
};

class Pl330OnStillEngine : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(driver_.reset(), Status::kOk);
        number_ = 0U;
        RegionConfig traces;
        traces.base = kTraceAddress;
        traces.size_bytes = kSpec.trace_region_bytes;
        traces.fetch = true;
        ASSERT_EQ(driver_.program_region(traces), Status::kOk);
    }

    // The replay of a trace has been started.
    void start_replay(std::uint32_t address = kTraceAddress) {
        QueueCommand command;
        command.kind = QueueCommandKind::kReplay;
        command.address = address;
        command.size_bytes = kTraceBytes;
        enqueue(command);
    }
    void enqueue(QueueCommand command, bool is_sealed = true) {
        const pl330::Pl330CommandSet command_set;
        static_cast<void>(command_set.seal(0U, number_, 0U, command));
        number_ += 1U;
        command.check ^= is_sealed ? 0U : 1U;
        ASSERT_EQ(driver_.enqueue(0U, command), Status::kOk);
        ASSERT_EQ(driver_.ring_doorbell(0U), Status::kOk);
    }
    Completion look() {
        EXPECT_EQ(driver_.service(), Status::kOk);
        Completion completion;
        status_ = driver_.completion(0U, 1U, completion);
        return completion;
    }

    StillLink link_;
    pl330::Pl330Driver driver_{kSpec, link_};
    Status status_{Status::kOk};
    std::uint32_t number_{0U};  // of the next command in its queue
};

TEST_F(Pl330OnStillEngine, FaultsOfTheEngineAreFaultsOfTheDevice) {
    struct Case {
        std::uint32_t type;
        DeviceFault fault;
    };
    const std::vector<Case> cases{
        {1U << 0U, DeviceFault::kUnknownCommand}, {1U << 1U, DeviceFault::kBadArgument},
        {1U << 5U, DeviceFault::kBadArgument},    {1U << 7U, DeviceFault::kBadArgument},
        {1U << 12U, DeviceFault::kBadArgument},   {1U << 13U, DeviceFault::kBadArgument},
        {1U << 16U, DeviceFault::kBus},           {1U << 17U, DeviceFault::kBus},
        {1U << 18U, DeviceFault::kBus},           {1U << 31U, DeviceFault::kTraceOverrun},
    };
    for (const std::uint32_t state : {kFaulting, kFaultingCompleting}) {
        for (const Case& one : cases) {
            SCOPED_TRACE(one.type);
            link_.write(kStates, 0U);
            SetUp();
            start_replay();
            link_.write(kStates, state);
            link_.write(kFaultTypes, one.type);
            link_.write(kCounters, kTraceAddress + 8U);
            const Completion completion = look();
            EXPECT_EQ(status_, Status::kDeviceFault);
            EXPECT_EQ(completion.fault, one.fault);
            EXPECT_EQ(completion.fault_address, kTraceAddress + 8U);
        }
    }
}

TEST_F(Pl330OnStillEngine, AThreadHasFinishedWhereItsProgramEndsAndNowhereElse) {
    for (const std::uint32_t past_end : {0U, 1U}) {
        SetUp();
        start_replay();
        link_.write(kStates, kExecuting);
        start_replay();
        const std::uint32_t before = link_.commands;
        static_cast<void>(look());
        EXPECT_EQ(link_.commands, before);
        link_.write(kStates, 0U);
        link_.write(kCounters, kTraceAddress + kTraceBytes - 4U + past_end);
        static_cast<void>(look());
        EXPECT_EQ(link_.commands, before + 1U) << "the next program is started";
        EXPECT_EQ(status_, Status::kPending);
    }
    for (const std::uint32_t at : {0U, kTraceBytes - 5U, kTraceBytes - 2U, kTraceBytes}) {
        SetUp();
        start_replay();
        link_.write(kCounters, kTraceAddress + at);
        const Completion completion = look();
        EXPECT_EQ(status_, Status::kDeviceFault);
        EXPECT_EQ(completion.fault, DeviceFault::kLost);
    }
}

// The driver knows how many commands it has started; that is no evidence of what the engine has done, and not shown.
TEST_F(Pl330OnStillEngine, RecordsSayNothingThatTheEngineDoesNotAttest) {
    DeviceDescription description;
    ASSERT_EQ(driver_.describe(description), Status::kOk);
    ASSERT_EQ(description.attestation, Attestation::kNothing);
    const auto expect_nothing = [this](Status wanted) {
        const Completion completion = look();
        EXPECT_EQ(status_, wanted);
        EXPECT_EQ(completion.executed_commands, 0U);
        EXPECT_EQ(completion.digest, 0U);
        EXPECT_EQ(completion.fault_command, 0U);
    };
    start_replay();
    link_.write(kStates, kExecuting);
    QueueCommand notify;
    notify.kind = QueueCommandKind::kNotify;
    notify.value = 1U;
    enqueue(notify);
    link_.write(kStates, 0U);
    link_.write(kCounters, kTraceAddress + kTraceBytes - 4U);
    expect_nothing(Status::kPending);
    link_.write(kCounters, kProgramAddress + pl330::kEventProgramEnd);
    link_.write(kInterrupts, 1U << kMaxEvents);
    expect_nothing(Status::kOk);
    start_replay();
    link_.write(kStates, kFaulting);
    expect_nothing(Status::kDeviceFault);
}

TEST_F(Pl330OnStillEngine, AThreadThatDoesNotStopIsATimeout) {
    start_replay();
    link_.write(kStates, kExecuting);
    EXPECT_EQ(driver_.reset(), Status::kTimeout);
    link_.write(kStates, 0U);
    EXPECT_EQ(driver_.reset(), Status::kOk);
}

TEST_F(Pl330OnStillEngine, AnEngineThatIsBusyForEverStartsNothing) {
    link_.write(kDebugStatus, 1U);
    const std::uint32_t before = link_.commands;
    start_replay();
    static_cast<void>(look());
    EXPECT_EQ(status_, Status::kDeviceFault);
    EXPECT_EQ(link_.commands, before);
    link_.write(kStates, kExecuting);
    EXPECT_EQ(driver_.reset(), Status::kTimeout);
}

TEST_F(Pl330OnStillEngine, NothingIsStartedOutsideTheRegions) {
    for (const std::uint32_t address : {kTraceAddress - 64U, kTraceAddress + kSpec.trace_region_bytes - 32U, 0U}) {
        SetUp();
        const std::uint32_t before = link_.commands;
        start_replay(address);
        EXPECT_EQ(look().fault, DeviceFault::kBus);
        EXPECT_EQ(link_.commands, before);
    }
    SetUp();
    QueueCommand transfer;
    transfer.kind = QueueCommandKind::kWrite;
    transfer.address = kTraceAddress;
    transfer.size_bytes = 4U;
    transfer.slot = kFirstInputSlot;
    enqueue(transfer);
    EXPECT_EQ(look().fault, DeviceFault::kHostMemory);
    SetUp();
    const std::array<std::uint8_t, 4U> host{};
    ASSERT_EQ(driver_.bind_source(kFirstInputSlot, host), Status::kOk);
    enqueue(transfer);
    EXPECT_EQ(look().fault, DeviceFault::kBus) << "traces are fetched, and not written";
}

TEST_F(Pl330OnStillEngine, ADamagedCommandIsNotStarted) {
    QueueCommand command;
    command.kind = QueueCommandKind::kReplay;
    command.address = kTraceAddress;
    command.size_bytes = kTraceBytes;
    const std::uint32_t before = link_.commands;
    enqueue(command, false);
    EXPECT_EQ(look().fault, DeviceFault::kBadArgument);
    EXPECT_EQ(link_.commands, before);
}

TEST_F(Pl330OnStillEngine, ARingTakesAsManyCommandsAsItSays) {
    QueueCommand command;
    command.kind = QueueCommandKind::kNotify;
    for (std::uint32_t i = 0U; i < pl330::kRingCommands; ++i) {
        EXPECT_EQ(driver_.enqueue(0U, command), Status::kOk);
    }
    EXPECT_EQ(driver_.enqueue(0U, command), Status::kBusy);
    EXPECT_EQ(driver_.enqueue(kMaxQueues, command), Status::kInvalidArgument);
    EXPECT_EQ(driver_.enqueue(1U, QueueCommand{}), Status::kInvalidArgument);
}

}  // namespace
}  // namespace pianola::test
