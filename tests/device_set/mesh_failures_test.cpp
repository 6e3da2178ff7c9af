// A device of a mesh fails, each at each of many moments: the record names it, nothing wrong is given out, all devices
// are stopped, and those that are left work on as a smaller mesh.
#include <gtest/gtest.h>

#include <functional>

#include "pianola_host/files.h"
#include "tests/device_set/mesh_bench.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Script = sim::FaultScript;

// On one queue a device's set-up rings 1 doorbell, gives 1 completion, makes 3 enqueues, 5 regions, 2 binds, 1 reset; a
// step makes 1 doorbell, 1 completion, 4 enqueues, and 2 binds before and 2 behind it.
struct Moment {
    std::uint32_t Script::* what;
    std::uint32_t n;
    bool at_load;
};
constexpr std::array<Moment, 23> kMoments{{
    {&Script::fail_reset, 1U, true},       {&Script::refuse_region, 1U, true},    {&Script::refuse_region, 3U, true},
    {&Script::refuse_region, 5U, true},    {&Script::refuse_bind, 1U, true},      {&Script::refuse_bind, 2U, true},
    {&Script::refuse_enqueue, 1U, true},   {&Script::refuse_enqueue, 2U, true},   {&Script::refuse_enqueue, 3U, true},
    {&Script::lose_doorbell, 1U, true},    {&Script::lose_completion, 1U, true},  {&Script::damage_read_back, 1U, true},
    {&Script::damage_read_back, 2U, true}, {&Script::refuse_bind, 7U, false},     {&Script::refuse_bind, 8U, false},
    {&Script::refuse_bind, 9U, false},     {&Script::refuse_bind, 10U, false},    {&Script::refuse_enqueue, 8U, false},
    {&Script::refuse_enqueue, 9U, false},  {&Script::refuse_enqueue, 10U, false}, {&Script::refuse_enqueue, 11U, false},
    {&Script::lose_doorbell, 3U, false},   {&Script::lose_completion, 3U, false},
}};

void expect_fault_of(const MeshBench& bench, const MeshShape& shape, std::uint32_t device) {
    const FaultRecord& fault = bench.session.fault();
    EXPECT_NE(fault.status, Status::kOk);
    EXPECT_EQ(fault.row, device / shape.columns);
    EXPECT_EQ(fault.column, device % shape.columns);
    EXPECT_EQ(bench.platform.safe_state_entries(), 1U);
}

// Reset: without regions, and without memory of the application.
void expect_stopped(MeshDevices& devices, const MeshShape& shape) {
    for (std::uint32_t device = 0U; device < shape.count(); ++device) {
        RegionConfig region;
        EXPECT_EQ(devices.at(device).programmed_region(0U, region), Status::kInvalidArgument) << device;
        EXPECT_TRUE(devices.at(device).bound_source(kFirstInputSlot).empty()) << device;
        EXPECT_TRUE(devices.at(device).bound_destination(0U).empty()) << device;
    }
}

// A row of those that are left.
void expect_the_others_work(MeshDevices& devices, const MeshShape& shape, std::uint32_t failed) {
    const MeshShape smaller{1U, shape.count() - 1U};
    const files::AlignedBytes file{make_mesh_workload(smaller, 1U).file()};
    MeshBench bench{smaller, devices.pointers(failed), devices.at((failed == 0U) ? 1U : 0U)};
    ASSERT_EQ(bench.load(file.view()), Status::kOk) << rule_id(bench.verdict.rule);
    const Bytes input = mesh_input(smaller, 77U);
    Bytes output(input.size());
    ASSERT_EQ(bench.run(input, output), Status::kOk);
    EXPECT_EQ(output, mesh_output(input));
}

