#include "tests/proofs/generator.h"

#include <algorithm>
#include <utility>

#include "tests/proofs/patterns.h"
#include "tests/proofs/small_case.h"
#include "tests/support/random.h"

namespace pianola::test {
namespace {

constexpr std::uint32_t kMaxBytes = 4U;  // of a tensor, and of a command's operand
constexpr std::uint32_t kTensorSpace = 8U;

std::vector<ByteRange> random_tensors(Random& random, std::uint32_t area) {
    std::vector<ByteRange> tensors(1U + random.below(2U));
    for (std::uint32_t i = 0U; i < tensors.size(); ++i) {
        const std::uint32_t gap = random.below(kTensorSpace - kMaxBytes);
        tensors.at(i) = {area + (i * kTensorSpace) + gap, 1U + random.below(kMaxBytes)};
    }
    return tensors;
}

std::uint64_t mask_of(const std::vector<ByteRange>& ranges) {
    std::uint64_t mask = 0U;
    for (const ByteRange& range : ranges) {
        mask |= range.mask();
    }
    return mask;
}

SmallStep::Kind random_kind(Random& random) {
    const std::uint32_t choice = random.below(16U);
    if (choice < 2U) {
        return SmallStep::Kind::kLaunch;
    }
    if (choice < 5U) {
        return SmallStep::Kind::kDispatch;
    }
    return (choice < 9U) ? SmallStep::Kind::kFill : SmallStep::Kind::kCopy;
}

// A command that fills `target` from bytes that may be read; with a value where a few tries find none.
SmallStep random_step(Random& random, ByteRange target, std::uint64_t readable) {
    SmallStep step{random_kind(random), target, 0U, random.byte(), random.below(kSmallCores)};
    for (int tries = 0; tries < 12; ++tries) {
        const ByteRange source{random.below((kSmallMemoryBytes - target.count) + 1U), target.count};
        const bool apart = (source.mask() & target.mask()) == 0U;
        if (apart && ((source.mask() & ~readable) == 0U)) {
            step.source = source.first;
            return step;
        }
    }
    step.kind = SmallStep::Kind::kFill;
    return step;
}

ByteRange random_target(Random& random, bool outputs_too) {
    const std::uint32_t count = 1U + random.below(kMaxBytes);
    const bool output = outputs_too && random.one_in(3U);
    return {(output ? kOutputFirst : kActivationFirst) + random.below((kAreaBytes - count) + 1U), count};
}

// Tensors and traces of a small case. Traces read only what is written when they run in their order.
//
// Inputs and outputs of 1 to 4 bytes, 1 to 3 traces of 1 to 4 commands. Where `roles`, only the first trace reads
// inputs, and only the last one touches outputs.
SmallCase random_memory(Random& random, bool roles) {
    SmallCase small;
    small.inputs = random_tensors(random, kInputFirst);
    small.outputs = random_tensors(random, kOutputFirst);
    small.traces.resize(1U + random.below(3U));
    small.in_flight = 1U + random.below(2U);
    const std::uint64_t inputs = mask_of(small.inputs);
    const std::uint64_t outputs = ByteRange{kOutputFirst, kAreaBytes}.mask();
    std::uint64_t written = ByteRange{kWeightsFirst, kWeightsBytes}.mask() | inputs;
    const std::size_t last = small.traces.size() - 1U;
    for (std::size_t i = 0U; i <= last; ++i) {
        const std::uint64_t hidden =
            roles ? (((i == 0U) ? 0U : inputs) | ((i == last) ? 0U : outputs)) : std::uint64_t{0U};
        const std::uint32_t commands = 1U + random.below(3U);
        for (std::uint32_t c = 0U; c < commands; ++c) {
            const ByteRange target = random_target(random, (i == last) || !roles);
            small.traces.at(i).push_back(random_step(random, target, written & ~hidden));
            written |= target.mask();
        }
    }
    for (const ByteRange& output : small.outputs) {
        const std::uint64_t hidden = (roles && (last > 0U)) ? inputs : 0U;
        small.traces.back().push_back(random_step(random, output, written & ~hidden));
        written |= output.mask();
    }
    return small;
}

using Kind = ScriptCommandKind;

constexpr std::size_t kLongestScript = 22U;
constexpr std::size_t kLongestSequence =
    127U;  // what the explorer can follow: five steps, two prologues and two epilogues

std::size_t place_in(Random& random, const Commands& commands) {
    return random.below(static_cast<std::uint32_t>(commands.size()) + 1U);
}

void insert(Commands& commands, std::size_t place, const capture::ManifestCommand& command) {
    commands.insert(commands.begin() + static_cast<std::ptrdiff_t>(place), command);
}

void shuffle_some(Random& random, Commands& commands) {
    const std::uint32_t swaps = random.below(4U);
    for (std::uint32_t i = 0U; (i < swaps) && (commands.size() > 1U); ++i) {
        const std::uint32_t left = random.below(static_cast<std::uint32_t>(commands.size()) - 1U);
        std::swap(commands.at(left), commands.at(left + 1U));
    }
}

enum class Habit { kOneQueue, kWritesApart, kInOutApart, kAny };

std::uint32_t queue_for(Random& random, Habit habit, Kind kind) {
    switch (habit) {
        case Habit::kOneQueue:
            return 0U;
        case Habit::kWritesApart:
            return (kind == Kind::kWriteInput) ? 1U : 0U;
        case Habit::kInOutApart:
            return (kind == Kind::kReplayTrace) ? 0U : 1U;
        case Habit::kAny:
        default:
            return random.below(2U);
    }
}

// Transfers and replays without events, in an order in which data mostly flow.
class Draft {
  public:
    Draft(Random& random, SmallCase& small)
        : random_{random}, small_{small}, habit_{static_cast<Habit>(random.below(4U))} {}

