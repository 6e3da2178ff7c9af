// Device memory as this core sees it: read_back(), patch_word(), host_view().
#include <cstring>

#include "hal/port_kit/conformance.h"

namespace pianola::port {
namespace {

constexpr std::uint32_t kWindow = 1024U;
constexpr std::uint32_t kViewBytes = 256U;

// Calls `look` with addresses of a few bytes that do not lie wholly inside one of the device's memories.
template <typename Look>
void for_each_outside(Kit& kit, const Look& look) noexcept {
    constexpr std::uint32_t kBytes = 8U;
    const DeviceDescription& device = kit.description();
    const std::array<Range, 2U> memories{Range{device.dram_base, device.dram_bytes},
                                         Range{device.l1_base, device.l1_bytes}};
    const auto is_inside = [&memories](std::uint32_t address, std::uint32_t bytes) {
        bool inside = false;
        for (const Range& memory : memories) {
            const std::uint32_t offset = address - memory.base;
            inside = inside || ((offset < memory.size_bytes) && (bytes <= (memory.size_bytes - offset)));
        }
        return inside;
    };
    for (const Range& memory : memories) {
        if (memory.size_bytes == 0U) {
            continue;
        }
        const std::uint32_t end = memory.base + memory.size_bytes;
        for (const std::uint32_t address : list_of(memory.base - kBytes, memory.base - 4U, memory.base - 1U, end - 7U,
                                                   end - 4U, end - 1U, end, end + 4U, end + memory.size_bytes)) {
            if (!is_inside(address, kBytes)) {
                look(address, kBytes);
            }
        }
    }
    for (const std::uint32_t address : list_of(0U, UINT32_MAX, UINT32_MAX - 3U, UINT32_MAX - kBytes + 1U)) {
        if (!is_inside(address, kBytes)) {
            look(address, kBytes);
        }
    }
}

void read_back_refuses_what_is_outside(Kit& kit) noexcept {
    if (!kit.start()) {
        return;
    }
    for_each_outside(kit, [&kit](std::uint32_t address, std::uint32_t bytes) {
        static_cast<void>(kit.expect_equal(
            static_cast<std::uint32_t>(kit.device().read_back(address, kit.destination().subspan(0U, bytes))),
            static_cast<std::uint32_t>(Status::kInvalidArgument),
            "read_back() does not refuse what is outside of memory"));
    });
    const DeviceDescription& device = kit.description();
    for (const Range& memory : {Range{device.dram_base, device.dram_bytes}, Range{device.l1_base, device.l1_bytes}}) {
        if (memory.size_bytes != 0U) {
            static_cast<void>(kit.peek(memory.base, kit.destination().subspan(0U, 1U)) &&
                              kit.peek(memory.base + (memory.size_bytes - 1U), kit.destination().subspan(0U, 1U)));
        }
    }
}

void read_back_is_exact(Kit& kit) noexcept {
    constexpr std::uint8_t kUntouched = 0x33U;
    constexpr std::uint32_t kFirst = 16U;
    const Fill fill{5U};
    if (!kit.start() || !kit.fill_range({kit.base(), kWindow}, fill)) {
        return;
    }
    for (std::uint32_t start = 0U; start < 5U; ++start) {
        for (const std::uint32_t bytes : list_of(1U, 2U, 3U, 4U, 5U, 8U, 63U, 64U, 65U, 500U)) {
            std::memset(kit.destination().data(), kUntouched, kWindow);
            if (!kit.peek(kit.base() + start, kit.destination().subspan(kFirst, bytes))) {
                return;
            }
            for (std::uint32_t i = 0U; i < kWindow; ++i) {
                const std::uint32_t at = i - kFirst;
                static_cast<void>(kit.expect_equal(kit.destination()[i],
                                                   (at < bytes) ? fill.at(kit.base() + start + at) : kUntouched,
                                                   "read_back() gives other bytes, or too many"));
            }
        }
    }
    static_cast<void>(kit.expect_range({kit.base(), kWindow}, fill, "read_back() changes memory"));
}

// The word of a sample's first command that holds an address; 0 where there is none.
std::uint32_t address_word(Kit& kit, const Trace& trace) noexcept {
    Decoder decoder{kit.command_set()};
    DecodedCommand command;
    DecodeError error;
    if (!is_ok(decoder.walk(trace.view(), command, error))) {
        return 0U;
    }
    const WordSpan exact = trace.view().subspan(0U, command.length_words);
    for (std::uint32_t word = 0U; word < command.length_words; ++word) {
        if (kit.command_set().patch_kind(exact, word) == PatchKind::kAddress) {
            return word;
        }
    }
    return 0U;
}

// A replay of the patched trace touches what decode() says of it, and no longer what the old one did.
void patches_are_executed(Kit& kit) noexcept {
    constexpr std::uint32_t kBy = 2048U;
    std::uint32_t patched = 0U;
    const Fill fill{6U};
    for (std::uint32_t i = 0U; kit.sample(i, kit.base(), kit.trace()); ++i) {
        const std::uint32_t word = address_word(kit, kit.trace());
        if (word == 0U) {
            continue;
        }
        patched += 1U;
        if (!kit.fill(fill) || !kit.place(kit.trace())) {
            return;
        }
        for (std::uint32_t round = 0U; round < 2U; ++round) {
            static_cast<void>(kit.expect_ok(kit.enqueue_replay(0U, kit.trace()), "enqueue() refuses a replay"));
            if (!kit.expect_completes(0U, "a patched trace does not complete") ||
                !kit.expect_only_written(kit.trace(), fill, "a patched trace writes elsewhere") ||
                !kit.fill_range({kit.base(), 2U * kBy}, fill)) {
                return;
            }
            kit.trace().words[word] += kBy;
            if (!kit.study(kit.trace()) ||
                !kit.expect_ok(kit.device().patch_word(kit.trace_base() + (word * kWordBytes), kit.trace().words[word]),
                               "patch_word() refuses a word of a trace")) {
                return;
            }
        }
    }
    if (patched == 0U) {
        kit.not_offered("no address of a sample may be patched");
    }
}

void patches_are_exact(Kit& kit) noexcept {
    constexpr std::uint32_t kBytes = 256U;
    const Range range{kit.trace_base(), kBytes};
    const Fill fill{7U};
    for (const std::uint32_t at : list_of(0U, kWordBytes, kBytes - kWordBytes)) {
        constexpr std::uint32_t kWord = 0xA1B2'C3D4U;
        if (!kit.fill(fill) || !kit.fill_range(range, fill) ||
            !kit.expect_ok(kit.device().patch_word(range.base + at, kWord), "patch_word() refuses a word") ||
            !kit.peek(range.base + at, kit.destination().subspan(0U, kWordBytes))) {
            return;
        }
        static_cast<void>(kit.expect(std::memcmp(kit.destination().data(), &kWord, kWordBytes) == 0,
                                     "read_back() does not give the patched word", at));
        static_cast<void>(
            kit.expect_range({range.base, at}, fill, "patch_word() changes bytes before its word") &&
            kit.expect_range({range.base + at + kWordBytes, kBytes - (at + kWordBytes)}, fill,
                             "patch_word() changes bytes after its word") &&
            kit.expect_range(kit.port().memory, fill, "patch_word() changes memory outside of the traces"));
    }
    // Every word of the range, each with a different value: finds a driver that fails only sometimes.
    for (std::uint32_t at = 0U; at < kBytes; at += kWordBytes) {
        static_cast<void>(kit.expect_ok(kit.device().patch_word(range.base + at, ~at), "patch_word() refuses a word"));
    }
    for (std::uint32_t at = 0U; at < kBytes; at += kWordBytes) {
        std::uint32_t word = 0U;
        if (!kit.peek(range.base + at, kit.destination().subspan(0U, kWordBytes))) {
            return;
        }
        std::memcpy(&word, kit.destination().data(), sizeof(word));
        static_cast<void>(kit.expect_equal(word, ~at, "read_back() does not give the patched word"));
    }
    const std::uint32_t last = kit.description().trace_region_bytes - kWordBytes;
    static_cast<void>(kit.expect_ok(kit.device().patch_word(kit.trace_base() + last, 1U),
                                    "patch_word() refuses the last word of the trace region"));
}

void patch_refuses_what_is_outside(Kit& kit) noexcept {
    const Fill fill{8U};
    if (!kit.fill(fill)) {
        return;
    }
    const auto refuses = [&kit](std::uint32_t address) {
        static_cast<void>(kit.expect_status(kit.device().patch_word(address, 0U), Status::kInvalidArgument,
                                            "patch_word() does not refuse what is no word of the trace region"));
    };
    const std::uint32_t first = kit.trace_base();
    const std::uint32_t last = first + (kit.description().trace_region_bytes - kWordBytes);
    for (const std::uint32_t address :
         list_of(first - kWordBytes, first - 1U, first + 1U, first + 2U, first + 3U, last + 1U, last + 2U, last + 3U,
                 last + kWordBytes, kit.base(), kit.description().dram_base)) {
        refuses(address);
    }
    for_each_outside(kit, [&refuses, last](std::uint32_t address, std::uint32_t /*bytes*/) {
        if (address != last) {  // of eight bytes from there on only half lie in the region
            refuses(address);
        }
    });
    static_cast<void>(kit.expect_range(kit.port().memory, fill, "a patch that was refused changes memory"));
}

void views_show_memory(Kit& kit) noexcept {
    const Fill fill{9U};
    if (!kit.start() || !kit.fill_range({kit.base(), kWindow}, fill)) {
        return;
    }
    const std::uint32_t address = kit.base() + kViewBytes;
    const MutableByteSpan view = kit.device().host_view(address, kViewBytes);
    if (view.empty()) {
        kit.not_offered("there are no views");
        return;
    }
    if (!kit.expect_equal(view.size(), kViewBytes, "a view has another size than was asked for")) {
        return;
    }
    kit.device().take_from_device(view);
    for (std::uint32_t i = 0U; i < kViewBytes; ++i) {
        static_cast<void>(
            kit.expect_equal(view[i], fill.at(address + i), "a view does not show what the device has written"));
        view[i] = pattern(30U, i);
    }
    kit.device().give_to_device(view);
    static_cast<void>(kit.device().bind_destination(0U, kit.destination()));
    static_cast<void>(kit.enqueue(0U, transfer(QueueCommandKind::kRead, address, kViewBytes, 0U)));
    if (!kit.expect_completes(0U, "a read does not complete")) {
        return;
    }
    static_cast<void>(kit.device().bind_destination(0U, MutableByteSpan{}));
    for (std::uint32_t i = 0U; i < kViewBytes; ++i) {
        static_cast<void>(kit.expect_equal(kit.destination()[i], pattern(30U, i),
                                           "the device does not see what was written to a view"));
    }
    static_cast<void>(kit.expect_range({kit.base(), kViewBytes}, fill, "a view changes bytes before it") &&
                      kit.expect_range({address + kViewBytes, kViewBytes}, fill, "a view changes bytes after it"));
    // The same memory, asked for in other ways.
    for (std::uint32_t at = 0U; at < (kViewBytes - 7U); ++at) {
        const MutableByteSpan inner = kit.device().host_view(address + at, 7U);
        static_cast<void>(kit.expect(inner.empty() || ((inner.size() == 7U) && (inner[0] == pattern(30U, at)) &&
                                                       (inner[6] == pattern(30U, at + 6U))),
                                     "a view of a part shows something else", at));
    }
}

// Commands and views, turn by turn: what a missing maintenance of a view would leave behind.
void views_change_hands(Kit& kit) noexcept {
    constexpr std::uint32_t kTimes = 4U;
    if (!kit.start()) {
        return;
    }
    const MutableByteSpan view = kit.device().host_view(kit.base(), kViewBytes);
    if (view.empty()) {
        kit.not_offered("there are no views");
        return;
    }
    for (std::uint32_t time = 0U; time < kTimes; ++time) {
        for (std::uint32_t i = 0U; i < view.size(); ++i) {
            view[i] = pattern(40U + time, i);
        }
        kit.device().give_to_device(view);
        kit.fill_source(50U + time);
        static_cast<void>(kit.device().bind_source(0U, kit.source()));
        static_cast<void>(kit.enqueue(0U, transfer(QueueCommandKind::kWrite, kit.base(), kViewBytes / 2U, 0U)));
        if (!kit.expect_completes(0U, "a write does not complete")) {
            return;
        }
        kit.device().take_from_device(view);
        for (std::uint32_t i = 0U; i < view.size(); ++i) {
            const std::uint32_t seed = time + ((i < (kViewBytes / 2U)) ? 50U : 40U);
            static_cast<void>(kit.expect_equal(view[i], pattern(seed, i), "a view that came back shows old bytes"));
        }
    }
}

// One that is taken back while this core has written beside it: a session compares weights next to an input, for one.
// Lines that a cache drops as a whole would take those bytes with them.
void views_have_edges(Kit& kit) noexcept {
    constexpr std::uint32_t kAll = 4U * kViewBytes;
    if (!kit.start() || !kit.fill_range({kit.base(), kAll}, Fill{11U})) {
        return;
    }
    const MutableByteSpan all = kit.device().host_view(kit.base(), kAll);
    if (all.empty()) {
        kit.not_offered("there are no views");
        return;
    }
    kit.device().take_from_device(all);
    for (const std::uint32_t first : list_of(1U, 31U, 64U, 97U)) {
        for (const std::uint32_t bytes : list_of(1U, 30U, 33U, 64U)) {
            const std::uint32_t seed = 60U + first + bytes;
            const auto is_beside = [first, bytes](std::uint32_t i) { return (i < first) || (i >= (first + bytes)); };
            for (std::uint32_t i = 0U; i < all.size(); ++i) {
                all[i] = is_beside(i) ? pattern(seed, i) : all[i];
            }
            kit.device().take_from_device(all.subspan(first, bytes));
            for (std::uint32_t i = 0U; i < all.size(); ++i) {
                static_cast<void>(kit.expect(!is_beside(i) || (all[i] == pattern(seed, i)),
                                             "bytes beside a view that came back are lost", i));
            }
        }
    }
    kit.device().give_to_device(all);
}

void views_end_with_memory(Kit& kit) noexcept {
    for_each_outside(kit, [&kit](std::uint32_t address, std::uint32_t bytes) {
        static_cast<void>(kit.expect(kit.device().host_view(address, bytes).empty(),
                                     "host_view() shows what is outside of memory", address));
    });
    const DeviceDescription& device = kit.description();
    static_cast<void>(kit.expect(kit.device().host_view(device.dram_base, device.dram_bytes + 1U).empty(),
                                 "host_view() shows more than memory has", device.dram_base));
    static_cast<void>(kit.expect(kit.device().host_view(kit.base(), UINT32_MAX).empty(),
                                 "host_view() shows more than memory has", kit.base()));
}

constexpr std::array<Check, 9U> kChecks{{
    {"PORT-READBACK-RANGE", "read_back() reaches all memory, and refuses what is outside", nullptr,
     read_back_refuses_what_is_outside},
    {"PORT-READBACK-EXACT", "read_back() gives the bytes that it is asked for, and changes none", nullptr,
     read_back_is_exact},
    {"PORT-PATCH-EFFECT", "a patched word is what the device executes from the next doorbell on",
     "binaries for this port declare no parameters", patches_are_executed},
    {"PORT-PATCH-EXACT", "patch_word() changes one word of the trace region",
     "binaries for this port declare no parameters", patches_are_exact},
    {"PORT-PATCH-RANGE", "patch_word() refuses what is no word of the trace region",
     "binaries for this port declare no parameters", patch_refuses_what_is_outside},
    {"PORT-VIEW-SAME", "a view is the device's memory, in both directions", "tensors go by transfers only",
     views_show_memory},
    {"PORT-VIEW-HANDS", "a view that has changed hands shows what the other side has written",
     "tensors go by transfers only", views_change_hands},
    {"PORT-VIEW-EDGES", "a view may begin and end inside of a cache line",
     "buffers and regions of binaries for this port begin and end with cache lines", views_have_edges},
    {"PORT-VIEW-RANGE", "host_view() is empty for what is outside of memory", nullptr, views_end_with_memory},
}};

}  // namespace

Span<const Check> memory_checks() noexcept {
    return kChecks;
}

}  // namespace pianola::port
