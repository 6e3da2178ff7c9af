// Traces of a mesh: programs by range, exact sizes, replay by parts and siblings.
#include "tests/mesh/mesh_support.h"
#include "tests/support/random.h"

namespace pianola::test {
namespace {

using host::HostRule;
using host::MeshWorkload;
using host::TraceId;

class MeshTraceTest : public ::testing::Test {
  protected:
    // One more workload for the trace: constant i on the i-th range.
    void add(const std::vector<MeshCoordinateRange>& ranges, const std::vector<int>& constants) {
        MeshWorkload workload;
        for (std::size_t i = 0U; i < ranges.size(); ++i) {
            workload.add_program(ranges[i], plus_program(buffer_, buffer_, constants.at(i)));
            for (const MeshCoordinate& place : ranges[i].coordinates()) {
                sums_.at(place.index_in(mesh_->shape())) += constants.at(i);
            }
        }
        mesh_->compile(workload);
        workloads_.push_back(std::move(workload));
    }

    [[nodiscard]] TraceId capture() {
        const TraceId trace = mesh_->begin_trace_capture(0U);
        for (const MeshWorkload& workload : workloads_) {
            mesh_->enqueue_workload(0U, workload);
        }
        mesh_->end_trace_capture(0U, trace);
        return trace;
    }

    void write(std::uint8_t value) { mesh_->write(0U, buffer_, view(Bytes(64U, value))); }

