// Fuzzer of the reference device's commands: any words as a trace. Decoding is pure and total, and what it publishes is
// inside its limits; patched words do what patch_kind() says. What is accepted is executed by the device's own command
// processor on a small memory of which only the published extents can be touched; what a kernel's description refuses,
// the kernel refuses to run.
#include <algorithm>
#include <memory>
#include <optional>

#include "hal/devices/refdev/command_processor.h"
#include "hal/devices/refdev/costs/cost_model.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/access_checker.h"
#include "tests/fuzz/harness.h"
#include "tests/hostile/mutator.h"
#include "tests/hostile/target.h"
#include "tests/kernels/launch.h"
#include "tests/support/ring.h"

namespace pianola::fuzz {
namespace {

using refdev::DeviceMemory;
using refdev::Opcode;
using refdev::Words;
using test::require;

constexpr std::uint32_t kDataBytes = 2048U;  // from refdev::kBase on, which is where the sample launches work
constexpr std::uint32_t kTraceBase = 0x4000'0000U;
constexpr std::uint32_t kTraceBytes = 4096U;
constexpr std::uint32_t kMaxTraceCycles = 20'000U;  // of what is executed: bounds the time of one input

[[nodiscard]] Opcode opcode_of(std::uint32_t header) {
    return static_cast<Opcode>(header & refdev::kOpcodeMask);
}

[[nodiscard]] bool same_extents(const ExtentList& left, const ExtentList& right) {
    return std::equal(left.view().begin(), left.view().end(), right.view().begin(), right.view().end(),
                      [](const Extent& a, const Extent& b) {
                          return (a.address == b.address) && (a.size_bytes == b.size_bytes) && (a.access == b.access);
                      });
}

[[nodiscard]] bool same_command(const DecodedCommand& left, const DecodedCommand& right) {
    return (left.kind == right.kind) && (left.length_words == right.length_words) &&
           (left.kernel_id == right.kernel_id) && (left.core == right.core) &&
           (left.cost_cycles == right.cost_cycles) && (left.core_cycles == right.core_cycles) &&
           same_extents(left.extents, right.extents);
}

struct Decoded {
    bool accepted{false};
    DecodedCommand command;
    DecodeError error;
};

// Decodes twice, with different things left from before, and once more without what follows the command.
Decoded decode(WordSpan words) {
    const refdev::RefdevCommandSet command_set;
    Decoded first;
    DecodeState state;
    const Status status = command_set.decode(words, state, first.command, first.error);
    require(is_ok(status) || (status == Status::kRefused), "a command is accepted or refused");
    first.accepted = is_ok(status);
    Decoded second;
    second.command.length_words = UINT32_MAX;
    second.command.core = UINT32_MAX;
    second.command.core_cycles = UINT64_MAX;
    (void)second.command.extents.add(1U, 1U, Access::kRead, "stale");
    state.words.fill(UINT32_MAX);  // a command set without state does not look
    require(command_set.decode(words, state, second.command, second.error) == status,
            "decoding again gives the same status");
    if (!first.accepted) {
        require((first.error.field == second.error.field) && (first.error.word == second.error.word),
                "decoding again gives the same error");
        require(words.empty() ? (first.error.word == 0U) : (first.error.word < words.size()),
                "an error is about a word that is there");
        return first;
    }
    require(same_command(first.command, second.command), "decoding again gives the same command");
    const std::uint32_t length = first.command.length_words;
    require((length >= 1U) && (length <= words.size()) && (length <= kMaxCommandWords),
            "a length is inside its limits");
    require(is_ok(command_set.decode(words.subspan(0U, length), state, second.command, second.error)) &&
                same_command(first.command, second.command),
            "a command does not depend on what follows it");
    for (const Extent& extent : first.command.extents.view()) {
        require((extent.size_bytes > 0U) && ((extent.size_bytes - 1U) <= (UINT32_MAX - extent.address)) &&
                    ((extent.access == Access::kRead) || (extent.access == Access::kWrite)),
                "an extent is not empty and does not wrap round");
    }
    return first;
}

// Moves an address, or changes a value, and looks at what changes with it.
void check_patches(WordSpan words, const DecodedCommand& command) {
    const refdev::RefdevCommandSet command_set;
    Words patched{words.begin(), words.end()};
    for (std::uint32_t i = 0U; i < words.size(); ++i) {
        const PatchKind kind = command_set.patch_kind(words, i);
        if (kind == PatchKind::kNone) {
            continue;
        }
        constexpr std::uint32_t kDelta = 64U;
        patched[i] = words[i] + kDelta;
        const Decoded moved = decode({patched.data(), patched.size()});
        patched[i] = words[i];
        if (!moved.accepted || (words[i] == 0U)) {  // an operand that a launch does without
            continue;
        }
        require(
            (moved.command.cost_cycles == command.cost_cycles) && (moved.command.core_cycles == command.core_cycles),
            "a patched word changes no cost");
        const auto before = command.extents.view();
        const auto after = moved.command.extents.view();
        require(before.size() == after.size(), "a patched word changes no number of operands");
        std::uint32_t shifted = 0U;
        for (std::size_t e = 0U; e < before.size(); ++e) {
            const std::uint32_t distance = after[e].address - before[e].address;
            require((after[e].size_bytes == before[e].size_bytes) && (after[e].access == before[e].access) &&
                        ((distance == 0U) || ((kind == PatchKind::kAddress) && (distance == kDelta))),
                    "a patched word moves its operand and nothing else");
            shifted += (distance == 0U) ? 0U : 1U;
        }
        require((kind == PatchKind::kValue) || (shifted > 0U), "a patched address moves an operand");
    }
}

// A device with one region of data and the trace region.
class Machine final : public refdev::CommandObserver {
  public:
    Machine() {
        const refdev::MemoryRegion data{refdev::kBase, kDataBytes, data_.data(), true, true, false, false, false};
        const refdev::MemoryRegion trace{kTraceBase, kTraceBytes, trace_.data(), false, false, false, false, true};
        require(is_ok(memory_.program(data)) && is_ok(memory_.program(trace)), "two regions fit");
    }