    void write() {
        const bool pipelined = random_.one_in(2U);
        if (pipelined || random_.one_in(2U)) {
            small_.prologue.emplace();
        }
        if (pipelined) {
            add_inputs(*small_.prologue);
            add_replays(small_.step, 0U);
            add_late(small_.step);
        } else {
            add_inputs(small_.step);
            add_replays(small_.step, (small_.prologue.has_value() && random_.one_in(4U)) ? 3U : 0U);
            add_outputs(small_.step);
        }
        if (small_.prologue.has_value() && random_.one_in(4U)) {
            add_replays(*small_.prologue, 2U);
        }
        shuffle_some(random_, small_.step);
        if (pipelined || (small_.prologue.has_value() && random_.one_in(3U))) {
            small_.epilogue.emplace();
            add_replays(*small_.epilogue, 3U);
        }
        if (pipelined) {
            add_outputs(*small_.epilogue);
        }
    }

  private:
    void add_inputs(Commands& commands) {
        for (std::uint32_t i = 0U; i < small_.inputs.size(); ++i) {
            commands.push_back(write_input(queue_for(random_, habit_, Kind::kWriteInput), i));
        }
    }
    void add_outputs(Commands& commands) {
        for (std::uint32_t i = 0U; i < small_.outputs.size(); ++i) {
            commands.push_back(read_output(queue_for(random_, habit_, Kind::kReadOutput), i));
        }
    }
    // Every trace; or, where skip is not 0, all but one in `skip`.
    void add_replays(Commands& commands, std::uint32_t skip) {
        for (std::uint32_t i = 0U; i < small_.traces.size(); ++i) {
            if ((skip == 0U) || !random_.one_in(skip)) {
                commands.push_back(replay(queue_for(random_, habit_, Kind::kReplayTrace), i));
            }
        }
    }
    // The next inputs and the outputs of the last, in either order.
    void add_late(Commands& commands) {
        const bool inputs_first = random_.one_in(2U);
        if (inputs_first) {
            add_inputs(commands);
        }
        add_outputs(commands);
        if (!inputs_first) {
            add_inputs(commands);
        }
    }

