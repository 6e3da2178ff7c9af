// bit_flips BINARY INPUTS TO_HOST FROM_HOST: lives of a session, one after another, of which the host stops each at one
// moment and changes a bit of this board's memory.
//
// A life is what tests/campaign/scenario.h runs on the simulator: load() on a new session, two steps with transfers,
// each with an input of its own, and then it is looked at. Runtime, driver and the device's firmware are the product's
// and know nothing of the host; what is here counts moments and says where things lie. The host decides what is right:
// it reads the outputs from memory by itself.
#include <algorithm>
#include <array>
#include <atomic>
#include <new>

#include "hal/boards/common/board.h"
#include "hal/boards/common/board_link.h"
#include "hal/boards/common/shared_memory.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/refdev_driver.h"
#include "pianola/development_config.h"
#include "pianola/session.h"
#include "tests/baremetal/board_tests/bench.h"
#include "tests/baremetal/probed/host_channel.h"
#include "tests/baremetal/probed/probe.h"

namespace pianola::baremetal {
namespace {

constexpr std::uint32_t kSteps = 2U;
constexpr std::uint32_t kFirstStepToken = 2U;  // 1 is the set-up's
constexpr std::uint32_t kOutputRoomBytes = 4096U;

// What the numbers of both sides mean: tests/baremetal/campaigns/bit_flips_bench.py has the same.
enum class Moment : std::uint32_t {
    kNone,
    kCall,     // the session is about to call the device
    kCommand,  // a device core has executed a command
    kBetween,  // between two calls of the session
};
constexpr std::uint32_t kMomentKinds = 4U;
constexpr std::uint32_t kEveryMoment = UINT32_MAX;  // as a kind

enum class Phase : std::uint32_t {
    kSetUp,      // in load()
    kLoaded,     // before the first submit()
    kSubmit,     // in submit(): up to the last doorbell
    kRunning,    // until all queues have published their completion records
    kCompleted,  // until poll() compares traces and weights
    kVerifying,  // until poll() releases the outputs
    kReleased,   // between the steps
    kOver,       // behind the last one
};

enum class What : std::uint32_t { kMoment = 1U, kEnd = 2U };

constexpr SessionConfig kAtCompletionConfig{kDevelopmentTrust, Release::kAtCompletion};

// What lives of a session have in common, and both sides of the device may look at. All zero at the start.
struct Stage {
    std::atomic<std::uint32_t> wanted_kind{0U};
    std::atomic<std::uint32_t> wanted_number{0U};
    std::array<std::atomic<std::uint32_t>, kMomentKinds> moments{};  // of each kind since the life began
    std::atomic<std::uint32_t> phase{0U};
    std::atomic<std::uint32_t> step{0U};
    std::atomic<std::uint32_t> is_inside{0U};         // a call of the session is under way
    std::array<std::uint32_t, kSteps> step_status{};  // as poll() or submit() has answered; 0 before. The host reads it
    HostChannel channel;
};

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): DEV-033
[[gnu::section(".shared")]] Stage g_stage;

Phase phase_now() noexcept {
    const auto phase = static_cast<Phase>(g_stage.phase.load(std::memory_order_relaxed));
    if (phase != Phase::kRunning) {
        return phase;
    }
    const std::uint32_t token = g_stage.step.load(std::memory_order_relaxed) + kFirstStepToken;
    bool all_done = true;
    for (const refdev::QueueMemory& queue : board::shared_state().queues) {
        all_done = all_done && (queue.completed_token.load(std::memory_order_relaxed) == token);
    }
    return all_done ? Phase::kCompleted : Phase::kRunning;
}

void set_phase(Phase phase) noexcept {
    g_stage.phase.store(static_cast<std::uint32_t>(phase), std::memory_order_relaxed);
}

// Whichever core calls this: where it is the moment that the host asked for, the host gets it.
void pass(Moment moment) noexcept {
    const auto kind = static_cast<std::uint32_t>(moment);
    const std::uint32_t number = g_stage.moments[kind].fetch_add(1U, std::memory_order_relaxed);
    const std::uint32_t wanted = g_stage.wanted_kind.load(std::memory_order_relaxed);
    const bool is_wanted = (wanted == kind) && (number == g_stage.wanted_number.load(std::memory_order_relaxed));
    if (!is_wanted && (wanted != kEveryMoment)) {
        return;
    }
    Message message{static_cast<std::uint32_t>(What::kMoment),
                    kind,
                    number,
                    static_cast<std::uint32_t>(phase_now()),
                    g_stage.step.load(std::memory_order_relaxed),
                    g_stage.is_inside.load(std::memory_order_relaxed)};
    if (g_stage.channel.send(message)) {
        static_cast<void>(g_stage.channel.receive(message));
    }
}

void command_executed() noexcept {
    pass(Moment::kCommand);
}

// The product's driver; before each of its calls is a moment.
class WatchedDriver final : public refdev::RefdevDriver {
  public:
    using RefdevDriver::RefdevDriver;