    // What stopped the trace, if anything, and at which of its commands. Memory starts as a function of the words.
    struct Outcome {
        DeviceFault fault{DeviceFault::kNone};
        std::uint32_t executed{0U};  // trace commands that have completed
    };
    Outcome run(const Words& words) {
        fill(words);
        const Bytes bytes = test::bytes_of(words);
        std::copy(bytes.begin(), bytes.end(), trace_.begin());
        checker_.refresh();
        queue_->stopped.store(0U);
        queue_->fault = Completion{};
        completed_ = 0U;
        std::array<std::uint32_t, 3> replay{refdev::header_word(Opcode::kReplay, refdev::kReplayWords), kTraceBase,
                                            static_cast<std::uint32_t>(bytes.size())};
        replay[0] = test::sealed_header(0U, replay);
        std::copy(replay.begin(), replay.end(), queue_->ring.begin());
        queue_->published.store(refdev::kReplayWords);
        processor_.reset();
        refdev::Progress progress = processor_.step();
        for (std::size_t i = 0U; (i < words.size()) && (progress == refdev::Progress::kExecuted); ++i) {
            progress = processor_.step();
        }
        require(progress != refdev::Progress::kWaiting, "nothing is waited for");
        return {(progress == refdev::Progress::kStopped) ? queue_->fault.fault : DeviceFault::kNone, completed_};
    }

    // A kernel that refuses leaves memory alone.
    void require_refusal(const refdev::Kernel& kernel, WordSpan arguments) {
        const Bytes before = data_;
        require(refdev::run(kernel, arguments, memory_) == Status::kRefused,
                "a kernel refuses what its description refuses");
        require(data_ == before, "a kernel that refuses writes nothing");
    }

    [[nodiscard]] std::uint64_t violations() const noexcept { return checker_.violations(); }

