// Events: what one queue waits for and another one records.
#include "hal/port_kit/conformance.h"

namespace pianola::port {
namespace {

constexpr std::uint32_t kBytes = 64U;
constexpr QueueCommandKind kRecord = QueueCommandKind::kRecordEvent;
constexpr QueueCommandKind kWait = QueueCommandKind::kWaitEvent;

Status wait_then_notify(Kit& kit, std::uint32_t queue, std::uint32_t event, std::uint32_t value) noexcept {
    Status status = kit.enqueue(queue, event_command(kWait, event, value));
    status = is_ok(status) ? kit.notify(queue) : status;
    return is_ok(status) ? kit.doorbell(queue) : status;
}

bool record(Kit& kit, std::uint32_t queue, std::uint32_t event, std::uint32_t value) noexcept {
    return kit.expect_ok(kit.enqueue(queue, event_command(kRecord, event, value)), "enqueue() refuses a record") &&
           kit.expect_completes(queue, "a record does not complete");
}

bool has_two_queues(Kit& kit) noexcept {
    if (kit.queues() < 2U) {
        kit.not_offered("there is one queue");
        return false;
    }
    return true;
}

void a_wait_holds(Kit& kit) noexcept {
    // A queue waits for an event that is not recorded; with two queues, until it is recorded.
    for (std::uint32_t queue = 0U; queue < kit.queues(); ++queue) {
        const Fill fill{1U};
        if (!kit.start() || !kit.fill_range({kit.base(), kBytes}, fill)) {
            return;
        }
        kit.fill_source(2U);
        static_cast<void>(kit.device().bind_source(1U, kit.source()));
        static_cast<void>(kit.expect_ok(kit.enqueue(queue, event_command(kWait, 0U, 1U)), "enqueue() refuses a wait"));
        static_cast<void>(kit.enqueue(queue, transfer(QueueCommandKind::kWrite, kit.base(), kBytes, 1U)));
        static_cast<void>(kit.notify(queue));
        const std::uint32_t held = kit.token();
        if (!kit.expect_ok(kit.doorbell(queue), "ring_doorbell() is not kOk") ||
            !kit.expect_held(queue, held, "a queue goes on before the event that it waits for") ||
            !kit.expect_range({kit.base(), kBytes}, fill, "a command after a wait is executed before the event")) {
            return;
        }
        if (kit.queues() > 1U) {
            Completion completion;
            static_cast<void>(record(kit, (queue + 1U) % kit.queues(), 0U, 1U) &&
                              kit.expect_ok(kit.wait(queue, held, completion),
                                            "a queue does not go on after the event that it waits for"));
        }
    }
}

void a_wait_that_is_over_passes(Kit& kit) noexcept {
    for (std::uint32_t queue = 0U; queue < kit.queues(); ++queue) {
        if (!kit.start()) {
            return;
        }
        Completion completion;
        // Counters begin with 0, and a queue may wait for its own records.
        static_cast<void>(kit.expect_ok(wait_then_notify(kit, queue, 1U, 0U), "enqueue() refuses a wait") &&
                          kit.expect_ok(kit.wait(queue, kit.token(), completion),
                                        "a wait for 0 holds, although counters begin with it"));
        static_cast<void>(record(kit, queue, 1U, 1U) && record(kit, queue, 1U, 2U) &&
                          kit.expect_ok(wait_then_notify(kit, queue, 1U, 1U), "enqueue() refuses a wait") &&
                          kit.expect_ok(kit.wait(queue, kit.token(), completion),
                                        "a wait for a value that the counter has passed holds"));
        // A wait takes nothing away, and neither does a trace.
        for (const bool is_after_trace : {false, true}) {
            if (is_after_trace &&
                (!kit.sample(0U, kit.base(), kit.trace()) || !kit.place(kit.trace()) ||
                 !kit.expect_ok(kit.enqueue_replay(queue, kit.trace()), "enqueue() refuses a replay"))) {
                return;
            }
            static_cast<void>(
                kit.expect_ok(wait_then_notify(kit, queue, 1U, 2U), "enqueue() refuses a wait") &&
                kit.expect_ok(kit.wait(queue, kit.token(), completion),
                              "a wait for what was waited for before, or recorded before a trace, holds"));
        }
    }
}

void counters_wrap(Kit& kit) noexcept {
    struct Case {
        std::uint32_t counter;
        std::uint32_t value;
        bool is_reached;
    };
    constexpr std::array<Case, 18U> kCases{{
        {0x7FFF'FFFFU, 0x7FFF'FFFFU, true},
        {0x7FFF'FFFFU, 0x8000'0000U, false},
        {0x8000'0000U, 0x7FFF'FFFFU, true},
        {0x8000'0000U, 0x8000'0000U, true},
        {0x8000'0001U, 0x7FFF'FFFEU, true},
        {0xFFFF'FFFEU, 0xFFFF'FFFFU, false},
        {0xFFFF'FFFFU, 0xFFFF'FFFFU, true},
        {0xFFFF'FFFFU, 0U, false},
        {0U, 0xFFFF'FFFFU, true},
        {1U, 0xFFFF'FFFFU, true},
        {1U, 2U, false},
        {2U, 1U, true},
        {0x0001'0000U, 0xFFFFU, true},
        {0x0000'FFFFU, 0x0001'0000U, false},
        {0x0001'0000U, 1U, true},
        {1U, 0x0001'0001U, false},
        {0x0000'0100U, 1U, true},
        {1U, 0x0000'0101U, false},
    }};
    for (const Case& tried : kCases) {
        Completion completion;
        if (!kit.start() || !record(kit, 0U, 2U, tried.counter) ||
            !kit.expect_ok(wait_then_notify(kit, kit.queues() - 1U, 2U, tried.value), "enqueue() refuses a wait")) {
            return;
        }
        const std::uint32_t queue = kit.queues() - 1U;
        if (tried.is_reached) {
            static_cast<void>(kit.expect_ok(kit.wait(queue, kit.token(), completion),
                                            "a wait holds although the counter has reached its value"));
        } else {
            static_cast<void>(
                kit.expect_held(queue, kit.token(), "a wait passes although the counter has not reached its value"));
        }
        if (kit.outcome() == Outcome::kFailed) {
            return;
        }
    }
}

void events_are_apart(Kit& kit) noexcept {
    if (!has_two_queues(kit)) {
        return;
    }
    for (std::uint32_t event = 0U; event < kMaxEvents; ++event) {
        if (!kit.start() || !kit.expect_ok(wait_then_notify(kit, 1U, event, 1U), "enqueue() refuses a wait")) {
            return;
        }
        const std::uint32_t held = kit.token();
        for (std::uint32_t other = 0U; other < kMaxEvents; ++other) {
            if ((other != event) && !record(kit, 0U, other, 1U)) {
                return;
            }
        }
        Completion completion;
        if (!kit.expect_held(1U, held, "a wait passes by the record of another event") || !record(kit, 0U, event, 1U) ||
            !kit.expect_ok(kit.wait(1U, held, completion), "a queue does not go on after its event")) {
            return;
        }
    }
}

void events_have_an_end(Kit& kit) noexcept {
    for (const QueueCommandKind kind : {kRecord, kWait}) {
        for (const std::uint32_t event : list_of(kMaxEvents, kMaxEvents + 1U, UINT32_MAX)) {
            if (!kit.start()) {
                return;
            }
            const Status enqueued = kit.enqueue(0U, event_command(kind, event, 0U));
            if (is_ok(enqueued)) {
                Completion completion;
                static_cast<void>(kit.expect_status(kit.complete(0U, completion), Status::kDeviceFault,
                                                    "an event that is not there is neither refused nor a fault"));
            } else {
                static_cast<void>(kit.expect_status(enqueued, Status::kInvalidArgument,
                                                    "an event that is not there is refused with another status"));
            }
        }
    }
}

// What was enqueued before a record is done when the other queue goes on: a lot of work, of which only the last command
// leaves what the other queue then reads at once.
void records_come_after_the_work(Kit& kit) noexcept {
    constexpr std::uint32_t kTimes = 16U;
    constexpr std::uint32_t kWrites = 6U;
    if (!has_two_queues(kit) || !kit.start()) {
        return;
    }
    for (std::uint32_t time = 1U; time <= kTimes; ++time) {
        const std::uint32_t worker = time % 2U;
        const std::uint32_t reader = 1U - worker;
        kit.fill_source(time);
        kit.clear_destination();
        static_cast<void>(kit.device().bind_source(1U, kit.source()));
        static_cast<void>(kit.device().bind_destination(0U, kit.destination()));
        static_cast<void>(kit.enqueue(reader, event_command(kWait, 3U, time)));
        static_cast<void>(kit.enqueue(reader, transfer(QueueCommandKind::kRead, kit.base(), kBufferBytes, 0U)));
        static_cast<void>(kit.notify(reader));
        const std::uint32_t read = kit.token();
        static_cast<void>(kit.expect_ok(kit.doorbell(reader), "ring_doorbell() is not kOk"));
        for (std::uint32_t i = 1U; i < kWrites; ++i) {
            static_cast<void>(kit.enqueue(
                worker, transfer(QueueCommandKind::kWrite, kit.base(), kBufferBytes - (i * kBytes), 1U, i * kBytes)));
        }
        static_cast<void>(kit.enqueue(worker, transfer(QueueCommandKind::kWrite, kit.base(), kBufferBytes, 1U)));
        static_cast<void>(kit.enqueue(worker, event_command(kRecord, 3U, time)));
        static_cast<void>(kit.notify(worker));
        const std::uint32_t written = kit.token();
        static_cast<void>(kit.expect_ok(kit.doorbell(worker), "ring_doorbell() is not kOk"));
        Completion completion;
        if (!kit.expect_ok(kit.wait(reader, read, completion), "a queue does not go on after its event") ||
            !kit.expect_ok(kit.wait(worker, written, completion), "a record does not complete")) {
            return;
        }
        static_cast<void>(kit.device().bind_destination(0U, MutableByteSpan{}));
        for (std::uint32_t i = 0U; i < kBufferBytes; ++i) {
            if (!kit.expect_equal(kit.destination()[i], pattern(time, i),
                                  "a queue goes on before the work that was recorded is done")) {
                return;
            }
        }
    }
}

constexpr std::array<Check, 6U> kChecks{{
    {"PORT-EVENT-HOLDS", "a queue waits until its event is recorded", nullptr, a_wait_holds},
    {"PORT-EVENT-PASSES", "a wait for what is recorded already holds nobody", nullptr, a_wait_that_is_over_passes},
    {"PORT-EVENT-WRAP", "events are compared by unsigned difference, across the wrap of their counters", nullptr,
     counters_wrap},
    {"PORT-EVENT-APART", "every event has a counter of its own", nullptr, events_are_apart},
    {"PORT-EVENT-RANGE", "an event that is not there is refused", nullptr, events_have_an_end},
    {"PORT-EVENT-ORDER", "an event is recorded after the work before it", nullptr, records_come_after_the_work},
}};

}  // namespace

Span<const Check> event_checks() noexcept {
    return kChecks;
}

}  // namespace pianola::port
