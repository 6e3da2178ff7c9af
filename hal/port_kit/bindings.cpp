// Host memory that queue commands may name.
#include <cstring>

#include "hal/port_kit/conformance.h"

namespace pianola::port {
namespace {

constexpr std::uint32_t kSlotBytes = 32U;
static_assert((kDestinationSlots * kSlotBytes) <= kBufferBytes);
// Sources may overlap: no two of them hold the same.
constexpr std::uint32_t kRoomForEach = (kBufferBytes - kSlotBytes) / (kSourceSlots - 1U);
constexpr std::uint32_t kSourceStride = (kRoomForEach < kSlotBytes) ? kRoomForEach : kSlotBytes;
constexpr std::uint32_t kAtOnce = 8U;  // transfers, for which every ring has room

[[nodiscard]] ByteSpan source_of(Kit& kit, std::uint32_t slot) noexcept {
    return kit.source().subspan(std::size_t{slot} * kSourceStride, kSlotBytes);
}
[[nodiscard]] MutableByteSpan destination_of(Kit& kit, std::uint32_t slot) noexcept {
    return kit.destination().subspan(std::size_t{slot} * kSlotBytes, kSlotBytes);
}

bool bind_all(Kit& kit) noexcept {
    bool is_bound = true;
    for (std::uint32_t slot = 0U; slot < kSourceSlots; ++slot) {
        is_bound =
            kit.expect_ok(kit.device().bind_source(slot, source_of(kit, slot)), "bind_source() refuses memory") &&
            is_bound;
    }
    for (std::uint32_t slot = 0U; slot < kDestinationSlots; ++slot) {
        is_bound = kit.expect_ok(kit.device().bind_destination(slot, destination_of(kit, slot)),
                                 "bind_destination() refuses memory") &&
                   is_bound;
    }
    return is_bound;
}

void bindings_are_reported(Kit& kit) noexcept {
    constexpr std::uint32_t kLooks = 8U;  // for a driver that errs now and then
    if (!kit.start()) {
        return;
    }
    for (std::uint32_t slot = 0U; slot < kSourceSlots; ++slot) {
        static_cast<void>(kit.expect(kit.device().bound_source(slot).empty(), "a source is bound after a reset", slot));
    }
    for (std::uint32_t slot = 0U; slot < kDestinationSlots; ++slot) {
        static_cast<void>(
            kit.expect(kit.device().bound_destination(slot).empty(), "a destination is bound after a reset", slot));
    }
    if (!bind_all(kit)) {
        return;
    }
    for (std::uint32_t look = 0U; look < (kLooks * kSourceSlots); ++look) {
        const std::uint32_t slot = look % kSourceSlots;
        static_cast<void>(kit.expect(is_same(kit.device().bound_source(slot), source_of(kit, slot)),
                                     "bound_source() is not what was bound", slot));
    }
    for (std::uint32_t look = 0U; look < (kLooks * kDestinationSlots); ++look) {
        const std::uint32_t slot = look % kDestinationSlots;
        static_cast<void>(kit.expect(is_same(kit.device().bound_destination(slot), destination_of(kit, slot)),
                                     "bound_destination() is not what was bound", slot));
    }
    static_cast<void>(kit.expect_ok(kit.device().bind_source(1U, ByteSpan{}), "a slot cannot be unbound"));
    static_cast<void>(kit.expect_ok(kit.device().bind_destination(1U, MutableByteSpan{}), "a slot cannot be unbound"));
    static_cast<void>(kit.expect(kit.device().bound_source(1U).empty() && kit.device().bound_destination(1U).empty(),
                                 "a slot that was unbound is still bound"));
    static_cast<void>(kit.expect(is_same(kit.device().bound_source(2U), source_of(kit, 2U)) &&
                                     is_same(kit.device().bound_destination(0U), destination_of(kit, 0U)),
                                 "unbinding a slot unbinds another one"));
    for (const std::uint32_t beyond : list_of(0U, 1U, UINT32_MAX - kSourceSlots)) {
        const std::uint32_t source = kSourceSlots + beyond;
        const std::uint32_t destination = kDestinationSlots + beyond;
        static_cast<void>(kit.expect_status(kit.device().bind_source(source, source_of(kit, 0U)),
                                            Status::kInvalidArgument, "bind_source() takes a slot that is not there"));
        static_cast<void>(kit.expect_status(kit.device().bind_destination(destination, destination_of(kit, 0U)),
                                            Status::kInvalidArgument,
                                            "bind_destination() takes a slot that is not there"));
        static_cast<void>(
            kit.expect(kit.device().bound_source(source).empty() && kit.device().bound_destination(destination).empty(),
                       "a slot that is not there is bound"));
    }
}

void slots_are_apart(Kit& kit) noexcept {
    if (!kit.start() || !bind_all(kit)) {
        return;
    }
    for (std::uint32_t slot = 0U; slot < kSourceSlots; ++slot) {
        static_cast<void>(
            kit.enqueue(0U, transfer(QueueCommandKind::kWrite, kit.base() + (slot * kSlotBytes), kSlotBytes, slot)));
        const bool is_last = (((slot + 1U) % kAtOnce) == 0U) || ((slot + 1U) == kSourceSlots);
        if (is_last && !kit.expect_completes(0U, "writes do not complete")) {
            return;
        }
    }
    // The source in slot i is in memory at place i: from there to the destinations, in the other order.
    for (std::uint32_t slot = 0U; slot < kDestinationSlots; ++slot) {
        const std::uint32_t place = (kDestinationSlots - 1U) - slot;
        static_cast<void>(
            kit.enqueue(0U, transfer(QueueCommandKind::kRead, kit.base() + (place * kSlotBytes), kSlotBytes, slot)));
        const bool is_last = (((slot + 1U) % kAtOnce) == 0U) || ((slot + 1U) == kDestinationSlots);
        if (is_last && !kit.expect_completes(0U, "reads do not complete")) {
            return;
        }
    }
    for (std::uint32_t i = 0U; i < (kSourceSlots * kSlotBytes); ++i) {
        std::uint8_t byte = 0U;
        static_cast<void>(kit.peek(kit.base() + i, MutableByteSpan{&byte, 1U}) &&
                          kit.expect_equal(byte, source_of(kit, i / kSlotBytes)[i % kSlotBytes],
                                           "a write takes the memory of another source slot"));
    }
    for (std::uint32_t slot = 0U; slot < kDestinationSlots; ++slot) {
        static_cast<void>(kit.device().bind_destination(slot, MutableByteSpan{}));
        const ByteSpan source = source_of(kit, (kDestinationSlots - 1U) - slot);
        static_cast<void>(kit.expect(std::memcmp(source.data(), destination_of(kit, slot).data(), kSlotBytes) == 0,
                                     "a read gives to the memory of another destination slot", slot));
    }
}

// One transfer that must not be: a fault, and nothing changes on either side.
bool expect_no_transfer(Kit& kit, const QueueCommand& command, const char* what) noexcept {
    const Fill fill{2U};
    static_cast<void>(kit.enqueue(0U, command));
    bool is_refused = kit.expect_fault(0U, DeviceFault::kHostMemory, what) &&
                      kit.expect_range({kit.base(), kSampleBytes}, fill, "a transfer that is refused writes memory");
    for (std::uint32_t i = 0U; i < kSampleBytes; ++i) {
        is_refused = kit.expect_equal(kit.destination()[i], 0U, "a transfer that is refused gives bytes") && is_refused;
    }
    return is_refused;
}

bool prepare(Kit& kit) noexcept {
    const bool is_ready = kit.start() && kit.fill_range({kit.base(), kSampleBytes}, Fill{2U});
    kit.fill_source(3U);
    return is_ready && kit.expect_ok(kit.device().bind_source(0U, ByteSpan{}), "a slot cannot be unbound");
}

void unbound_is_a_fault(Kit& kit) noexcept {
    for (const QueueCommandKind kind : {QueueCommandKind::kWrite, QueueCommandKind::kRead}) {
        for (const std::uint32_t slot : list_of(0U, 3U, kDestinationSlots - 1U)) {
            if (!prepare(kit) || !expect_no_transfer(kit, transfer(kind, kit.base(), kSlotBytes, slot),
                                                     "a transfer with a slot that was never bound")) {
                return;
            }
        }
    }
}

void released_is_a_fault(Kit& kit) noexcept {
    for (const QueueCommandKind kind : {QueueCommandKind::kWrite, QueueCommandKind::kRead}) {
        if (!prepare(kit) || !bind_all(kit)) {
            return;
        }
        const bool is_write = kind == QueueCommandKind::kWrite;
        const QueueCommand command = transfer(kind, kit.base(), kSlotBytes, 3U);
        static_cast<void>(kit.enqueue(0U, command));
        if (!kit.expect_completes(0U, "a transfer does not complete")) {
            return;
        }
        static_cast<void>(
            kit.expect_ok(is_write ? kit.device().bind_source(3U, ByteSpan{})
                                   : kit.device().bind_destination(3U, MutableByteSpan{}),
                          "a slot cannot be unbound") &&
            kit.expect((is_write ? kit.device().bound_source(3U) : kit.device().bound_destination(3U)).empty(),
                       "a slot that was unbound is still bound"));
        kit.clear_destination();
        kit.fill_source(9U);
        static_cast<void>(kit.enqueue(0U, command));
        static_cast<void>(
            kit.expect_fault(0U, DeviceFault::kHostMemory, "a transfer with a slot that is no longer bound"));
        for (std::uint32_t i = 0U; i < kSampleBytes; ++i) {
            static_cast<void>(kit.expect_equal(kit.destination()[i], 0U, "memory that was given back is written"));
        }
    }
}

void bound_memory_has_an_end(Kit& kit) noexcept {
    struct Case {
        std::uint32_t offset;
        std::uint32_t bytes;
    };
    constexpr std::array<Case, 6U> kCases{{{0U, kSlotBytes + 1U},
                                           {1U, kSlotBytes},
                                           {kSlotBytes, 1U},
                                           {kSlotBytes - 1U, 2U},
                                           {UINT32_MAX, 2U},
                                           {UINT32_MAX - 7U, 16U}}};
    for (const QueueCommandKind kind : {QueueCommandKind::kWrite, QueueCommandKind::kRead}) {
        for (const Case& tried : kCases) {
            if (!prepare(kit) || !bind_all(kit) ||
                !expect_no_transfer(kit, transfer(kind, kit.base(), tried.bytes, 1U, tried.offset),
                                    "a transfer beyond the end of bound memory")) {
                return;
            }
        }
    }
}

void bound_anew_is_the_new_one(Kit& kit) noexcept {
    if (!prepare(kit) || !bind_all(kit)) {
        return;
    }
    const MutableByteSpan second = kit.destination().subspan(2048U, kSlotBytes);
    static_cast<void>(kit.expect_ok(kit.device().bind_destination(0U, second), "a slot cannot be bound anew"));
    static_cast<void>(kit.expect_ok(kit.device().bind_source(0U, kit.source().subspan(2048U, kSlotBytes)),
                                    "a slot cannot be bound anew"));
    static_cast<void>(kit.enqueue(0U, transfer(QueueCommandKind::kWrite, kit.base(), kSlotBytes, 0U)));
    static_cast<void>(kit.enqueue(0U, transfer(QueueCommandKind::kRead, kit.base(), kSlotBytes, 0U)));
    if (!kit.expect_completes(0U, "transfers do not complete")) {
        return;
    }
    static_cast<void>(kit.device().bind_destination(0U, MutableByteSpan{}));
    for (std::uint32_t i = 0U; i < kSlotBytes; ++i) {
        static_cast<void>(kit.expect_equal(second[i], kit.source()[2048U + i], "a slot bound anew is not used"));
        static_cast<void>(kit.expect_equal(kit.destination()[i], 0U, "memory that was bound before is written"));
    }
}

// bound_source() and bound_destination() answer for the device, not for the driver.
void bindings_are_the_devices(Kit& kit) noexcept {
    const auto damage = kit.port().damage;
    if ((damage == nullptr) || !kit.start() || !bind_all(kit)) {
        kit.not_offered("the kit cannot damage a binding");
        return;
    }
    if (!damage(kit.port().context, Damage::kSource, 1U) || !damage(kit.port().context, Damage::kDestination, 1U)) {
        kit.not_offered("the kit cannot damage a binding");
        return;
    }
    static_cast<void>(kit.expect(!is_same(kit.device().bound_source(1U), source_of(kit, 1U)),
                                 "bound_source() says what was bound, not what the device holds"));
    static_cast<void>(kit.expect(!is_same(kit.device().bound_destination(1U), destination_of(kit, 1U)),
                                 "bound_destination() says what was bound, not what the device holds"));
}

constexpr std::array<Check, 7U> kChecks{{
    {"PORT-BIND-REPORT", "bound_source() and bound_destination() say what is bound", nullptr, bindings_are_reported},
    {"PORT-BIND-SLOTS", "every slot has memory of its own", nullptr, slots_are_apart},
    {"PORT-BIND-UNBOUND", "a transfer with a slot without memory is a fault, and moves nothing", nullptr,
     unbound_is_a_fault},
    {"PORT-BIND-RELEASED", "memory that was unbound is not touched any more", nullptr, released_is_a_fault},
    {"PORT-BIND-EXTENT", "a transfer beyond the end of bound memory is a fault, and moves nothing", nullptr,
     bound_memory_has_an_end},
    {"PORT-BIND-ANEW", "a slot that is bound anew is its new memory alone", nullptr, bound_anew_is_the_new_one},
    {"PORT-BIND-HONEST", "a binding that the device has lost is not reported as there",
     "the registers that hold bindings correct themselves, or are compared by other means", bindings_are_the_devices},
}};

}  // namespace

Span<const Check> binding_checks() noexcept {
    return kChecks;
}

}  // namespace pianola::port
