// The most instructions per byte that were found. A file of 1 MiB, most of it one trace, which is replayed in every
// script that may replay one, beside another queue whose accesses lie scattered.
#include <algorithm>

#include "tests/worst_case/cases.h"

namespace pianola::test {
namespace {

using refdev::CopyArguments;
using refdev::KernelId;

constexpr std::size_t kFileBytes = std::size_t{1024U} * 1024U;
constexpr std::uint32_t kScattered = kJudged.intervals - 4U;  // ranges of one kind
constexpr std::uint32_t kStride = 8U;                         // from one to the next

// Memory, area by area: below everything that is scattered; then those of the other queue, and those of the trace.
constexpr std::uint32_t kFront = kWorstDramBase;
constexpr std::uint32_t kOtherWrites = kWorstDramBase + 0x10'0000U;
constexpr std::uint32_t kOtherReads = kOtherWrites + 0x1000U;
constexpr std::uint32_t kOwnReads = kOtherWrites + 0x2000U;
constexpr std::uint32_t kOwnWrites = kOtherWrites + 0x3000U;
constexpr std::uint32_t kAreaBytes = 0x800U;
constexpr std::uint32_t kAllScattered = kScattered * kStride;

using Body = std::function<void(TraceWords&)>;

constexpr std::size_t kRest = 4096U;  // bytes of everything but the long trace

// The number of scripts that replay the long trace decides how often it is visited.
enum class Visits : std::uint8_t {
    kStep,  // once for the data flow, twice for races
    kAll,   // once and four times
};

// One trace on queue 0 as long as the file's size leaves room, and two on queue 1, which write one range behind the
// other, now the one and now the other.
Workload scattered(const Body& first, const Body& body, Visits visits, std::size_t file_bytes) {
    Workload workload = empty_workload();
    TraceWords reset;
    reset.fill(kOtherReads, kAreaBytes);
    TraceWords even;
    TraceWords odd;
    for (std::uint32_t i = 0U; i < kScattered; ++i) {
        TraceWords& trace = ((i % 2U) == 0U) ? even : odd;
        trace.copy(kOtherWrites + (i * kStride), kOtherReads + (i * kStride), kStride);
    }
    TraceWords subject;
    subject.fill(kOwnReads - 0x200U, kAreaBytes + 0x200U);
    first(subject);
    while (subject.size_bytes() < (file_bytes - kRest)) {
        body(subject);
    }
    for (const TraceWords& trace : {reset, even, odd, subject}) {
        add_trace(workload, trace);
    }
    const bool always = visits == Visits::kAll;
    Commands prologue{replay(1U, 0U), replay(1U, 1U), replay(1U, 2U), record(1U, 0U), wait(0U, 0U)};
    Commands epilogue{wait(1U, 1U), replay(1U, 1U), replay(1U, 2U), record(1U, 0U), wait(0U, 0U)};
    Commands step = epilogue;
    step.push_back(replay(0U, 3U));
    step.push_back(record(0U, 1U));
    if (always) {
        prologue.push_back(replay(0U, 3U));
        epilogue.push_back(replay(0U, 3U));
    }
    prologue.push_back(record(0U, 1U));
    workload.manifest.scripts = {workload.manifest.scripts.front(),
                                 {ScriptKind::kPrologue, prologue},
                                 {ScriptKind::kStep, step},
                                 {ScriptKind::kEpilogue, epilogue}};
    return workload;
}

void nothing(TraceWords& /*trace*/) {}

// Ranges of this trace's own, which lie apart.
void copies_apart(TraceWords& trace) {
    for (std::uint32_t i = 0U; i < (kScattered - 4U); ++i) {
        trace.copy(kOwnWrites + (i * kStride), kOwnReads + (i * kStride), 4U);
    }
}
void dispatches_apart(TraceWords& trace) {
    trace.fill(kOwnWrites, kAreaBytes);  // no dispatch: between two barriers, it is not the core's
    for (std::uint32_t i = 0U; i < (kScattered - 4U); ++i) {
        trace.dispatch(0U, KernelId::kCopy, CopyArguments{kOwnReads + (i * kStride), kOwnWrites + (i * kStride), 4U});
    }
}

// A range in front of all others, then one that closes the gap: every range is moved twice.
Body copies_in_front() {
    return [at = 0U](TraceWords& trace) mutable {
        trace.copy(kFront + (at ^ 1U), kOwnReads - 0x200U + ((at ^ 1U) % 0x200U), 1U);
        at += 1U;
    };
}

Body fills_in_front(std::uint32_t front) {
    return [front, at = 0U](TraceWords& trace) mutable {
        trace.fill(front + (at ^ 1U), 1U);
        at += 1U;
    };
}
Body fill_dispatches_in_front() {
    return [at = 0U](TraceWords& trace) mutable {
        trace.dispatch(0U, KernelId::kFill, refdev::FillArguments{kFront + ((at ^ 1U) * 4U), 4U, 0U});
        at += 1U;
    };
}

void copies_over_all(TraceWords& trace) {
    trace.copy(kOtherReads, kOtherWrites, kAllScattered);
}
void barriers(TraceWords& trace) {
    trace.barrier();
}
void dispatches_over_all(TraceWords& trace) {
    trace.dispatch(0U, KernelId::kCopy, CopyArguments{kOtherWrites, kOtherReads, kAllScattered});
}
// Reads what this core has written apart, and writes what it has read apart.
void dispatches_over_own(TraceWords& trace) {
    trace.dispatch(0U, KernelId::kCopy, CopyArguments{kOwnWrites, kOwnReads, kAllScattered});
}
void semaphores(TraceWords& trace) {
    trace.dispatch(0U, KernelId::kSemaphore, refdev::SemaphoreArguments{kFront, refdev::SemaphoreOp::kIncrement, 1U});
}
void launches_over_all(TraceWords& trace) {
    trace.launch(KernelId::kCopy, CopyArguments{kOtherWrites, kOtherReads, kAllScattered});
}
void sets_semaphore(TraceWords& trace) {
    copies_apart(trace);
    trace.fill(kFront, 4U);
}

// As many tables as the verifier visits, each with the longest name, in hardly any bytes.
void add_shared_programs(Workload& workload) {
    const std::string longest(kMaxNameBytes, 'n');
    capture::ManifestTrace& trace = workload.manifest.traces.back();
    const std::uint64_t room = kJudged.manifest_tables - counts_of(workload).tables;
    trace.programs.assign(std::min<std::uint64_t>(room, kTracePrograms), {longest, 1U});
    workload.manifest.buffers.assign(std::min<std::uint64_t>(kMaxBuffers, room - trace.programs.size()),
                                     {longest, kMaxRegions - 1U, 0U, 1U});
    capture::ManifestTrace& before = workload.manifest.traces.front();
    before.programs.assign(kJudged.manifest_tables - counts_of(workload).tables, {longest, 1U});
}

// More tables than bytes of the manifest, hardly; refused when the programs of the first trace are counted.
Workload shared_tables() {
    Workload workload = scattered(nothing, barriers, Visits::kStep, kFileBytes / 4U);
    add_shared_programs(workload);
    return workload;
}

// Weights make up the file's length, and with it the work, but for what is added later.
void pad(Workload& workload, std::size_t later_bytes) {
    workload.segments.weights.resize(kFileBytes - kRest - later_bytes -
                                     capture::write_trace_binary(workload.manifest, workload.segments).size());
}

// All tables that the verifier visits, almost all of them programs that cover two traces, in hardly any bytes.
Workload everything_shared() {
    constexpr std::uint32_t kCommands = 16300U;  // of each trace, a program for each
    constexpr std::size_t kTraceBytes = std::size_t{kCommands} * refdev::kFillWords * sizeof(std::uint32_t);
    Workload workload = scattered(copies_apart, fills_in_front(kFront + kCommands), Visits::kAll, kRest + kTraceBytes);
    TraceWords further;
    const Body body = fills_in_front(kFront);
    for (std::uint32_t i = 0U; i < kCommands; ++i) {
        body(further);
    }
    add_trace(workload, further);
    pad(workload, kJudged.manifest_tables * sizeof(std::uint32_t));
    const std::string longest(kMaxNameBytes, 'n');
    for (const std::uint32_t index : {3U, 4U}) {
        capture::ManifestTrace& trace = workload.manifest.traces[index];
        trace.programs.assign(trace.command_count - 1U, {longest, 1U});
    }
    for (capture::ManifestScript& script : workload.manifest.scripts) {
        for (std::size_t i = 0U; i < script.commands.size(); ++i) {
            const capture::ManifestCommand command = script.commands[i];
            if ((command.kind == ScriptCommandKind::kReplayTrace) && (command.object == 3U)) {
                script.commands.insert(script.commands.begin() + static_cast<std::ptrdiff_t>(i) + 1, replay(0U, 4U));
            }
        }
    }
    return workload;
}

// As much work as the file may take, and accepted: what is looked at for races in every script.
Workload all_work() {
    Workload workload = scattered(copies_apart, copies_in_front(), Visits::kAll, kFileBytes / 8U);
    pad(workload, 0U);
    return workload;
}

Workload hash_only() {
    Workload workload = empty_workload();
    workload.segments.weights.resize(kFileBytes - 4096U);
    return workload;
}

}  // namespace

const std::vector<WorstCase>& hostile() {
    const auto one = [](const Body& first, const Body& body) {
        return [first, body] { return scattered(first, body, Visits::kAll, kFileBytes); };
    };
    static const std::vector<WorstCase> kCases{
        {"hash_only", Rule::kNotRun, hash_only},
        {"barriers", Rule::kCapWork, one(nothing, barriers)},
        {"copies_in_front", Rule::kCapWork, one(copies_apart, copies_in_front())},
        {"fills_in_front", Rule::kCapWork, one(copies_apart, fills_in_front(kFront))},
        {"fill_dispatches_in_front", Rule::kCapWork, one(dispatches_apart, fill_dispatches_in_front())},
        {"copies_over_all", Rule::kCapWork, one(copies_apart, copies_over_all)},
        {"launches_over_all", Rule::kCapWork, one(copies_apart, launches_over_all)},
        {"dispatches_over_all", Rule::kCapWork, one(dispatches_apart, dispatches_over_all)},
        {"dispatches_over_own", Rule::kCapWork, one(dispatches_apart, dispatches_over_own)},
        {"semaphores", Rule::kCapWork, one(sets_semaphore, semaphores)},
        {"shared_tables", Rule::kTrcPrograms, shared_tables, true},
        {"all_work", Rule::kNotRun, all_work},
        {"everything_shared", Rule::kCapWork, everything_shared, true},
    };
    return kCases;
}

}  // namespace pianola::test
