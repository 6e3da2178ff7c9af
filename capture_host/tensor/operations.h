// Operations: what can be computed with tensors on a device.
//
// Place in the whole: models are written with these. Each call makes a program over the device's cores and enqueues it;
// the device compiles a program that it does not know yet, so that a model must have run once before it is captured
// into a trace. Where operands and result lie is free: work is cut where one of them is not contiguous, and done on the
// core that holds the result. Arithmetic of int8 and uint8 saturates, that of int32 wraps. Throws TensorError and
// host::HostError; then nothing was enqueued, and no memory is kept. Operands that are distributed over the same
// devices give a distributed result: the operation is done on each of the devices, with its shards. Host only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "capture_host/tensor/tensor.h"

namespace pianola::tensor {

enum class Binary : std::uint8_t { kAdd, kSubtract, kMultiply, kMinimum, kMaximum, kEqual };
enum class Unary : std::uint8_t { kRelu, kNeg, kAbs, kSquare };
enum class Reduction : std::uint8_t { kSum, kMax, kMin };

// Where the result goes: into `output`, or into new memory as `memory` says, which without a word is that of the first
// operand.
struct OperationOptions {
    std::optional<MemoryConfig> memory;
    std::optional<Tensor> output;
    std::uint32_t queue{0U};
};

// Operands have the same type; shapes are broadcast as NumPy does it, where one that is broadcast is copied to the
// result's shape first. The output may be an operand of its shape. kEqual gives 1 and 0.
[[nodiscard]] Tensor binary(Binary operation, const Tensor& left, const Tensor& right,
                            const OperationOptions& options = {});
// The second operand is a number of the type.
[[nodiscard]] Tensor binary(Binary operation, const Tensor& left, std::int64_t right,
                            const OperationOptions& options = {});
[[nodiscard]] Tensor unary(Unary operation, const Tensor& operand, const OperationOptions& options = {});

// int8 [..., k] times int8 [k, n] gives int32 [..., n]; linear adds an int32 bias [n]. The sums wrap.
[[nodiscard]] Tensor matmul(const Tensor& left, const Tensor& right, const OperationOptions& options = {});
[[nodiscard]] Tensor linear(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                            const OperationOptions& options = {});

// Over the last dimension, which becomes 1, or over another. The result is int32; sums wrap.
[[nodiscard]] Tensor reduce(Reduction operation, const Tensor& operand, const OperationOptions& options = {});
[[nodiscard]] Tensor reduce(Reduction operation, const Tensor& operand, std::uint32_t dimension,
                            const OperationOptions& options = {});

// The same data with another place. reshard() into `output` leaves its address as it is, which is what a trace's input
// needs.
[[nodiscard]] Tensor to_memory_config(const Tensor& operand, const MemoryConfig& memory, std::uint32_t queue = 0U);
[[nodiscard]] Tensor reshard(const Tensor& operand, const MemoryConfig& memory,
                             const std::optional<Tensor>& output = std::nullopt, std::uint32_t queue = 0U);
void copy(const Tensor& source, const Tensor& destination, std::uint32_t queue = 0U);

// Every element is `value`, which must be one of the type's.
void fill(const Tensor& tensor, std::int64_t value, std::uint32_t queue = 0U);
[[nodiscard]] Tensor full(const TensorSpec& spec, std::int64_t value, const std::shared_ptr<host::Device>& device,
                          std::uint32_t queue = 0U);
[[nodiscard]] Tensor full(const TensorSpec& spec, std::int64_t value, const host::MeshPtr& mesh,
                          std::uint32_t queue = 0U);

}  // namespace pianola::tensor
