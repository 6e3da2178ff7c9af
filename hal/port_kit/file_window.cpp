// The file window: what a device that reads weights in the file reads.
//
// Two files are bound, one after the other, and a command of the device reads each: read_back() alone could show the
// file that was bound without a look at the device's mapping, and a comparison with that file would then hold always.
#include <cstring>

#include "hal/port_kit/conformance.h"

namespace pianola::port {
namespace {

constexpr std::uint32_t kFileBytes = kSampleBytes;
constexpr std::uint32_t kAim = 192U;     // of what a command reads, in the window
constexpr std::uint32_t kSlot = 2U;      // of transfers: not that of weights
constexpr std::uint32_t kStage = 2048U;  // of what they move, in the kit's source

// A trace of one command that reads in one place and writes in one, and where.
struct Aimed {
    Trace& trace;
    std::uint32_t word{0U};  // that holds the address
    Extent read{};
    Extent write{};
};

[[nodiscard]] bool has_window(Kit& kit) noexcept {
    const bool is_offered = kit.description().file_bytes >= kFileBytes;
    if (!is_offered) {
        kit.not_offered("the device does not read the file");
    }
    return is_offered;
}

[[nodiscard]] std::uint32_t window(Kit& kit) noexcept {
    return kit.description().file_base;
}
[[nodiscard]] RegionConfig window_region(Kit& kit, std::uint32_t size_bytes = kFileBytes) noexcept {
    return {window(kit), size_bytes, true, false, false, false, false};
}

// The files: parts of the kit's source, with different contents.
[[nodiscard]] ByteSpan file_of(Kit& kit, std::uint32_t number) noexcept {
    return kit.source().subspan(std::size_t{number} * kFileBytes, kFileBytes);
}

// After a reset: the file is bound, and its region programmed, with those of the kit's memory and of traces.
bool start_with(Kit& kit, std::uint32_t file) noexcept {
    kit.fill_source(9U);
    kit.clear_destination();
    return kit.reset() &&
           kit.expect_ok(kit.device().bind_source(kWeightsSlot, file_of(kit, file)), "bind_source() refuses memory") &&
           kit.expect_ok(kit.device().program_region(window_region(kit)),
                         "program_region() refuses a region in the file window") &&
           kit.program(kit.memory_region()) && kit.program(kit.trace_region());
}

bool write(Kit& kit, std::uint32_t address, ByteSpan bytes) noexcept {
    const auto size_bytes = static_cast<std::uint32_t>(bytes.size());
    const MutableByteSpan stage = kit.source().subspan(kStage, size_bytes);
    if (!kit.expect(stage.size() == size_bytes, "a sample is too long for the kit", size_bytes)) {
        return false;
    }
    std::memmove(stage.data(), bytes.data(), size_bytes);
    return kit.expect_ok(kit.device().bind_source(kSlot, stage), "bind_source() refuses memory") &&
           kit.expect_ok(kit.enqueue(0U, transfer(QueueCommandKind::kWrite, address, size_bytes, kSlot)),
                         "enqueue() refuses a write") &&
           kit.expect_completes(0U, "a write does not complete");
}

[[nodiscard]] bool is_simple(const Trace& trace) noexcept {
    bool is_dense = (trace.commands == 2U) && (trace.extent_count == 2U);  // one command, and the end
    for (std::uint32_t i = 0U; is_dense && (i < trace.extent_count); ++i) {
        is_dense = hull_bytes(trace.extents[i]) == trace.extents[i].size_bytes;
    }
    return is_dense && (trace.extents[0].access != trace.extents[1].access);
}

// Finds a sample, and the word of it that holds the address at which it makes the access.
bool find_sample(Kit& kit, Access access, Aimed& aimed) noexcept {
    Trace& trace = aimed.trace;
    for (std::uint32_t i = 0U; kit.sample(i, kit.base(), trace); ++i) {
        if (!is_simple(trace)) {
            continue;
        }
        const std::uint32_t read = (trace.extents[0].access == Access::kRead) ? 0U : 1U;
        aimed.read = trace.extents[read];
        aimed.write = trace.extents[1U - read];
        const Extent& moved = (access == Access::kRead) ? aimed.read : aimed.write;
        for (std::uint32_t word = 0U; word < trace.body_words; ++word) {
            const WordSpan command = trace.view().subspan(0U, trace.body_words);
            if ((trace.words[word] == moved.address) &&
                (kit.command_set().patch_kind(command, word) == PatchKind::kAddress)) {
                aimed.word = word;
                return true;
            }
        }
    }
    kit.not_offered("no sample reads in one place, and has an address that may be patched");
    return false;
}

// Replays the trace with the address, and looks at what it has written.
bool replay(Kit& kit, Aimed& aimed, std::uint32_t address, MutableByteSpan out) noexcept {
    aimed.trace.words[aimed.word] = address;
    const Trace& trace = aimed.trace;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    const ByteSpan words{reinterpret_cast<const std::uint8_t*>(trace.words.data()), trace.size_bytes()};
    return kit.study(aimed.trace) && write(kit, kit.trace_base(), words) &&
           kit.expect_ok(kit.enqueue_replay(0U, trace), "enqueue() refuses a replay") &&
           kit.expect_completes(0U, "a trace that reads the file window does not complete") &&
           kit.peek(aimed.write.address, out);
}

// What the command writes where its operand in memory holds these bytes.
bool refer(Kit& kit, Aimed& aimed, ByteSpan operand, MutableByteSpan out) noexcept {
    return write(kit, aimed.read.address, operand) && replay(kit, aimed, aimed.read.address, out);
}

[[nodiscard]] bool are_equal(ByteSpan one, ByteSpan other) noexcept {
    return (one.size() == other.size()) && (std::memcmp(one.data(), other.data(), one.size()) == 0);
}

// Results of the two files, and a third place.
struct Results {
    explicit Results(Kit& kit, const Aimed& aimed) noexcept
        : each{kit.destination().subspan(0U, aimed.write.size_bytes),
               kit.destination().subspan(kFileBytes, aimed.write.size_bytes)},
          found{kit.destination().subspan(std::size_t{2U} * kFileBytes, aimed.write.size_bytes)} {}