    Status describe(DeviceDescription& description) const noexcept override {
        pass(Moment::kCall);
        return RefdevDriver::describe(description);
    }
    Status reset() noexcept override {
        pass(Moment::kCall);
        return RefdevDriver::reset();
    }
    Status program_region(const RegionConfig& region) noexcept override {
        pass(Moment::kCall);
        return RefdevDriver::program_region(region);
    }
    Status read_back(std::uint32_t address, MutableByteSpan out) noexcept override {
        if (static_cast<Phase>(g_stage.phase.load(std::memory_order_relaxed)) == Phase::kRunning) {
            set_phase(Phase::kVerifying);
        }
        pass(Moment::kCall);
        return RefdevDriver::read_back(address, out);
    }
    Status bind_source(std::uint32_t slot, ByteSpan memory) noexcept override {
        pass(Moment::kCall);
        return RefdevDriver::bind_source(slot, memory);
    }
    Status bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept override {
        pass(Moment::kCall);
        return RefdevDriver::bind_destination(slot, memory);
    }
    Status enqueue(std::uint32_t queue, const QueueCommand& command) noexcept override {
        pass(Moment::kCall);
        return RefdevDriver::enqueue(queue, command);
    }
    Status ring_doorbell(std::uint32_t queue) noexcept override {
        pass(Moment::kCall);
        return RefdevDriver::ring_doorbell(queue);
    }
    Status service() noexcept override {
        pass(Moment::kCall);
        return RefdevDriver::service();
    }
    Status completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept override {
        pass(Moment::kCall);
        return RefdevDriver::completion(queue, token, completion);
    }
};

struct Life {
    explicit Life(const SessionConfig& config) noexcept
        : link{refdev::DeviceSpec{}, board::shared_state()},
          device{refdev::DeviceSpec{}, board::shared_state(), link},
          session{device, platform, command_set, config} {}