    Random& random_;
    SmallCase& small_;
    Habit habit_;
};

bool conflict(const SmallCase& small, const capture::ManifestCommand& left, const capture::ManifestCommand& right) {
    const Footprint a = footprint_of(small, left);
    const Footprint b = footprint_of(small, right);
    return ((a.writes & (b.reads | b.writes)) | (b.writes & a.reads)) != 0U;
}

// A record and a wait for two places of one or two scripts.
class Orderer {
  public:
    Orderer(Random& random, SmallCase& small) : random_{random}, small_{small} {}

    void order(std::uint32_t forget_one_in) {
        if (small_.prologue.has_value()) {
            within(*small_.prologue, forget_one_in);
        }
        within(small_.step, forget_one_in);
        if (small_.epilogue.has_value()) {
            within(*small_.epilogue, forget_one_in);
        }
        if (small_.prologue.has_value()) {
            across(forget_one_in);
        }
    }

  private:
    [[nodiscard]] bool has_event() const { return events_ < kMaxEvents; }

    // Behind the first of a conflicting pair, and in front of the second; pairs of neighbours only, others follow from
    // them often.
    void within(Commands& commands, std::uint32_t forget_one_in) {
        for (std::size_t right = 1U; right < commands.size(); ++right) {
            for (std::size_t left = right; left-- > 0U;) {
                if ((commands.at(left).queue == commands.at(right).queue) ||
                    !conflict(small_, commands.at(left), commands.at(right))) {
                    continue;
                }
                if (has_event() && !random_.one_in(forget_one_in) && (commands.size() < kLongestScript)) {
                    const std::uint32_t from = commands.at(left).queue;
                    insert(commands, right, wait(commands.at(right).queue, events_));
                    insert(commands, left + 1U, record(from, events_));
                    events_ += 1U;
                    right += 2U;
                }
                break;
            }
        }
    }

    // The end of a queue in one step before the other queue's first conflict in the next.
    void across(std::uint32_t forget_one_in) {
        for (const std::uint32_t from : {0U, 1U}) {
            std::size_t first = small_.step.size();
            std::size_t last = 0U;
            for (std::size_t left = 0U; left < small_.step.size(); ++left) {
                for (std::size_t right = 0U; right < small_.step.size(); ++right) {
                    const bool from_to = (small_.step.at(left).queue == from) && (small_.step.at(right).queue != from);
                    if (from_to && conflict(small_, small_.step.at(left), small_.step.at(right))) {
                        first = std::min(first, right);
                        last = std::max(last, left + 1U);
                    }
                }
            }
            if ((first == small_.step.size()) || !has_event() || random_.one_in(forget_one_in)) {
                continue;
            }
            // The wait may stand in front of the record, or behind it where that closes the circle within one step.
            if (first >= last) {
                continue;
            }
            insert(small_.step, last, record(from, events_));
            insert(small_.step, first, wait(1U - from, events_));
            small_.prologue->push_back(record(from, events_));
            if (small_.epilogue.has_value()) {
                insert(*small_.epilogue, 0U, wait(1U - from, events_));
            }
            events_ += 1U;
        }
    }

