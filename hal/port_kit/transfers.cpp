// Transfers between host memory and device memory: exactly the bytes that were asked for, through any cache.
#include <cstring>

#include "hal/port_kit/conformance.h"

namespace pianola::port {
namespace {

constexpr std::uint32_t kWindow = 1024U;
constexpr std::array<std::uint32_t, 18U> kSizes{1U,  2U,  3U,  4U,  5U,  7U,  8U,  9U,   15U,
                                                16U, 17U, 31U, 33U, 63U, 64U, 65U, 127U, 1000U};
constexpr std::array<std::uint32_t, 4U> kOffsets{0U, 1U, 3U, 64U};

void writes_are_exact(Kit& kit) noexcept {
    const Fill fill{1U};
    for (const std::uint32_t bytes : kSizes) {
        for (const std::uint32_t offset : kOffsets) {
            const std::uint32_t address = kit.base() + kWindow + (offset * 3U);
            if (!kit.start() || !kit.fill_range({kit.base(), 4U * kWindow}, fill)) {
                return;
            }
            kit.fill_source(2U);
            // Memory that ends with the last byte, so that one more would not be there.
            static_cast<void>(kit.expect_ok(kit.device().bind_source(1U, kit.source().subspan(0U, offset + bytes)),
                                            "bind_source() refuses memory"));
            static_cast<void>(kit.enqueue(0U, transfer(QueueCommandKind::kWrite, address, bytes, 1U, offset)));
            if (!kit.expect_completes(0U, "a write does not complete") ||
                !kit.peek(address, kit.destination().subspan(0U, bytes)) ||
                !kit.expect(std::memcmp(kit.destination().data(), &kit.source()[offset], bytes) == 0,
                            "a write leaves out bytes, or takes others", bytes, offset) ||
                !kit.expect_range({kit.base(), address - kit.base()}, fill, "a write changes bytes before its place") ||
                !kit.expect_range({address + bytes, kWindow}, fill, "a write changes bytes after its place")) {
                return;
            }
        }
    }
}

void reads_are_exact(Kit& kit) noexcept {
    constexpr std::uint8_t kUntouched = 0x77U;
    const Fill fill{3U};
    if (!kit.start() || !kit.fill_range({kit.base(), 4U * kWindow}, fill)) {
        return;
    }
    for (const std::uint32_t bytes : kSizes) {
        for (const std::uint32_t offset : kOffsets) {
            const std::uint32_t address = kit.base() + kWindow + (offset * 3U);
            const MutableByteSpan all = kit.destination();
            std::memset(all.data(), kUntouched, all.size());
            const std::uint32_t first = kFileAlignmentBytes;  // of the bound memory, in the buffer
            static_cast<void>(kit.expect_ok(kit.device().bind_destination(1U, all.subspan(first, offset + bytes)),
                                            "bind_destination() refuses memory"));
            static_cast<void>(kit.enqueue(0U, transfer(QueueCommandKind::kRead, address, bytes, 1U, offset)));
            static_cast<void>(kit.expect_completes(0U, "a read does not complete"));
            static_cast<void>(
                kit.expect_ok(kit.device().bind_destination(1U, MutableByteSpan{}), "a slot cannot be unbound"));
            for (std::uint32_t i = 0U; i < all.size(); ++i) {
                const std::uint32_t at = i - (first + offset);
                const std::uint8_t wanted = (at < bytes) ? fill.at(address + at) : kUntouched;
                if (!kit.expect(all[i] == wanted,
                                (at < bytes) ? "a read leaves out bytes, or takes others"
                                             : "a read changes bytes outside of its place",
                                bytes, offset)) {
                    return;
                }
            }
        }
    }
}

// The same memory again and again, written by this core in between: what a missing clean or invalidation, or one too
// many, would leave behind.
void caches_are_kept(Kit& kit) noexcept {
    constexpr std::uint32_t kTimes = 6U;
    if (!kit.start()) {
        return;
    }
    for (std::uint32_t time = 0U; time < kTimes; ++time) {
        kit.fill_source(10U + time);
        kit.clear_destination();
        static_cast<void>(kit.expect_ok(kit.device().bind_source(2U, kit.source()), "bind_source() refuses memory"));
        static_cast<void>(
            kit.expect_ok(kit.device().bind_destination(2U, kit.destination()), "bind_destination() refuses memory"));
        static_cast<void>(kit.enqueue(0U, transfer(QueueCommandKind::kWrite, kit.base(), kBufferBytes, 2U)));
        static_cast<void>(kit.enqueue(0U, transfer(QueueCommandKind::kRead, kit.base(), kBufferBytes, 2U)));
        if (!kit.expect_completes(0U, "transfers do not complete")) {
            return;
        }
        static_cast<void>(kit.expect_ok(kit.device().bind_source(2U, ByteSpan{}), "a slot cannot be unbound"));
        static_cast<void>(
            kit.expect_ok(kit.device().bind_destination(2U, MutableByteSpan{}), "a slot cannot be unbound"));
        if (!kit.expect(std::memcmp(kit.source().data(), kit.destination().data(), kBufferBytes) == 0,
                        "after a round trip this core sees other bytes", time)) {
            return;
        }
        // What this core writes from now on is its own: no maintenance may undo it.
        std::memset(kit.destination().data(), static_cast<int>(time), kBufferBytes);
        kit.fill_source(20U + time);
        kit.be_quiet();
        static_cast<void>(kit.reset() && kit.program(kit.memory_region()) && kit.program(kit.trace_region()));
        for (std::uint32_t i = 0U; i < kBufferBytes; ++i) {
            if (!kit.expect((kit.destination()[i] == time) && (kit.source()[i] == pattern(20U + time, i)),
                            "memory that was given back is changed", i)) {
                return;
            }
        }
    }
}

// Memory of the application that begins and ends inside of a cache line.
void neighbours_are_kept(Kit& kit) noexcept {
    constexpr std::uint32_t kFirst = 67U;
    constexpr std::uint32_t kBytes = 131U;
    constexpr std::uint8_t kNeighbour = 0x5AU;
    const Fill fill{4U};
    if (!kit.start() || !kit.fill_range({kit.base(), kWindow}, fill)) {
        return;
    }
    const MutableByteSpan all = kit.destination();
    std::memset(all.data(), kNeighbour, all.size());
    static_cast<void>(kit.expect_ok(kit.device().bind_destination(0U, all.subspan(kFirst, kBytes)),
                                    "bind_destination() refuses memory that is not aligned"));
    static_cast<void>(kit.enqueue(0U, transfer(QueueCommandKind::kRead, kit.base(), kBytes, 0U)));
    static_cast<void>(kit.expect_completes(0U, "a read does not complete"));
    static_cast<void>(kit.device().bind_destination(0U, MutableByteSpan{}));
    for (std::uint32_t i = 0U; i < kWindow; ++i) {
        const std::uint32_t at = i - kFirst;
        static_cast<void>(kit.expect_equal(all[i], (at < kBytes) ? fill.at(kit.base() + at) : kNeighbour,
                                           "a read into memory that is not aligned is not exact"));
    }
}

constexpr std::array<Check, 4U> kChecks{{
    {"PORT-WRITE-EXACT", "a write moves the bytes that it names, and no other byte changes", nullptr, writes_are_exact},
    {"PORT-READ-EXACT", "a read moves the bytes that it names, and no other byte changes", nullptr, reads_are_exact},
    {"PORT-CACHE-ROUND", "what is bound is seen by the device, and what was bound by this core", nullptr,
     caches_are_kept},
    {"PORT-CACHE-EDGES", "bound memory may begin and end inside of a cache line",
     "inputs and outputs of the application are aligned to, and fill, cache lines", neighbours_are_kept},
}};

}  // namespace

Span<const Check> transfer_checks() noexcept {
    return kChecks;
}

}  // namespace pianola::port
