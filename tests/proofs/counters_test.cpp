// Counters that are about to wrap, and queues that have been idle for so many steps that every difference of counters
// has turned round: sessions do the same as with counters that begin at 0.
#include <gtest/gtest.h>

#include <algorithm>

#include "hal/devices/refdev/device_core.h"
#include "hal/devices/refdev/refdev_driver.h"
#include "tests/proofs/patterns.h"
#include "tests/proofs/performance.h"
#include "tests/support/verifies.h"

namespace pianola::test {

// Private members, named by explicit instantiations, which may: years of steps cannot be played.
template <typename Tag, auto kMember>
struct Open {
    friend constexpr auto open(Tag /*tag*/) { return kMember; }
};
struct RunningTag {
    friend constexpr auto open(RunningTag tag);
};
struct ResealTag {
    friend constexpr auto open(ResealTag tag);
};
struct WrittenTag {
    friend constexpr auto open(WrittenTag tag);
};
struct NotifiedTag {
    friend constexpr auto open(NotifiedTag tag);
};
struct ProcessorTag {
    friend constexpr auto open(ProcessorTag tag);
};
struct PositionTag {
    friend constexpr auto open(PositionTag tag);
};
struct ExecutedTag {
    friend constexpr auto open(ExecutedTag tag);
};
template struct Open<RunningTag, &Session::running_>;
template struct Open<ResealTag, &Session::reseal>;
template struct Open<WrittenTag, &refdev::RefdevDriver::written_>;
template struct Open<NotifiedTag, &refdev::RefdevDriver::notified_>;
template struct Open<ProcessorTag, &refdev::DeviceCore::processor_>;
template struct Open<PositionTag, &refdev::CommandProcessor::position_>;
template struct Open<ExecutedTag, &refdev::CommandProcessor::executed_>;

namespace {

constexpr std::uint32_t kCases = 60U;

// Kind, start and end of every command of a queue.
class Log final : public refdev::CommandObserver {
  public:
    void before(std::uint32_t /*queue*/, WordSpan /*words*/) noexcept override {}
    void after(const refdev::ExecutedCommand& executed, WordSpan /*words*/) noexcept override {
        lines.push_back(std::to_string(static_cast<unsigned>(executed.opcode)) + " " +
                        std::to_string(executed.start_cycles) + " " + std::to_string(executed.end_cycles));
    }

    std::vector<std::string> lines;
};

// A whole device in this thread that has not moved yet when the session looks for the first time after a doorbell.
class Rig final : public refdev::DeviceLink {
  public:
    [[nodiscard]] std::uint8_t* memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept override {
        for (auto& [base, bytes] : {std::pair{spec.dram_base, &dram}, std::pair{spec.l1_base, &l1}}) {
            const std::uint64_t offset = std::uint64_t{address} - base;
            if ((address >= base) && ((offset + size_bytes) <= bytes->size())) {
                return bytes->data() + offset;
            }
        }
        return nullptr;
    }
    void signal(std::uint32_t /*queue*/) noexcept override { sleeps = true; }
    Status service() noexcept override {
        bool moves = !sleeps;
        sleeps = false;
        while (moves) {
            const auto step = [](refdev::DeviceCore& core) { return core.step() == refdev::Progress::kExecuted; };
            moves = std::count_if(cores.begin(), cores.end(), step) != 0;
        }
        return Status::kOk;
    }
    void relax() noexcept override {}
    [[nodiscard]] std::uint64_t now_us() noexcept override { return 0U; }
    void clean(ByteSpan /*memory*/) noexcept override {}
    void invalidate(MutableByteSpan /*memory*/) noexcept override {}

