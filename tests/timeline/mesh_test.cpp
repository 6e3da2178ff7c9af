// Several devices under one host: each has lanes and figures of its own, worked out by hand on two devices with
// different programs.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "capture_host/timeline/operations.h"
#include "capture_host/timeline/picture.h"
#include "tests/timeline/subject.h"

namespace pianola::timeline {
namespace {

constexpr Cycles kRest = (2U * kTransfer) + (2U * kCommand);  // of a step: write, replay, read, completion record
constexpr Cycles kLongStep = kRest + kCoresTrace;             // of device (0, 0)
constexpr Cycles kShortStep = kRest + kTrace;                 // of device (0, 1)

Cycles device_time(const TimeSpent& spent) {
    return spent.dispatch + spent.kernel + spent.to_device + spent.from_device + spent.gap;
}

// How often each name is on the lanes of a device, and how often the program has it; a dispatch is on its queue and on
// its core.
using Counts = std::map<std::string, std::uint32_t>;

Counts counts_of(const std::vector<Slice>& slices, std::uint32_t device) {
    Counts counts;
    for (const Slice& slice : slices) {
        if ((slice.lane.kind != LaneKind::kHost) && (slice.lane.device == device)) {
            counts[std::string{slice.name}] += 1U;
        }
    }
    return counts;
}

// Starts and ends on the first queue.
std::vector<std::pair<Cycles, Cycles>> times_on(const std::vector<Slice>& slices, std::uint32_t device) {
    std::vector<std::pair<Cycles, Cycles>> times;
    for (const Slice& slice : on_lane(slices, LaneKind::kQueue, 0U, device)) {
        times.emplace_back(slice.start, slice.end);
    }
    return times;
}

TEST(Mesh, EveryDeviceHasAWorkload) {
    const Subject subject{mixed(2U)};
    ASSERT_EQ(subject.workloads().size(), 2U);
    for (std::uint32_t column = 0U; column < 2U; ++column) {
        const Workload& workload = subject.workloads().at(column);
        EXPECT_EQ(workload.coordinate, (Coordinate{0U, column}));
        EXPECT_EQ(workload.commands().size(), (column == 0U) ? 5U : 2U);  // three parts, barrier, add; or two launches
        ASSERT_EQ(workload.inputs.size(), 1U);
        EXPECT_EQ(workload.inputs[0].bytes, test::kWorkloadBytes) << "its piece";
        ASSERT_EQ(workload.outputs.size(), 1U);
        EXPECT_EQ(workload.step.size(), 7U);  // write, record, wait, replay, record, wait, read
    }
    EXPECT_EQ(to_string(subject.workloads().back().coordinate), "(0, 1)");
}

TEST(Mesh, LanesHaveWhatTheirDeviceDoes) {
    const Subject subject{mixed(1U)};
    constexpr std::uint32_t kSteps = 3U;
    for (const HostCost& cost : {kFree, kSlowHost}) {
        const Pattern pattern = make_pattern(kModes.at(1U), subject.workloads(), cost);  // slices have its names
        const std::vector<Slice> slices = slices_of(pattern, kSteps);
        const Counts both{{"write 96 bytes", kSteps},
                          {"read 96 bytes", kSteps},
                          {"replay", kSteps},
                          {"notify", kSteps},
                          {"end", kSteps}};
        Counts first = both;
        first["parts"] = kSteps * 3U * 2U;
        first["barrier"] = kSteps;
        first["add"] = kSteps;
        EXPECT_EQ(counts_of(slices, 0U), first);
        Counts second = both;
        second["requantize"] = kSteps;
        second["sum"] = kSteps;
        EXPECT_EQ(counts_of(slices, 1U), second);
    }
}

// With a host that takes no time the slower device never waits, and the faster one does for what it is faster by.
TEST(Mesh, TracedByHand) {
    const Subject subject{mixed(1U)};
    const std::vector<Performance> devices =
        measure_operations(make_pattern(kModes.at(1U), subject.workloads(), kFree));
    ASSERT_EQ(devices.size(), 2U);
    for (const Performance& device : devices) {
        const TimeSpent total = device.total();
        const bool is_first = device.device == Coordinate{0U, 0U};
        EXPECT_GT(device.steps, 0U);
        EXPECT_EQ(device.steady.cycles_per_step.part, kLongStep * device.steps);
        EXPECT_EQ(total.to_device, kTransfer * device.steps);
        EXPECT_EQ(total.from_device, kTransfer * device.steps);
        EXPECT_EQ(total.gap, (is_first ? 0U : (kLongStep - kShortStep)) * device.steps);
        // Kernels from 16 to 168 of the trace, and the add of 140.
        EXPECT_EQ(total.kernel, (is_first ? (152U + kSecond) : (kFirst + kSecond)) * device.steps);
        EXPECT_EQ(total.host, 0U);
    }
}

TEST(Mesh, ColumnsAddUpToTheStepOfEachDevice) {
    for (const Subject& subject : {Subject{mixed(1U)}, Subject{test::make_mesh_workload({1U, 3U}, 1U)}}) {
        for (const std::uint64_t dispatch : {0U, 3U, 400U, 2'000U}) {
            for (const std::uint64_t replay : {0U, 1U, 100U, 270U, 300U}) {
                for (const Mode& mode : {kModes.at(0U), kModes.at(1U)}) {
                    const auto devices =
                        measure_operations(make_pattern(mode, subject.workloads(), {dispatch, replay}));
                    ASSERT_EQ(devices.size(), subject.workloads().size());
                    for (const Performance& device : devices) {
                        EXPECT_EQ(device_time(device.total()), device.steady.cycles_per_step.part)
                            << mode.name << ", " << dispatch << " and " << replay << " ns";
                        EXPECT_GT(device.steps, 0U);
                        EXPECT_EQ(device.steps, device.steady.cycles_per_step.whole);
                    }
                }
            }
        }
    }
}

TEST(Mesh, ColumnsOfTheBinaryItselfAddUpToo) {
    const Subject subject{mixed(1U)};
    const std::vector<Performance> all =
        measure_operations(subject.file(), subject.device(), subject.workloads(), kSlowHost);
    ASSERT_EQ(all.size(), 2U * (kModes.size() + 1U));
    for (std::size_t i = all.size() - 2U; i < all.size(); ++i) {
        EXPECT_EQ(all[i].mode, "as-captured");
        EXPECT_EQ(all[i].device, (Coordinate{0U, static_cast<std::uint32_t>(i % 2U)}));
        EXPECT_GT(all[i].steps, 0U);
        EXPECT_EQ(all[i].steady.cycles_per_step.part, kLongStep * all[i].steps) << "the session waits for all devices";
        EXPECT_EQ(device_time(all[i].total()), all[i].steady.cycles_per_step.part);
        EXPECT_DOUBLE_EQ(all[i].gain,
                         all[i % 2U].steady.cycles_per_step.value() / all[i].steady.cycles_per_step.value());
    }
}

// One host: 50 cycles for the write of each device, 1000 for each operation, device by device.
TEST(Mesh, TheHostTakesDevicesInTurn) {
    const Subject subject{mixed(1U)};
    const Pattern pattern = make_pattern(kModes.at(0U), subject.workloads(), kSlowHost);
    const std::vector<Slice> slices = slices_of(pattern, 1U);
    std::vector<std::uint32_t> devices;
    for (const Slice& slice : on_lane(slices, LaneKind::kHost)) {
        devices.push_back(slice.device());
    }
    // Two operations each: the parts and the add are programs, and so is each of the other device's launches.
    EXPECT_EQ(devices, (std::vector<std::uint32_t>{0U, 1U, 0U, 1U, 0U, 1U, 0U, 1U, 0U, 1U}));
    EXPECT_EQ(on_lane(slices, LaneKind::kQueue, 0U, 0U).front().start, 50U);
    EXPECT_EQ(on_lane(slices, LaneKind::kQueue, 0U, 1U).front().start, 100U);
    EXPECT_EQ(on_lane(slices, LaneKind::kQueue, 0U, 0U).at(1U).start, 1100U);
    EXPECT_EQ(on_lane(slices, LaneKind::kQueue, 0U, 1U).at(1U).start, 2100U);
    for (const Performance& device : measure_operations(pattern)) {
        EXPECT_GT(device.steps, 0U);
        EXPECT_EQ(device.total().host, 2150U * device.steps);
        EXPECT_EQ(device.steady.cycles_per_step.part, 4300U * device.steps);
    }
}

TEST(Mesh, EventsAreOfOneDevice) {
    const auto item = [](std::uint32_t device, std::uint32_t queue, QueueCommandKind kind, Cycles cycles) {
        Item made;
        made.device = device;
        made.queue = queue;
        made.kind = kind;
        made.cycles = cycles;
        made.ring_words = 1U;
        return made;
    };
    Pattern pattern;
    pattern.devices = {{0U, 0U}, {0U, 1U}};
    pattern.queues = 2U;
    pattern.ring_words = 10U;
    pattern.step = {item(0U, 0U, QueueCommandKind::kWrite, 500U),     item(1U, 0U, QueueCommandKind::kWrite, 100U),
                    item(0U, 0U, QueueCommandKind::kRecordEvent, 1U), item(1U, 0U, QueueCommandKind::kRecordEvent, 1U),
                    item(0U, 1U, QueueCommandKind::kWaitEvent, 1U),   item(1U, 1U, QueueCommandKind::kWaitEvent, 1U)};
    const std::vector<Slice> slices = slices_of(pattern, 1U);
    EXPECT_EQ(on_lane(slices, LaneKind::kQueue, 1U, 0U).front().end, 502U);
    EXPECT_EQ(on_lane(slices, LaneKind::kQueue, 1U, 1U).front().end, 102U);
}

// Devices that are alike keep each other's pace, whatever the mode; what is measured is what one of them shows alone.
TEST(Mesh, OfEqualDevicesIsThatOfOne) {
    const Subject one{2U};
    const Subject several{test::make_mesh_workload({1U, 3U}, 2U)};
    for (const Mode& mode : kModes) {
        const SteadyState alone = measure(make_pattern(mode, one.workloads(), kFree)).front();
        for (const SteadyState& steady : measure(make_pattern(mode, several.workloads(), kFree))) {
            EXPECT_EQ(steady.cycles_per_step.part, alone.cycles_per_step.part) << mode.name;
            EXPECT_EQ(steady.busy.part, alone.busy.part) << mode.name;
            EXPECT_EQ(steady.hidden.part, alone.hidden.part) << mode.name;
        }
    }
}

// A device that is a sixteenth faster than the slowest waits for it in all steps that are measured.
TEST(Mesh, DevicesSoonHaveOnePace) {
    std::vector<Workload> devices = Subject{test::make_mesh_workload({1U, 2U}, 1U)}.workloads();
    const Cycles more = (kShortStep / 15U) + 1U;
    devices.front().traces[0][0].cycles += more;
    for (const Mode& mode : {kModes.at(0U), kModes.at(1U)}) {
        const std::vector<SteadyState> steady = measure(make_pattern(mode, devices, kFree));
        const Cycles slowest = kShortStep + more - ((mode.make == eager_pattern) ? (2U * kCommand) : 0U);
        EXPECT_EQ(steady.front().cycles_per_step.part, slowest * steady.front().cycles_per_step.whole) << mode.name;
        EXPECT_EQ(steady.back().cycles_per_step.part, slowest * steady.back().cycles_per_step.whole) << mode.name;
    }
}

// One of two devices has no command in any step; the other one does what it does alone.
TEST(Mesh, AnIdleDeviceHasEmptyLanesAndNoFigures) {
    for (const std::uint32_t working : {0U, 1U}) {
        test::Workload workload = test::make_small_workload(1U);
        const DeviceRange range = test::device_range(kMixedShape, working);
        workload.manifest.target.mesh_columns = 2U;
        workload.manifest.inputs.at(0U).devices = range;
        workload.manifest.outputs.at(0U).devices = range;
        for (capture::ManifestScript& script : workload.manifest.scripts) {
            for (capture::ManifestCommand& command : script.commands) {
                command.devices = range;
            }
        }
        const Subject subject{workload};
        const Subject alone{1U};
        ASSERT_EQ(subject.workloads().size(), 2U);
        EXPECT_FALSE(subject.workloads().at(working).is_idle());
        EXPECT_TRUE(subject.workloads().at(1U - working).is_idle());
        const std::vector<Performance> shown =
            measure_operations(subject.file(), subject.device(), subject.workloads(), kSlowHost);
        const std::vector<Performance> expected =
            measure_operations(alone.file(), alone.device(), alone.workloads(), kSlowHost);
        ASSERT_EQ(shown.size(), expected.size());
        for (std::size_t i = 0U; i < shown.size(); ++i) {
            EXPECT_EQ(shown[i].mode, expected[i].mode);
            EXPECT_EQ(shown[i].device, (Coordinate{0U, working}));
            EXPECT_EQ(shown[i].steady.cycles_per_step.part, expected[i].steady.cycles_per_step.part) << shown[i].mode;
            EXPECT_EQ(shown[i].total().host, expected[i].total().host) << shown[i].mode;
        }
        const std::vector<Pattern> patterns_alone = all_patterns(alone.workloads(), kSlowHost);
        const std::vector<Pattern> patterns = all_patterns(subject.workloads(), kSlowHost);
        for (std::size_t i = 0U; i < patterns.size(); ++i) {
            const std::vector<Slice> slices = slices_of(patterns[i], 2U);
            EXPECT_TRUE(counts_of(slices, 1U - working).empty()) << patterns[i].name;
            EXPECT_EQ(times_on(slices, working), times_on(slices_of(patterns_alone[i], 2U), 0U)) << patterns[i].name;
        }
    }
}

// Steps without a command are valid, and so are traces that there are not.
TEST(Mesh, StepsThatDoNothingHaveNoFigures) {
    test::Workload workload = test::make_small_workload(2U);
    workload.manifest.inputs.clear();
    workload.manifest.outputs.clear();
    workload.manifest.traces.clear();
    workload.manifest.step_cycles = 0U;
    workload.segments.traces.clear();
    for (capture::ManifestScript& script : workload.manifest.scripts) {
        std::vector<capture::ManifestCommand>& commands = script.commands;
        commands.erase(std::remove_if(commands.begin(), commands.end(),
                                      [](const capture::ManifestCommand& command) {
                                          return command.kind != ScriptCommandKind::kWriteBuffer;
                                      }),
                       commands.end());
    }
    const Subject subject{workload};
    EXPECT_TRUE(measure_operations(subject.file(), subject.device(), subject.workloads(), kSlowHost).empty());
    for (const Pattern& pattern : all_patterns(subject.workloads(), kSlowHost)) {
        EXPECT_TRUE(slices_of(pattern, 2U).empty()) << pattern.name;
    }
}

// As where an output lies on an input: transfers, and no trace to hold a copy.
TEST(Mesh, TransfersWithoutTracesAreMeasured) {
    Workload workload = Subject{2U}.workload();
    workload.traces.clear();
    workload.step = {workload.inputs.front(), workload.outputs.front()};
    for (const Pattern& pattern : all_patterns({workload}, kFree)) {
        const Performance device = measure_operations(pattern).front();
        EXPECT_GT(device.steps, 0U) << pattern.name;
        EXPECT_EQ(device.total().to_device, kTransfer * device.steps) << pattern.name;
        EXPECT_EQ(device.total().from_device, kTransfer * device.steps) << pattern.name;
        EXPECT_EQ(device.total().kernel, 0U) << pattern.name;
        EXPECT_GE(device.steady.cycles_per_step.part, kTransfer * device.steps) << pattern.name;
    }
}

// A device that transfers and computes nothing has steps too.
TEST(Mesh, ADeviceThatOnlyTransfersIsMeasured) {
    test::Workload workload = test::make_small_workload(1U);
    test::spread(workload, {1U, 2U}, Placement::kReplicated);
    workload.manifest.outputs.at(0U).devices = test::device_range({1U, 2U}, 0U);
    workload.manifest.outputs.at(0U).placement = Placement::kReplicated;
    workload.manifest.outputs.at(0U).shape.front() = 1U;
    for (capture::ManifestScript& script : workload.manifest.scripts) {
        for (capture::ManifestCommand& command : script.commands) {
            if ((command.kind == ScriptCommandKind::kLoadTrace) || (command.kind == ScriptCommandKind::kReplayTrace) ||
                (command.kind == ScriptCommandKind::kReadOutput)) {
                command.devices = test::device_range({1U, 2U}, 0U);
            }
        }
    }
    const Subject subject{workload};
    const std::vector<Performance> devices =
        measure_operations(make_pattern(kModes.at(0U), subject.workloads(), kSlowHost));
    ASSERT_EQ(devices.size(), 2U);
    for (const Performance& device : devices) {
        EXPECT_EQ(device.steps, (kMeasuredSteps / 2U) - 1U);
        EXPECT_EQ(device.steady.cycles_per_step.part, 2250U * device.steps);  // 5 of 50, and two operations
        EXPECT_EQ(device_time(device.total()), device.steady.cycles_per_step.part);
    }
    EXPECT_EQ(devices.back().total().kernel, 0U);
    EXPECT_EQ(devices.back().total().to_device, kTransfer * devices.back().steps);
    EXPECT_EQ(devices.back().steady.busy.part, 0U);
}

// In a picture, the host and each device are a group with its coordinate, on one axis of time.
TEST(Mesh, PicturesHaveAGroupForEachDevice) {
    const Subject subject{mixed(2U)};
    Picture picture;
    picture.clock_khz = subject.workload().clock_khz;
    picture.is_mesh = true;
    Panel panel;
    panel.pattern = std::make_shared<const Pattern>(session_pattern(subject.workloads(), kSlowHost));
    panel.slices = slices_of(*panel.pattern, 2U);
    picture.panels.push_back(panel);
    Row row;
    row.mode = "as-captured";
    row.device = {0U, 1U};
    row.steady.cycles_per_step = {1U, 1U};
    picture.rows.push_back(row);
    EXPECT_EQ(table_cells(picture).back().front(), "as-captured (0, 1)");

    std::map<std::size_t, std::string> processes;
    std::map<std::string, std::vector<std::string>> lanes;
    std::map<std::string, std::uint32_t> slices;
    const nlohmann::json json = nlohmann::json::parse(render_chrome(picture));
    for (const nlohmann::json& event : json.at("traceEvents")) {
        const std::size_t process = event.at("pid");
        if (event.at("name") == "process_name") {
            processes[process] = event.at("args").at("name");
        } else if (event.at("name") == "thread_name") {
            lanes[processes.at(process)].push_back(event.at("args").at("name"));
        } else if (event.at("ph") == "X") {
            slices[processes.at(process)] += 1U;
        } else {
            // Orders of processes and threads.
        }
    }
    const std::vector<std::string> queues{"queue 0", "queue 1"};
    std::vector<std::string> with_cores = queues;
    with_cores.insert(with_cores.end(), {"core 0", "core 1"});
    EXPECT_EQ(lanes.at("as-captured"), std::vector<std::string>{"host"});
    EXPECT_EQ(lanes.at("as-captured, device (0, 0)"), with_cores);
    EXPECT_EQ(lanes.at("as-captured, device (0, 1)"), queues);
    std::uint32_t first = 0U;
    for (const auto& [name, count] : counts_of(panel.slices, 0U)) {
        first += count;
    }
    EXPECT_EQ(slices.at("as-captured, device (0, 0)"), first);
    for (const auto& render : {render_svg, render_html}) {
        for (const char* const name : {"as-captured, device (0, 0)", "as-captured, device (0, 1)"}) {
            EXPECT_NE(render(picture).find(name), std::string::npos);
        }
    }
}

}  // namespace
}  // namespace pianola::timeline
