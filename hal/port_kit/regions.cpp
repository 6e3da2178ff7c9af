// Regions: what the device enforces, at every edge and for every way to memory.
#include "hal/port_kit/conformance.h"

namespace pianola::port {
namespace {

constexpr std::uint32_t kWindow = 2048U;  // from the start of the memory
constexpr std::uint32_t kRegionBytes = 256U;
constexpr std::uint32_t kLongBytes = 16U;
constexpr std::uint32_t kMaxIntervals = kMaxRegions - 1U;  // one is for the trace

// A run of memory that a trace touches, and how.
struct Interval {
    std::uint32_t first{0U};
    std::uint32_t end{0U};
    bool is_read{false};
    bool is_written{false};
};

struct Intervals {
    std::array<Interval, kMaxSampleExtents> runs{};
    std::uint32_t count{0U};
};

// Disjoint, not touching, on the granules of regions.
void collect(const Trace& trace, std::uint32_t granule, Intervals& found) noexcept {
    found.count = 0U;
    for (std::uint32_t i = 0U; i < trace.extent_count; ++i) {
        const Extent& extent = trace.extents[i];
        Interval run{
            extent.address - (extent.address % granule),
            ((extent.address + static_cast<std::uint32_t>(hull_bytes(extent)) + (granule - 1U)) / granule) * granule,
            extent.access == Access::kRead, extent.access == Access::kWrite};
        for (std::uint32_t other = 0U; other < found.count;) {
            const Interval& there = found.runs[other];
            if ((run.first > there.end) || (there.first > run.end)) {
                other += 1U;
                continue;
            }
            run.first = (there.first < run.first) ? there.first : run.first;
            run.end = (there.end > run.end) ? there.end : run.end;
            run.is_read = run.is_read || there.is_read;
            run.is_written = run.is_written || there.is_written;
            found.count -= 1U;
            found.runs[other] = found.runs[found.count];
            other = 0U;
        }
        found.runs[found.count] = run;
        found.count += 1U;
    }
}

// What is wrong with one of the regions of a run.
enum class Wrong : std::uint8_t { kNothing, kFirstMissing, kLastMissing, kAbsent, kNoRead, kNoWrite };

[[nodiscard]] RegionConfig region_of(const Interval& run, Wrong wrong, std::uint32_t granule) noexcept {
    // What is not needed is not given where all is right, and given where something is wrong: permissions that are
    // mixed up show in the one or in the other.
    const bool others = wrong != Wrong::kNothing;
    RegionConfig region{run.first, run.end - run.first, run.is_read || others, run.is_written || others, others, others,
                        false};
    region.base += (wrong == Wrong::kFirstMissing) ? granule : 0U;
    region.size_bytes -= ((wrong == Wrong::kFirstMissing) || (wrong == Wrong::kLastMissing)) ? granule : 0U;
    region.kernels_read = region.kernels_read && (wrong != Wrong::kNoRead);
    region.kernels_write = region.kernels_write && (wrong != Wrong::kNoWrite);
    return region;
}

// Replays the sample with the regions of its extents, of which number `at` is wrong.
Status replay_within(Kit& kit, const Intervals& found, std::uint32_t at, Wrong wrong, Completion& completion) noexcept {
    const std::uint32_t granule = kit.port().region_granule;
    bool is_ready = kit.reset() && kit.program(kit.trace_region());
    for (std::uint32_t i = 0U; i < found.count; ++i) {
        const Wrong here = (i == at) ? wrong : Wrong::kNothing;
        const RegionConfig region = region_of(found.runs[i], here, granule);
        if ((here != Wrong::kAbsent) && (region.size_bytes != 0U)) {
            is_ready = is_ready && kit.program(region);
        }
    }
    const Status enqueued = is_ready ? kit.enqueue_replay(0U, kit.trace()) : Status::kInternal;
    return is_ok(enqueued) ? kit.complete(0U, completion) : enqueued;
}

// Whether a region is in the way of the kind of access that `access` is.
[[nodiscard]] bool concerns(const Interval& run, Access access, Wrong wrong) noexcept {
    return (wrong == Wrong::kNoRead)    ? (run.is_read && (access == Access::kRead))
           : (wrong == Wrong::kNoWrite) ? (run.is_written && (access == Access::kWrite))
           : (access == Access::kWrite) ? run.is_written
                                        : (run.is_read && !run.is_written);
}

bool expect_bus_fault(Kit& kit, const Intervals& found, std::uint32_t at, Wrong wrong) noexcept {
    const Fill fill{1U};
    if (!kit.start() || !kit.fill_range({kit.base(), kWindow + kSampleBytes}, fill) || !kit.place(kit.trace())) {
        return false;
    }
    Completion completion;
    const Status status = replay_within(kit, found, at, wrong, completion);
    const char* const what = (wrong == Wrong::kFirstMissing)  ? "a command passes below the first byte of a region"
                             : (wrong == Wrong::kLastMissing) ? "a command passes beyond the last byte of a region"
                             : (wrong == Wrong::kAbsent)      ? "a command reaches memory without a region"
                             : (wrong == Wrong::kNoRead)      ? "a command reads where no kernel may"
                                                              : "a command writes where no kernel may";
    if (!kit.expect_status(status, Status::kDeviceFault, what) ||
        !kit.expect_equal(static_cast<std::uint32_t>(completion.fault), static_cast<std::uint32_t>(DeviceFault::kBus),
                          "an access that no region permits is another fault than kBus")) {
        return false;
    }
    // Nothing is written where nothing may be.
    const Interval& run = found.runs[at];
    const std::uint32_t granule = kit.port().region_granule;
    const Range forbidden = (wrong == Wrong::kFirstMissing)  ? Range{run.first, granule}
                            : (wrong == Wrong::kLastMissing) ? Range{run.end - granule, granule}
                            : (wrong == Wrong::kNoRead)      ? Range{run.first, 0U}
                                                             : Range{run.first, run.end - run.first};
    return kit.expect_range(forbidden, fill, "an access that no region permits has written");
}

void samples_keep_to_regions(Kit& kit, Access access) noexcept {
    std::uint32_t tried = 0U;
    for (std::uint32_t i = 0U; kit.sample(i, kit.base() + kWindow, kit.trace()); ++i) {
        Intervals found;
        collect(kit.trace(), kit.port().region_granule, found);
        if ((found.count == 0U) || (found.count > kMaxIntervals)) {
            continue;
        }
        Completion completion;
        if (!kit.start() || !kit.fill_range({kit.base() + kWindow, kSampleBytes}, Fill{1U}) ||
            !kit.place(kit.trace()) ||
            !kit.expect_ok(replay_within(kit, found, 0U, Wrong::kNothing, completion),
                           "a command faults where the regions are just its extents")) {
            return;
        }
        for (std::uint32_t at = 0U; at < found.count; ++at) {
            for (const Wrong wrong :
                 {Wrong::kFirstMissing, Wrong::kLastMissing, Wrong::kAbsent, Wrong::kNoRead, Wrong::kNoWrite}) {
                if (concerns(found.runs[at], access, wrong)) {
                    tried += 1U;
                    if (!expect_bus_fault(kit, found, at, wrong)) {
                        return;
                    }
                }
            }
        }
    }
    if (tried == 0U) {
        kit.not_offered("no sample has such an extent");
    }
}

void kernels_read_in_regions(Kit& kit) noexcept {
    samples_keep_to_regions(kit, Access::kRead);
}
void kernels_write_in_regions(Kit& kit) noexcept {
    samples_keep_to_regions(kit, Access::kWrite);
}

// A region in the middle of the memory, with one permission or all others.
[[nodiscard]] RegionConfig middle(Kit& kit, QueueCommandKind kind, bool is_permitted) noexcept {
    const bool is_write = kind == QueueCommandKind::kWrite;
    return {kit.base() + kWindow,     kRegionBytes, !is_permitted, !is_permitted, is_write != is_permitted,
            is_write == is_permitted, false};
}

Status transfer_within(Kit& kit, const RegionConfig& region, const QueueCommand& command,
                       Completion& completion) noexcept {
    if (!kit.reset() || !kit.program(region)) {
        return Status::kInternal;
    }
    kit.fill_source(2U);
    kit.clear_destination();
    static_cast<void>(kit.device().bind_source(0U, kit.source()));
    static_cast<void>(kit.device().bind_destination(0U, kit.destination()));
    const Status enqueued = kit.enqueue(0U, command);
    const Status status = is_ok(enqueued) ? kit.complete(0U, completion) : enqueued;
    static_cast<void>(kit.device().bind_destination(0U, MutableByteSpan{}));
    return status;
}

void transfers_keep_to_regions(Kit& kit, QueueCommandKind kind) noexcept {
    const Fill fill{4U};
    const std::uint32_t first = kit.base() + kWindow;
    const std::uint32_t end = first + kRegionBytes;
    if (!kit.start() || !kit.fill_range({kit.base(), 2U * kWindow}, fill)) {
        return;
    }
    Completion completion;
    constexpr std::array<Range, 4U> kInside{{{0U, 1U}, {kRegionBytes - 1U, 1U}, {0U, kRegionBytes}, {5U, 7U}}};
    for (const Range& inside : kInside) {
        const QueueCommand command = transfer(kind, first + inside.base, inside.size_bytes, 0U);
        static_cast<void>(kit.expect_ok(transfer_within(kit, middle(kit, kind, true), command, completion),
                                        "a transfer faults although its region permits it"));
    }
    // The inside was overwritten by writes; what lies around it was not.
    static_cast<void>(kit.start() && kit.fill_range({kit.base(), 2U * kWindow}, fill));
    const std::array<Range, 9U> outside{{{first - 1U, 1U},
                                         {first - kLongBytes, kLongBytes},
                                         {first - 1U, 2U},
                                         {first - 1U, kRegionBytes + 2U},
                                         {end, 1U},
                                         {end, kLongBytes},
                                         {end - 1U, 2U},
                                         {first, kRegionBytes + 1U},
                                         {kit.base(), kLongBytes}}};
    for (std::uint32_t i = 0U; i <= outside.size(); ++i) {
        // The last one: inside, and everything is permitted but this.
        const bool is_inside = i == outside.size();
        const Range range = is_inside ? Range{first, kRegionBytes} : outside[i];
        const RegionConfig region = middle(kit, kind, !is_inside);
        const Status status =
            transfer_within(kit, region, transfer(kind, range.base, range.size_bytes, 0U), completion);
        const char* const what = is_inside              ? "a transfer passes where its region does not permit it"
                                 : (range.base < first) ? "a transfer passes below the first byte of a region"
                                                        : "a transfer passes beyond the last byte of a region";
        if (!kit.expect_status(status, Status::kDeviceFault, what) ||
            !kit.expect_equal(static_cast<std::uint32_t>(completion.fault),
                              static_cast<std::uint32_t>(DeviceFault::kBus),
                              "an access that no region permits is another fault than kBus") ||
            !kit.expect_range({kit.base(), kWindow}, fill, "a transfer that is refused has written") ||
            !kit.expect_range({end, kWindow - kRegionBytes}, fill, "a transfer that is refused has written") ||
            !kit.expect((kind == QueueCommandKind::kWrite) || (kit.destination()[0] == 0U),
                        "a transfer that is refused has given bytes")) {
            return;
        }
    }
}

// Where a region permits fetches, transfers are refused unless it permits them too.
void fetches_permit_no_transfer(Kit& kit, QueueCommandKind kind) noexcept {
    RegionConfig region = kit.trace_region();
    region.queues_write = false;
    Completion completion;
    static_cast<void>(
        kit.expect_status(transfer_within(kit, region, transfer(kind, kit.trace_base(), kLongBytes, 0U), completion),
                          Status::kDeviceFault, "a transfer passes where a region permits fetches alone"));
}

void writes_keep_to_regions(Kit& kit) noexcept {
    fetches_permit_no_transfer(kit, QueueCommandKind::kWrite);
    transfers_keep_to_regions(kit, QueueCommandKind::kWrite);
}
void reads_keep_to_regions(Kit& kit) noexcept {
    fetches_permit_no_transfer(kit, QueueCommandKind::kRead);
    transfers_keep_to_regions(kit, QueueCommandKind::kRead);
}

void fetches_keep_to_regions(Kit& kit) noexcept {
    if (!kit.sample(0U, kit.base(), kit.trace())) {
        return;
    }
    const std::uint32_t granule = kit.port().region_granule;
    const RegionConfig whole = kit.trace_region();
    for (std::uint32_t wrong = 0U; wrong < 5U; ++wrong) {
        if (!kit.start() || !kit.place(kit.trace()) || !kit.reset() || !kit.program(kit.memory_region())) {
            return;
        }
        RegionConfig region = whole;
        region.queues_write = false;  // to execute, fetching is enough
        if (wrong == 1U) {            // begins after the trace's first byte
            region.base += granule;
            region.size_bytes -= granule;
        } else if (wrong == 2U) {  // ends before its last word
            region.size_bytes = ((kit.trace().size_bytes() - 1U) / granule) * granule;
        } else if (wrong == 3U) {
            region = {whole.base, whole.size_bytes, true, true, true, true, false};
        } else {
            // 0: nothing is wrong; 4: there is no region
        }
        if ((wrong < 4U) && (region.size_bytes != 0U) && !kit.program(region)) {
            return;
        }
        static_cast<void>(kit.expect_ok(kit.enqueue_replay(0U, kit.trace()), "enqueue() refuses a replay"));
        Completion completion;
        const Status status = kit.complete(0U, completion);
        if (!kit.expect_status(status, (wrong == 0U) ? Status::kOk : Status::kDeviceFault,
                               (wrong == 0U)   ? "a trace faults although its region permits fetching"
                               : (wrong == 1U) ? "a trace is fetched from below the first byte of its region"
                               : (wrong == 2U) ? "a trace is fetched from beyond the last byte of its region"
                               : (wrong == 3U) ? "a trace is fetched where its region does not permit it"
                                               : "a trace is fetched without a region")) {
            return;
        }
    }
}

void regions_are_reported(Kit& kit) noexcept {
    constexpr std::uint32_t kLooks = 16U;  // for a driver that errs now and then
    RegionConfig reported;
    if (!kit.reset() || !kit.expect_status(kit.device().programmed_region(0U, reported), Status::kInvalidArgument,
                                           "programmed_region() gives a region after a reset")) {
        return;
    }
    // Every permission alone, and all of them.
    const std::uint32_t step = kMemoryBytes / kMaxRegions;
    std::array<RegionConfig, kMaxRegions> regions{};
    for (std::uint32_t i = 0U; i < kMaxRegions; ++i) {
        RegionConfig& region = regions[i];
        region = {kit.base() + (i * step), step, i == 0U, i == 1U, i == 2U, i == 3U, i == 4U};
        if (i > 4U) {
            region = {region.base, step - kFileAlignmentBytes, true, true, i == 5U, i == 6U, false};
        }
        if (!kit.program(region)) {
            return;
        }
    }
    for (std::uint32_t look = 0U; look < (kLooks * kMaxRegions); ++look) {
        const std::uint32_t i = look % kMaxRegions;
        reported = RegionConfig{};
        static_cast<void>(
            kit.expect_ok(kit.device().programmed_region(i, reported), "programmed_region() does not give a region") &&
            kit.expect(is_same(reported, regions[i]), "programmed_region() is not what was programmed", i));
    }
    for (const std::uint32_t beyond : list_of(kMaxRegions, kMaxRegions + 1U, UINT32_MAX)) {
        static_cast<void>(kit.expect_status(kit.device().programmed_region(beyond, reported), Status::kInvalidArgument,
                                            "programmed_region() gives a region that was not programmed"));
    }
    // One more is refused, or there is one more.
    const Status more = kit.device().program_region(regions[0]);
    static_cast<void>(kit.expect(
        (more == Status::kCapacity) || (is_ok(more) && is_ok(kit.device().programmed_region(kMaxRegions, reported))),
        "a region too many is neither refused nor there"));
}

// As many as a plan may have, each enforced, and the gaps between them.
void all_regions_are_enforced(Kit& kit) noexcept {
    constexpr std::uint32_t kStep = kMemoryBytes / kMaxRegions;
    constexpr std::uint32_t kSize = kStep / 2U;
    for (std::uint32_t gap = 0U; gap <= kMaxRegions; ++gap) {
        if (!kit.reset()) {
            return;
        }
        for (std::uint32_t i = 0U; i < kMaxRegions; ++i) {
            if (!kit.program({kit.base() + (i * kStep), kSize, false, false, false, true, false})) {
                return;
            }
        }
        static_cast<void>(kit.device().bind_source(0U, kit.source()));
        if (gap < kMaxRegions) {
            static_cast<void>(kit.enqueue(
                0U, transfer(QueueCommandKind::kWrite, kit.base() + (gap * kStep) + kSize, kLongBytes, 0U)));
            static_cast<void>(kit.expect_fault(0U, DeviceFault::kBus, "a transfer passes between two regions"));
            continue;
        }
        for (std::uint32_t i = 0U; i < kMaxRegions; ++i) {
            static_cast<void>(kit.enqueue(0U, transfer(QueueCommandKind::kWrite, kit.base() + (i * kStep), kSize, 0U)));
        }
        static_cast<void>(kit.expect_completes(0U, "a transfer faults in one of eight regions"));
    }
}

void regions_are_the_devices(Kit& kit) noexcept {
    const auto damage = kit.port().damage;
    if ((damage == nullptr) || !kit.start() || !damage(kit.port().context, Damage::kRegion, 0U)) {
        kit.not_offered("the kit cannot damage a region");
        return;
    }
    RegionConfig reported;
    const Status status = kit.device().programmed_region(0U, reported);
    static_cast<void>(kit.expect(!is_ok(status) || !is_same(reported, kit.memory_region()),
                                 "programmed_region() says what was programmed, not what the device enforces"));
}

constexpr const char* kNoUnit = "nothing but the proof at load keeps commands inside of their regions";

constexpr std::array<Check, 8U> kChecks{{
    {"PORT-REGION-REPORT", "programmed_region() gives every region as it was programmed, and no other", nullptr,
     regions_are_reported},
    {"PORT-REGION-WRITE", "a write from the host keeps to regions that permit it, at every edge", kNoUnit,
     writes_keep_to_regions},
    {"PORT-REGION-READ", "a read to the host keeps to regions that permit it, at every edge", kNoUnit,
     reads_keep_to_regions},
    {"PORT-REGION-KERNEL-READ", "a command of a trace reads in regions that permit it, at every edge", kNoUnit,
     kernels_read_in_regions},
    {"PORT-REGION-KERNEL-WRITE", "a command of a trace writes in regions that permit it, at every edge", kNoUnit,
     kernels_write_in_regions},
    {"PORT-REGION-FETCH", "a trace is fetched from a region that permits it, at every edge", kNoUnit,
     fetches_keep_to_regions},
    {"PORT-REGION-ALL", "as many regions as a plan may have are enforced at once", kNoUnit, all_regions_are_enforced},
    {"PORT-REGION-HONEST", "a region that the device has lost is not reported as enforced",
     "the registers that hold regions correct themselves, or are compared by other means", regions_are_the_devices},
}};

}  // namespace

Span<const Check> region_checks() noexcept {
    return kChecks;
}

}  // namespace pianola::port
