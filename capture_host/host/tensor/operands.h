// Operands and results of operations: checks, the memory of a result, and moving an operand that lies in another way than
// the kernels need.
//
// Kernels take rows, each of which lies in one piece of memory, or a whole tensor in one run. Operands that lie in
// another way are first copied to DRAM; results are copied from there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "capture_host/host/tensor/launches.h"
#include "pianola_host/operations.h"

namespace pianola::tensor {

[[nodiscard]] constexpr std::uint32_t word(std::uint64_t value) noexcept {
    return static_cast<std::uint32_t>(value);
}

inline constexpr std::uint32_t kWordBytes = sizeof(std::uint32_t);

// Elements of dimensions that follow each other in a shape.
[[nodiscard]] std::uint32_t elements_of(Shape::const_iterator begin, Shape::const_iterator end);

// Throws TENSOR-DEVICE, TENSOR-FREED.
void require_same_device(const char* operation, const Tensor& left, const Tensor& right);

// What an operation of kernels for int8 and int32 means for other types of their sizes.
enum class Computes : std::uint8_t {
    kSigned,   // int8, int32
    kModular,  // and uint32: modulo 2^32, a sign changes nothing
    kBits,     // and uint8: only equality of bits counts
};
// The kernels' type for the operand's elements. Throws TENSOR-TYPE, TENSOR-DEVICE, TENSOR-FREED.
[[nodiscard]] std::uint32_t kernel_type(const char* operation, const Tensor& operand,
                                        Computes computes = Computes::kSigned);

// Numbers of a type that fill() takes.
struct NumberRange {
    std::int64_t minimum{0};
    std::int64_t maximum{0};
};
[[nodiscard]] NumberRange range_of(ElementType type);

// A value over and over, as fill() takes it. Throws TENSOR-VALUE where the type does not have it.
[[nodiscard]] std::uint32_t pattern_of(ElementType type, std::int64_t value);

// The output that was asked for, or new memory. Throws TENSOR-SHAPE, TENSOR-TYPE, TENSOR-MEMORY where an output that is
// given is another.
[[nodiscard]] Tensor result_for(const char* operation, const TensorSpec& spec, const OperationOptions& options,
                                const std::shared_ptr<host::Device>& device);

// True where each block of `result` that lies dense also lies dense in `operand`, in the same layout.
[[nodiscard]] bool follows(const Tensor& operand, const Tensor& result);
// A copy in rows that goes when the operation returns.
[[nodiscard]] Tensor temporary_copy(const Tensor& operand, const MemoryConfig& memory, std::uint32_t queue);
// The operand, moved to where the result lies, and in its layout, unless it follows it already.
[[nodiscard]] Tensor beside(const Tensor& operand, const Tensor& result, std::uint32_t queue);

// Memory for a result whose rows are those of an operand and whose columns are others.
[[nodiscard]] MemoryConfig memory_for_columns(const Tensor& operand, std::uint32_t columns);
// Memory for a result of another shape: that of the operand where it is interleaved.
[[nodiscard]] inline MemoryConfig memory_for_shape(const MemoryConfig& operand) {
    return MemoryConfig{host::Layout::kInterleaved, operand.memory, std::nullopt};
}
// A result like the operand, except for its shape or its type.
[[nodiscard]] inline TensorSpec spec_of_shape(const Tensor& operand, const Shape& shape, ElementType type) {
    return TensorSpec{shape, type, memory_for_shape(operand.memory_config()), operand.layout()};
}
[[nodiscard]] inline TensorSpec spec_of_type(const Tensor& operand, ElementType type) {
    return TensorSpec{operand.shape(), type, operand.memory_config(), operand.layout()};
}

// What kernels take: rows, not tiles, of which each lies in one piece of memory, or all in one.
[[nodiscard]] bool has_whole_rows(const Tensor& tensor);
[[nodiscard]] inline bool is_one_run(const Tensor& tensor) {
    return (tensor.layout() == ElementLayout::kRowMajor) && (tensor.buffer()->pieces().size() == 1U);
}
// Operands in tiles, or whose rows or columns are cut, go to one run of DRAM first.
[[nodiscard]] Tensor in_whole_rows(const Tensor& tensor, std::uint32_t queue);
[[nodiscard]] Tensor in_one_run(const Tensor& tensor, std::uint32_t queue);
// First byte of a tensor that lies in one run.
[[nodiscard]] inline std::uint32_t run_address(const Tensor& tensor) {
    return tensor.buffer()->pieces().front().device_address;
}
// The cores that compute a result: those of its L1 shards, or all.
[[nodiscard]] std::vector<host::CoreCoord> cores_for(const Tensor& result);

// Throw TENSOR-OVERLAP, TENSOR-TYPE, TENSOR-SHAPE.
void require_apart(const char* operation, const Tensor& result, const Tensor& operand);
void require_int8(const char* operation, const char* argument, const Tensor& tensor);
// int8 or int16.
[[nodiscard]] constexpr bool is_activation(ElementType type) noexcept {
    return (type == ElementType::kInt8) || (type == ElementType::kInt16);
}
void require_activations(const char* operation, const char* argument, const Tensor& tensor);
void require_rank(const char* operation, const char* argument, const Tensor& tensor, std::size_t most);

// Rows in no more pieces than cores. A page of interleaved L1 may be a single row, and a launch for each is many.
[[nodiscard]] bool is_in_few_pieces(const Tensor& tensor);

// A byte of a tensor that lies in one run, as an argument.
[[nodiscard]] inline host::Argument run_argument(const Tensor& tensor, std::uint32_t offset_bytes = 0U) {
    return address_in(tensor.buffer(), run_address(tensor) + offset_bytes);
}

// `body` computes into a tensor that `fits`; where the result does not, through one that lies in DRAM.
template <typename Fits, typename Body>
[[nodiscard]] Tensor through(const Fits& fits, const Tensor& result, std::uint32_t queue, const Body& body) {
    if (fits(result)) {
        body(result);
        return result;
    }
    const Tensor run =
        Tensor::on_device(TensorSpec{result.shape(), result.type(), kDramInterleaved}, result.device(), {queue, true});
    body(run);
    copy(run, result, queue);
    return result;
}
template <typename Body>
[[nodiscard]] Tensor through_whole_rows(const Tensor& result, std::uint32_t queue, const Body& body) {
    return through(has_whole_rows, result, queue, body);
}
template <typename Body>
[[nodiscard]] Tensor through_one_run(const Tensor& result, std::uint32_t queue, const Body& body) {
    return through(is_one_run, result, queue, body);
}

}  // namespace pianola::tensor
