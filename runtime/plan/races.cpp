#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

// Steps may overlap; prologue and epilogue run alone. Two steps stand for every number of them: what the first orders before the second is
// ordered before all that follow, because a wait looks back only and queues run in order. Commands are numbered from 1 in the order
// prologue, step, step, epilogue.
//
// A command knows how far each queue has come before it starts: its own queue up to itself, another as far as the records that it has
// waited for. Bytes remember the last command of each queue that read and wrote them; it is enough to look at the last, because what is
// ordered behind it is ordered behind those before it. (Vector clocks: C. Fidge, F. Mattern, 1988; the last access per thread: C. Flanagan
// and S. Freund, FastTrack, 2009.)
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

    // One range that the command touches.
    [[nodiscard]] Status visit(const Extent& extent) noexcept {
        const bool writes = extent.access == Access::kWrite;
        if (!writes && context_.workspace.weights.contains(extent.address, extent.size_bytes)) {
            return Status::kOk;  // nobody writes there
        }
        std::uint32_t last = other_.writes.largest_tag(extent.address, extent.size_bytes, 0U);
        if (writes) {
            const std::uint32_t read = other_.reads.largest_tag(extent.address, extent.size_bytes, 0U);
            last = (read > last) ? read : last;
        }
        if (last > known_) {
            return refuse(Rule::kOrdRace, last);
        }
        IntervalMap& map = writes ? own_.writes : own_.reads;
        if (!is_ok(map.assign(extent.address, extent.size_bytes, number_))) {
            return refuse_at(context_, place_of(context_, entry_), Rule::kCapIntervals, "body", kMaxIntervals,
                             kMaxIntervals);
        }
        return Status::kOk;
    }

    // Cores [first, first + count) that the command keeps busy.
    [[nodiscard]] Status visit_cores(std::uint32_t first, std::uint32_t count) noexcept {
        auto& users = context_.workspace.core_users;
        for (std::uint32_t core = first; core < (first + count); ++core) {
            const std::uint32_t last = users[entry_.queue ^ kOtherQueue][core];
            if (last > known_) {
                return refuse(Rule::kOrdCores, last);
            }
            users[entry_.queue][core] = static_cast<std::uint8_t>(number_);
        }
        return Status::kOk;
    }

  private:
    [[nodiscard]] Status refuse(Rule rule, std::uint32_t last) const noexcept {
        return refuse_at(context_, place_of(context_, entry_), rule, nullptr, name_of(entry_),
                         name_of(command_of(context_.plan, last)));
    }

    Context& context_;
    const PlannedCommand& entry_;
    std::uint32_t number_;
    std::uint32_t known_;  // the last command of the other queue that has completed when this one starts
    PlanWorkspace::Touched& own_;
    PlanWorkspace::Touched& other_;
};

// Everything that the commands of a trace touch. prove_trace() has proved each of them.
Status visit_trace(Context& context, std::uint32_t index, RaceCheck& check) noexcept {
    const std::uint32_t all_cores = core_count(context.device);
    const TraceView trace = context.image.trace(index);
    bool whole_grid = false;
    std::uint32_t word = 0U;
    while (word < trace.word_count) {  // every command is at least one word long
        TraceCommand command;
        const Status decoded = decode_command(context, index, word, command);
        if (!is_ok(decoded)) {
            return decoded;
        }
        for (const Extent& extent : command.decoded.extents.view()) {
            const Status status = check.visit(extent);
            if (!is_ok(status)) {
                return status;
            }
        }
        const bool dispatches = command.decoded.kind == CommandKind::kDispatch;
        const bool launches = (command.decoded.kind == CommandKind::kLaunch) && !whole_grid;
        if (dispatches || launches) {
            const Status status =
                check.visit_cores(dispatches ? command.decoded.core : 0U, dispatches ? 1U : all_cores);
            if (!is_ok(status)) {
                return status;
            }
            whole_grid = whole_grid || launches;
        }
        word += command.decoded.length_words;
    }
    return Status::kOk;
}

Status visit_command(Context& context, const PlannedCommand& entry, Walk& walk) noexcept {
    const QueueCommand& command = entry.command;
    Clock& clock = walk.clocks[entry.queue];
    clock[entry.queue] = static_cast<std::uint8_t>(walk.number);
    RaceCheck check{context, entry, walk};
    switch (command.kind) {
        case QueueCommandKind::kWrite:
            return check.visit(Extent{command.address, command.size_bytes, Access::kWrite, ""});
        case QueueCommandKind::kRead:
            return check.visit(Extent{command.address, command.size_bytes, Access::kRead, ""});
        case QueueCommandKind::kReplay:
            return visit_trace(context, replayed_trace(context, command), check);
        case QueueCommandKind::kRecordEvent:
            walk.events[command.event] = clock;
            return Status::kOk;
        case QueueCommandKind::kWaitEvent: {
            const std::uint32_t other = entry.queue ^ kOtherQueue;
            const std::uint8_t recorded = walk.events[command.event][other];
            clock[other] = (recorded > clock[other]) ? recorded : clock[other];
            return Status::kOk;
        }
        case QueueCommandKind::kUnspecified:
        case QueueCommandKind::kNotify:
        default:
            return Status::kOk;  // in no script
    }
}

void forget(PlanWorkspace& workspace) noexcept {
    for (PlanWorkspace::Touched& touched : workspace.touched) {
        touched.reads.clear();
        touched.writes.clear();
    }
    for (auto& users : workspace.core_users) {
        users.fill(0U);
    }
}

}  // namespace

Status check_races(Context& context) noexcept {
    const Plan& plan = context.plan;
    bool both_queues = true;
    for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
        both_queues = both_queues && (plan.prologue.queue_used[queue] || plan.step.queue_used[queue] ||
                                      plan.epilogue.queue_used[queue]);
    }
    if (!both_queues) {
        return Status::kOk;  // one queue runs in order
    }
    struct Stage {
        const PlannedScript& script;
        bool overlaps;  // with the stage before
    };
    const std::array<Stage, 4> stages{
        {{plan.prologue, false}, {plan.step, false}, {plan.step, plan.steps_in_flight > 1U}, {plan.epilogue, false}}};
    Walk walk;
    for (const Stage& stage : stages) {
        if (!stage.overlaps) {
            forget(context.workspace);  // it starts when everything before has completed
        }
        for (std::uint32_t i = 0U; i < stage.script.count; ++i) {
            walk.number += 1U;
            const Status status = visit_command(context, plan.commands[stage.script.first + i], walk);
            if (!is_ok(status)) {
                return status;
            }
        }
    }
    return Status::kOk;
}

}  // namespace pianola::proof