    board::BoardLink link;
    TestPlatform platform;
    WatchedDriver device;
    refdev::RefdevCommandSet command_set;
    Session session;
    PlanWorkspace workspace;
    Verdict verdict;
};

// A new life in the place of the last one, whatever has become of that.
Life& new_life(const SessionConfig& config) noexcept {
    alignas(kFileAlignmentBytes) static std::array<std::uint8_t, sizeof(Life)> place;
    return *new (place.data()) Life{config};
}

struct Data {
    ByteSpan file;
    ByteSpan inputs;
    std::array<MutableByteSpan, kSteps> outputs;
};

// Calls into the session are framed by these.
void begin_call(Phase phase) noexcept {
    set_phase(phase);
    g_stage.is_inside.store(1U, std::memory_order_relaxed);
}
void end_call() noexcept {
    g_stage.is_inside.store(0U, std::memory_order_relaxed);
}

Status poll_until_ended(Life& life) noexcept {
    Status status = Status::kPending;
    while (status == Status::kPending) {  // ends at the deadline
        pass(Moment::kBetween);
        life.platform.idle();
        g_stage.is_inside.store(1U, std::memory_order_relaxed);
        status = life.session.poll();
        end_call();
    }
    return status;
}

Status run_step(Life& life, const Data& data, std::uint32_t step) noexcept {
    const std::size_t input_bytes = data.inputs.size() / kSteps;
    const std::array<ByteSpan, 1U> inputs{data.inputs.subspan(step * input_bytes, input_bytes)};
    const std::array<MutableByteSpan, 1U> outputs{data.outputs[step]};
    g_stage.step.store(step, std::memory_order_relaxed);
    begin_call(Phase::kSubmit);
    Status status = life.session.submit(inputs, outputs);
    end_call();
    set_phase(Phase::kRunning);
    if (is_ok(status)) {
        status = poll_until_ended(life);
    }
    g_stage.step_status[step] = static_cast<std::uint32_t>(status);
    set_phase(((step + 1U) < kSteps) ? Phase::kReleased : Phase::kOver);
    pass(Moment::kBetween);
    return status;
}

// wanted: kind and number of a moment, and 1 for a release at completion.
Message live(const Data& data, const Message& wanted) noexcept {
    for (const MutableByteSpan& output : data.outputs) {
        std::fill(output.begin(), output.end(), std::uint8_t{0U});
    }
    g_stage.step_status.fill(0U);
    g_stage.step.store(0U, std::memory_order_relaxed);
    for (std::atomic<std::uint32_t>& count : g_stage.moments) {
        count.store(0U, std::memory_order_relaxed);
    }
    g_stage.wanted_number.store(wanted[1], std::memory_order_relaxed);
    g_stage.wanted_kind.store(wanted[0], std::memory_order_relaxed);

    Life& life = new_life((wanted[2] == 1U) ? kAtCompletionConfig : kDevelopmentConfig);
    begin_call(Phase::kSetUp);
    const Status loaded = life.session.load(data.file, life.workspace, life.verdict);
    end_call();
    Status status = loaded;
    if (is_ok(status)) {
        set_phase(Phase::kLoaded);
        pass(Moment::kBetween);
    }
    for (std::uint32_t step = 0U; is_ok(status) && (step < kSteps); ++step) {
        status = run_step(life, data, step);
    }
    g_stage.wanted_kind.store(static_cast<std::uint32_t>(Moment::kNone), std::memory_order_relaxed);
    const FaultRecord& fault = life.session.fault();
    return Message{static_cast<std::uint32_t>(What::kEnd),
                   static_cast<std::uint32_t>(loaded),
                   g_stage.step_status[0],
                   g_stage.step_status[1],
                   static_cast<std::uint32_t>(fault.stage),
                   static_cast<std::uint32_t>(fault.status),
                   static_cast<std::uint32_t>(fault.device_fault),
                   life.platform.safe_state_entries(),
                   static_cast<std::uint32_t>(fault.time_us - fault.started_us)};
}

void report_place(const char* name, const void* address, std::size_t size_bytes) noexcept {
    report_text("place", name);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-032
    report("address", reinterpret_cast<std::uintptr_t>(address));
    report("bytes", size_bytes);
}
template <typename Object>
void report_object(const char* name, const Object& object) noexcept {
    report_place(name, &object, sizeof(object));
}

void report_queue(const refdev::QueueMemory& queue) noexcept {
    report_object("rings", queue.ring);
    report_object("ring positions", queue.published);
    report_object("ring positions", queue.consumed);
    report_object("doorbell times", queue.doorbell_cycles);
    report_object("queue progress", queue.progress);
    report_object("completion records", queue.completions);
    report_object("completed tokens", queue.completed_token);
    report_object("queue faults", queue.stopped);
    report_object("queue faults", queue.fault);
}

// Where the set-up has put what it copied from `slot`.
void report_constants(const char* name, Life& life, std::uint32_t slot) noexcept {
    for (std::uint32_t i = 0U; i < life.workspace.setup.count; ++i) {
        const QueueCommand& command = life.workspace.setup_commands[i].command;
        if (command.slot == slot) {
            report_place(name, life.link.memory_at(command.address, command.size_bytes), command.size_bytes);
        }
    }
}

// Memory by the names that the host's report has; pieces with one name belong together.
void report_places(Life& life, const Data& data) noexcept {
    refdev::SharedState& shared = board::shared_state();
    report_constants("trace region", life, kTracesSlot);
    report_constants("weights", life, kWeightsSlot);
    for (const refdev::QueueMemory& queue : shared.queues) {
        report_queue(queue);
    }
    report_object("session", life.session);
    report_place("binary", data.file.data(), data.file.size());
    report_object("driver", life.device);
    for (std::uint32_t flight = 0U; flight < kMaxStepsInFlight; ++flight) {
        report_object("host memory bindings", shared.host.sources[kFirstInputSlot + (flight * kMaxInputs)]);
        report_object("host memory bindings", shared.host.destinations[flight * kMaxOutputs]);
    }
    report_object("protection unit", shared.memory);
    for (const refdev::EventCell& event : shared.events) {
        report_object("event counters", event.counter);
        report_object("event counters", event.copy);
    }
    report_object("reset words", shared.reset_phase);
    report_object("reset words", shared.reset_confirmed);
    report_place("device_l1", board::device_l1().data(), board::device_l1().size());
    report_place("device_dram", board::device_dram().data(), board::device_dram().size());
    report_object("step_status", g_stage.step_status);
    for (const MutableByteSpan& output : data.outputs) {
        report_place("output", output.data(), output.size());
    }
}

}  // namespace

std::int32_t test_bit_flips(const Arguments& arguments) noexcept {
    if (arguments.count() < 5U) {
        return kWrongUsage;
    }
    LoadArea area;
    Data data{area.load(arguments.at(1U)), area.load(arguments.at(2U)), {}};
    Life& first = new_life(kDevelopmentConfig);
    if (data.file.empty() || data.inputs.empty() ||
        !is_ok(first.session.load(data.file, first.workspace, first.verdict))) {
        return kNotLoaded;
    }
    for (MutableByteSpan& output : data.outputs) {
        output = area.allocate(kOutputRoomBytes).subspan(0U, first.session.output_bytes());
    }
    if (data.outputs.back().empty() || !g_stage.channel.open(arguments.at(3U), arguments.at(4U))) {
        return kNotLoaded;
    }
    report_places(first, data);
    call_after_commands(command_executed);
    Message message{};
    while (g_stage.channel.send(message) && g_stage.channel.receive(message)) {  // the host ends it
        message = live(data, message);
    }
    return kPassed;
}

}  // namespace pianola::baremetal
