// Rings and doorbells.
#include "hal/port_kit/conformance.h"

namespace pianola::port {
namespace {

constexpr std::uint32_t kItemBytes = 4U;
constexpr std::uint32_t kMaxItems = kMemoryBytes / kItemBytes;
constexpr std::uint32_t kSourceItems = kBufferBytes / kItemBytes;
constexpr Fill kBefore{1U};
constexpr std::uint32_t kSeed = 2U;

// Item i of the source buffer to place i of the memory.
[[nodiscard]] QueueCommand write_item(Kit& kit, std::uint32_t item) noexcept {
    return transfer(QueueCommandKind::kWrite, kit.base() + (item * kItemBytes), kItemBytes, 1U,
                    (item % kSourceItems) * kItemBytes);
}

bool prepare(Kit& kit) noexcept {
    const bool is_ready = kit.start() && kit.fill_range({kit.base(), kMemoryBytes}, kBefore);
    kit.fill_source(kSeed);
    return is_ready && kit.expect_ok(kit.device().bind_source(1U, kit.source()), "bind_source() refuses memory");
}

// How many of the items are in memory, from the first; the rest must be untouched.
bool expect_items(Kit& kit, std::uint32_t first, std::uint32_t end, const char* lost, const char* extra) noexcept {
    const std::uint32_t last = end + 4U;
    for (std::uint32_t item = first; (item < last) && (item < kMaxItems); ++item) {
        std::array<std::uint8_t, kItemBytes> bytes{};
        if (!kit.peek(kit.base() + (item * kItemBytes), MutableByteSpan{bytes})) {
            return false;
        }
        for (std::uint32_t i = 0U; i < kItemBytes; ++i) {
            const std::uint32_t address = kit.base() + (item * kItemBytes) + i;
            const bool is_there = item < end;
            const std::uint8_t wanted =
                is_there ? pattern(kSeed, ((item % kSourceItems) * kItemBytes) + i) : kBefore.at(address);
            if (!kit.expect(bytes[i] == wanted, is_there ? lost : extra, item, end)) {
                return false;
            }
        }
    }
    return true;
}

void service_is_always_ok(Kit& kit) noexcept {
    if (!kit.start()) {
        return;
    }
    kit.be_quiet();
    for (std::uint32_t queue = 0U; queue < kit.queues(); ++queue) {
        static_cast<void>(kit.expect_completes(queue, "a notification does not complete"));
    }
    kit.be_quiet();
}

void arguments_are_checked(Kit& kit) noexcept {
    if (!prepare(kit)) {
        return;
    }
    QueueCommand command = write_item(kit, 0U);
    static_cast<void>(kit.command_set().seal(0U, 0U, 0U, command));
    QueueCommand of_no_kind = command;
    of_no_kind.kind = QueueCommandKind::kUnspecified;
    Completion completion;
    for (const std::uint32_t queue : list_of(kit.queues(), kit.queues() + 1U, UINT32_MAX)) {
        static_cast<void>(kit.expect_status(kit.device().enqueue(queue, command), Status::kInvalidArgument,
                                            "enqueue() takes a queue that is not there"));
        static_cast<void>(kit.expect_status(kit.device().ring_doorbell(queue), Status::kInvalidArgument,
                                            "ring_doorbell() takes a queue that is not there"));
        static_cast<void>(kit.expect_status(kit.device().completion(queue, 1U, completion), Status::kInvalidArgument,
                                            "completion() takes a queue that is not there"));
    }
    static_cast<void>(kit.expect_status(kit.device().enqueue(0U, of_no_kind), Status::kInvalidArgument,
                                        "enqueue() takes a command of no kind"));
    static_cast<void>(kit.expect_completes(0U, "calls that were refused have left something behind") &&
                      expect_items(kit, 0U, 0U, "", "a command that was refused is executed"));
}

void nothing_before_the_doorbell(Kit& kit) noexcept {
    for (std::uint32_t queue = 0U; queue < kit.queues(); ++queue) {
        if (!prepare(kit)) {
            return;
        }
        static_cast<void>(kit.expect_ok(kit.enqueue(queue, write_item(kit, 0U)), "enqueue() refuses a command"));
        static_cast<void>(kit.expect_ok(kit.notify(queue), "enqueue() refuses a notification"));
        if (!kit.expect_held(queue, kit.token(), "a command is executed before the doorbell") ||
            !expect_items(kit, 0U, 0U, "", "a command is executed before the doorbell")) {
            return;
        }
        Completion completion;
        static_cast<void>(kit.expect_ok(kit.doorbell(queue), "ring_doorbell() is not kOk"));
        // What is enqueued now is for the next doorbell.
        static_cast<void>(kit.expect_ok(kit.enqueue(queue, write_item(kit, 1U)), "enqueue() refuses a command"));
        const std::uint32_t first = kit.token();
        static_cast<void>(kit.expect_ok(kit.notify(queue), "enqueue() refuses a notification"));
        static_cast<void>(
            kit.expect_ok(kit.wait(queue, first, completion), "a command does not complete") &&
            kit.expect_held(queue, kit.token(), "a command is executed by the doorbell before it") &&
            expect_items(kit, 0U, 1U, "a command is lost", "a command is executed by the doorbell before it"));
        static_cast<void>(
            kit.expect_ok(kit.doorbell(queue), "ring_doorbell() is not kOk") &&
            kit.expect_ok(kit.wait(queue, kit.token(), completion), "a command does not complete") &&
            expect_items(kit, 0U, 2U, "a command is lost", "a command is executed that was not enqueued"));
    }
}

void doorbells_are_of_one_queue(Kit& kit) noexcept {
    if (kit.queues() < 2U) {
        kit.not_offered("there is one queue");
        return;
    }
    for (std::uint32_t queue = 0U; queue < kit.queues(); ++queue) {
        const std::uint32_t other = (queue + 1U) % kit.queues();
        if (!prepare(kit)) {
            return;
        }
        static_cast<void>(kit.expect_ok(kit.enqueue(other, write_item(kit, 0U)), "enqueue() refuses a command"));
        static_cast<void>(kit.expect_ok(kit.notify(other), "enqueue() refuses a notification"));
        const std::uint32_t held = kit.token();
        static_cast<void>(kit.expect_completes(queue, "a queue does not complete while another one has work") &&
                          kit.expect_held(other, held, "the doorbell of one queue starts another one") &&
                          expect_items(kit, 0U, 0U, "", "the doorbell of one queue starts another one"));
        Completion completion;
        static_cast<void>(
            kit.expect_ok(kit.doorbell(other), "ring_doorbell() is not kOk") &&
            kit.expect_ok(kit.wait(other, held, completion), "a queue does not complete after its doorbell") &&
            expect_items(kit, 0U, 1U, "a command is lost", "a command is executed that was not enqueued"));
    }
}

void commands_are_copied(Kit& kit) noexcept {
    if (!prepare(kit)) {
        return;
    }
    constexpr std::uint32_t kToken = 1'000'000U;
    QueueCommand command = write_item(kit, 0U);
    QueueCommand notify = notify_command(kToken);
    const std::uint32_t number = kit.executed(0U);  // no trace has been replayed
    static_cast<void>(kit.command_set().seal(0U, number, 0U, command));
    static_cast<void>(kit.command_set().seal(0U, number + 1U, 0U, notify));
    static_cast<void>(kit.expect_ok(kit.device().enqueue(0U, command), "enqueue() refuses a command") &&
                      kit.expect_ok(kit.device().enqueue(0U, notify), "enqueue() refuses a notification"));
    // enqueue() has returned: the objects are the caller's.
    command = QueueCommand{};
    notify = QueueCommand{};
    Completion completion;
    static_cast<void>(kit.expect_ok(kit.doorbell(0U), "ring_doorbell() is not kOk") &&
                      kit.expect_ok(kit.wait(0U, kToken, completion), "enqueue() keeps a reference to the command") &&
                      expect_items(kit, 0U, 1U, "enqueue() keeps a reference to the caller's command",
                                   "a command is executed that was not enqueued"));
}

void commands_keep_their_order(Kit& kit) noexcept {
    constexpr std::uint32_t kBytes = 64U;
    constexpr std::uint32_t kTimes = 8U;
    for (std::uint32_t queue = 0U; queue < kit.queues(); ++queue) {
        if (!prepare(kit)) {
            return;
        }
        static_cast<void>(kit.device().bind_destination(0U, kit.destination()));
        for (std::uint32_t i = 0U; i < kTimes; ++i) {  // each read sees the write before it, and not the one after it
            static_cast<void>(
                kit.enqueue(queue, transfer(QueueCommandKind::kWrite, kit.base(), kBytes, 1U, i * kBytes)));
            static_cast<void>(
                kit.enqueue(queue, transfer(QueueCommandKind::kRead, kit.base(), kBytes, 0U, i * kBytes)));
        }
        if (!kit.expect_completes(queue, "transfers do not complete")) {
            return;
        }
        static_cast<void>(kit.device().bind_destination(0U, MutableByteSpan{}));
        for (std::uint32_t i = 0U; i < (kTimes * kBytes); ++i) {
            static_cast<void>(kit.expect_equal(kit.destination()[i], pattern(kSeed, i),
                                               "commands of one queue are executed out of order"));
        }
    }
}

// Fills the ring until it is full. What was taken is executed once, what was refused is not.
void full_rings_refuse(Kit& kit) noexcept {
    for (std::uint32_t queue = 0U; queue < kit.queues(); ++queue) {
        if (!prepare(kit)) {
            return;
        }
        const std::uint32_t words = kit.command_set().queue_words(write_item(kit, 0U));
        if (!kit.expect(words != 0U, "queue_words() is 0")) {
            return;
        }
        const std::uint32_t described = kit.description().ring_words / words;
        std::uint32_t taken = 0U;
        Status status = Status::kOk;
        while (is_ok(status) && (taken < kMaxItems)) {
            status = kit.enqueue(queue, write_item(kit, taken));
            taken += is_ok(status) ? 1U : 0U;
        }
        if ((described < kMaxItems) &&
            (!kit.expect_status(status, Status::kBusy, "a full ring answers something else than kBusy") ||
             !kit.expect(taken >= described, "a ring holds less than describe() says", taken, described))) {
            return;
        }
        static_cast<void>(kit.expect_status(kit.enqueue(queue, write_item(kit, taken % kMaxItems)), status,
                                            "a full ring takes a command after all"));
        static_cast<void>(kit.expect_ok(kit.doorbell(queue), "ring_doorbell() is not kOk"));
        for (std::uint32_t poll = 0U; (poll < kit.port().polls) && (status == Status::kBusy); ++poll) {
            static_cast<void>(kit.device().service());
            kit.platform().idle();
            status = kit.notify(queue);
        }
        Completion completion;
        static_cast<void>(
            kit.expect_ok(status, "a ring that was full never has room again") &&
            kit.expect_ok(kit.doorbell(queue), "ring_doorbell() is not kOk") &&
            kit.expect_ok(kit.wait(queue, kit.token(), completion), "a ring that was full does not complete") &&
            expect_items(kit, 0U, taken, "a command that a nearly full ring took is lost",
                         "a command that a full ring refused is executed") &&
            kit.expect_count(completion.executed_commands, kit.executed(queue),
                             "a ring that was full executes another number of commands"));
    }
}

// Rings that hold words take another number of commands of each kind.
void rings_hold_every_kind(Kit& kit) noexcept {
    const std::array<QueueCommand, 3U> commands{event_command(QueueCommandKind::kRecordEvent, 2U, 7U),
                                                event_command(QueueCommandKind::kWaitEvent, 2U, 0U),
                                                transfer(QueueCommandKind::kRead, kit.base(), kItemBytes, 0U)};
    for (const QueueCommand& command : commands) {
        if (!prepare(kit)) {
            return;
        }
        static_cast<void>(kit.device().bind_destination(0U, kit.destination()));
        const std::uint32_t words = kit.command_set().queue_words(command);
        const std::uint32_t last = kit.command_set().queue_words(notify_command(1U));
        const std::uint32_t ring = kit.description().ring_words;
        if (!kit.expect(ring >= (words + last), "a ring does not hold a command and a notification", ring)) {
            return;
        }
        const std::uint32_t room = ring - last;
        for (std::uint32_t taken = words; taken <= room; taken += words) {
            if (!kit.expect(words != 0U, "queue_words() is 0") ||
                !kit.expect_ok(kit.enqueue(0U, command), "a ring holds less than queue_words() says")) {
                return;
            }
        }
        Completion completion;
        static_cast<void>(kit.expect_ok(kit.complete(0U, completion), "a full ring does not complete") &&
                          kit.expect_count(completion.executed_commands, kit.executed(0U),
                                           "a full ring executes another number of commands"));
    }
}

void rings_wrap(Kit& kit) noexcept {
    constexpr std::uint32_t kRings = 3U;
    for (std::uint32_t queue = 0U; queue < kit.queues(); ++queue) {
        if (!prepare(kit)) {
            return;
        }
        const std::uint32_t words = kit.command_set().queue_words(write_item(kit, 0U));
        std::uint32_t item = 0U;
        for (std::uint32_t round = 0U; ((item * words) < (kRings * kit.description().ring_words)) && (item < kMaxItems);
             ++round) {
            const std::uint32_t first = item;
            for (std::uint32_t i = 0U; (i <= (round % 7U)) && (item < kMaxItems); ++i) {
                static_cast<void>(
                    kit.expect_ok(kit.enqueue(queue, write_item(kit, item)), "enqueue() refuses a command"));
                item += 1U;
            }
            if (!kit.expect_completes(queue, "a ring that has wrapped does not complete") ||
                !expect_items(kit, first, item, "a ring that has wrapped loses a command",
                              "a ring that has wrapped executes something else")) {
                return;
            }
        }
    }
}

constexpr std::array<Check, 9U> kChecks{{
    {"PORT-SERVICE", "service() is kOk with and without work, and every queue completes", nullptr,
     service_is_always_ok},
    {"PORT-QUEUE-ARGUMENTS", "queues and commands that are none are refused, and leave nothing behind", nullptr,
     arguments_are_checked},
    {"PORT-DOORBELL-FIRST", "nothing is executed before its doorbell", nullptr, nothing_before_the_doorbell},
    {"PORT-DOORBELL-QUEUE", "a doorbell starts its own queue only", nullptr, doorbells_are_of_one_queue},
    {"PORT-ENQUEUE-COPY", "enqueue() copies the command", nullptr, commands_are_copied},
    {"PORT-QUEUE-ORDER", "commands of one queue are executed in order", nullptr, commands_keep_their_order},
    {"PORT-RING-FULL", "a full ring answers kBusy; it loses nothing that it took, and takes nothing that it refused",
     nullptr, full_rings_refuse},
    {"PORT-RING-WORDS", "a ring holds as many commands of each kind as queue_words() says", nullptr,
     rings_hold_every_kind},
    {"PORT-RING-WRAP", "a ring goes on beyond its end", nullptr, rings_wrap},
}};

}  // namespace

Span<const Check> queue_checks() noexcept {
    return kChecks;
}

}  // namespace pianola::port
