// Operations: computation with tensors on a device.
//
// Models are written with these. Each call makes a program over the device's cores and enqueues it; the device compiles
// a program that it does not know yet, so that a model must have run once before it is captured into a trace. Operands
// and result may be anywhere: work is cut where one of them is not contiguous, and done on the core that holds the
// result. Arithmetic of int8 and uint8 saturates, that of int32 wraps. Throws TensorError and host::HostError; then
// nothing was enqueued, and no memory is kept. Tensors may be in tiles: the result is in the layout of the output that
// is given, else of the first operand. Operands that are distributed over the same devices give a distributed result:
// the operation is done on each of the devices, with its shards.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "pianola_host/tensor.h"

namespace pianola::tensor {

enum class Binary : std::uint8_t { kAdd, kSubtract, kMultiply, kMinimum, kMaximum, kEqual };
enum class Unary : std::uint8_t { kRelu, kNeg, kAbs, kSquare };
enum class Reduction : std::uint8_t { kSum, kMax, kMin, kArgMax, kArgMin };

// The place of the result: `output`, or new memory according to `memory`, by default that of the first operand.
struct OperationOptions {
    std::optional<MemoryConfig> memory;
    std::optional<Tensor> output;
    std::uint32_t queue{0U};
};

// int8 and int32; uint32, which wraps, where signs do not matter: kAdd, kSubtract, kMultiply, kEqual, kNeg, kSquare,
// kSum; uint8 too with kEqual.

// Operands have the same type; shapes are broadcast as in NumPy, by a copy to the result's shape. The output may be an
// operand of its shape. kEqual gives 1 and 0.
[[nodiscard]] Tensor binary(Binary operation, const Tensor& left, const Tensor& right,
                            const OperationOptions& options = {});
// The second operand is a number of the type.
[[nodiscard]] Tensor binary(Binary operation, const Tensor& left, std::int64_t right,
                            const OperationOptions& options = {});
[[nodiscard]] Tensor unary(Unary operation, const Tensor& operand, const OperationOptions& options = {});

// [..., m, k] times [..., k, n] of int8 or int32 gives int32 [..., m, n], whose other dimensions are broadcast; vectors
// are treated as in NumPy, and give [1] if no dimension is left. linear() takes [..., k] times [k, n], and adds an
// int32 bias [n]. The sums wrap.
[[nodiscard]] Tensor matmul(const Tensor& left, const Tensor& right, const OperationOptions& options = {});
[[nodiscard]] Tensor linear(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                            const OperationOptions& options = {});

// Over the last dimension, which becomes 1, or over another. The result is int32; sums wrap. kArgMax and kArgMin give
// the index of the first of the largest, or of the smallest.
[[nodiscard]] Tensor reduce(Reduction operation, const Tensor& operand, const OperationOptions& options = {});
[[nodiscard]] Tensor reduce(Reduction operation, const Tensor& operand, std::uint32_t dimension,
                            const OperationOptions& options = {});

// The same data at another place. reshard() into `output` keeps its address, which a trace's input needs.
[[nodiscard]] Tensor to_memory_config(const Tensor& operand, const MemoryConfig& memory, std::uint32_t queue = 0U);
[[nodiscard]] Tensor reshard(const Tensor& operand, const MemoryConfig& memory,
                             const std::optional<Tensor>& output = std::nullopt, std::uint32_t queue = 0U);
void copy(const Tensor& source, const Tensor& destination, std::uint32_t queue = 0U);

// The same data in another layout; the tensor itself if it has that layout and is in `memory` already. A host tensor
// stays on the host.
[[nodiscard]] Tensor to_layout(const Tensor& operand, ElementLayout layout,
                               const std::optional<MemoryConfig>& memory = std::nullopt, std::uint32_t queue = 0U);

// Elements begin, begin + step, ... below end of each dimension. Any type.
struct SliceRange {
    std::uint32_t begin{0U};
    std::uint32_t end{0U};
    std::uint32_t step{1U};
};
[[nodiscard]] Tensor slice(const Tensor& operand, const std::vector<SliceRange>& ranges,
                           const OperationOptions& options = {});
// Tensors of one type one after the other, along a dimension; their other dimensions are equal. Any type.
[[nodiscard]] Tensor concat(const std::vector<Tensor>& operands, std::uint32_t dimension,
                            const OperationOptions& options = {});

// Dimension i of the result is dimension order[i] of the operand. Any type.
[[nodiscard]] Tensor permute(const Tensor& operand, const std::vector<std::uint32_t>& order,
                             const OperationOptions& options = {});
// Backwards along each of the dimensions. Any type.
[[nodiscard]] Tensor flip(const Tensor& operand, const std::vector<std::uint32_t>& dimensions,
                          const OperationOptions& options = {});
// Along each dimension, all of it so many times. Any type.
[[nodiscard]] Tensor repeat(const Tensor& operand, const std::vector<std::uint32_t>& times,
                            const OperationOptions& options = {});
// Entries of a dimension, chosen by int32 indices, whose dimensions replace it. An index outside chooses the nearest
// entry. Any type.
[[nodiscard]] Tensor take(const Tensor& operand, const Tensor& indices, std::uint32_t dimension,
                          const OperationOptions& options = {});

// Every element is `value`, which must be one of the type's; of float32 and bfloat16: an integer that it has exactly.
void fill(const Tensor& tensor, std::int64_t value, std::uint32_t queue = 0U);
[[nodiscard]] Tensor full(const TensorSpec& spec, std::int64_t value, const std::shared_ptr<host::Device>& device,
                          std::uint32_t queue = 0U);
[[nodiscard]] Tensor full(const TensorSpec& spec, std::int64_t value, const host::MeshPtr& mesh,
                          std::uint32_t queue = 0U);

}  // namespace pianola::tensor
