// One binary, n devices: values against arithmetic, piece by piece, over a thousand replays.
#include <gtest/gtest.h>

#include "capture_host/base/text.h"
#include "pianola_host/files.h"
#include "tests/device_set/mesh_bench.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kReplays = 1000U;

struct MeshCase {
    const char* name;
    MeshShape shape;
    std::uint32_t queues;
};

class MeshReplay : public testing::TestWithParam<MeshCase> {};

INSTANTIATE_TEST_SUITE_P(Shapes, MeshReplay,
                         testing::Values(MeshCase{"OneByTwo", {1U, 2U}, 2U}, MeshCase{"TwoByTwo", {2U, 2U}, 1U},
                                         MeshCase{"OneByEight", {1U, 8U}, 2U}, MeshCase{"TwoByOne", {2U, 1U}, 1U}),
                         [](const auto& param) { return param.param.name; });

TEST_P(MeshReplay, EveryDeviceWorksOnItsPiece) {
    const MeshShape shape = GetParam().shape;
    const files::AlignedBytes aligned{make_mesh_workload(shape, GetParam().queues).file()};
    MeshDevices devices{shape.count()};
    MeshBench bench{shape, devices};
    ASSERT_EQ(bench.load(aligned.view()), Status::kOk)
        << rule_id(bench.verdict.rule) << files::path_text(bench.verdict.path);
    EXPECT_EQ(bench.session.plan().device_count, shape.count());
    EXPECT_EQ(bench.session.plan().views.answer, ViewsAnswer::kSeveralDevices);
    EXPECT_FALSE(bench.session.has_views());
    for (std::uint32_t replay = 0U; replay < kReplays; ++replay) {
        const Bytes input = mesh_input(shape, replay);
        Bytes output(input.size());
        const std::uint64_t before = devices.at(0U).time().cycles;
        ASSERT_EQ(bench.run(input, output), Status::kOk) << replay;
        ASSERT_EQ(output, mesh_output(input)) << replay;
        ASSERT_EQ(devices.at(0U).time().cycles - before, bench.session.plan().step.cycles) << replay;
    }
    EXPECT_EQ(bench.session.steps_completed(), kReplays);
}

TEST_P(MeshReplay, EveryDeviceHasAReplicatedInput) {
    const MeshShape shape = GetParam().shape;
    const files::AlignedBytes aligned{make_replicated_workload(shape, GetParam().queues).file()};
    MeshDevices devices{shape.count()};
    MeshBench bench{shape, devices};
    ASSERT_EQ(bench.load(aligned.view()), Status::kOk)
        << rule_id(bench.verdict.rule) << files::path_text(bench.verdict.path);
    for (std::uint32_t replay = 0U; replay < kReplays; ++replay) {
        const Bytes input = workload_input(replay);
        Bytes output(bench.session.output_bytes());
        ASSERT_EQ(bench.run(input, output), Status::kOk) << replay;
        ASSERT_EQ(output, replicated_output(shape, input)) << replay;
    }
}

TEST_P(MeshReplay, AThreadPerQueueOfEveryDevice) {
    const MeshShape shape = GetParam().shape;
    const files::AlignedBytes aligned{make_mesh_workload(shape, GetParam().queues).file()};
    MeshDevices devices{shape.count(), {}, sim::Threading::kThreaded};
    MeshBench bench{shape, devices};
    ASSERT_EQ(bench.load(aligned.view()), Status::kOk)
        << rule_id(bench.verdict.rule) << files::path_text(bench.verdict.path);
    constexpr std::uint32_t kFew = 20U;
    for (std::uint32_t replay = 0U; replay < kFew; ++replay) {
        const Bytes input = mesh_input(shape, replay);
        Bytes output(input.size());
        ASSERT_EQ(bench.run(input, output), Status::kOk) << replay;
        ASSERT_EQ(output, mesh_output(input)) << replay;
    }
}

}  // namespace
}  // namespace pianola::test