// Loads, runs one step that works, and one behind `before`; what fails, fails in the first or the last of these.
void expect_failure(const MeshShape& shape, std::uint32_t device, const Script& faults, bool at_load,
                    const std::function<void(MeshDevices&, const MeshBench&)>& before = {}) {
    const files::AlignedBytes file{make_mesh_workload(shape, 1U).file()};
    std::vector<Script> all(shape.count());
    all.at(device) = faults;
    MeshDevices devices{shape.count(), all};
    MeshBench bench{shape, devices};
    const Status loaded = bench.load(file.view());
    const Bytes input = mesh_input(shape, 5U);
    Bytes output(input.size(), 0x77U);
    if (at_load) {
        EXPECT_NE(loaded, Status::kOk);
    } else {
        ASSERT_EQ(loaded, Status::kOk) << rule_id(bench.verdict.rule);
        ASSERT_EQ(bench.run(input, output), Status::kOk);
        ASSERT_EQ(output, mesh_output(input));
        output.assign(input.size(), 0x77U);
        if (before) {
            before(devices, bench);
        }
        EXPECT_NE(bench.run(input, output), Status::kOk);
        EXPECT_EQ(output, Bytes(input.size(), 0U));
    }
    expect_fault_of(bench, shape, device);
    EXPECT_EQ(bench.run(input, output), Status::kFaultLatched);
    if (bench.session.fault().device_stopped) {
        expect_stopped(devices, shape);
    }
    expect_the_others_work(devices, shape, device);
}

class MeshFailures : public testing::TestWithParam<MeshShape> {};

INSTANTIATE_TEST_SUITE_P(Shapes, MeshFailures, testing::Values(MeshShape{1U, 2U}, MeshShape{2U, 2U}, MeshShape{1U, 8U}),
                         [](const auto& param) {
                             return std::to_string(param.param.rows) + "x" + std::to_string(param.param.columns);
                         });

TEST_P(MeshFailures, OfEachDeviceAtEachMomentAreNamed) {
    for (std::uint32_t device = 0U; device < GetParam().count(); ++device) {
        for (const Moment& moment : kMoments) {
            SCOPED_TRACE(testing::Message() << "device " << device << ", moment " << (&moment - kMoments.data()));
            Script faults;
            faults.*moment.what = moment.n;
            ASSERT_NO_FATAL_FAILURE(expect_failure(GetParam(), device, faults, moment.at_load));
        }
    }
}

// What a device has been loaded with changes behind its back.
TEST_P(MeshFailures, DamageInEachDeviceIsNamed) {
    for (std::uint32_t device = 0U; device < GetParam().count(); ++device) {
        SCOPED_TRACE(testing::Message() << "device " << device);
        const auto flip_weights = [device](MeshDevices& devices, const MeshBench& bench) {
            *devices.at(device).memory_at(bench.session.plan().regions.at(0U).base, 1U) ^= 1U;
        };
        const auto flip_trace = [device](MeshDevices& devices, const MeshBench& bench) {
            *devices.at(device).memory_at(bench.session.plan().trace_region_base + (11U * 4U), 1U) ^= 0x80U;
        };
        ASSERT_NO_FATAL_FAILURE(expect_failure(GetParam(), device, {}, false, flip_weights));
        ASSERT_NO_FATAL_FAILURE(expect_failure(GetParam(), device, {}, false, flip_trace));
    }
}

// One that fails, and can not be stopped: the record says so, and all others are stopped.
TEST_P(MeshFailures, OneThatDoesNotStopIsToldAndTheOthersStop) {
    const MeshShape& shape = GetParam();
    const files::AlignedBytes file{make_mesh_workload(shape, 1U).file()};
    for (std::uint32_t failed = 0U; failed < shape.count(); ++failed) {
        SCOPED_TRACE(testing::Message() << "device " << failed);
        std::vector<Script> all(shape.count());
        all.at(failed).fail_reset = 2U;  // behind that of load()
        all.at(failed).refuse_enqueue = 4U;
        MeshDevices devices{shape.count(), all};
        MeshBench bench{shape, devices};
        ASSERT_EQ(bench.load(file.view()), Status::kOk);
        const Bytes input = mesh_input(shape, 5U);
        Bytes output(input.size(), 0x77U);
        EXPECT_NE(bench.run(input, output), Status::kOk);
        EXPECT_EQ(output, Bytes(input.size(), 0U));
        expect_fault_of(bench, shape, failed);
        EXPECT_FALSE(bench.session.fault().device_stopped);
        for (std::uint32_t device = 0U; device < shape.count(); ++device) {
            RegionConfig region;
            EXPECT_EQ(devices.at(device).programmed_region(0U, region),
                      (device == failed) ? Status::kOk : Status::kInvalidArgument)
                << device;
        }
    }
}

}  // namespace
}  // namespace pianola::test