    host::MeshPtr mesh_{small_mesh({2U, 4U}, 2U)};
    host::MeshBufferPtr buffer_{replicated(*mesh_, 64U)};
    std::vector<MeshWorkload> workloads_;
    std::vector<int> sums_ = std::vector<int>(8U, 0);
};

// Rows, rows, columns: every device has its own sum.
TEST_F(MeshTraceTest, ProgramsByRange) {
    add({box({0U, 0U}, {0U, 3U}), box({1U, 0U}, {1U, 3U})}, {1, 2});
    add({box({0U, 0U}, {0U, 3U}), box({1U, 0U}, {1U, 3U})}, {3, 5});
    add({box({0U, 0U}, {1U, 0U}), box({0U, 1U}, {1U, 1U}), box({0U, 2U}, {1U, 2U}), box({0U, 3U}, {1U, 3U})},
        {7, 8, 9, 11});
    EXPECT_EQ(sums_, (std::vector<int>{11, 12, 13, 15, 14, 15, 16, 18}));
    const TraceId trace = capture();
    for (std::uint32_t round = 0U; round < 50U; ++round) {
        write(static_cast<std::uint8_t>(round));
        mesh_->execute_trace(0U, trace, (round % 2U) == 0U);
        for (const MeshCoordinate& place : mesh_->coordinates()) {
            EXPECT_EQ(read_shard(*mesh_, buffer_, place),
                      Bytes(64U, static_cast<std::uint8_t>(
                                     round + static_cast<std::uint32_t>(sums_.at(place.index_in(mesh_->shape()))))));
        }
    }
}

// Two corners: the rest of the mesh is no rectangle, and has no trace.
TEST_F(MeshTraceTest, CornersOnly) {
    add({box({0U, 0U}, {0U, 0U}), box({1U, 3U}, {1U, 3U})}, {1, 2});
    const TraceId trace = capture();
    EXPECT_TRUE(mesh_->trace_info(trace, {1U, 3U}).has_value());
    EXPECT_FALSE(mesh_->trace_info(trace, {0U, 3U}).has_value());
    write(0U);
    for (std::uint32_t round = 0U; round < 20U; ++round) {
        mesh_->execute_trace(0U, trace);
    }
    EXPECT_EQ(read_shard(*mesh_, buffer_, {0U, 0U}), Bytes(64U, 20U));
    EXPECT_EQ(read_shard(*mesh_, buffer_, {1U, 3U}), Bytes(64U, 40U));
    EXPECT_EQ(read_shard(*mesh_, buffer_, {0U, 3U}), Bytes(64U, 0U));
    EXPECT_EQ(mesh_->device({0U, 3U})->trace_region_bytes_used(), 0U);
}

// Seven ways to split the mesh, several traces alive at once.
TEST_F(MeshTraceTest, SplitsAndSeveralTraces) {
    const std::vector<std::vector<MeshCoordinateRange>> splits{
        {box({0U, 0U}, {1U, 3U})},
        {box({0U, 0U}, {0U, 3U}), box({1U, 0U}, {1U, 3U})},
        {box({0U, 0U}, {1U, 1U}), box({0U, 2U}, {1U, 3U})},
        {box({0U, 0U}, {1U, 0U}), box({0U, 1U}, {1U, 3U})},
        {box({0U, 0U}, {0U, 0U}), box({1U, 1U}, {1U, 3U})},
        {box({0U, 0U}, {0U, 1U}), box({0U, 2U}, {0U, 3U}), box({1U, 0U}, {1U, 3U})},
        {box({0U, 1U}, {1U, 2U})}};
    test::Random random{1U};
    std::vector<std::pair<TraceId, std::vector<int>>> traces;
    for (std::uint32_t i = 0U; i < 3U; ++i) {
        workloads_.clear();
        sums_.assign(8U, 0);
        for (const auto& split : splits) {
            add(split, {1 + static_cast<int>(random.below(3U)), 1, 2});
        }
        traces.emplace_back(capture(), sums_);
    }
    for (std::uint32_t round = 0U; round < 30U; ++round) {
        const auto& [trace, sums] = traces.at(random.below(3U));
        write(1U);
        mesh_->execute_trace(0U, trace);
        const MeshCoordinate place = MeshCoordinate::at(mesh_->shape(), random.below(8U));
        EXPECT_EQ(read_shard(*mesh_, buffer_, place),
                  Bytes(64U, static_cast<std::uint8_t>(1 + sums.at(place.index_in(mesh_->shape())))));
    }
    const std::uint32_t used = mesh_->device({0U, 0U})->trace_region_bytes_used();
    mesh_->release_trace(traces.at(1U).first);
    EXPECT_LT(mesh_->device({0U, 0U})->trace_region_bytes_used(), used);
    expect_rule(HostRule::kTraceUnknown, "has been released", [&] { mesh_->execute_trace(0U, traces.at(1U).first); });
}

TEST_F(MeshTraceTest, WhatACaptureForbids) {
    add({MeshCoordinateRange{mesh_->shape()}}, {1});
    const host::EventId event = mesh_->create_event();
    mesh_->record_event(0U, event);
    const TraceId trace = mesh_->begin_trace_capture(0U);
    const auto refused = [](const char* what, const auto& action) {
        expect_rule(HostRule::kTraceCapturing, what, action);
    };
    refused("a write on queue 0", [&] { write(1U); });
    refused("a read", [&] { static_cast<void>(mesh_->read(0U, buffer_)); });
    refused("finish", [&] { mesh_->finish(0U); });
    refused("finish", [&] { mesh_->enqueue_workload(0U, workloads_.front(), true); });
    refused("recording an event", [&] { mesh_->record_event(0U, event); });
    refused("waiting for an event", [&] { mesh_->wait_for_event(0U, event); });
    refused("synchronising", [&] { mesh_->event_synchronize(event); });
    refused("synchronize", [&] { mesh_->synchronize(); });
    expect_rule(HostRule::kTraceBusyQueue, "captures trace",
                [&] { static_cast<void>(mesh_->begin_trace_capture(0U)); });
    expect_mesh_rule(MeshRule::kTrace, "is being captured", [&] { mesh_->execute_trace(1U, trace); });
    expect_rule(HostRule::kTraceUnknown, "is being captured", [&] { mesh_->release_trace(trace); });
    expect_rule(HostRule::kTraceNotCapturing, "on which it was begun", [&] { mesh_->end_trace_capture(1U, trace); });
    MeshWorkload unknown;
    host::Program program{"fill"};
    const auto kernel = program.add_kernel("fill", host::one_core({0U, 0U}));
    program.set_runtime_args(kernel, {0U, 0U}, {host::BufferArgument{buffer_->any(), {}, 0U}, 64U, 7U});
    unknown.add_program(MeshCoordinateRange{mesh_->shape()}, std::move(program));
    expect_rule(HostRule::kProgramNotCompiled, "device (0, 0)", [&] { mesh_->enqueue_workload(0U, unknown); });
    // Parts, and the devices themselves, would become part of the trace.
    const auto part = mesh_->create_submesh({1U, 4U});
    MeshWorkload row;
    row.add_program(MeshCoordinateRange{part->shape()}, plus_program(buffer_, buffer_, 1));
    expect_rule(HostRule::kTraceOwner, "would become part of trace", [&] { part->enqueue_workload(0U, row); });
    host::Program own = constant_program(buffer_->any(), buffer_->any(), 1);
    expect_rule(HostRule::kTraceOwner, "captures on queue 0",
                [&] { mesh_->device({0U, 0U})->enqueue_program(0U, own); });
    expect_rule(HostRule::kTraceEmpty, "no program was enqueued", [&] { mesh_->end_trace_capture(0U, trace); });
    write(1U);  // the capture has ended
    EXPECT_EQ(mesh_->read(0U, buffer_), Bytes(64U, 1U));
}

TEST(MeshTraceSize, NamesTheDeviceAndTheBytes) {
    const auto mesh = small_mesh({1U, 2U}, 1U, 0U);
    const auto buffer = replicated(*mesh, 64U);
    MeshWorkload workload;
    workload.add_program(box({0U, 1U}, {0U, 1U}), plus_program(buffer, buffer, 1));
    mesh->compile(workload);
    const auto capture = [&workload](host::MeshDevice& on) {
        const TraceId trace = on.begin_trace_capture(0U);
        on.enqueue_workload(0U, workload);
        on.end_trace_capture(0U, trace);
        return trace;
    };
    std::uint32_t needed = 0U;
    try {
        static_cast<void>(capture(*mesh));
        ADD_FAILURE() << "a trace in no region";
    } catch (const host::HostError& error) {
        EXPECT_EQ(error.rule(), HostRule::kTraceRegion);
        const std::string text{error.what()};
        EXPECT_NE(text.find("device (0, 1) of mesh"), std::string::npos) << text;
        EXPECT_NE(text.find("the trace region's 0 bytes"), std::string::npos) << text;
        const std::string mark{"trace_region_size "};
        needed = static_cast<std::uint32_t>(std::stoul(text.substr(text.find(mark) + mark.size())));
    }
    EXPECT_FALSE(mesh->is_capturing(0U));
    const auto enough = small_mesh({1U, 2U}, 1U, needed);
    const auto other = replicated(*enough, 64U);
    workload = {};
    workload.add_program(box({0U, 1U}, {0U, 1U}), plus_program(other, other, 1));
    enough->compile(workload);
    EXPECT_LE(enough->trace_info(capture(*enough), {0U, 1U})->bytes, needed);
}

// To another mesh and back, and no byte of the blob may differ.
TEST_F(MeshTraceTest, BlobsCarryATrace) {
    add({box({0U, 0U}, {0U, 3U}), box({1U, 1U}, {1U, 3U})}, {1, 2});
    const TraceId trace = capture();
    std::map<MeshCoordinate, std::vector<host::NamedBuffer>> names;
    for (const auto& [place, part] : buffer_->parts()) {
        if (mesh_->trace_info(trace, place).has_value()) {
            names[place] = {{"data", part.buffer}};
        }
    }
    const Bytes blob = mesh_->collect_trace(trace, names);
    const auto other = small_mesh({2U, 4U}, 2U);
    const TraceId loaded = other->load_trace(0U, view(blob));
    const host::NamedBuffer data = other->trace_buffers(loaded, {1U, 2U}).at(0U);
    EXPECT_EQ(data.name, "data");
    other->device({1U, 2U})->enqueue_write(0U, data.buffer, view(Bytes(64U, 5U)));
    other->execute_trace(0U, loaded, true);
    EXPECT_EQ(read(*other->device({1U, 2U}), data.buffer), Bytes(64U, 7U));
    EXPECT_TRUE(other->trace_buffers(loaded, {1U, 0U}).empty());
    other->release_trace(loaded);
    for (std::size_t i = 0U; i < blob.size(); i += 7U) {
        Bytes damaged = blob;
        damaged[i] ^= 0x40U;
        EXPECT_THROW(static_cast<void>(other->load_trace(0U, view(damaged))), host::HostError) << i;
        damaged = Bytes(blob.begin(), blob.begin() + static_cast<std::ptrdiff_t>(i));
        expect_rule(HostRule::kBlobFormat, "no trace blob of a mesh",
                    [&] { static_cast<void>(other->load_trace(0U, view(damaged))); });
    }
    EXPECT_EQ(other->device({0U, 0U})->trace_region_bytes_used(), 0U);
    const auto part = mesh_->create_submesh({1U, 4U});
    expect_mesh_rule(MeshRule::kTrace, "is collected on", [&] { static_cast<void>(part->collect_trace(trace)); });
}

// The only place that is free on both devices is under a trace of the second one.
TEST(MeshTraceMemory, NoDeviceAllocatesUnderAnothersTrace) {
    const auto mesh = small_mesh({1U, 2U});
    const auto right = mesh->create_submesh({1U, 1U}, MeshCoordinate{0U, 1U});
    const auto free_bytes = [&](std::uint32_t column) {
        return mesh->device({0U, column})->memory_report().dram.largest_free_bytes;
    };
    auto large = replicated(*right, free_bytes(1U));
    MeshWorkload workload;
    workload.add_program(box({0U, 0U}, {0U, 0U}), [&large] {
        host::Program program{"fill"};
        const auto kernel = program.add_kernel("fill", host::one_core({0U, 0U}));
        program.set_runtime_args(
            kernel, {0U, 0U},
            {host::BufferArgument{large->any(), {}, 0U}, static_cast<std::uint32_t>(large->size_bytes()), 7U});
        return program;
    }());
    right->compile(workload);
    const TraceId trace = right->begin_trace_capture(0U);
    right->enqueue_workload(0U, workload);
    right->end_trace_capture(0U, trace);
    large.reset();
    const std::uint64_t before = free_bytes(0U);
    expect_rule(HostRule::kMemoryUnderTrace, "a live trace of another of them", [&] { replicated(*mesh, 4096U); });
    EXPECT_EQ(free_bytes(0U), before);
    right->release_trace(trace);
    EXPECT_EQ(replicated(*mesh, 4096U)->parts().size(), 2U);
}

// A trace is executed by parts of the mesh, and by ranges.
TEST_F(MeshTraceTest, PartsExecuteTheirPart) {
    add({box({0U, 0U}, {0U, 3U}), box({1U, 0U}, {1U, 3U})}, {1, 2});
    const TraceId trace = capture();
    const auto lower = mesh_->create_submesh({1U, 4U}, MeshCoordinate{1U, 0U});
    write(0U);
    lower->execute_trace(0U, trace);
    lower->execute_trace(0U, trace, true, box({0U, 3U}, {0U, 3U}));
    mesh_->execute_trace(0U, trace, true, box({0U, 0U}, {0U, 1U}));
    const std::vector<std::uint8_t> expected{1U, 1U, 0U, 0U, 2U, 2U, 2U, 4U};
    for (const MeshCoordinate& place : mesh_->coordinates()) {
        EXPECT_EQ(read_shard(*mesh_, buffer_, place), Bytes(64U, expected.at(place.index_in(mesh_->shape()))));
    }
}

// Captured on one part, executed on its sibling, which has allocated the same.
TEST(MeshTraceSibling, ExecutesACopy) {
    const auto mesh = small_mesh({2U, 2U});
    const auto parts = mesh->create_submeshes({1U, 2U});
    const auto here = replicated(*parts[0U], 64U);
    const auto there = replicated(*parts[1U], 64U);
    ASSERT_EQ(here->address(), there->address());
    MeshWorkload workload;
    workload.add_program(box({0U, 0U}, {0U, 0U}), plus_program(here, here, 1));
    workload.add_program(box({0U, 1U}, {0U, 1U}), plus_program(here, here, 2));
    parts[0U]->compile(workload);
    const TraceId trace = parts[0U]->begin_trace_capture(0U);
    parts[0U]->enqueue_workload(0U, workload);
    parts[0U]->end_trace_capture(0U, trace);
    for (const auto& [part, buffer, value] : {std::tuple{parts[0U], here, 10U}, std::tuple{parts[1U], there, 20U}}) {
        part->write(0U, buffer, view(Bytes(64U, static_cast<std::uint8_t>(value))));
    }
    parts[1U]->execute_trace(0U, trace);
    parts[1U]->execute_trace(0U, trace);
    EXPECT_EQ(read_shard(*parts[1U], there, {0U, 0U}), Bytes(64U, 22U));
    EXPECT_EQ(read_shard(*parts[1U], there, {0U, 1U}), Bytes(64U, 24U));
    EXPECT_EQ(read_shard(*parts[0U], here, {0U, 0U}), Bytes(64U, 10U));
    parts[0U]->execute_trace(0U, trace);
    EXPECT_EQ(read_shard(*parts[0U], here, {0U, 1U}), Bytes(64U, 12U));
    // Another shape cannot, nor one that shares a device.
    const auto one = mesh->create_submesh({1U, 1U}, MeshCoordinate{1U, 1U});
    const auto column = mesh->create_submesh({2U, 1U});
    expect_mesh_rule(MeshRule::kTrace, "0 of 1 devices", [&] { one->execute_trace(0U, trace); });
    expect_mesh_rule(MeshRule::kTrace, "1 of 2 devices", [&] { column->execute_trace(0U, trace); });
    parts[0U]->release_trace(trace);
    EXPECT_EQ(parts[1U]->device({0U, 0U})->trace_region_bytes_used(), 0U);
}

TEST(MeshTraceSibling, NeedsTheSameBuffersAtTheSamePlaces) {
    const auto mesh = small_mesh({1U, 3U});
    const auto parts = mesh->create_submeshes({1U, 1U});
    const auto here = replicated(*parts[0U], 64U);
    const auto other_size = replicated(*parts[2U], 128U);
    MeshWorkload workload;
    workload.add_program(box({0U, 0U}, {0U, 0U}), plus_program(here, here, 1));
    parts[0U]->compile(workload);
    const TraceId trace = parts[0U]->begin_trace_capture(0U);
    parts[0U]->enqueue_workload(0U, workload);
    parts[0U]->end_trace_capture(0U, trace);
    for (const std::uint32_t i : {1U, 2U}) {
        expect_rule(HostRule::kBlobMemory, "allocate the same buffers in the same order",
                    [&] { parts[i]->execute_trace(0U, trace); });
    }
    // What it uses by the way must not be somebody else's.
    parts[0U]->deallocate(here);
    expect_rule(HostRule::kBlobMemory, "64 bytes that the trace uses are allocated",
                [&] { parts[2U]->execute_trace(0U, trace); });
    const auto stranger = small_mesh({1U, 1U});
    expect_rule(HostRule::kTraceUnknown, "not one of mesh", [&] { stranger->execute_trace(0U, trace); });
}

// Free memory was all queue 0's, and a device captures a program of queue 0 that uses the lower of two places. Queue 1
// gets the other place, on a device alone and on a mesh in which another device captures.
TEST(MeshTraceMemory, AQueueAvoidsWhatAnyDeviceCapturesForTheOther) {
    constexpr std::uint64_t kBytes = std::uint64_t{64U} * 1024U;
    const auto config = [](std::uint64_t bytes, std::uint32_t queue) {
        host::BufferConfig owned = flat(bytes);
        owned.owner = {queue, false};
        return owned;
    };
    const auto device = host::open_device(small_device(2U, 16U * 1024U));
    const host::BufferPtr alone = device->allocate(config(kBytes, 0U));
    const host::BufferPtr left_alone = device->allocate(config(kBytes, 0U));
    const std::uint64_t rest = device->memory_report().dram.largest_free_bytes;
    const host::BufferPtr filling = device->allocate(config(rest, 0U));
    host::Program program = constant_program(alone, alone, 1);
    device->compile(program);
    const TraceId captured = device->begin_trace_capture(0U);
    device->enqueue_program(0U, program);
    const std::uint32_t wanted = left_alone->address();
    ASSERT_GT(wanted, alone->address());
    device->deallocate(alone);
    device->deallocate(left_alone);
    EXPECT_EQ(device->allocate(config(kBytes, 1U))->address(), wanted);
    device->end_trace_capture(0U, captured);

    const auto mesh = small_mesh({1U, 3U}, 2U);
    const auto used = mesh->allocate({config(kBytes, 0U), std::nullopt});
    const auto left = mesh->allocate({config(kBytes, 0U), std::nullopt});
    const auto full = mesh->allocate({config(rest, 0U), std::nullopt});
    MeshWorkload workload;
    workload.add_program(box({0U, 1U}, {0U, 1U}), plus_program(used, used, 1));
    mesh->compile(workload);
    const TraceId trace = mesh->begin_trace_capture(0U);
    mesh->enqueue_workload(0U, workload);
    ASSERT_EQ(left->address(), wanted);
    mesh->deallocate(used);
    mesh->deallocate(left);
    const auto got = mesh->allocate({config(kBytes, 1U), std::nullopt});
    EXPECT_EQ(got->address(), wanted);
    mesh->end_trace_capture(0U, trace);
    mesh->write(1U, got, view(Bytes(kBytes, 7U)), true);
    mesh->execute_trace(0U, trace, true);
    for (const MeshCoordinate& place : mesh->coordinates()) {
        EXPECT_EQ(read_shard(*mesh, got, place), Bytes(kBytes, 7U));
    }
}

}  // namespace
}  // namespace pianola::test
