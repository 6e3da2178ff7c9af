// Programs by range, two queues, events over ranges.
#include <thread>

#include "tests/mesh/mesh_support.h"
#include "tests/support/random.h"

namespace pianola::test {
namespace {

using host::EventId;
using host::HostRule;
using host::MeshWorkload;

TEST(MeshWorkload, OverlappingRangesAreRefused) {
    const auto mesh = small_mesh({2U, 2U});
    const auto buffer = replicated(*mesh, 64U);
    MeshWorkload workload;
    workload.add_program(box({0U, 0U}, {0U, 1U}), plus_program(buffer, buffer, 1));
    expect_mesh_rule(MeshRule::kOverlap, "(0, 1) would have two programs",
                     [&] { workload.add_program(box({0U, 1U}, {1U, 1U}), plus_program(buffer, buffer, 2)); });
    EXPECT_EQ(workload.entries().size(), 1U);
    expect_mesh_rule(MeshRule::kShape, "no program for (1, 1)",
                     [&] { static_cast<void>(workload.program(box({1U, 1U}, {1U, 1U}))); });
    workload.add_program(box({1U, 0U}, {1U, 2U}), plus_program(buffer, buffer, 2));
    const Bytes before = pattern(64U, 1U);
    mesh->write(0U, buffer, view(before));
    expect_mesh_rule(MeshRule::kShape, "lies outside", [&] { mesh->enqueue_workload(0U, workload); });
    EXPECT_EQ(mesh->read(0U, buffer), before);  // not even the first program
}

// Each device against arithmetic of its own, with arguments that change between the runs.
TEST(MeshWorkload, RandomProgramsByRange) {
    const auto mesh = small_mesh({2U, 4U});
    const auto input = replicated(*mesh, 96U);
    const auto output = replicated(*mesh, 96U);
    test::Random random{3U};
    const Bytes bytes = pattern(96U, 9U);
    mesh->write(0U, input, view(bytes));
    for (std::uint32_t round = 0U; round < 20U; ++round) {
        mesh->write(0U, output, view(pattern(96U, round)));
        MeshWorkload workload;
        std::vector<int> constants(8U, 0);
        const std::uint32_t cut = 1U + random.below(3U);
        const auto add = [&](const MeshCoordinateRange& range) {
            const int constant = 1 + static_cast<int>(random.below(20U));
            workload.add_program(range, plus_program(input, output, 100));
            workload.program(range).set_common_runtime_args({0U}, add_constant_tail(96U, constant));
            for (const MeshCoordinate& place : range.coordinates()) {
                constants.at(place.index_in(mesh->shape())) = constant;
            }
        };
        add(box({0U, 0U}, {1U, cut - 1U}));
        add(box({1U, cut}, {1U, 3U}));  // the upper right corner has nothing to do
        mesh->enqueue_workload(0U, workload, random.one_in(2U));
        for (const MeshCoordinate& place : mesh->coordinates()) {
            const int constant = constants.at(place.index_in(mesh->shape()));
            EXPECT_EQ(read_shard(*mesh, output, place), (constant == 0) ? pattern(96U, round) : plus(bytes, constant));
        }
    }
}

TEST(MeshWorkload, CircularBuffersAreEachDevicesOwn) {
    const auto mesh = small_mesh({1U, 2U});
    const auto buffer = replicated(*mesh, 64U);
    host::Program program{"through a circular buffer"};
    const auto circular = program.add_circular_buffer(host::one_core({0U, 0U}), 1U, 64U);
    const auto in = program.add_kernel("requantize", host::one_core({0U, 0U}));
    program.set_runtime_args(in, {0U, 0U},
                             {host::BufferArgument{buffer->any(), {}, 0U}, host::CircularBufferArgument{circular, 0U}});
    program.set_common_runtime_args(in, add_constant_tail(64U, 1));
    const auto out = program.add_kernel("requantize", host::one_core({0U, 0U}));
    program.set_runtime_args(out, {0U, 0U},
                             {host::CircularBufferArgument{circular, 0U}, host::BufferArgument{buffer->any(), {}, 0U}});
    program.set_common_runtime_args(out, add_constant_tail(64U, 1));
    MeshWorkload workload;
    workload.add_program(box({0U, 0U}, {0U, 1U}), std::move(program));
    const Bytes bytes = pattern(64U, 5U);
    mesh->write(0U, buffer, view(bytes));
    mesh->compile(workload);
    mesh->enqueue_workload(0U, workload);
    mesh->enqueue_workload(0U, workload);
    EXPECT_EQ(read_shard(*mesh, buffer, {0U, 0U}), plus(plus(bytes, 2), 2));
    EXPECT_EQ(read_shard(*mesh, buffer, {0U, 1U}), plus(plus(bytes, 2), 2));
    EXPECT_EQ(mesh->device({0U, 1U})->memory_report().l1.allocations, 0U);
}

// Halves, the whole mesh, and halves again, none of them blocking: queues keep the order.
TEST(MeshWorkload, ParentAndPartsTakeTurns) {
    const auto mesh = small_mesh({2U, 2U});
    const auto halves = mesh->create_submeshes({1U, 2U});
    const auto whole = replicated(*mesh, 64U);
    MeshWorkload all;
    all.add_program(MeshCoordinateRange{mesh->shape()}, plus_program(whole, whole, 5));
    mesh->write(0U, whole, view(Bytes(64U, 0U)));
    for (std::uint32_t round = 0U; round < 3U; ++round) {
        for (std::uint32_t i = 0U; i < 2U; ++i) {
            MeshWorkload half;
            half.add_program(MeshCoordinateRange{halves[i]->shape()},
                             plus_program(whole, whole, 1 + static_cast<int>(i)));
            halves[i]->enqueue_workload(0U, half);
        }
        mesh->enqueue_workload(0U, all);
    }
    EXPECT_EQ(read_shard(*mesh, whole, {0U, 1U}), Bytes(64U, 18U));
    EXPECT_EQ(read_shard(*mesh, whole, {1U, 0U}), Bytes(64U, 21U));
}

// Two threads, each with a part of the mesh.
TEST(MeshWorkload, TwoThreads) {
    const auto mesh = small_mesh({2U, 2U});
    const auto parts = mesh->create_submeshes({1U, 2U});
    const auto work = [](const host::MeshPtr& part, int constant) {
        const auto buffer = replicated(*part, 64U);
        part->write(0U, buffer, view(Bytes(64U, 0U)));
        MeshWorkload workload;
        workload.add_program(MeshCoordinateRange{part->shape()}, plus_program(buffer, buffer, constant));
        for (std::uint32_t round = 0U; round < 30U; ++round) {
            part->enqueue_workload(0U, workload, (round % 7U) == 0U);
        }
        for (const MeshCoordinate& place : part->coordinates()) {
            EXPECT_EQ(read_shard(*part, buffer, place), Bytes(64U, static_cast<std::uint8_t>(30 * constant)));
        }
    };
    std::thread other{[&] { work(parts[0U], 1); }};
    work(parts[1U], 2);
    other.join();
}

// Queue 1 writes, queue 0 computes and reads.
TEST(MeshEvents, WritesAndWorkOnTwoQueues) {
    const auto mesh = small_mesh({2U, 2U}, 2U);
    const auto input = replicated(*mesh, 512U);
    const auto output = replicated(*mesh, 512U);
    MeshWorkload workload;
    workload.add_program(box({0U, 0U}, {0U, 1U}), plus_program(input, output, 1));
    workload.add_program(box({1U, 0U}, {1U, 1U}), plus_program(input, output, 2));
    const EventId written = mesh->create_event();
    const EventId done = mesh->create_event();
    for (std::uint32_t round = 0U; round < 20U; ++round) {
        const Bytes bytes = pattern(512U, round);
        if (round != 0U) {
            mesh->wait_for_event(1U, done);
        }
        mesh->write(1U, input, view(bytes));
        mesh->record_event(1U, written);
        mesh->wait_for_event(0U, written);
        mesh->enqueue_workload(0U, workload);
        mesh->record_event(0U, done);
        EXPECT_EQ(read_shard(*mesh, output, {0U, 1U}), plus(bytes, 1));
        EXPECT_EQ(read_shard(*mesh, output, {1U, 1U}), plus(bytes, 2));
    }
}

// One row's devices wait for an event, the host waits for the other row's.
TEST(MeshEvents, RangesOfTheirOwn) {
    const auto mesh = small_mesh({2U, 2U}, 2U);
    const auto buffer = replicated(*mesh, 128U);
    const auto upper = box({0U, 0U}, {0U, 1U});
    const auto lower = box({1U, 0U}, {1U, 1U});
    const EventId device_event = mesh->create_event();
    const EventId host_event = mesh->create_event();
    for (std::uint32_t round = 0U; round < 20U; ++round) {
        const Bytes bytes = pattern(128U, round);
        mesh->write(1U, buffer, view(bytes));
        mesh->record_event(1U, device_event, upper);
        mesh->record_event(1U, host_event, lower);
        mesh->wait_for_event(0U, device_event);
        mesh->event_synchronize(host_event);
        for (const MeshCoordinate& place : mesh->coordinates()) {
            EXPECT_EQ(read_shard(*mesh, buffer, place), bytes);
        }
    }
    // The lower row has no such event.
    mesh->write(1U, buffer, view(pattern(128U, 99U)));
    mesh->record_event(1U, device_event, upper);
    mesh->wait_for_event(0U, device_event);
    EXPECT_EQ(read_shard(*mesh, buffer, {0U, 0U}), pattern(128U, 99U));
    expect_rule(HostRule::kRace, "device (1, 0) of mesh", [&] { read_shard(*mesh, buffer, {1U, 0U}); });
}

TEST(MeshEvents, QueriesAndForeignEvents) {
    const auto mesh = small_mesh({1U, 2U}, 2U);
    const auto other = small_mesh({1U, 2U}, 2U);
    const auto buffer = replicated(*mesh, 64U);
    const EventId event = mesh->create_event();
    EXPECT_FALSE(mesh->event_query(event));
    expect_rule(HostRule::kEventNotRecorded, "has not been recorded", [&] { mesh->wait_for_event(0U, event); });
    expect_rule(HostRule::kEventNotRecorded, "has not been recorded", [&] { mesh->event_synchronize(event); });
    for (std::uint32_t i = 0U; i < 50U; ++i) {
        mesh->write(0U, buffer, view(pattern(64U, i)));
        mesh->record_event(0U, event);
        mesh->event_synchronize(event);
        EXPECT_TRUE(mesh->event_query(event));
    }
    const EventId foreign = other->create_event();
    other->record_event(0U, foreign);
    expect_mesh_rule(MeshRule::kForeign, "belongs neither to mesh", [&] { mesh->wait_for_event(0U, foreign); });
    expect_mesh_rule(MeshRule::kForeign, "belongs neither to mesh", [&] { mesh->record_event(0U, foreign); });
    expect_mesh_rule(MeshRule::kForeign, "belongs neither to mesh",
                     [&] { static_cast<void>(mesh->event_query(foreign)); });
    // Parts and their mesh know each other's, as far as they have the devices.
    const auto left = mesh->create_submesh({1U, 1U});
    const auto right = mesh->create_submesh({1U, 1U}, MeshCoordinate{0U, 1U});
    left->wait_for_event(1U, event);
    const EventId of_left = left->create_event();
    left->record_event(0U, of_left);
    mesh->wait_for_event(1U, of_left);
    expect_mesh_rule(MeshRule::kForeign, "wait for nothing", [&] { right->wait_for_event(1U, of_left); });
    expect_mesh_rule(MeshRule::kForeign, "without device (0, 1)", [&] { mesh->record_event(0U, of_left); });
}

TEST(MeshEvents, ManyReadsOnTwoQueues) {
    const auto mesh = small_mesh({1U, 2U}, 2U);
    const auto buffer = replicated(*mesh, 64U);
    const Bytes bytes = pattern(64U, 1U);
    mesh->write(0U, buffer, view(bytes), true);
    std::vector<host::ReadHandle> reads;
    for (std::uint32_t i = 0U; i < 100U; ++i) {
        for (const MeshCoordinate& place : mesh->coordinates()) {
            reads.push_back(mesh->read_shard(i % 2U, buffer, place));
        }
    }
    for (const host::ReadHandle& handle : reads) {
        EXPECT_EQ(handle.data(), bytes);
    }
}

}  // namespace
}  // namespace pianola::test