    std::array<MutableByteSpan, 2U> each;
    MutableByteSpan found;
};

// The results that the files would give, which differ.
bool refer_both(Kit& kit, Aimed& aimed, const Results& results) noexcept {
    bool is_done = start_with(kit, 0U);
    for (std::uint32_t file = 0U; is_done && (file < 2U); ++file) {
        is_done = refer(kit, aimed, file_of(kit, file).subspan(kAim, aimed.read.size_bytes), results.each[file]);
    }
    return is_done && kit.expect(!are_equal(results.each[0], results.each[1]), "a sample gives the same of any bytes");
}

void the_bound_file_is_read(Kit& kit) noexcept {
    Aimed aimed{kit.trace()};
    if (!has_window(kit) || !find_sample(kit, Access::kRead, aimed)) {
        return;
    }
    const Results results{kit, aimed};
    for (std::uint32_t file = 0U; file < 2U; ++file) {
        if (!refer_both(kit, aimed, results)) {
            return;
        }
        // The results survive: start_with() clears the destination.
        std::memcpy(kit.kept().data(), results.each[file].data(), results.each[file].size());
        if (!start_with(kit, file)) {
            return;
        }
        static_cast<void>(kit.expect(is_same(kit.device().bound_source(kWeightsSlot), file_of(kit, file)),
                                     "bound_source() is not the file that was bound"));
        const MutableByteSpan seen = kit.destination().subspan(0U, kFileBytes);
        static_cast<void>(kit.peek(window(kit), seen) &&
                          kit.expect(are_equal(seen, file_of(kit, file)), "read_back() shows other bytes of the file"));
        if (!replay(kit, aimed, window(kit) + kAim, results.found)) {
            return;
        }
        static_cast<void>(kit.expect(are_equal(results.found, kit.kept().subspan(0U, results.found.size())),
                                     "a command reads something else than the file that was bound", file));
    }
}

// What is reported is what a command reads, also where the slot was bound to a second file behind the region's back.
void reports_are_of_the_mapping(Kit& kit) noexcept {
    Aimed aimed{kit.trace()};
    if (!has_window(kit) || !find_sample(kit, Access::kRead, aimed)) {
        return;
    }
    const Results results{kit, aimed};
    if (!refer_both(kit, aimed, results)) {
        return;
    }
    std::memcpy(kit.kept().data(), results.each[0].data(), results.each[0].size());
    if (!start_with(kit, 0U) ||
        !kit.expect_ok(kit.device().bind_source(kWeightsSlot, file_of(kit, 1U)), "a slot cannot be bound again") ||
        !replay(kit, aimed, window(kit) + kAim, results.found)) {
        return;
    }
    const std::uint32_t read = are_equal(results.found, kit.kept().subspan(0U, results.found.size())) ? 0U : 1U;
    const ByteSpan bound = kit.device().bound_source(kWeightsSlot);
    static_cast<void>(kit.expect(bound.empty() || is_same(bound, file_of(kit, read)),
                                 "bound_source() is another file than the one that commands read"));
    const MutableByteSpan seen = kit.destination().subspan(0U, kFileBytes);
    static_cast<void>(kit.peek(window(kit), seen) &&
                      kit.expect(are_equal(seen, file_of(kit, read)),
                                 "read_back() shows another file than the one that commands read"));
    const MutableByteSpan view = kit.device().host_view(window(kit), kFileBytes);
    static_cast<void>(kit.expect(view.empty() || are_equal(view, file_of(kit, read)),
                                 "host_view() shows another file than the one that commands read"));
}

// The session's regions there permit nothing else than reads by commands.
void the_window_is_read_only(Kit& kit) noexcept {
    Aimed aimed{kit.trace()};
    if (!has_window(kit) || !find_sample(kit, Access::kWrite, aimed)) {
        return;
    }
    for (std::uint32_t wider = 0U; wider < 3U; ++wider) {
        RegionConfig region = window_region(kit);
        (wider == 0U ? region.kernels_write : (wider == 1U ? region.queues_write : region.fetch)) = true;
        if (!kit.reset()) {
            return;
        }
        static_cast<void>(
            kit.expect_ok(kit.device().bind_source(kWeightsSlot, file_of(kit, 0U)), "bind_source() refuses memory"));
        static_cast<void>(kit.expect_status(kit.device().program_region(region), Status::kCapacity,
                                            "program_region() takes a region in the file window that permits more "
                                            "than reads"));
    }
    const auto expect_unchanged = [&kit] {
        for (std::uint32_t i = 0U; i < kFileBytes; ++i) {
            static_cast<void>(
                kit.expect_equal(file_of(kit, 0U)[i], pattern(9U, i), "a refused write changes the file"));
        }
    };
    if (start_with(kit, 0U)) {
        const MutableByteSpan stage = kit.source().subspan(kStage, kWordBytes);
        static_cast<void>(kit.device().bind_source(kSlot, stage));
        static_cast<void>(kit.enqueue(0U, transfer(QueueCommandKind::kWrite, window(kit), kWordBytes, kSlot)));
        static_cast<void>(kit.expect_fault(0U, DeviceFault::kBus, "a write from the host into the file is no fault"));
        expect_unchanged();
    }
    if (start_with(kit, 0U)) {
        aimed.trace.words[aimed.word] = window(kit);
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
        const ByteSpan words{reinterpret_cast<const std::uint8_t*>(aimed.trace.words.data()), aimed.trace.size_bytes()};
        static_cast<void>(kit.study(aimed.trace) && write(kit, kit.trace_base(), words) &&
                          kit.expect_ok(kit.enqueue_replay(0U, aimed.trace), "enqueue() refuses a replay"));
        static_cast<void>(kit.expect_fault(0U, DeviceFault::kBus, "a command that writes to the file is no fault"));
        expect_unchanged();
    }
}

void the_window_ends_with_the_file(Kit& kit) noexcept {
    Aimed aimed{kit.trace()};
    if (!has_window(kit) || !find_sample(kit, Access::kRead, aimed)) {
        return;
    }
    static_cast<void>(kit.reset());
    static_cast<void>(kit.expect_status(kit.device().program_region(window_region(kit)), Status::kCapacity,
                                        "program_region() takes a region in the file window before a file is bound"));
    static_cast<void>(kit.reset());
    static_cast<void>(
        kit.expect_ok(kit.device().bind_source(kWeightsSlot, file_of(kit, 0U)), "bind_source() refuses memory"));
    static_cast<void>(
        kit.expect_status(kit.device().program_region(window_region(kit, kFileBytes + kit.port().region_granule)),
                          Status::kCapacity, "program_region() takes a region that is longer than the file"));
    if (!start_with(kit, 0U)) {
        return;
    }
    static_cast<void>(
        kit.expect_status(kit.device().read_back(window(kit) + (kFileBytes - 1U), kit.destination().subspan(0U, 2U)),
                          Status::kInvalidArgument, "read_back() reaches beyond the end of the file"));
    static_cast<void>(kit.expect(kit.device().host_view(window(kit) + (kFileBytes - 1U), 2U).empty(),
                                 "host_view() reaches beyond the end of the file"));
    aimed.trace.words[aimed.word] = window(kit) + ((kFileBytes + 1U) - aimed.read.size_bytes);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    const ByteSpan words{reinterpret_cast<const std::uint8_t*>(aimed.trace.words.data()), aimed.trace.size_bytes()};
    static_cast<void>(kit.study(aimed.trace) && write(kit, kit.trace_base(), words) &&
                      kit.expect_ok(kit.enqueue_replay(0U, aimed.trace), "enqueue() refuses a replay"));
    static_cast<void>(kit.expect_fault(0U, DeviceFault::kBus, "a command reads beyond the end of the file"));
}

constexpr const char* kCopied = "weights are copied to the device's memory: its description has no file window";
constexpr std::array<Check, 4U> kChecks{{
    {"PORT-FILE-READ", "in the file window a command reads the file that is bound, whichever it is", kCopied,
     the_bound_file_is_read},
    {"PORT-FILE-REPORT", "what is reported of the file window is what a command reads there", kCopied,
     reports_are_of_the_mapping},
    {"PORT-FILE-WRITE", "nothing writes in the file window", kCopied, the_window_is_read_only},
    {"PORT-FILE-EXTENT", "the file window ends with the file that is bound", kCopied, the_window_ends_with_the_file},
}};

}  // namespace

Span<const Check> file_window_checks() noexcept {
    return kChecks;
}

}  // namespace pianola::port
