// What commands do to memory, held to what decode() says of them.
#include "hal/port_kit/conformance.h"

namespace pianola::port {
namespace {

// In the middle of the memory: what is touched before and after a sample's window is seen as well.
constexpr std::uint32_t kWindow = 2048U;

bool run(Kit& kit, const Trace& trace, const Fill& fill) noexcept {
    return kit.fill(fill) && kit.place(trace) &&
           kit.expect_ok(kit.enqueue_replay(0U, trace), "enqueue() refuses a replay") &&
           kit.expect_completes(0U, "a sample does not complete") &&
           kit.expect_only_written(trace, fill, "a byte outside of the write extents changes");
}

// Where two runs leave different bytes. Each is one that was not written, or one that depends on something else than
// what the command reads.
template <typename Look>
void compare_runs(Kit& kit, const Trace& trace, const Fill& one, const Fill& other, const Look& look) noexcept {
    const std::uint32_t base = kit.base() + kWindow;
    const MutableByteSpan first = kit.kept();
    if (!run(kit, trace, one) || !kit.peek(base, first)) {
        return;
    }
    const MutableByteSpan second = kit.destination().subspan(0U, kSampleBytes);
    if (!run(kit, trace, other) || !kit.peek(base, second)) {
        return;
    }
    for (std::uint32_t i = 0U; i < kSampleBytes; ++i) {
        const std::uint32_t address = base + i;
        if (trace.touches(address, Access::kWrite) && !trace.touches(address, Access::kRead) &&
            (first[i] != second[i])) {
            const bool is_unwritten = (first[i] == one.at(address)) && (second[i] == other.at(address));
            look(is_unwritten, address);
        }
    }
}

void writes_what_it_says(Kit& kit) noexcept {
    for (std::uint32_t i = 0U; kit.sample(i, kit.base() + kWindow, kit.trace()); ++i) {
        const Fill one{1U, 0U, &kit.trace(), 1U};
        const Fill other{1U, kWholeByte, &kit.trace(), 1U};
        compare_runs(kit, kit.trace(), one, other, [&kit](bool is_unwritten, std::uint32_t address) {
            static_cast<void>(kit.expect(!is_unwritten, "a byte of a write extent is not written", address));
        });
    }
}

void reads_what_it_says(Kit& kit) noexcept {
    for (std::uint32_t i = 0U; kit.sample(i, kit.base() + kWindow, kit.trace()); ++i) {
        const Fill one{1U, 0U, &kit.trace(), 1U};
        const Fill other{1U, 0U, &kit.trace(), 2U};
        compare_runs(kit, kit.trace(), one, other, [&kit](bool is_unwritten, std::uint32_t address) {
            static_cast<void>(
                kit.expect(is_unwritten, "what is written depends on bytes outside of the read extents", address));
        });
    }
}

// Commands that write the same bytes whatever they read have read extents for nothing, which costs; they do no harm.
// What must not be is a sample that does not do the same twice.
void repeats_itself(Kit& kit) noexcept {
    for (std::uint32_t i = 0U; kit.sample(i, kit.base() + kWindow, kit.trace()); ++i) {
        const Fill fill{3U};
        compare_runs(kit, kit.trace(), fill, fill, [&kit](bool /*is_unwritten*/, std::uint32_t address) {
            static_cast<void>(kit.expect(false, "the same trace on the same memory gives something else", address));
        });
    }
}

// Whether cycles that were taken are those that were published.
bool expect_cycles(Kit& kit, std::uint64_t cycles, std::uint64_t published, const char* what) noexcept {
    return kit.expect(
        (cycles == published) || ((kit.description().costs == CostKind::kUpperBound) && (cycles <= published)), what,
        cycles, published);
}

bool offers_costs(Kit& kit) noexcept {
    if (kit.description().costs != CostKind::kNotPublished) {
        return true;
    }
    for (std::uint32_t i = 0U; kit.sample(i, kit.base(), kit.trace()); ++i) {
        static_cast<void>(
            kit.expect_equal(kit.trace().cost_cycles, 0U, "a device that publishes no costs publishes one"));
    }
    kit.not_offered("the device publishes no costs");
    return false;
}

void takes_what_it_costs(Kit& kit) noexcept {
    if (!offers_costs(kit)) {
        return;
    }
    for (std::uint32_t i = 0U; kit.sample(i, kit.base(), kit.trace()); ++i) {
        if (!kit.start() || !kit.place(kit.trace())) {
            return;
        }
        Completion before;
        Completion after;
        if (!kit.expect_ok(kit.complete(0U, before), "a notification does not complete")) {
            return;
        }
        static_cast<void>(kit.expect_ok(kit.enqueue_replay(0U, kit.trace()), "enqueue() refuses a replay"));
        if (!kit.expect_ok(kit.complete(0U, after), "a sample does not complete")) {
            return;
        }
        const std::uint64_t cycles = after.time_cycles - before.time_cycles;
        const std::uint64_t published =
            kit.command_set().queue_cycles(replay_command(kit.trace_base(), kit.trace().size_bytes())) +
            kit.command_set().queue_cycles(notify_command(1U)) + kit.trace().cost_cycles;
        // Of what runs on cores, decode() publishes the time on the queue alone.
        if (kit.trace().has_dispatch) {
            static_cast<void>(
                kit.expect(cycles >= published, "the device takes less than the published cost", cycles, published));
        } else {
            static_cast<void>(expect_cycles(kit, cycles, published, "the device's cycles are not the published cost"));
        }
    }
}

void transfers_take_what_they_cost(Kit& kit) noexcept {
    if (!offers_costs(kit) || !kit.start()) {
        return;
    }
    static_cast<void>(kit.device().bind_source(1U, kit.source()));
    static_cast<void>(kit.device().bind_destination(1U, kit.destination()));
    const std::array<QueueCommand, 7U> commands{
        transfer(QueueCommandKind::kWrite, kit.base(), 1U, 1U),
        transfer(QueueCommandKind::kWrite, kit.base(), 1000U, 1U),
        transfer(QueueCommandKind::kRead, kit.base(), 65U, 1U),
        transfer(QueueCommandKind::kRead, kit.base(), kBufferBytes, 1U),
        event_command(QueueCommandKind::kRecordEvent, 1U, 1U),
        event_command(QueueCommandKind::kWaitEvent, 1U, 1U),
        notify_command(1U),  // of complete(), twice
    };
    for (const QueueCommand& command : commands) {
        const bool is_notification = command.kind == QueueCommandKind::kNotify;
        Completion before;
        Completion after;
        if (!kit.expect_ok(kit.complete(0U, before), "a notification does not complete") ||
            (!is_notification && !kit.expect_ok(kit.enqueue(0U, command), "enqueue() refuses a command")) ||
            !kit.expect_ok(kit.complete(0U, after), "a queue command does not complete")) {
            return;
        }
        const std::uint64_t published = (is_notification ? 0U : kit.command_set().queue_cycles(command)) +
                                        kit.command_set().queue_cycles(notify_command(1U));
        static_cast<void>(expect_cycles(kit, after.time_cycles - before.time_cycles, published,
                                        "the device's cycles are not those of the queue command"));
    }
}

constexpr std::array<Check, 5U> kChecks{{
    {"PORT-TOUCH-WRITE", "a command writes every byte of its write extents, and no other byte that is watched", nullptr,
     writes_what_it_says},
    {"PORT-TOUCH-READ", "what a command writes depends on bytes of its read extents alone", nullptr,
     reads_what_it_says},
    {"PORT-TOUCH-SAME", "a command gives the same on the same memory", nullptr, repeats_itself},
    {"PORT-COST-QUEUE", "a queue command takes the cycles that the command set publishes",
     "deadlines are taken from measurements, with a margin", transfers_take_what_they_cost},
    {"PORT-COST", "the device takes the cycles that the command set publishes",
     "deadlines are taken from measurements, with a margin", takes_what_it_costs},
}};

}  // namespace

Span<const Check> touch_checks() noexcept {
    return kChecks;
}

}  // namespace pianola::port
