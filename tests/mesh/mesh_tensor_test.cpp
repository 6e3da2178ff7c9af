// Distributed tensors in C++, so that sanitizers see the code; the Python package's tests compare them with NumPy.
#include "pianola_host/quantized.h"
#include "pianola_host/tensor_error.h"
#include "tests/mesh/mesh_support.h"

namespace pianola::test {
namespace {

using tensor::Tensor;

Tensor on_host(const tensor::Shape& shape, Bytes bytes) {
    return Tensor::on_host({shape, ElementType::kInt8, {}}, std::move(bytes));
}

Tensor in_a_row(const Tensor& distributed) {
    return tensor::aggregate(distributed.cpu(),
                             {{0}, MeshShape{static_cast<std::uint32_t>(distributed.shards().size())}});
}

TEST(MeshTensor, OperationsOnShards) {
    const auto mesh = small_mesh({2U, 2U});
    const Bytes bytes = pattern(128U, 1U);
    const Tensor whole = on_host({8U, 16U}, bytes);
    const Tensor rows = tensor::distribute(whole, mesh->shape(), tensor::shard_all(mesh->shape(), 0)).to(mesh, {});
    EXPECT_EQ(rows.shape(), (tensor::Shape{2U, 16U}));
    EXPECT_EQ(in_a_row(tensor::binary(tensor::Binary::kAdd, rows, 7)).bytes(), plus(bytes, 7));
    const Tensor twice = tensor::binary(tensor::Binary::kAdd, rows, rows);
    const auto device = host::open_device(small_device());
    const Tensor alone = whole.to(device, {});
    EXPECT_EQ(in_a_row(twice).bytes(), tensor::binary(tensor::Binary::kAdd, alone, alone).cpu().bytes());
    EXPECT_EQ(in_a_row(tensor::unary(tensor::Unary::kAbs, twice)).bytes(),
              tensor::unary(tensor::Unary::kAbs, tensor::binary(tensor::Binary::kAdd, alone, alone)).cpu().bytes());
    // Operations of several programs and temporaries, in the devices' own order.
    const auto reduced = [](const Tensor& operand) {
        return tensor::reduce(tensor::Reduction::kSum, tensor::typecast(operand, ElementType::kInt32), 1U);
    };
    EXPECT_EQ(in_a_row(reduced(rows)).bytes(), reduced(alone).cpu().bytes());
    const auto requantized = [](const Tensor& operand) { return tensor::requantize(operand, {0.5F, 3}, {0.7F, -2}); };
    EXPECT_EQ(in_a_row(requantized(rows)).bytes(), requantized(alone).cpu().bytes());
    const auto padded = [](const Tensor& operand) { return tensor::pad(operand, {{0U, 0U}, {1U, 2U}}, 5); };
    EXPECT_EQ(in_a_row(padded(rows)).bytes(), padded(alone).cpu().bytes());
    EXPECT_EQ(mesh->device({0U, 0U})->memory_report().dram.allocations,
              mesh->device({1U, 1U})->memory_report().dram.allocations);
}

// With two queues, memory belongs to queues; what one device has to avoid, all avoid.
TEST(MeshTensor, OneAddressWithTwoQueuesAndTraces) {
    const auto mesh = small_mesh({1U, 2U}, 2U);
    const auto left = mesh->create_submesh({1U, 1U});
    const Tensor only = tensor::full({{4U, 64U}, ElementType::kInt8, {}}, 1, left, 1U);
    static_cast<void>(tensor::unary(tensor::Unary::kNeg, only, {std::nullopt, std::nullopt, 1U}));
    const host::TraceId trace = left->begin_trace_capture(0U);
    static_cast<void>(tensor::unary(tensor::Unary::kNeg, only));
    left->end_trace_capture(0U, trace);
    for (std::uint32_t i = 0U; i < 4U; ++i) {
        const Tensor each = tensor::full({{2U, 64U}, ElementType::kInt8, {}}, 3, mesh, i % 2U);
        const Tensor more = tensor::binary(tensor::Binary::kAdd, each, each, {std::nullopt, std::nullopt, i % 2U});
        for (const Tensor& tensor : {each, more}) {
            EXPECT_EQ(tensor.shards()[0U].buffer_address(), tensor.shards()[1U].buffer_address());
        }
        EXPECT_EQ(more.cpu(true, i % 2U).shards()[1U].bytes(), Bytes(128U, 6U));
    }
}

TEST(MeshTensor, WhatOneDeviceTakesAloneIsRefused) {
    const auto mesh = small_mesh({1U, 2U});
    const Tensor spread = tensor::full({{2U, 8U}, ElementType::kInt8, {}}, 3, mesh);
    EXPECT_THROW(static_cast<void>(spread.buffer()), tensor::TensorError);
    expect_mesh_rule(MeshRule::kCompose, "not distributed",
                     [] { static_cast<void>(on_host({2U}, Bytes(2U)).shards()); });
    expect_mesh_rule(MeshRule::kUneven, "2 shards are copied into 1",
                     [&] { tensor::copy_host_to_device(spread.cpu(), tensor::device_tensors(spread).front()); });
    expect_mesh_rule(MeshRule::kForeign, "the host", [&] {
        static_cast<void>(tensor::binary(tensor::Binary::kAdd, spread, on_host({2U, 8U}, Bytes(16U))));
    });
}

// A device that fails inside an operation.
TEST(MeshTensor, AFailureIsNamedAndTheOthersCanBeRead) {
    const auto mesh = small_mesh({1U, 3U}, 1U);
    const Tensor ones = tensor::full({{2U, 8U}, ElementType::kInt8, {}}, 1, mesh);
    // Device 1 stops: a command that is none, in its trace region, as a replay of its own.
    host::Device& broken = *mesh->device({0U, 1U});
    static_cast<void>(tensor::unary(tensor::Unary::kNeg, ones.shards()[1U]));  // compiled
    const host::TraceId trace = broken.begin_trace_capture(0U);
    static_cast<void>(tensor::unary(tensor::Unary::kNeg, ones.shards()[1U]));
    broken.end_trace_capture(0U, trace);
    ASSERT_EQ(broken.simulator().device().patch_word(broken.trace_info(trace).address, 0xFFFFFFFFU), Status::kOk);
    EXPECT_THROW(
        {
            broken.execute_trace(0U, trace);
            broken.finish(0U);  // a device that does not work in this thread fails when it gets there
        },
        host::HostError);
    expect_mesh_rule(MeshRule::kFailed, "device (0, 1)",
                     [&] { static_cast<void>(tensor::binary(tensor::Binary::kAdd, ones, ones)); });
    const std::vector<Tensor> each = tensor::device_tensors(ones);
    EXPECT_EQ(each[0U].cpu().bytes(), Bytes(16U, 1U));
    EXPECT_EQ(each[2U].cpu().bytes(), Bytes(16U, 1U));
    expect_mesh_rule(MeshRule::kFailed, "device (0, 1)", [&] { static_cast<void>(each[1U].cpu()); });
    const auto rest = mesh->remaining();
    EXPECT_EQ(in_a_row(tensor::full({{1U, 4U}, ElementType::kInt8, {}}, 2, rest)).bytes(), Bytes(8U, 2U));
}

}  // namespace
}  // namespace pianola::test