    void before(std::uint32_t /*queue*/, WordSpan words) noexcept override {
        if (opcode_of(words[0]) != Opcode::kReplay) {
            checker_.begin_command(words, true);
        }
    }
    void after(const refdev::ExecutedCommand& executed, WordSpan /*words*/) noexcept override {
        if (executed.opcode != Opcode::kReplay) {
            checker_.end_command();
            checker_.end_step();
            completed_ += (executed.fault == DeviceFault::kNone) ? 1U : 0U;
        }
    }

  private:
    void fill(const Words& words) {
        std::uint32_t state = 1U;
        for (const std::uint32_t word : words) {
            state = (state ^ word) * 0x0100'0193U;
        }
        for (std::uint8_t& byte : data_) {
            state = (state * 1664525U) + 1013904223U;
            byte = static_cast<std::uint8_t>(state >> 24U);
        }
    }

    // As the driver leaves it after a reset.
    [[nodiscard]] static std::unique_ptr<refdev::QueueMemory> make_queue() {
        auto queue = std::make_unique<refdev::QueueMemory>();
        queue->costs = refdev::kVirtualCosts.commands;
        return queue;
    }

    Bytes data_ = Bytes(kDataBytes);
    Bytes trace_ = Bytes(kTraceBytes);
    sim::AccessChecker checker_{{{refdev::kBase, &data_}, {kTraceBase, &trace_}}, refdev::kVirtualCosts};
    DeviceMemory memory_;
    refdev::HostMemory host_;
    refdev::EventFile events_;
    std::unique_ptr<refdev::QueueMemory> queue_ = make_queue();
    refdev::CommandProcessor processor_{0U, *queue_, events_, memory_, host_, this};
    std::uint32_t completed_{0U};
};

[[nodiscard]] bool is_inside(const DecodedCommand& command) {
    const auto extents = command.extents.view();
    return std::all_of(extents.begin(), extents.end(), [](const Extent& extent) {
        const std::uint32_t offset = extent.address - refdev::kBase;
        return (offset < kDataBytes) && (extent.size_bytes <= (kDataBytes - offset));
    });
}

// Commands from the front of the words that are accepted, as far as they are worth executing, and whether each stays
// inside the data.
struct Front {
    Words words;
    std::vector<bool> inside;
    std::vector<bool> may_wait;  // for a semaphore that nobody sets
    bool has_end{false};
};

class Walk {
  public:
    explicit Walk(Machine& machine) : machine_{machine} {}

    Front over(WordSpan words) {
        Front front;
        std::size_t at = 0U;
        std::uint64_t cycles = 0U;
        while (!front.has_end && (at < words.size())) {
            const WordSpan rest = words.subspan(at, words.size() - at);
            const Decoded decoded = decode(rest);
            if (!decoded.accepted) {
                check_refusal(rest, decoded.error);
                break;
            }
            const DecodedCommand& command = decoded.command;
            const WordSpan exact = rest.subspan(0U, command.length_words);
            check_patches(exact, command);
            cycles += command.cost_cycles + command.core_cycles;
            if ((cycles > kMaxTraceCycles) || ((front.words.size() + exact.size()) >= (kTraceBytes / 4U))) {
                break;
            }
            front.words.insert(front.words.end(), exact.begin(), exact.end());
            front.inside.push_back(is_inside(command));
            front.may_wait.push_back(command.kernel_id == static_cast<std::uint32_t>(refdev::KernelId::kSemaphore));
            front.has_end = command.kind == CommandKind::kEnd;
            at += exact.size();
        }
        return front;
    }

  private:
    // Where a kernel's arguments were refused, the kernel must do the same.
    void check_refusal(WordSpan words, const DecodeError& error) {
        const bool dispatches = opcode_of(words[0]) == Opcode::kDispatch;
        const std::uint32_t head = dispatches ? refdev::kDispatchHeadWords : refdev::kLaunchHeadWords;
        if ((!dispatches && (opcode_of(words[0]) != Opcode::kLaunch)) || error.unknown_command ||
            error.unknown_kernel || (error.word < head)) {
            return;
        }
        const refdev::Kernel* const kernel = refdev::find_kernel(words[head - 2U]);
        require(kernel != nullptr, "a refused argument belongs to a kernel");
        const WordSpan arguments = words.subspan(head, kernel->argument_words);
        ExtentList extents;
        refdev::ArgumentError of_kernel;
        if (is_ok(kernel->describe(arguments, extents, of_kernel))) {
            // This device's cores are parallel; a kernel alone would be right with its output over its input.
            require(of_kernel.field[0] != '\0', "what is refused for its place alone is named");
            return;
        }
        machine_.require_refusal(*kernel, arguments);
    }

