// Several queues: their events, and races between them. Can be left out: runtime/without.
#include "runtime/plan/events.h"

namespace pianola::proof {
namespace {

bool refuse_event(Context& context, const PlannedCommand& entry, Rule rule) noexcept {
    enter_command(context, entry);
    return refuse_at(context, rule, Field::kEvent, entry.command.event);
}

// `other` is the other queue.
bool take_turn(Context& context, const PlannedCommand& entry, bool waits, EventState& event) noexcept {
    std::uint32_t& own = waits ? event.waiter : event.recorder;
    const std::uint32_t other = waits ? event.recorder : event.waiter;
    if (event.is_set != waits) {
        return refuse_event(context, entry, waits ? Rule::kOrdEventNever : Rule::kOrdEventUnused);
    }
    const std::uint32_t queue = entry.queue + 1U;
    if (((own != 0U) && (own != queue)) || (other == queue)) {
        return refuse_event(context, entry, Rule::kOrdEventQueue);
    }
    own = queue;
    event.is_set = !waits;
    return true;
}

}  // namespace

std::uint32_t queue_limit(const Context& context) noexcept {
    return context.device.queue_count;
}

std::uint32_t event_limit() noexcept {
    return kMaxEvents;
}

void start_script(Events& events) noexcept {
    for (EventState& event : events) {
        event.cycles = 0U;
    }
}

bool pass_event(Context& context, const PlannedCommand& entry, std::uint64_t before, Events& events,
                std::uint64_t& cycles) noexcept {
    EventState& event = events[entry.command.event];
    const bool waits = entry.command.kind == QueueCommandKind::kWaitEvent;
    if (!take_turn(context, entry, waits, event)) {
        return false;
    }
    if (waits) {
        cycles = later(cycles, event.cycles + (cycles - before));  // its cycles come after the record
    } else {
        event.cycles = cycles;
    }
    return true;
}

bool check_left_over(Context& context, const Events& events) noexcept {
    const PlannedScript& last = context.plan.epilogue;
    for (std::uint32_t i = (last.count == 0U) ? 0U : (last.first + last.count); i > 0U; --i) {
        const PlannedCommand& entry = context.plan.commands[i - 1U];
        const bool records = is_taken(context, entry) && (entry.command.kind == QueueCommandKind::kRecordEvent);
        if (records && events[entry.command.event].is_set) {
            return refuse_event(context, entry, Rule::kOrdEventUnused);
        }
    }
    return true;
}

namespace {

// As many steps may overlap as the binary allows; prologue and epilogue run alone. Two consecutive steps represent any
// number: a command of step i that conflicts with one of step i + 2 or later also conflicts with the same command of
// step i + 1, which is proved to come after it, and before the later one on their common queue. Commands are numbered
// from 1 in the order prologue, step, step, epilogue.
//
// For each command the proof knows the progress of each queue before it starts: its own queue up to itself, another up
// to the records that it has waited for. Bytes carry the last command of each queue that read and wrote them; the last
// is enough, because a command that is ordered after it is ordered after the earlier ones too. (Vector clocks: C.
// Fidge, F. Mattern, 1988; the last access per thread: C. Flanagan and S. Freund, FastTrack, 2009.)
using Clock = std::array<std::uint8_t, kMaxQueues>;
static_assert((2U * kMaxScriptCommands) <= UINT8_MAX, "a step counts twice, all else once");

constexpr std::uint32_t kOtherQueue = 1U;  // queue ^ kOtherQueue
static_assert(kMaxQueues == 2U);

struct Walk {
    std::array<Clock, kMaxQueues> clocks{};
    std::array<Clock, kMaxEvents> events{};
    std::uint32_t number{0U};  // of the command
};

// The command with that number.
[[nodiscard]] const PlannedCommand& command_of(const Plan& plan, std::uint32_t number) noexcept {
    const std::uint32_t second_step = plan.prologue.count + plan.step.count;
    const std::uint32_t place = number - 1U;
    return plan.commands[(place < second_step) ? place : (place - plan.step.count)];
}

[[nodiscard]] constexpr std::uint32_t name_of(const PlannedCommand& command) noexcept {
    constexpr std::uint32_t kScriptShift = 16U;
    return (static_cast<std::uint32_t>(command.script) << kScriptShift) | command.index;
}

class RaceCheck {
  public:
    RaceCheck(Context& context, const PlannedCommand& entry, const Walk& walk) noexcept
        : context_{context},
          entry_{entry},
          number_{walk.number},
          known_{walk.clocks[entry.queue][entry.queue ^ kOtherQueue]},
          own_{context.workspace.touched[entry.queue]},
          other_{context.workspace.touched[entry.queue ^ kOtherQueue]} {}

    // Bytes that the command touches.
    [[nodiscard]] bool visit(const ByteRun& run) noexcept {
        if (reads_weights(context_, run)) {
            return true;
        }
        const std::uint32_t last = other_.last_conflict(run, 0U);
        if (last > known_) {
            return refuse(Rule::kOrdRace, last);
        }
        return assign(context_, own_.map_of(run.access), run, number_);
    }

