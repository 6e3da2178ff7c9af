// Completion records and faults.
#include "hal/port_kit/conformance.h"

namespace pianola::port {
namespace {

constexpr std::uint32_t kBytes = 64U;

void records_say_what_was_done(Kit& kit) noexcept {
    for (std::uint32_t queue = 0U; queue < kit.queues(); ++queue) {
        if (!kit.sample(0U, kit.base(), kit.trace()) || !kit.start() || !kit.place(kit.trace())) {
            return;
        }
        for (std::uint32_t time = 1U; time <= 3U; ++time) {
            static_cast<void>(kit.expect_ok(kit.enqueue_replay(queue, kit.trace()), "enqueue() refuses a replay"));
            static_cast<void>(kit.enqueue(queue, event_command(QueueCommandKind::kRecordEvent, queue, time)));
            static_cast<void>(kit.enqueue(queue, event_command(QueueCommandKind::kWaitEvent, queue, time)));
            Completion completion;
            completion.fault = DeviceFault::kBus;
            if (!kit.expect_ok(kit.complete(queue, completion), "a replay does not complete") ||
                !kit.expect_equal(completion.token, kit.token(), "the record has another token") ||
                !kit.expect_count(completion.executed_commands, kit.executed(queue),
                                  "the record has another number of commands") ||
                !kit.expect(completion.fault == DeviceFault::kNone, "the record of success names a fault")) {
                return;
            }
        }
    }
}

// A completion that was published is of work that is there to be seen, without another call of service().
void records_come_after_the_work(Kit& kit) noexcept {
    constexpr std::uint32_t kTimes = 8U;
    if (!kit.start()) {
        return;
    }
    for (std::uint32_t time = 1U; time <= kTimes; ++time) {
        const std::uint32_t queue = time % kit.queues();
        kit.fill_source(time);
        kit.clear_destination();
        static_cast<void>(kit.device().bind_source(1U, kit.source()));
        static_cast<void>(kit.device().bind_destination(0U, kit.destination()));
        for (std::uint32_t i = 0U; i < 4U; ++i) {
            static_cast<void>(kit.enqueue(queue, transfer(QueueCommandKind::kWrite, kit.base(), kBufferBytes, 1U)));
        }
        static_cast<void>(kit.enqueue(queue, transfer(QueueCommandKind::kRead, kit.base(), kBufferBytes, 0U)));
        if (!kit.expect_completes(queue, "transfers do not complete")) {
            return;
        }
        static_cast<void>(kit.device().bind_destination(0U, MutableByteSpan{}));
        for (std::uint32_t i = 0U; i < kBufferBytes; ++i) {
            if (!kit.expect_equal(kit.destination()[i], pattern(time, i),
                                  "a completion is published before its work is done")) {
                return;
            }
        }
    }
}

// Of as many notifications as the device's runtime may have under way, and as its rings have room for.
void last_records_are_kept(Kit& kit) noexcept {
    const std::uint32_t words = kit.command_set().queue_words(event_command(QueueCommandKind::kRecordEvent, 0U, 0U)) +
                                kit.command_set().queue_words(notify_command(1U));
    if (!kit.expect(words != 0U, "a notification takes no words of the ring")) {
        return;
    }
    const std::uint32_t room = kit.description().ring_words / words;
    const std::uint32_t kept = (room < kMaxStepsInFlight) ? room : kMaxStepsInFlight;
    for (std::uint32_t queue = 0U; queue < kit.queues(); ++queue) {
        if (!kit.start()) {
            return;
        }
        std::array<std::uint32_t, kMaxStepsInFlight> tokens{};
        std::array<std::uint32_t, kMaxStepsInFlight> executed{};
        std::array<std::uint64_t, kMaxStepsInFlight> digests{};
        for (std::uint32_t round = 0U; round < 3U; ++round) {
            for (std::uint32_t i = 0U; i < kept; ++i) {
                static_cast<void>(kit.enqueue(queue, event_command(QueueCommandKind::kRecordEvent, 0U, i)));
                static_cast<void>(kit.expect_ok(kit.notify(queue), "enqueue() refuses a notification"));
                tokens[i] = kit.token();
                executed[i] = kit.executed(queue);
                digests[i] = kit.digest(queue);
            }
            Completion completion;
            static_cast<void>(kit.expect_ok(kit.doorbell(queue), "ring_doorbell() is not kOk"));
            if (!kit.expect_ok(kit.wait(queue, kit.token(), completion), "a notification does not complete")) {
                return;
            }
            for (std::uint32_t look = 0U; look < (2U * kept); ++look) {  // in order, and once more
                const std::uint32_t i = look % kept;
                if (!kit.expect_ok(kit.device().completion(queue, tokens[i], completion),
                                   "the record of a notification under way is not kept") ||
                    !kit.expect_equal(completion.token, tokens[i],
                                      "the record of one notification is given for another") ||
                    !kit.expect_count(completion.executed_commands, executed[i],
                                      "the record of one notification is given for another") ||
                    !kit.expect_digest(completion.digest, digests[i],
                                       "the record of one notification is given for another")) {
                    return;
                }
            }
        }
    }
}

// Before anything was enqueued no token has completed. A session's first is 1.
bool expect_no_record(Kit& kit) noexcept {
    if (!kit.start()) {
        return false;
    }
    for (std::uint32_t queue = 0U; queue < kit.queues(); ++queue) {
        for (const std::uint32_t token : list_of(1U, 2U, 0x8000'0000U)) {
            Completion completion;
            if (!kit.expect_status(kit.device().completion(queue, token, completion), Status::kPending,
                                   "a record is given although nothing was enqueued")) {
                return false;
            }
        }
    }
    return true;
}

// A session gives both queues of a step the same token.
bool expect_own_records(Kit& kit) noexcept {
    constexpr std::uint32_t kBefore = 200U;
    for (std::uint32_t queue = 0U; (kit.queues() > 1U) && (queue < kit.queues()); ++queue) {
        const std::uint32_t other = (queue + 1U) % kit.queues();
        if (!kit.start()) {
            return false;
        }
        kit.set_token(kBefore);
        static_cast<void>(kit.expect_ok(kit.notify(queue), "enqueue() refuses a notification"));
        kit.set_token(kBefore);
        static_cast<void>(kit.expect_ok(kit.notify(other), "enqueue() refuses a notification"));
        Completion completion;
        if (!kit.expect_ok(kit.doorbell(other), "ring_doorbell() is not kOk") ||
            !kit.expect_ok(kit.wait(other, kit.token(), completion), "a notification does not complete") ||
            !kit.expect_held(queue, kit.token(), "a record of another queue is given")) {
            return false;
        }
    }
    return true;
}

// A record that is there already must not be taken for one that is to come, however many tokens lie in between.
void old_records_are_not_new(Kit& kit) noexcept {
    constexpr std::array<std::uint32_t, 11U> kJumps{
        1U, 2U, 3U, 4U, 255U, 256U, 0x0001'0000U, 0x7FFF'FFFEU, 0x7FFF'FFFFU, 0x8000'0000U, 0xFFFF'FFF0U};
    if (!expect_no_record(kit) || !expect_own_records(kit)) {
        return;
    }
    for (const std::uint32_t jump : kJumps) {
        for (std::uint32_t queue = 0U; queue < kit.queues(); ++queue) {
            if (!kit.start()) {
                return;
            }
            kit.set_token(100U);
            for (std::uint32_t i = 0U; i < kMaxStepsInFlight; ++i) {
                if (!kit.expect_completes(queue, "a notification does not complete")) {
                    return;
                }
            }
            kit.set_token(kit.token() + (jump - 1U));
            Completion completion;
            static_cast<void>(kit.expect_status(kit.device().completion(queue, kit.token() + 1U, completion),
                                                Status::kPending,
                                                "an old record is given for a token that nobody has enqueued"));
            // Enqueued, and held by a missing doorbell.
            static_cast<void>(kit.expect_ok(kit.notify(queue), "enqueue() refuses a notification"));
            if (!kit.expect_held(queue, kit.token(), "an old record is given for a new token") ||
                !kit.expect_ok(kit.doorbell(queue), "ring_doorbell() is not kOk") ||
                !kit.expect_ok(kit.wait(queue, kit.token(), completion),
                               "a notification after many tokens does not complete") ||
                !kit.expect_equal(completion.token, kit.token(), "an old record is given for a new token") ||
                !kit.expect_count(completion.executed_commands, kit.executed(queue),
                                  "an old record is given for a new token")) {
                return;
            }
        }
    }
}

void progress_is_told(Kit& kit) noexcept {
    constexpr std::uint32_t kBefore = 3U;
    if (!kit.offers_count() || !kit.start()) {
        return;
    }
    for (std::uint32_t i = 0U; i < kBefore; ++i) {
        static_cast<void>(kit.enqueue(0U, event_command(QueueCommandKind::kRecordEvent, 0U, i)));
    }
    const std::uint32_t executed = kit.executed(0U);
    static_cast<void>(kit.enqueue(0U, event_command(QueueCommandKind::kWaitEvent, 5U, 1U)));
    static_cast<void>(kit.notify(0U));
    static_cast<void>(kit.expect_ok(kit.doorbell(0U), "ring_doorbell() is not kOk"));
    std::uint32_t last = 0U;
    Completion completion;
    std::uint32_t quiet = 0U;  // polls since it was as far as it gets
    for (std::uint32_t poll = 0U; (poll < kit.port().polls) && (quiet < kit.port().quiet_polls); ++poll) {
        static_cast<void>(kit.device().service());
        kit.platform().idle();
        quiet += (last == executed) ? 1U : 0U;
        completion.executed_commands = UINT32_MAX;
        if (!kit.expect_status(kit.device().completion(0U, kit.token(), completion), Status::kPending,
                               "a queue that is held does not answer kPending") ||
            !kit.expect((completion.executed_commands >= last) && (completion.executed_commands <= executed),
                        "the number of executed commands goes back, or beyond what can be executed",
                        completion.executed_commands, executed)) {
            return;
        }
        last = completion.executed_commands;
    }
    static_cast<void>(kit.expect_equal(last, executed, "a queue that is held does not say how far it is"));
}

// More commands than 16 bits count.
void counts_do_not_wrap_early(Kit& kit) noexcept {
    constexpr std::uint32_t kCommands = 70'000U;
    if (!kit.offers_count() || !kit.sample(0U, kit.base(), kit.trace()) || !kit.repeat(kit.trace(), kTraceWords) ||
        !kit.start() || !kit.place(kit.trace())) {
        return;
    }
    while (kit.executed(0U) < kCommands) {
        Completion completion;
        static_cast<void>(kit.expect_ok(kit.enqueue_replay(0U, kit.trace()), "enqueue() refuses a replay"));
        if (!kit.expect_ok(kit.complete(0U, completion), "a replay does not complete") ||
            !kit.expect_count(completion.executed_commands, kit.executed(0U),
                              "the number of executed commands is another one")) {
            return;
        }
    }
}

void time_goes_on(Kit& kit) noexcept {
    if (!kit.sample(0U, kit.base(), kit.trace()) || !kit.start() || !kit.place(kit.trace())) {
        return;
    }
    std::uint64_t last = 0U;
    for (std::uint32_t i = 0U; i < 8U; ++i) {
        Completion completion;
        static_cast<void>(kit.expect_ok(kit.enqueue_replay(0U, kit.trace()), "enqueue() refuses a replay"));
        if (!kit.expect_ok(kit.complete(0U, completion), "a replay does not complete") ||
            !kit.expect((i == 0U) || (completion.time_cycles > last), "the device's time stands still, or goes back",
                        completion.time_cycles, last)) {
            return;
        }
        last = completion.time_cycles;
    }
}

// A transfer in the middle of others to memory without a region.
void faults_stop_the_queue(Kit& kit) noexcept {
    for (std::uint32_t queue = 0U; queue < kit.queues(); ++queue) {
        const Fill fill{1U};
        if (!kit.start() || !kit.fill_range({kit.base(), kSampleBytes}, fill)) {
            return;
        }
        kit.fill_source(2U);
        static_cast<void>(kit.device().bind_source(1U, kit.source()));
        // Slot 2 has no memory.
        static_cast<void>(kit.enqueue(queue, transfer(QueueCommandKind::kWrite, kit.base(), kBytes, 1U)));
        static_cast<void>(kit.enqueue(queue, transfer(QueueCommandKind::kWrite, kit.base() + kBytes, kBytes, 2U)));
        const std::uint32_t at_fault = kit.executed(queue);
        static_cast<void>(
            kit.enqueue(queue, transfer(QueueCommandKind::kWrite, kit.base() + (2U * kBytes), kBytes, 1U)));
        Completion completion;
        if (!kit.expect_status(kit.complete(queue, completion), Status::kDeviceFault, "a fault is not reported") ||
            !kit.expect_equal(static_cast<std::uint32_t>(completion.fault),
                              static_cast<std::uint32_t>(DeviceFault::kHostMemory), "a fault is reported as another") ||
            !kit.expect_fault_command(completion, at_fault, "a fault is reported of another command")) {
            return;
        }
        kit.be_quiet();
        static_cast<void>(
            kit.expect_range({kit.base() + kBytes, kSampleBytes - kBytes}, fill, "a queue goes on after a fault") &&
            kit.expect_status(kit.device().completion(queue, kit.token(), completion), Status::kDeviceFault,
                              "a fault is forgotten"));
        // Nor does another doorbell start it.
        static_cast<void>(kit.doorbell(queue));
        kit.be_quiet();
        static_cast<void>(
            kit.expect_range({kit.base() + kBytes, kSampleBytes - kBytes}, fill,
                             "a queue goes on after a fault when its doorbell is rung") &&
            kit.expect_status(kit.device().completion(queue, kit.token(), completion), Status::kDeviceFault,
                              "a fault is forgotten") &&
            kit.expect_fault_command(completion, at_fault, "a queue goes on after a fault when its doorbell is rung"));
    }
}

// Words that decode() refuses as no command, in the place of a sample's first; and a trace without its end.
void bad_traces_are_faults(Kit& kit) noexcept {
    constexpr std::uint32_t kTries = 4096U;
    Random random{77U};
    std::uint32_t found = 0U;
    for (std::uint32_t tried = 0U; (tried < kTries) && (found < 8U); ++tried) {
        if (!kit.sample(0U, kit.base(), kit.trace())) {
            return;
        }
        Trace& trace = kit.trace();
        trace.words[0] = random.next();
        Decoder decoder{kit.command_set()};
        DecodedCommand command;
        DecodeError error;
        if (is_ok(decoder.walk(trace.view(), command, error)) || !error.unknown_command) {
            continue;
        }
        found += 1U;
        Completion completion;
        if (!kit.start() || !kit.place(trace)) {
            return;
        }
        static_cast<void>(kit.expect_ok(kit.enqueue_replay(0U, trace), "enqueue() refuses a replay"));
        if (!kit.expect_status(kit.complete(0U, completion), Status::kDeviceFault,
                               "a word that is no command is executed")) {
            return;
        }
    }
    if (!kit.sample(0U, kit.base(), kit.trace()) || !kit.start()) {
        return;
    }
    kit.trace().count = kit.trace().body_words;  // what follows in the trace region is zeros or old words
    Completion completion;
    static_cast<void>(kit.place(kit.trace()));
    static_cast<void>(kit.expect_ok(kit.enqueue_replay(0U, kit.trace()), "enqueue() refuses a replay"));
    static_cast<void>(
        kit.expect_status(kit.complete(0U, completion), Status::kDeviceFault, "a trace without an end completes"));
}

constexpr std::array<Check, 9U> kChecks{{
    {"PORT-COMPLETION-RECORD", "a record has its token, and the number of commands since the reset", nullptr,
     records_say_what_was_done},
    {"PORT-COMPLETION-AFTER", "a record is published after the work before it", nullptr, records_come_after_the_work},
    {"PORT-COMPLETION-KEPT", "the records of as many notifications as may be under way are kept", nullptr,
     last_records_are_kept},
    {"PORT-COMPLETION-OLD", "no record is given for a token that has not completed", nullptr, old_records_are_not_new},
    {"PORT-COMPLETION-PROGRESS", "while a queue is at work, its number of commands says how far it is",
     "the fault record of a time-out does not say where the device stood", progress_is_told},
    {"PORT-COUNT-WIDE", "commands are counted in 32 bits", "nothing shows how many commands were executed",
     counts_do_not_wrap_early},
    {"PORT-TIME-FORWARD", "the device's time goes on with its work", "times in records and logs say nothing",
     time_goes_on},
    {"PORT-FAULT-STOPS", "a fault names its command, stops the queue, and stays until the reset", nullptr,
     faults_stop_the_queue},
    {"PORT-FAULT-TRACE", "words that are no command, and a trace without an end, are faults",
     "traces in device memory stay as they were proved: it corrects itself, or results are released once verified",
     bad_traces_are_faults},
}};

}  // namespace

Span<const Check> completion_checks() noexcept {
    return kChecks;
}

}  // namespace pianola::port