    refdev::DeviceSpec spec{small_device()};
    std::unique_ptr<refdev::SharedState> shared{std::make_unique<refdev::SharedState>()};
    std::vector<std::uint8_t> dram = std::vector<std::uint8_t>(spec.dram_bytes);
    std::vector<std::uint8_t> l1 = std::vector<std::uint8_t>(spec.l1_bytes);
    std::array<Log, 2> logs{};
    std::array<refdev::DeviceCore, 2> cores{refdev::DeviceCore{0U, *shared, &logs[0]},
                                            refdev::DeviceCore{1U, *shared, &logs[1]}};
    bool sleeps{false};
    bool has_aged{false};  // for tests
};

class Driver final : public refdev::RefdevDriver {
  public:
    using RefdevDriver::RefdevDriver;
};

class StillPlatform final : public Platform {
  public:
    [[nodiscard]] std::uint64_t now_us() noexcept override { return 0U; }
    void idle() noexcept override {}
    void serve_watchdog() noexcept override {}
    Status lowest_security_version(std::uint32_t& version) noexcept override {
        version = 0U;
        return Status::kOk;
    }
    Status raise_security_version(std::uint32_t /*version*/) noexcept override { return Status::kOk; }
    void enter_safe_state(const FaultRecord& /*fault*/) noexcept override {}
};

using AtRest = std::function<void(Rig&, Driver&, Session&)>;

std::array<std::vector<std::string>, 2> perform(const SmallCase& small, const AtRest& at_rest) {
    Rig rig;
    Driver driver{rig.spec, *rig.shared, rig};
    StillPlatform platform;
    Performance performance{small, driver, platform, 1U};
    performance.at_rest([&](Session& session) {
        at_rest(rig, driver, session);
        static_cast<void>((session.*open(ResealTag{}))(Status::kOk));  // seals it anew
    });
    performance.run();
    return {rig.logs[0].lines, rig.logs[1].lines};
}

void expect_the_same(const SmallCase& small, const AtRest& at_rest) {
    EXPECT_TRUE(perform(small, at_rest) == perform(small, [](Rig&, Driver&, Session&) {})) << text_of(small);
}

void expect_the_same_everywhere(const AtRest& at_rest) {
    for (const auto script : {script_one_queue, script_pattern_one, script_pattern_two}) {
        for (const std::uint32_t in_flight : {1U, 2U, 16U}) {
            const bool is_small = in_flight > 2U;  // the rings have room for all steps
            SmallCase small = is_small ? plain_memory(1U, 1U, 2U) : plain_memory(2U, 2U, 3U);
            small.in_flight = in_flight;
            script(small);
            expect_the_same(small, at_rest);
        }
    }
    for_accepted_cases(kCases, 23U, [&](const SmallCase& small) { expect_the_same(small, at_rest); });
}

// The counters of everything that two busy queues have done, once: token, events, executed commands, positions in the
// rings.
void set_counters(Rig& rig, Driver& driver, Session& session, std::uint32_t value) {
    auto& running = session.*open(RunningTag{});
    running.token = value;
    for (std::uint32_t queue = 0U; queue < rig.cores.size(); ++queue) {
        refdev::CommandProcessor& processor = rig.cores.at(queue).*open(ProcessorTag{});
        refdev::QueueMemory& memory = rig.shared->queues.at(queue);
        running.courses[0].executed.at(queue) = value;
        processor.*open(ExecutedTag{}) = value;
        processor.*open(PositionTag{}) = value;
        (driver.*open(WrittenTag{})).at(queue) = value;
        (driver.*open(NotifiedTag{})).at(queue).fill(value);
        memory.published.store(value);
        memory.consumed.store(value);
        memory.completed_token.store(value);
    }
    for (std::uint32_t event = 0U; event < running.courses[0].records.size(); ++event) {
        refdev::EventCell& cell = rig.shared->events.at(event);
        auto& times = cell.times_cycles;  // by counter
        std::rotate(times.begin(), times.end() - ((value - running.courses[0].records.at(event)) % times.size()),
                    times.end());
        running.courses[0].records.at(event) = value;
        cell.counter.store(value);
        cell.copy.store(value);
    }
}

TEST(Counters, WrapWithoutAnyEffect) {
    for (const std::uint32_t value : {0x7FFF'FFFEU, 0xFFFF'FFFEU}) {
        expect_the_same_everywhere([value](Rig& rig, Driver& driver, Session& session) {
            if (!rig.has_aged) {
                rig.has_aged = true;
                set_counters(rig, driver, session, value);
            }
        });
    }
}

// Tokens count the session's scripts; a queue's last one stays where it was while the queue has nothing to do.
TEST(Counters, AQueueThatWasIdleForLongIsNotTakenForCompleted) {
    verifies({"swr~evidence~1"});
    for (const std::uint32_t scripts : {0x7FFF'FFFDU, 0x7FFF'FFFEU, 0x7FFF'FFFFU, 0x8000'0000U, 0xFFFF'FFFCU,
                                        0xFFFF'FFFDU, 0xFFFF'FFFEU, 0xFFFF'FFFFU}) {
        expect_the_same_everywhere([scripts](Rig& /*rig*/, Driver& /*driver*/, Session& session) {
            (session.*open(RunningTag{})).token += scripts;
        });
    }
}

}  // namespace
}  // namespace pianola::test
