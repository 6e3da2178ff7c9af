// Resets, of an idle device and under load.
#include "hal/port_kit/conformance.h"

namespace pianola::port {
namespace {

constexpr std::uint32_t kBytes = 64U;
constexpr Fill kBefore{1U};

// The device is as new: it takes work, and counts from 0.
bool expect_new(Kit& kit, const char* what) noexcept {
    bool is_new = kit.start();
    for (std::uint32_t queue = 0U; is_new && (queue < kit.queues()); ++queue) {
        Completion completion;
        is_new = kit.expect_ok(kit.complete(queue, completion), what) &&
                 kit.expect_count(completion.executed_commands, 1U, "the number of commands outlives a reset");
    }
    return is_new;
}

bool prepare(Kit& kit) noexcept {
    const bool is_ready = kit.start() && kit.fill_range({kit.base(), kMemoryBytes}, kBefore);
    kit.fill_source(2U);
    return is_ready && kit.expect_ok(kit.device().bind_source(1U, kit.source()), "bind_source() refuses memory");
}

// As many regions as there can be, and none of them after the reset.
void regions_are_forgotten(Kit& kit) noexcept {
    const std::uint32_t granule = kit.port().region_granule;
    const std::uint32_t size_bytes = ((kMemoryBytes / kMaxRegions) / granule) * granule;
    if (!prepare(kit) || !kit.reset()) {
        return;
    }
    for (std::uint32_t i = 0U; (i < kMaxRegions) && (size_bytes != 0U); ++i) {
        static_cast<void>(
            kit.device().program_region({kit.base() + (i * size_bytes), size_bytes, true, true, true, true, false}));
    }
    if (!kit.reset()) {
        return;
    }
    for (std::uint32_t i = 0U; i < kMaxRegions; ++i) {
        RegionConfig region;
        if (!kit.expect_status(kit.device().programmed_region(i, region), Status::kInvalidArgument,
                               "a region outlives a reset")) {
            return;
        }
    }
    static_cast<void>(kit.device().bind_source(1U, kit.source()));
    static_cast<void>(kit.enqueue(0U, transfer(QueueCommandKind::kWrite, kit.base(), kBytes, 1U)));
    static_cast<void>(kit.expect_fault(0U, DeviceFault::kBus, "a transfer passes by a region from before the reset"));
}

void bindings_are_forgotten(Kit& kit) noexcept {
    if (!prepare(kit)) {
        return;
    }
    for (std::uint32_t slot = 0U; slot < kSourceSlots; ++slot) {
        static_cast<void>(kit.device().bind_source(slot, kit.source()));
    }
    for (std::uint32_t slot = 0U; slot < kDestinationSlots; ++slot) {
        static_cast<void>(kit.device().bind_destination(slot, kit.destination()));
    }
    if (!kit.reset() || !kit.program(kit.memory_region())) {
        return;
    }
    bool is_empty = true;
    for (std::uint32_t slot = 0U; slot < kSourceSlots; ++slot) {
        is_empty = kit.device().bound_source(slot).empty() && is_empty;
    }
    for (std::uint32_t slot = 0U; slot < kDestinationSlots; ++slot) {
        is_empty = kit.device().bound_destination(slot).empty() && is_empty;
    }
    static_cast<void>(kit.expect(is_empty, "a binding outlives a reset"));
    static_cast<void>(kit.enqueue(0U, transfer(QueueCommandKind::kWrite, kit.base(), kBytes, 1U)));
    static_cast<void>(
        kit.expect_fault(0U, DeviceFault::kHostMemory, "a transfer takes memory that was bound before the reset"));
}

// Commands in the rings, rung or not, held by an event or not: none of them is executed after the reset.
void rings_are_emptied(Kit& kit) noexcept {
    for (std::uint32_t queue = 0U; queue < kit.queues(); ++queue) {
        for (const bool is_rung : {false, true}) {
            if (!prepare(kit)) {
                return;
            }
            if (is_rung) {
                static_cast<void>(kit.enqueue(queue, event_command(QueueCommandKind::kWaitEvent, 4U, 1U)));
            }
            static_cast<void>(kit.enqueue(queue, transfer(QueueCommandKind::kWrite, kit.base(), kBytes, 1U)));
            static_cast<void>(kit.notify(queue));
            const std::uint32_t token = kit.token();
            if (is_rung) {
                static_cast<void>(kit.expect_ok(kit.doorbell(queue), "ring_doorbell() is not kOk"));
                kit.be_quiet();
            }
            if (!kit.reset() || !kit.program(kit.memory_region())) {
                return;
            }
            static_cast<void>(kit.device().bind_source(1U, kit.source()));
            // What would start them: doorbells, and the event.
            for (std::uint32_t other = 0U; other < kit.queues(); ++other) {
                static_cast<void>(kit.doorbell(other));
            }
            static_cast<void>(kit.expect_held(queue, token, "a notification from before the reset completes after it"));
            static_cast<void>(kit.enqueue(queue, event_command(QueueCommandKind::kRecordEvent, 4U, 1U)));
            static_cast<void>(kit.expect_completes(queue, "a queue does not complete after a reset"));
            kit.be_quiet();
            static_cast<void>(kit.expect_range({kit.base(), kMemoryBytes}, kBefore,
                                               "a command from before the reset is executed after it"));
        }
    }
}

void memory_is_kept(Kit& kit) noexcept {
    const Fill fill{3U};
    if (!kit.fill(fill)) {
        return;
    }
    const Range traces{kit.trace_base(), kSampleBytes};
    static_cast<void>(kit.fill_range(traces, fill) && kit.reset() && kit.reset() &&
                      kit.expect_range(kit.port().memory, fill, "a reset changes memory") &&
                      kit.expect_range(traces, fill, "a reset changes the trace region"));
}

void faults_are_forgotten(Kit& kit) noexcept {
    for (std::uint32_t queue = 0U; queue < kit.queues(); ++queue) {
        if (!prepare(kit)) {
            return;
        }
        static_cast<void>(kit.enqueue(queue, transfer(QueueCommandKind::kWrite, kit.base(), kBytes, 5U)));
        static_cast<void>(kit.expect_fault(queue, DeviceFault::kHostMemory, "a transfer without memory") &&
                          expect_new(kit, "a queue does not go on after a fault and a reset"));
    }
}

void events_are_forgotten(Kit& kit) noexcept {
    for (std::uint32_t event = 0U; event < kMaxEvents; ++event) {
        if (!kit.start()) {
            return;
        }
        static_cast<void>(kit.enqueue(0U, event_command(QueueCommandKind::kRecordEvent, event, 5U)));
        if (!kit.expect_completes(0U, "a record does not complete") || !kit.start()) {
            return;
        }
        static_cast<void>(kit.enqueue(0U, event_command(QueueCommandKind::kWaitEvent, event, 1U)));
        static_cast<void>(kit.notify(0U));
        static_cast<void>(kit.expect_ok(kit.doorbell(0U), "ring_doorbell() is not kOk"));
        if (!kit.expect_held(0U, kit.token(), "the counter of an event outlives a reset")) {
            return;
        }
    }
}

void records_are_forgotten(Kit& kit) noexcept {
    for (std::uint32_t queue = 0U; queue < kit.queues(); ++queue) {
        if (!kit.start() || !kit.expect_completes(queue, "a notification does not complete") ||
            !kit.expect_completes(queue, "a notification does not complete")) {
            return;
        }
        const std::uint32_t token = kit.token();
        if (!kit.start()) {
            return;
        }
        for (const std::uint32_t old : list_of(token - 1U, token)) {
            Completion completion;
            completion.executed_commands = UINT32_MAX;
            static_cast<void>(
                kit.expect_status(kit.device().completion(queue, old, completion), Status::kPending,
                                  "a completion record outlives a reset") &&
                kit.expect_equal(completion.executed_commands, 0U, "the number of commands outlives a reset"));
        }
        static_cast<void>(expect_new(kit, "a queue does not complete after a reset"));
    }
}

void digests_begin_anew(Kit& kit) noexcept {
    if (!kit.offers_digest()) {
        return;
    }
    for (std::uint32_t queue = 0U; queue < kit.queues(); ++queue) {
        std::uint64_t first = 0U;
        for (std::uint32_t time = 0U; time < 2U; ++time) {
            Completion completion;
            if (!kit.start()) {
                return;
            }
            kit.set_token(50U);
            static_cast<void>(kit.enqueue(queue, event_command(QueueCommandKind::kRecordEvent, 0U, 1U)));
            if (!kit.expect_ok(kit.complete(queue, completion), "a record does not complete") ||
                !kit.expect((time == 0U) || (completion.digest == first), "the digest outlives a reset") ||
                !kit.expect_equal(completion.digest, kit.digest(queue), "the digest does not begin with 0")) {
                return;
            }
            first = completion.digest;
        }
    }
}

// Every queue has a lot to do when the reset comes, sooner or later. Afterwards nothing moves.
void load_is_stopped(Kit& kit) noexcept {
    constexpr std::uint32_t kCommands = 24U;
    for (std::uint32_t delay = 0U; delay < 6U; ++delay) {
        if (!prepare(kit)) {
            return;
        }
        static_cast<void>(kit.device().bind_destination(0U, kit.destination()));
        for (std::uint32_t queue = 0U; queue < kit.queues(); ++queue) {
            const std::uint32_t address = kit.base() + (queue * (kMemoryBytes / kMaxQueues));
            for (std::uint32_t i = 0U; i < kCommands; ++i) {
                static_cast<void>(
                    kit.enqueue(queue, transfer(QueueCommandKind::kWrite, address, kMemoryBytes / kMaxQueues, 1U)));
            }
            static_cast<void>(kit.enqueue(queue, transfer(QueueCommandKind::kRead, address, kBytes, 0U)));
            static_cast<void>(kit.notify(queue));
        }
        const std::uint32_t token = kit.token();
        for (std::uint32_t queue = 0U; queue < kit.queues(); ++queue) {
            static_cast<void>(kit.expect_ok(kit.doorbell(queue), "ring_doorbell() is not kOk"));
        }
        for (std::uint32_t i = 0U; i < delay; ++i) {
            static_cast<void>(kit.device().service());
        }
        if (!kit.reset() || !kit.program(kit.memory_region())) {
            return;
        }
        // From here on the memory is this core's: what the device still does would show in it.
        const std::uint32_t last = kit.queues() - 1U;
        if (!kit.fill_range({kit.base(), kMemoryBytes}, kBefore)) {
            return;
        }
        kit.clear_destination();
        Completion completion;
        for (std::uint32_t queue = 0U; queue < kit.queues(); ++queue) {
            static_cast<void>(kit.doorbell(queue));
        }
        kit.be_quiet();
        static_cast<void>(kit.expect_range({kit.base(), kMemoryBytes}, kBefore, "a queue goes on after a reset"));
        for (std::uint32_t i = 0U; i < kBytes; ++i) {
            static_cast<void>(kit.expect_equal(kit.destination()[i], 0U, "a queue goes on after a reset"));
        }
        static_cast<void>(kit.expect_status(kit.device().completion(last, token, completion), Status::kPending,
                                            "a notification from before the reset completes after it"));
        static_cast<void>(expect_new(kit, "a queue does not complete after a reset under load"));
    }
}

constexpr std::array<Check, 9U> kChecks{{
    {"PORT-RESET-REGIONS", "a reset forgets regions", nullptr, regions_are_forgotten},
    {"PORT-RESET-BINDINGS", "a reset forgets bound memory", nullptr, bindings_are_forgotten},
    {"PORT-RESET-RINGS", "a reset empties the rings", nullptr, rings_are_emptied},
    {"PORT-RESET-MEMORY", "a reset leaves memory as it is", nullptr, memory_is_kept},
    {"PORT-RESET-FAULTS", "a reset clears faults", nullptr, faults_are_forgotten},
    {"PORT-RESET-EVENTS", "a reset sets the counters of events to 0", nullptr, events_are_forgotten},
    {"PORT-RESET-RECORDS", "a reset forgets completion records, and counts from 0", nullptr, records_are_forgotten},
    {"PORT-RESET-DIGEST", "digests begin with 0 after a reset",
     "nothing but the number of commands shows what was executed", digests_begin_anew},
    {"PORT-RESET-LOAD", "a reset stops every queue, whatever it is at", nullptr, load_is_stopped},
}};

}  // namespace

Span<const Check> reset_checks() noexcept {
    return kChecks;
}

}  // namespace pianola::port