    // Cores [first, first + count) that the command keeps busy.
    [[nodiscard]] bool visit_cores(std::uint32_t first, std::uint32_t count) noexcept {
        auto& users = context_.workspace.core_users;
        for (std::uint32_t core = first; core < (first + count); ++core) {
            const std::uint32_t last = users[entry_.queue ^ kOtherQueue][core];
            if (last > known_) {
                return refuse(Rule::kOrdCores, last);
            }
            users[entry_.queue][core] = static_cast<std::uint8_t>(number_);
        }
        return true;
    }

  private:
    [[nodiscard]] bool refuse(Rule rule, std::uint32_t last) const noexcept {
        enter_command(context_, entry_);
        return refuse_at(context_, rule, Field::kNone, name_of(entry_), name_of(command_of(context_.plan, last)));
    }

    Context& context_;
    const PlannedCommand& entry_;
    std::uint32_t number_;
    std::uint32_t known_;  // last command of the other queue that has completed when this one starts
    PlanWorkspace::Touched& own_;
    PlanWorkspace::Touched& other_;
};

// Everything that the commands of a trace touch. prove_trace() has proved each of them.
bool visit_trace(Context& context, std::uint32_t index, RaceCheck& check) noexcept {
    const std::uint32_t all_cores = core_count(context.device);
    TracePosition position = first_of(context, index, context.image.trace(index));
    bool whole_grid = false;
    TraceCommand command;
    while (!position.words.empty()) {  // every command is at least one word long
        if (!decode_at(context, position, command)) {
            return false;
        }
        Runs runs{command};
        while (runs.next()) {
            if (!take_work(context, kWorkPerExtent) || !check.visit(runs.run())) {
                return false;
            }
        }
        const bool dispatches = command.decoded.kind == CommandKind::kDispatch;
        const bool launches = (command.decoded.kind == CommandKind::kLaunch) && !whole_grid;
        if ((dispatches || launches) &&
            !check.visit_cores(dispatches ? command.decoded.core : 0U, dispatches ? 1U : all_cores)) {
            return false;
        }
        whole_grid = whole_grid || launches;
        advance(position, command);
    }
    return true;
}

bool visit_command(Context& context, const PlannedCommand& entry, Walk& walk) noexcept {
    const QueueCommand& command = entry.command;
    const std::uint32_t other = entry.queue ^ kOtherQueue;
    Clock& clock = walk.clocks[entry.queue];
    clock[entry.queue] = static_cast<std::uint8_t>(walk.number);
    RaceCheck check{context, entry, walk};
    switch (command.kind) {
        case QueueCommandKind::kWrite:
        case QueueCommandKind::kRead:
            enter_command(context, entry);
            return check.visit(ByteRun{command.address, command.size_bytes,
                                       (command.kind == QueueCommandKind::kRead) ? Access::kRead : Access::kWrite,
                                       "body"});
        case QueueCommandKind::kReplay:
            return visit_trace(context, entry.trace, check);
        case QueueCommandKind::kRecordEvent:
            walk.events[command.event] = clock;
            break;
        default: {  // a wait: nothing else is in a script
            const std::uint32_t recorded = walk.events[command.event][other];
            clock[other] = (recorded > clock[other]) ? static_cast<std::uint8_t>(recorded) : clock[other];
            // No later command of this queue conflicts with commands that it has waited for: only the other's later
            // ranges may.
            PlanWorkspace::Touched& touched = context.workspace.touched[other];
            enter_command(context, entry);
            if (!take_moves(context, touched.reads) || !take_moves(context, touched.writes)) {
                return false;
            }
            touched.reads.forget_up_to(clock[other]);
            touched.writes.forget_up_to(clock[other]);
            break;
        }
    }
    return true;
}

void forget(PlanWorkspace& workspace) noexcept {
    for (PlanWorkspace::Touched& touched : workspace.touched) {
        touched.clear();
    }
    workspace.core_users = {};
}

constexpr std::array<ScriptKind, 4> kSequence{ScriptKind::kPrologue, ScriptKind::kStep, ScriptKind::kStep,
                                              ScriptKind::kEpilogue};

}  // namespace

bool check_races(Context& context) noexcept {
    Plan& plan = context.plan;
    const QueueBits used = plan.prologue.queues_used | plan.step.queues_used | plan.epilogue.queues_used;
    const QueueBits both = queue_bit(context.mesh_device, 0U) | queue_bit(context.mesh_device, kOtherQueue);
    if ((used & both) != both) {
        return true;  // one queue runs in order
    }
    ScriptKind before = ScriptKind::kUnspecified;
    Walk walk;
    for (const ScriptKind kind : kSequence) {
        if ((kind != before) || (plan.steps_in_flight == 1U)) {
            forget(context.workspace);  // it starts when everything before it has completed
        }
        before = kind;
        const PlannedScript& script = plan.script(kind);
        for (std::uint32_t i = script.first; i < (script.first + script.count); ++i) {
            walk.number += 1U;
            if (is_taken(context, plan.commands[i]) && !visit_command(context, plan.commands[i], walk)) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace pianola::proof
