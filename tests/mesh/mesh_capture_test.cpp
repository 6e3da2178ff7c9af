// Captures of a mesh: one binary for all devices, against arithmetic on arrays.
#include "tests/mesh/capture_support.h"

namespace pianola::test {
namespace {

TEST_F(MeshCapture, AThousandReplaysOfACutTensor) {
    const std::vector<MeshShape> shapes{{1U, 2U}, {2U, 2U}, {1U, 8U}};
    for (const MeshShape& shape : shapes) {
        SCOPED_TRACE(to_string(shape));
        open(shape);
        const MeshBufferPtr input = cut();
        const MeshBufferPtr output = cut();
        WorkloadCapture capture{mesh_->grid()};
        for (std::uint32_t i = 0U; i < kTurns; ++i) {
            mesh_->write(0U, input, view(pattern(input->size_bytes(), i)));
            run_all(3, input, output);
            (void)mesh_->read(0U, output);
        }
        const CapturedWorkload workload = capture.end();
        EXPECT_EQ(workload.steps, kTurns);
        ASSERT_EQ(workload.manifest.inputs.size(), 1U);
        EXPECT_EQ(workload.manifest.target.mesh_columns, shape[1U]);
        expect_replays(workload, 1000U, [](const Tensors& given) { return Tensors{plus(given.front(), 3)}; });
        EXPECT_TRUE(workload.warnings.empty());
        EXPECT_EQ(workload.manifest.self_test_origins.size(), kTurns);
    }
}

// One input for all, another program in each row, one device's result.
TEST_F(MeshCapture, ProgramsByRangeAndOneCoordinate) {
    open({2U, 2U});
    const MeshBufferPtr input = shared();
    const MeshBufferPtr output = shared();
    WorkloadCapture capture{mesh_->grid()};
    for (std::uint32_t i = 0U; i < kTurns; ++i) {
        mesh_->write(0U, input, view(pattern(kBytes, i)));
        run({{box({0U, 0U}, {0U, 1U}), 5}, {box({1U, 0U}, {1U, 1U}), -9}}, input, output);
        (void)read_shard(*mesh_, output, {1U, 0U});
        (void)read_shard(*mesh_, output, {0U, 1U});
    }
    const CapturedWorkload workload = capture.end();
    ASSERT_EQ(workload.manifest.inputs.size(), 1U);
    EXPECT_EQ(workload.manifest.inputs.front().placement, Placement::kReplicated);
    // Two corners are no rectangle: each is an output, in the order of the devices.
    ASSERT_EQ(workload.manifest.outputs.size(), 2U);
    expect_replays(workload, 20U,
                   [](const Tensors& given) { return Tensors{plus(given.front(), 5), plus(given.front(), -9)}; });
}

TEST_F(MeshCapture, WhatIsWrittenToARangeIsAnInputOfIt) {
    open({2U, 2U});
    const MeshBufferPtr input = shared();
    const MeshBufferPtr output = cut();
    WorkloadCapture capture{mesh_->grid()};
    for (std::uint32_t i = 0U; i < kTurns; ++i) {
        mesh_->write(0U, input, view(pattern(kBytes, i)), false, box({0U, 0U}, {0U, 1U}));
        mesh_->write(0U, input, view(pattern(kBytes, i + 50U)), false, box({1U, 0U}, {1U, 1U}));
        run_all(1, input, output);
        (void)mesh_->read(0U, output);
    }
    const CapturedWorkload workload = capture.end();
    ASSERT_EQ(workload.manifest.inputs.size(), 2U);
    expect_replays(workload, 20U, [](const Tensors& given) {
        const Bytes upper = plus(given[0], 1);
        const Bytes lower = plus(given[1], 1);
        return Tensors{joined({upper, upper, lower, lower})};
    });
}

// Shards that are written and read one by one are pieces of one tensor.
TEST_F(MeshCapture, ShardsOneByOne) {
    open({1U, 8U});
    const MeshBufferPtr input = shared();
    const MeshBufferPtr output = shared();
    WorkloadCapture capture{mesh_->grid()};
    for (std::uint32_t i = 0U; i < kTurns; ++i) {
        for (const MeshCoordinate& place : mesh_->coordinates()) {
            mesh_->write_shard(0U, input, place, view(pattern(kBytes, i + place[1U])));
        }
        run({{box({0U, 0U}, {0U, 3U}), 1}, {box({0U, 4U}, {0U, 7U}), 2}}, input, output);
        for (const MeshCoordinate& place : mesh_->coordinates()) {
            (void)mesh_->read_shard(0U, output, place);
        }
    }
    const CapturedWorkload workload = capture.end();
    ASSERT_EQ(workload.manifest.inputs.size(), 1U);
    ASSERT_EQ(workload.manifest.outputs.size(), 1U);
    expect_replays(workload, 20U, [](const Tensors& given) {
        std::vector<Bytes> pieces;
        for (std::size_t i = 0U; i < 8U; ++i) {
            pieces.push_back(plus(piece(given.front(), i), (i < 4U) ? 1 : 2));
        }
        return Tensors{joined(pieces)};
    });
}

// Each device has weights of its own from set-up.
TEST_F(MeshCapture, SetUpOfEachDevice) {
    open({1U, 2U});
    const MeshBufferPtr start = cut();
    const MeshBufferPtr input = shared();
    const MeshBufferPtr output = cut();
    WorkloadCapture capture{mesh_->grid()};
    const Bytes first = pattern(start->size_bytes(), 99U);
    mesh_->write(0U, start, view(first));
    for (std::uint32_t i = 0U; i < kTurns; ++i) {
        mesh_->write(0U, input, view(pattern(kBytes, i)));
        MeshWorkload work;
        host::Program program{"sum"};
        const host::KernelHandle kernel = program.add_kernel("binary", host::one_core({0U, 0U}));
        program.set_runtime_args(
            kernel, {0U, 0U},
            {host::BufferArgument{input->any(), {}, 0U}, host::BufferArgument{start->any(), {}, 0U},
             host::BufferArgument{output->any(), {}, 0U}});
        program.set_common_runtime_args(kernel, {kBytes, 1U, 1U});
        work.add_program(MeshCoordinateRange{mesh_->shape()}, std::move(program));
        mesh_->enqueue_workload(0U, work);
        (void)mesh_->read(0U, output);
    }
    const CapturedWorkload workload = capture.end();
    const auto sum = [](const Bytes& one, const Bytes& other) {
        Bytes result;
        for (std::size_t i = 0U; i < one.size(); ++i) {
            result.push_back(plus(Bytes{one[i]}, (other[i] < 128U) ? int{other[i]} : (int{other[i]} - 256)).front());
        }
        return result;
    };
    expect_replays(workload, 20U, [&](const Tensors& given) {
        return Tensors{joined({sum(given.front(), piece(first, 0U)), sum(given.front(), piece(first, 1U))})};
    });
}

// Queue 1 writes, queue 0 works and reads; events are those of ranges, taken anew in every turn.
TEST_F(MeshCapture, TwoQueuesWithEventsOverRanges) {
    for (const bool is_reused : {true, false}) {
        open({2U, 2U}, 2U);
        const MeshBufferPtr input = cut();
        const MeshBufferPtr output = cut();
        const EventId kept_written = mesh_->create_event();
        const EventId kept_taken = mesh_->create_event();
        const auto event = [&](EventId kept) { return is_reused ? kept : mesh_->create_event(); };
        WorkloadCapture capture{mesh_->grid()};
        EventId taken = event(kept_taken);
        mesh_->record_event(0U, taken);
        for (std::uint32_t i = 0U; i < kTurns; ++i) {
            mesh_->wait_for_event(1U, taken);
            mesh_->write(1U, input, view(pattern(input->size_bytes(), i)));
            const EventId written = event(kept_written);
            mesh_->record_event(1U, written);
            mesh_->wait_for_event(0U, written);
            run({{box({0U, 0U}, {0U, 1U}), 7}, {box({1U, 0U}, {1U, 1U}), 8}}, input, output);
            taken = event(kept_taken);
            mesh_->record_event(0U, taken);
            (void)mesh_->read(0U, output);
        }
        const CapturedWorkload workload = capture.end();
        EXPECT_EQ(workload.steps, kTurns);
        EXPECT_EQ(workload.manifest.steps_in_flight, 2U);
        expect_replays(workload, 50U, [](const Tensors& given) {
            const Bytes& all = given.front();
            return Tensors{joined(
                {plus(piece(all, 0U), 7), plus(piece(all, 1U), 7), plus(piece(all, 2U), 8), plus(piece(all, 3U), 8)})};
        });
    }
}

// The input is a turn ahead; both devices are given it, and one is read.
TEST_F(MeshCapture, APipelineOfWhichOneDeviceIsRead) {
    open({1U, 2U}, 2U);
    const MeshBufferPtr input = shared();
    const MeshBufferPtr middle = shared();
    const MeshBufferPtr output = shared();
    const EventId written = mesh_->create_event();
    const EventId taken = mesh_->create_event();
    const auto write = [&](std::uint32_t seed) {
        mesh_->write(1U, input, view(pattern(kBytes, seed)));
        mesh_->record_event(1U, written);
    };
    WorkloadCapture capture{mesh_->grid()};
    write(100U);
    for (std::uint32_t i = 0U; i <= kTurns; ++i) {
        mesh_->wait_for_event(0U, written);
        run_all(2, input, middle);
        if (i < kTurns) {
            mesh_->record_event(0U, taken);
            mesh_->wait_for_event(1U, taken);
            write(i);
        }
        run_all(3, middle, output);
        (void)mesh_->read_shard(0U, output, {0U, 1U});
    }
    const CapturedWorkload workload = capture.end();
    EXPECT_EQ(workload.steps, kTurns);
    EXPECT_EQ(workload.manifest.self_test_origins.size(), kTurns + 1U);
    expect_replays(workload, 20U, [](const Tensors& given) { return Tensors{plus(plus(given.front(), 2), 3)}; });
}

TEST_F(MeshCapture, TracesOfTheMesh) {
    open({2U, 2U});
    const MeshBufferPtr input = shared();
    const MeshBufferPtr output = shared();
    MeshWorkload workload;
    workload.add_program(box({0U, 0U}, {1U, 0U}), plus_program(input, output, 10));
    workload.add_program(box({0U, 1U}, {1U, 1U}), plus_program(input, output, 20));
    mesh_->compile(workload);
    const host::TraceId trace = mesh_->begin_trace_capture(0U);
    mesh_->enqueue_workload(0U, workload);
    mesh_->end_trace_capture(0U, trace);
    const MeshPtr left = mesh_->create_submesh({2U, 1U});
    WorkloadCapture capture{mesh_->grid()};
    for (std::uint32_t i = 0U; i < kTurns; ++i) {
        mesh_->write(0U, input, view(pattern(kBytes, i)));
        mesh_->execute_trace(0U, trace);
        left->execute_trace(0U, trace);  // once more: the same result
        for (const MeshCoordinate& place : mesh_->coordinates()) {
            (void)mesh_->read_shard(0U, output, place);
        }
    }
    expect_replays(capture.end(), 20U, [](const Tensors& given) {
        const Bytes ten = plus(given.front(), 10);
        const Bytes twenty = plus(given.front(), 20);
        return Tensors{joined({ten, twenty, ten, twenty})};
    });
}

TEST_F(MeshCapture, APartOfAMesh) {
    open({1U, 8U});
    const MeshPtr half = mesh_->create_submesh({1U, 4U}, MeshCoordinate{0U, 4U});
    const MeshBufferPtr buffer = replicated(*half, kBytes);
    WorkloadCapture capture{half->grid()};
    for (std::uint32_t i = 0U; i < kTurns; ++i) {
        half->write(0U, buffer, view(pattern(kBytes, i)));
        MeshWorkload work;
        work.add_program(MeshCoordinateRange{half->shape()}, plus_program(buffer, buffer, 4));
        half->enqueue_workload(0U, work);
        (void)half->read(0U, buffer);
    }
    const CapturedWorkload workload = capture.end();
    EXPECT_EQ(workload.manifest.target.mesh_columns, 4U);
    expect_replays(workload, 20U, [](const Tensors& given) { return Tensors{plus(given.front(), 4)}; });
}

// A device may have nothing to do at all.
TEST_F(MeshCapture, DevicesWithoutWork) {
    open({2U, 2U});
    const MeshBufferPtr buffer = shared();
    WorkloadCapture capture{mesh_->grid()};
    for (std::uint32_t i = 0U; i < kTurns; ++i) {
        mesh_->write_shard(0U, buffer, {1U, 1U}, view(pattern(kBytes, i)));
        run({{box({1U, 1U}, {1U, 1U}), 6}}, buffer, buffer);
        (void)read_shard(*mesh_, buffer, {1U, 1U});
    }
    expect_replays(capture.end(), 20U, [](const Tensors& given) { return Tensors{plus(given.front(), 6)}; });
}

TEST_F(MeshCapture, NamesAndMarks) {
    open({1U, 2U});
    const MeshBufferPtr input = cut();
    const MeshBufferPtr output = cut();
    WorkloadCapture capture{mesh_->grid()};
    capture.declare_input(input->shards(), {"image", ElementType::kInt8, {kBytes}, 0.5F, 3});
    capture.declare_output(output->shards(), {"scores", ElementType::kInt8, {kBytes}, 1.0F, 0});
    for (std::uint32_t i = 0U; i < kTurns; ++i) {
        capture.begin_step();
        mesh_->write(0U, input, view(pattern(input->size_bytes(), i)));
        run_all(2, input, output);
        (void)mesh_->read(0U, output);
    }
    const CapturedWorkload workload = capture.end();
    EXPECT_EQ(workload.manifest.inputs.front().name, "image");
    EXPECT_EQ(workload.manifest.inputs.front().shape, (std::vector<std::uint32_t>{2U * kBytes}));
    EXPECT_EQ(workload.manifest.outputs.front().name, "scores");
    host::compare_to_capture(workload, mesh_->device({0U, 0U})->spec(), tested_vulkan());
    expect_replays(workload, 20U, [](const Tensors& given) { return Tensors{plus(given.front(), 2)}; });
}

// Device 0's shard is moved once more than the others': what one call has moved is one tensor.
TEST_F(MeshCapture, PartialAccessesDoNotTearTensors) {
    open({1U, 2U});
    const MeshBufferPtr input = cut();
    const MeshBufferPtr output = cut();
    WorkloadCapture capture{mesh_->grid()};
    for (std::uint32_t i = 0U; i < kTurns; ++i) {
        mesh_->write_shard(0U, input, {0U, 0U}, view(pattern(kBytes, i + 40U)));
        run({{box({0U, 0U}, {0U, 0U}), 1}}, input, output);
        (void)mesh_->read_shard(0U, output, {0U, 0U});
        mesh_->write(0U, input, view(pattern(input->size_bytes(), i)));
        run_all(3, input, output);
        (void)mesh_->read(0U, output);
    }
    const CapturedWorkload workload = capture.end();
    ASSERT_EQ(workload.inputs.front().size(), 2U);
    for (std::uint32_t i = 0U; i < kTurns; ++i) {
        EXPECT_EQ(workload.inputs[i][0], pattern(kBytes, i + 40U));
        EXPECT_EQ(workload.inputs[i][1], pattern(std::size_t{2U} * kBytes, i));
        EXPECT_EQ(workload.outputs[i][0], plus(pattern(kBytes, i + 40U), 1));
        EXPECT_EQ(workload.outputs[i][1], plus(pattern(std::size_t{2U} * kBytes, i), 3));
    }
    expect_replays(workload, 20U, [](const Tensors& given) { return Tensors{plus(given[0], 1), plus(given[1], 3)}; });
}

// Inputs are written ahead, outputs read shard by shard, and the last one not at all: the first input is no constant.
TEST_F(MeshCapture, AnOutputThatIsNeverReadMakesNoConstant) {
    open({1U, 2U});
    std::uint32_t captured = 0U;
    for (const std::uint32_t turns : {4U, 5U}) {
        const std::array<MeshBufferPtr, 2> inputs{shared(), shared()};
        const MeshBufferPtr middle = cut();
        const MeshBufferPtr output = cut();
        WorkloadCapture capture{mesh_->grid()};
        mesh_->write(0U, inputs[0], view(pattern(kBytes, 0U)));
        for (std::uint32_t i = 0U; i < turns; ++i) {
            if ((i + 1U) < turns) {
                mesh_->write(0U, inputs.at((i + 1U) % 2U), view(pattern(kBytes, i + 1U)));
            }
            run_all(1, inputs.at(i % 2U), middle);
            run_all(2, middle, output);
            for (std::uint32_t k = 0U; ((i + 1U) < turns) && (k < 2U); ++k) {
                (void)mesh_->read_shard(0U, output, {0U, k});
            }
        }
        try {
            const CapturedWorkload workload = capture.end();
            EXPECT_EQ(workload.inputs.front().front(), pattern(kBytes, 0U));
            EXPECT_EQ(piece(workload.outputs.front().front(), 0U), plus(pattern(kBytes, 0U), 3));
            captured += 1U;
        } catch (const host::HostError& error) {
            EXPECT_NE(std::string{error.what()}.find("(call 1) in front of the loop seems to be the input of a turn"),
                      std::string::npos);
        }
    }
    EXPECT_EQ(captured, 1U);
}

// Shards that are read one by one are one tensor, unless one of them changes in between.
TEST_F(MeshCapture, ShardsOneByOneAreOneTensorWhileNothingChanges) {
    open({1U, 2U});
    for (const bool changes : {false, true}) {
        const MeshBufferPtr input = cut();
        const MeshBufferPtr output = cut();
        WorkloadCapture capture{mesh_->grid()};
        for (std::uint32_t i = 0U; i < kTurns; ++i) {
            mesh_->write(0U, input, view(pattern(input->size_bytes(), i)));
            run_all(1, input, output);
            (void)mesh_->read_shard(0U, output, {0U, 0U});
            if (changes) {
                run_all(2, input, output);
            }
            (void)mesh_->read_shard(0U, output, {0U, 1U});
        }
        const CapturedWorkload workload = capture.end();
        ASSERT_EQ(workload.manifest.outputs.size(), changes ? 2U : 1U);
        expect_replays(workload, 20U, [&](const Tensors& given) {
            const Bytes first = plus(piece(given[0], 0U), 1);
            const Bytes second = plus(piece(given[0], 1U), changes ? 2 : 1);
            return changes ? Tensors{first, second} : Tensors{joined({first, second})};
        });
    }
}

// Turns that pair shards in different ways are refused, with both calls.
TEST_F(MeshCapture, TurnsThatPairShardsDifferentlyAreRefused) {
    open({1U, 3U});
    const MeshBufferPtr input = cut();
    const MeshBufferPtr output = cut();
    for (const std::uint32_t different : {kTurns, 2U}) {  // none, or one turn
        WorkloadCapture capture{mesh_->grid()};
        for (std::uint32_t i = 0U; i < kTurns; ++i) {
            const Bytes data = pattern(input->size_bytes(), i);
            if (i == different) {
                mesh_->write_shard(0U, input, {0U, 0U}, view(data).subspan(0U, kBytes));
                mesh_->write(0U, input, view(data), false, box({0U, 1U}, {0U, 2U}));
            } else {
                mesh_->write(0U, input, view(data), false, box({0U, 0U}, {0U, 1U}));
                mesh_->write_shard(0U, input, {0U, 2U}, view(data).subspan(std::size_t{2U} * kBytes, kBytes));
            }
            run_all(1, input, output);
            (void)mesh_->read(0U, output);
        }
        if (different == kTurns) {
            EXPECT_EQ(capture.end().manifest.inputs.size(), 2U);
        } else {
            expect_rule(HostRule::kCaptureTensor, "moves another part of the mesh's tensors than a write of buffer",
                        [&] { (void)capture.end(); });
        }
    }
}

}  // namespace
}  // namespace pianola::test
