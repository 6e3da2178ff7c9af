// Captures of a mesh that are refused: with the device, the calls, and a remedy.
#include "tests/mesh/capture_support.h"

namespace pianola::test {
namespace {

// The wait that one device lacks is named with that device; the others have theirs.
TEST_F(MeshCapture, AnEventThatOneDeviceLacks) {
    mesh_ = host::open_mesh({1U, 2U}, [] {
        host::DeviceOptions options = small_device(2U);
        options.races = host::Races::kOff;
        return options;
    }());
    const MeshBufferPtr input = shared();
    const MeshBufferPtr output = shared();
    const EventId written = mesh_->create_event();
    WorkloadCapture capture{mesh_->grid()};
    for (std::uint32_t i = 0U; i < kTurns; ++i) {
        mesh_->write(1U, input, view(pattern(kBytes, i)));
        mesh_->record_event(1U, written, box({0U, 0U}, {0U, 0U}));
        mesh_->wait_for_event(0U, written);
        run_all(1, input, output);
        (void)mesh_->read_shard(0U, output, {0U, 0U}, true);
        (void)mesh_->read_shard(0U, output, {0U, 1U}, true);
    }
    expect_rule(HostRule::kCaptureRefused, "device (0, 1): ", [&] { (void)capture.end(); });
}

TEST_F(MeshCapture, WhatIsRefused) {
    open({2U, 2U});
    const MeshBufferPtr one = shared();
    const MeshBufferPtr other = shared();
    const host::TensorDeclaration tensor{"x", ElementType::kInt8, {kBytes}, 1.0F, 0};
    {
        WorkloadCapture capture{mesh_->grid()};
        expect_rule(HostRule::kCaptureState, "being captured already",
                    [&] { const WorkloadCapture again{mesh_->grid()}; });
        expect_rule(HostRule::kTraceParameter, "capture one device",
                    [&] { capture.declare_parameter({}, host::TraceParameter{}); });
        const auto apart = host::open_device(small_device());
        expect_rule(HostRule::kBufferDevice, "belongs to another device",
                    [&] { capture.declare_input(apart->allocate(flat(kBytes)), tensor); });
    }
    expect_rule(HostRule::kCaptureState, "3 devices are no grid of 2 x 2", [&] {
        host::DeviceGrid grid = mesh_->grid();
        grid.devices.pop_back();
        const WorkloadCapture capture{grid};
    });
    const auto program = [&](const std::vector<host::BufferPtr>& inputs) {
        WorkloadCapture capture{mesh_->grid()};
        capture.declare_input(inputs, tensor);
        for (std::uint32_t i = 0U; i < kTurns; ++i) {
            capture.begin_step();
            for (const host::BufferPtr& input : inputs) {
                input->device()->enqueue_write(0U, input, view(pattern(kBytes, i)));
                input->device()->enqueue_read(0U, input);
            }
        }
        (void)capture.end();
    };
    expect_rule(HostRule::kCaptureTensor, "the devices of 'x' are no rectangle of the mesh",
                [&] { program({one->on({0U, 0U}), one->on({0U, 1U}), one->on({1U, 0U})}); });
    expect_rule(HostRule::kCaptureTensor, "two tensors of the mesh are declared as 'x'",
                [&] { program({one->on({0U, 0U}), other->on({0U, 0U})}); });
}

// The same call of every turn; both calls are named.
TEST_F(MeshCapture, WhatTheHostCarries) {
    open({1U, 2U});
    const MeshBufferPtr input = shared();
    const MeshBufferPtr output = shared();
    const auto stages = [&](bool is_carried, std::uint32_t turns) {
        WorkloadCapture capture{mesh_->grid()};
        for (std::uint32_t i = 0U; i < turns; ++i) {
            mesh_->write_shard(0U, input, {0U, 0U}, view(pattern(kBytes, i)));
            run({{box({0U, 0U}, {0U, 0U}), 1}}, input, output);
            const Bytes middle = read_shard(*mesh_, output, {0U, 0U});
            mesh_->write_shard(0U, input, {0U, 1U}, view(is_carried ? middle : pattern(kBytes, i + 70U)));
            run({{box({0U, 1U}, {0U, 1U}), 2}}, input, output);
            (void)mesh_->read_shard(0U, output, {0U, 1U});
        }
        return capture.end();
    };
    for (const std::uint32_t turns : {1U, kTurns}) {
        expect_rule(HostRule::kCaptureContent, "of device (0, 1) (call 4) writes what a read of buffer",
                    [&] { (void)stages(true, turns); });
        const CapturedWorkload workload = stages(false, turns);
        ASSERT_EQ(workload.warnings.size(), 1U);
        EXPECT_EQ(workload.manifest.inputs.size(), 1U);  // a piece for each device
    }
}

}  // namespace
}  // namespace pianola::test