    Machine& machine_;
};

void execute(Machine& machine, Front front) {
    if (!front.has_end) {
        front.words.push_back(refdev::header_word(Opcode::kEnd, 1U));
        front.inside.push_back(true);
        front.may_wait.push_back(false);
    }
    const Machine::Outcome outcome = machine.run(front.words);
    require(machine.violations() == 0U, "no command touches a byte outside its extents");
    if (outcome.executed == front.inside.size()) {
        require(std::all_of(front.inside.begin(), front.inside.end(), [](bool each) { return each; }),
                "what reaches outside the regions is a fault");
        return;
    }
    const bool waits = front.may_wait.at(outcome.executed) && (outcome.fault == DeviceFault::kBadArgument);
    require(waits || (!front.inside.at(outcome.executed) && (outcome.fault == DeviceFault::kBus)),
            "what was accepted and stays inside the regions executes");
}

// Brings addresses into the data region, so that commands do something.
void aim(Words& words, test::Random& random) {
    const refdev::RefdevCommandSet command_set;
    std::size_t at = 0U;
    while (at < words.size()) {
        const std::size_t length = refdev::length_words_of(words[at]);
        if ((length == 0U) || (length > (words.size() - at))) {
            return;
        }
        const WordSpan command{&words[at], length};
        const bool has_kernel =
            (opcode_of(words[at]) == Opcode::kLaunch) || (opcode_of(words[at]) == Opcode::kDispatch);
        for (std::uint32_t i = 1U; (i < length) && (!has_kernel || (length > refdev::kDispatchHeadWords)); ++i) {
            if ((command_set.patch_kind(command, i) == PatchKind::kAddress) && random.one_in(2U)) {
                words[at + i] = refdev::kBase + (words[at + i] % kDataBytes);
            }
        }
        at += length;
    }
}

void append_sample(Words& words, test::Random& random) {
    static const std::vector<refdev::Sample> kSamples = refdev::sample_launches();
    const refdev::Sample& sample = kSamples.at(random.below(static_cast<std::uint32_t>(kSamples.size())));
    const auto arguments = static_cast<std::uint32_t>(sample.words.size());
    const auto id = static_cast<std::uint32_t>(sample.id);
    if (random.one_in(2U)) {
        words.insert(words.end(), {refdev::header_word(Opcode::kLaunch, refdev::kLaunchHeadWords + arguments), id, 0U});
    } else {
        words.insert(words.end(), {refdev::header_word(Opcode::kDispatch, refdev::kDispatchHeadWords + arguments),
                                   random.below(8U), id, 0U});
    }
    words.insert(words.end(), sample.words.begin(), sample.words.end());
}

void change_word(Words& words, test::Random& random) {
    std::uint32_t& word = words.at(random.below(static_cast<std::uint32_t>(words.size())));
    word = random.one_in(4U) ? words.at(random.below(static_cast<std::uint32_t>(words.size())))
                             : test::interesting(random, word);
}

}  // namespace

void run_one(ByteSpan input) {
    static Machine machine;
    const Words words = test::words_of({input.begin(), input.end()});
    if (words.empty()) {
        (void)decode({});
        return;
    }
    execute(machine, Walk{machine}.over({words.data(), words.size()}));
}

void mutate(Bytes& input, std::size_t max_bytes, test::Random& random) {
    if (random.one_in(3U)) {
        mutate_bytes(input, max_bytes, random);
    }
    Words words = test::words_of(input);
    if (words.empty() || random.one_in(16U)) {
        append_sample(words, random);
    } else {
        change_word(words, random);
    }
    aim(words, random);
    if (!random.one_in(8U)) {
        test::repair_costs(words);
    }
    input = test::bytes_of(words);
}

}  // namespace pianola::fuzz
