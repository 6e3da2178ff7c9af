// What a session over several devices refuses, and what it does on each of them.
#include <gtest/gtest.h>

#include "capture_host/base/text.h"
#include "pianola_host/files.h"
#include "tests/campaign/hooked_device.h"
#include "tests/device_set/mesh_bench.h"
#include "tests/support/verifies.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

// The rule and the place that a set is refused with.
std::string refusal_of(const MeshShape& shape, const std::vector<Device*>& pointers, const sim::SimDevice& clock,
                       const Bytes& file) {
    const files::AlignedBytes aligned{file};
    MeshBench bench{shape, pointers, clock};
    const Status status = bench.load(aligned.view());
    EXPECT_EQ(bench.platform.safe_state_entries(), 0U);
    EXPECT_EQ(bench.session.is_loaded(), is_ok(status));
    return is_ok(status) ? "accepted" : rule_id(bench.verdict.rule) + (" " + files::path_text(bench.verdict.path));
}

TEST(MeshSession, RefusesSetsThatAreNone) {
    verifies({"swr~meshes~1", "rule~TGT-MESH~1"});
    MeshDevices devices{2U};
    const Bytes file = make_mesh_workload(kTwo, 1U).file();
    const std::vector<Device*> both = devices.pointers();
    const auto refusal = [&](const MeshShape& shape, const std::vector<Device*>& pointers) {
        return refusal_of(shape, pointers, devices.at(0U), file);
    };
    EXPECT_EQ(refusal(kTwo, {}), "TGT-MESH devices");
    EXPECT_EQ(refusal(kTwo, {both[0]}), "TGT-MESH devices");
    EXPECT_EQ(refusal({2U, 2U}, both), "TGT-MESH devices");
    EXPECT_EQ(refusal({0U, 2U}, both), "TGT-MESH devices");
    EXPECT_EQ(refusal({2U, 0U}, both), "TGT-MESH devices");
    EXPECT_EQ(refusal(kTwo, {both[0], nullptr}), "TGT-MESH devices");
    EXPECT_EQ(refusal(kTwo, {both[0], both[0]}), "TGT-MESH devices");
    EXPECT_EQ(refusal({1U, kMaxMeshDevices + 1U}, std::vector<Device*>(kMaxMeshDevices + 1U, both[0])),
              "TGT-MESH devices");
    // 2^32 times 2^31 is 0 where a product wraps.
    EXPECT_EQ(refusal({0x8000'0000U, 2U}, both), "TGT-MESH devices");
}

TEST(MeshSession, RefusesBinariesForAnotherShape) {
    MeshDevices devices{2U};
    const auto refusal = [&](const MeshShape& driven, const MeshShape& captured) {
        return refusal_of(driven, devices.pointers(), devices.at(0U), make_mesh_workload(captured, 1U).file());
    };
    EXPECT_EQ(refusal({1U, 2U}, {2U, 1U}), "TGT-MESH target.mesh_rows");
    EXPECT_EQ(refusal({1U, 2U}, {1U, 1U}), "TGT-MESH target.mesh_columns");
    EXPECT_EQ(refusal({2U, 1U}, {2U, 2U}), "TGT-MESH target.mesh_columns");
    // One device's session, as it always was.
    sim::SimOptions options;
    options.spec = small_device();
    sim::SimDevice device{options};
    EXPECT_EQ(refusal_of({1U, 1U}, {&device}, device, make_mesh_workload(kTwo, 1U).file()),
              "TGT-MESH target.mesh_columns");
}

// A device that differs in anything, or does not describe itself at all.
TEST(MeshSession, RefusesADeviceOfAnotherKind) {
    verifies({"swr~meshes~1"});
    using Change = void (*)(DeviceDescription&);
    const std::vector<Change> changes{
        [](DeviceDescription& device) { device.family = "another"; },
        [](DeviceDescription& device) { device.kernel_library.back() ^= 1U; },
        [](DeviceDescription& device) { device.clock_khz += 1U; },
        [](DeviceDescription& device) { device.command_set_id += 1U; },
        [](DeviceDescription& device) { device.attestation = Attestation::kCount; },
        [](DeviceDescription& device) { device.costs = CostKind::kNotPublished; },
        [](DeviceDescription& device) { device.capacities = &profiles::kSmallEcu; },
        [](DeviceDescription& device) {
            static const Capacities kFewer = [] {
                Capacities fewer = kDeviceCapacities;
                fewer.intervals -= 1U;
                return fewer;
            }();
            device.capacities = &kFewer;
        },
    };
    sim::SimOptions options;
    options.spec = small_device();
    const Bytes file = make_mesh_workload(kTwo, 1U).file();
    for (const Change change : changes) {
        sim::SimDevice first{options};
        campaign::HookedDevice second{options};
        EXPECT_EQ(refusal_of(kTwo, {&first, &second}, first, file), "accepted");
        second.set_description_hook(change);
        EXPECT_EQ(refusal_of(kTwo, {&first, &second}, first, file), "TGT-MESH devices[1]");
    }
    sim::SimDevice first{options};
    campaign::HookedDevice second{options};
    second.set_hook([](campaign::Call call, std::uint32_t) {
        return (call == campaign::Call::kDescribe) ? std::optional<Status>{Status::kDeviceFault} : std::nullopt;
    });
    EXPECT_EQ(refusal_of(kTwo, {&first, &second}, first, file), "TGT-MESH devices[1]");
}

// Doorbells come only once everything is enqueued on all devices.
TEST(MeshSession, RingsNoDoorbellBeforeAllIsEnqueued) {
    verifies({"swr~meshes~1", "swr~whole-steps~1"});
    sim::SimOptions options;
    options.spec = small_device();
    campaign::HookedDevice first{options};
    campaign::HookedDevice second{options};
    std::vector<campaign::Call> calls;
    for (campaign::HookedDevice* const device : {&first, &second}) {
        device->set_hook([&calls](campaign::Call call, std::uint32_t) -> std::optional<Status> {
            if ((call == campaign::Call::kEnqueue) || (call == campaign::Call::kRingDoorbell)) {
                calls.push_back(call);
            }
            return std::nullopt;
        });
    }
    const files::AlignedBytes file{make_mesh_workload(kTwo, 1U).file()};
    MeshBench bench{kTwo, {&first, &second}, first.inner()};
    ASSERT_EQ(bench.load(file.view()), Status::kOk);
    calls.clear();
    const Bytes input = mesh_input(kTwo, 1U);
    Bytes output(input.size());
    ASSERT_EQ(bench.run(input, output), Status::kOk);
    std::vector<campaign::Call> expected(8U, campaign::Call::kEnqueue);  // write, replay, read, notify: of each
    expected.insert(expected.end(), 2U, campaign::Call::kRingDoorbell);
    EXPECT_EQ(calls, expected);
}

// The scrub goes over every device, each byte once in a period.
TEST(MeshSession, ScrubsEveryDevice) {
    MeshDevices devices{2U};
    const files::AlignedBytes file{make_mesh_workload(kTwo, 1U).file()};
    for (std::uint32_t device = 0U; device < 2U; ++device) {
        MeshBench bench{kTwo, devices};
        ASSERT_EQ(bench.load(file.view()), Status::kOk);
        // Of each device: weights, of which each has its own, and the trace.
        EXPECT_EQ(bench.session.scrub_calls(), 1U) << "all of them fit into one slice";
        for (std::uint32_t call = 0U; call < bench.session.scrub_calls(); ++call) {
            ASSERT_EQ(bench.session.scrub(), Status::kOk);
        }
        const std::uint32_t address = bench.session.plan().regions.at(0U).base;
        *devices.at(device).memory_at(address, 1U) ^= 1U;
        Status status = Status::kOk;
        std::uint32_t calls = 0U;
        for (; is_ok(status) && (calls < bench.session.scrub_calls()); ++calls) {
            status = bench.session.scrub();
        }
        EXPECT_EQ(status, Status::kIntegrity);
        EXPECT_EQ(bench.session.fault().column, device);
        EXPECT_EQ(bench.session.fault().stage, FaultStage::kScrub);
        EXPECT_EQ(bench.session.fault().address, address);
    }
}

// Weights that all devices have alike: the same commands for every device, which are proved once.
TEST(MeshSession, ProvesWhatIsTheSameOnce) {
    constexpr MeshShape kFour{2U, 2U};
    const Workload apart = make_mesh_workload(kFour, 1U);
    Workload alike = apart;
    std::vector<capture::ManifestCommand>& setup = alike.manifest.scripts.front().commands;
    setup.resize(setup.size() - (kFour.count() - 1U));  // the first device's are left
    setup.back().devices = all_devices(kFour);
    std::array<std::uint32_t, 2> taken{};
    for (std::size_t i = 0U; i < taken.size(); ++i) {
        const files::AlignedBytes file{((i == 0U) ? apart : alike).file()};
        MeshDevices devices{kFour.count()};
        MeshBench bench{kFour, devices};
        ASSERT_EQ(bench.load(file.view()), Status::kOk) << rule_id(bench.verdict.rule);
        taken.at(i) =
            kDeviceCapacities.max_work(bench.workspace->image.envelope().total_bytes) - bench.workspace->work_left;
        if (i == 1U) {
            const Bytes piece = workload_input(3U);
            Bytes input;
            Bytes expected;
            const Bytes of_first = mesh_output(piece);
            for (std::uint32_t device = 0U; device < kFour.count(); ++device) {
                input.insert(input.end(), piece.begin(), piece.end());
                expected.insert(expected.end(), of_first.begin(), of_first.end());
            }
            Bytes output(input.size());
            ASSERT_EQ(bench.run(input, output), Status::kOk);
            EXPECT_EQ(output, expected);
        }
    }
    EXPECT_EQ(taken[0], kFour.count() * taken[1]);
}

// Two devices with the same commands, of which one hangs, and is said to have done what the other has.
TEST(MeshSession, NoDeviceAnswersForAnother) {
    verifies({"swr~meshes~1"});
    Workload alike = make_mesh_workload(kTwo, 1U);
    std::vector<capture::ManifestCommand>& setup = alike.manifest.scripts.front().commands;
    setup.pop_back();  // the first device's weights are left
    setup.back().devices = all_devices(kTwo);
    const files::AlignedBytes file{alike.file()};
    sim::SimOptions options;
    options.spec = small_device();
    using Record = std::function<Status(campaign::HookedDevice & other, std::uint32_t token, Completion& completion)>;
    // Read from the wrong device; or its record for its own token of this step, under the token that is asked for.
    const Record misread = [](campaign::HookedDevice& other, std::uint32_t token, Completion& completion) {
        return other.inner().completion(0U, token, completion);
    };
    const Record passed_off = [](campaign::HookedDevice& other, std::uint32_t token, Completion& completion) {
        constexpr std::uint32_t kToken = 2U;  // of the first step
        const Status status = other.inner().completion(0U, kToken, completion);
        completion.token = token;
        return status;
    };
    for (const auto& [record, expected] :
         {std::pair{misread, Status::kTimeout}, std::pair{passed_off, Status::kIntegrity}}) {
        campaign::HookedDevice first{options};
        campaign::HookedDevice second{options};
        MeshBench bench{kTwo, {&first, &second}, first.inner()};
        ASSERT_EQ(bench.load(file.view()), Status::kOk);
        second.set_hook([](campaign::Call call, std::uint32_t) {
            return (call == campaign::Call::kService) ? std::optional<Status>{Status::kOk} : std::nullopt;
        });
        second.set_completion_hook(
            [&first, answer = record](std::uint32_t, std::uint32_t token, Status, Completion& completion) {
                return answer(first, token, completion);
            });
        const Bytes input = mesh_input(kTwo, 1U);
        Bytes output(input.size(), 0x55U);
        EXPECT_EQ(bench.run(input, output), expected);
        EXPECT_EQ(bench.session.fault().column, 1U);
        EXPECT_EQ(output, Bytes(input.size(), 0U));
    }
}

// A device of the mesh that has a part of nothing: its memory is not touched, and the other works as one alone.
TEST(MeshSession, ADeviceMayHaveNothingToDo) {
    for (std::uint32_t worker = 0U; worker < 2U; ++worker) {
        SCOPED_TRACE(testing::Message() << "device " << worker << " works");
        Workload workload = make_small_workload(1U);
        capture::Manifest& manifest = workload.manifest;
        manifest.target.mesh_columns = kTwo.columns;
        const DeviceRange range = device_range(kTwo, worker);
        manifest.inputs.at(0U).devices = range;
        manifest.outputs.at(0U).devices = range;
        for (capture::ManifestScript& script : manifest.scripts) {
            for (capture::ManifestCommand& command : script.commands) {
                command.devices = range;
            }
        }
        const files::AlignedBytes file{workload.file()};
        MeshDevices devices{2U};
        MeshBench bench{kTwo, devices};
        ASSERT_EQ(bench.load(file.view()), Status::kOk)
            << rule_id(bench.verdict.rule) << " " << files::path_text(bench.verdict.path);
        const Bytes input = workload_input(3U);
        Bytes output(input.size());
        ASSERT_EQ(bench.run(input, output), Status::kOk);
        EXPECT_EQ(output, workload_output(input));
        EXPECT_EQ(devices.at(1U - worker).bound_source(kFirstInputSlot).size(), 0U);
    }
}

// As many as the profile has room for.
TEST(MeshSession, DrivesAsManyDevicesAsThereMayBe) {
    constexpr MeshShape kMost{2U, kMaxMeshDevices / 2U};
    Workload workload = make_mesh_workload(kMost, 1U);
    workload.manifest.target.profile = CapacityProfile::kHost;
    const files::AlignedBytes file{workload.file()};
    MeshDevices devices{kMost.count(), {}, sim::Threading::kInProcess, profiles::kHost};
    MeshBench bench{kMost, devices};
    ASSERT_EQ(bench.load(file.view()), Status::kOk)
        << rule_id(bench.verdict.rule) << " " << files::path_text(bench.verdict.path);
    const Bytes input = mesh_input(kMost, 3U);
    Bytes output(input.size());
    ASSERT_EQ(bench.run(input, output), Status::kOk);
    EXPECT_EQ(output, mesh_output(input));
}

TEST(MeshSession, UnloadStopsEveryDevice) {
    MeshDevices devices{2U};
    const files::AlignedBytes file{make_mesh_workload(kTwo, 1U).file()};
    MeshBench bench{kTwo, devices};
    ASSERT_EQ(bench.load(file.view()), Status::kOk);
    ASSERT_EQ(bench.session.unload(), Status::kOk);
    for (std::uint32_t device = 0U; device < 2U; ++device) {
        RegionConfig region;
        EXPECT_EQ(devices.at(device).programmed_region(0U, region), Status::kInvalidArgument);
    }
}

}  // namespace
}  // namespace pianola::test