    Random& random_;
    SmallCase& small_;
    std::uint32_t events_{0U};
};

// One event whose records and waits take turns.
void add_turns(Random& random, SmallCase& small, std::uint32_t event) {
    const std::uint32_t from = random.below(2U);
    const bool carried = small.prologue.has_value() && random.one_in(2U);  // from one script to the next
    const std::uint32_t pairs = 1U + (random.one_in(4U) ? 1U : 0U);
    std::vector<std::size_t> places;
    for (std::uint32_t i = 0U; i < (2U * pairs); ++i) {
        places.push_back(place_in(random, small.step));
    }
    std::sort(places.begin(), places.end());
    for (std::size_t i = places.size(); i-- > 0U;) {
        const bool records = ((i % 2U) == 0U) != carried;
        insert(small.step, places.at(i), records ? record(from, event) : wait(1U - from, event));
    }
    if (carried) {
        insert(*small.prologue, place_in(random, *small.prologue), record(from, event));
        if (small.epilogue.has_value() && random.one_in(2U)) {
            insert(*small.epilogue, place_in(random, *small.epilogue), wait(1U - from, event));
        }
    }
}

capture::ManifestCommand random_event(Random& random) {
    const std::uint32_t queue = random.below(2U);
    const std::uint32_t event = random.below(3U);
    return random.one_in(2U) ? record(queue, event) : wait(queue, event);
}

Commands& random_script(Random& random, SmallCase& small) {
    if (small.prologue.has_value() && random.one_in(4U)) {
        return *small.prologue;
    }
    return (small.epilogue.has_value() && random.one_in(4U)) ? *small.epilogue : small.step;
}

bool is_event(const capture::ManifestCommand& command) {
    return (command.kind == Kind::kRecordEvent) || (command.kind == Kind::kWaitEvent);
}

// One change: an event command more, fewer, elsewhere or another; a command on the other queue; neighbours in the other
// order.
void change(Random& random, SmallCase& small) {
    Commands& commands = random_script(random, small);
    if (commands.empty()) {
        return;
    }
    const std::size_t place = random.below(static_cast<std::uint32_t>(commands.size()));
    capture::ManifestCommand& command = commands.at(place);
    switch (random.below(7U)) {
        case 0U:
            insert(commands, place, random_event(random));
            break;
        case 1U:
            if (is_event(command)) {
                commands.erase(commands.begin() + static_cast<std::ptrdiff_t>(place));
            }
            break;
        case 2U: {
            const capture::ManifestCommand moved = command;
            commands.erase(commands.begin() + static_cast<std::ptrdiff_t>(place));
            insert(commands, place_in(random, commands), moved);
            break;
        }
        case 3U:
            std::swap(command, commands.at((place + 1U) % commands.size()));
            break;
        case 4U:
            command.queue = 1U - command.queue;
            break;
        case 5U:
            command.object = is_event(command) ? random.below(4U) : command.object;
            break;
        default:
            std::swap(command, commands.at(random.below(static_cast<std::uint32_t>(commands.size()))));
            break;
    }
}

SmallCase pattern_case(Random& random) {
    SmallCase small = random_memory(random, !random.one_in(4U));
    switch (random.below(5U)) {
        case 0U:
            script_one_queue(small);
            break;
        case 1U:
        case 2U:
            script_pattern_one(small);
            break;
        default:
            script_pattern_two(small);
            break;
    }
    const std::uint32_t changes = random.below(4U);
    for (std::uint32_t i = 0U; i < changes; ++i) {
        change(random, small);
    }
    return small;
}

SmallCase drafted_case(Random& random, Origin origin) {
    SmallCase small = random_memory(random, random.one_in(2U));
    Draft{random, small}.write();
    if (origin == Origin::kOrdered) {
        Orderer{random, small}.order(random.one_in(2U) ? 1000U : 6U);
        if (random.one_in(4U)) {
            change(random, small);
        }
        return small;
    }
    const std::uint32_t events = random.below(4U);
    for (std::uint32_t event = 0U; event < events; ++event) {
        add_turns(random, small, event);
    }
    if (origin == Origin::kArbitrary) {
        const std::uint32_t more = random.below(4U);
        for (std::uint32_t i = 0U; i < more; ++i) {
            Commands& commands = random_script(random, small);
            insert(commands, place_in(random, commands), random_event(random));
        }
    }
    return small;
}

}  // namespace

// Data that do not flow are refused before order is looked at: of those cases few are kept.
SmallCase random_case(Random& random, Origin origin) {
    for (;;) {
        SmallCase small = (origin == Origin::kPattern) ? pattern_case(random) : drafted_case(random, origin);
        const std::size_t ends = (small.prologue.has_value() ? small.prologue->size() : 0U) +
                                 (small.epilogue.has_value() ? small.epilogue->size() : 0U);
        const bool fits = ((5U * small.step.size()) + (2U * ends)) <= kLongestSequence;
        if (!small.prologue.has_value() || small.prologue->empty()) {
            small.epilogue.reset();  // where nothing starts, nothing stops
        }
        if (fits && (data_flows(small) || random.one_in(40U))) {
            small.shared = random.one_in(3U);
            return small;
        }
    }
}

}  // namespace pianola::test
