// Operands and results of operations: checks, the memory of results, and copies between placements.
//
// Kernels read and write rows that are contiguous, or a whole tensor that is. An operand with another placement is
// first copied to DRAM; a result with another placement is computed in DRAM and then copied.
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

// The product of consecutive dimensions of a shape.
[[nodiscard]] std::uint32_t elements_of(Shape::const_iterator begin, Shape::const_iterator end);

// Throws TENSOR-DEVICE, TENSOR-FREED.
void require_same_device(const char* operation, const Tensor& left, const Tensor& right);

// The types that an operation of the kernels for int8 and int32 accepts: types of the same size have the same result.
enum class Computes : std::uint8_t {
    kSigned,   // int8 and int32
    kModular,  // also uint32: modulo 2^32 the sign makes no difference
    kBits,     // also uint8: only equality of bits counts
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

// A word that repeats a value, for fill(). Throws TENSOR-VALUE if the type does not have the value.
[[nodiscard]] std::uint32_t pattern_of(ElementType type, std::int64_t value);

// The output from the options, or new memory. Throws TENSOR-SHAPE, TENSOR-TYPE, TENSOR-MEMORY if the given output does
// not fit.
[[nodiscard]] Tensor result_for(const char* operation, const TensorSpec& spec, const OperationOptions& options,
                                const std::shared_ptr<host::Device>& device);

// True if each dense block of `result` is also dense in `operand`, in the same layout.
[[nodiscard]] bool matches_placement(const Tensor& operand, const Tensor& result);
// A copy in rows, which is freed when the operation returns.
[[nodiscard]] Tensor temporary_copy(const Tensor& operand, const MemoryConfig& memory, std::uint32_t queue);
// The operand itself if its placement matches the result's, else a temporary copy with the result's placement and
// layout.
[[nodiscard]] Tensor placed_like(const Tensor& operand, const Tensor& result, std::uint32_t queue);

// Memory for a result with the rows of an operand and another number of columns.
[[nodiscard]] MemoryConfig memory_for_columns(const Tensor& operand, std::uint32_t columns);
// Memory for a result of another shape: interleaved, of the operand's kind.
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

// Whether a tensor is in rows, not tiles, and each row is contiguous; or the whole tensor.
[[nodiscard]] bool has_whole_rows(const Tensor& tensor);
[[nodiscard]] inline bool is_contiguous(const Tensor& tensor) {
    return (tensor.layout() == ElementLayout::kRowMajor) && (tensor.buffer()->pieces().size() == 1U);
}
// The tensor itself if it has that placement, else a contiguous temporary copy in DRAM.
[[nodiscard]] Tensor as_whole_rows(const Tensor& tensor, std::uint32_t queue);
[[nodiscard]] Tensor as_contiguous(const Tensor& tensor, std::uint32_t queue);
// The address of a contiguous tensor.
[[nodiscard]] inline std::uint32_t first_address(const Tensor& tensor) {
    return tensor.buffer()->pieces().front().device_address;
}
// The cores that compute a result: those of its L1 shards, or all.
[[nodiscard]] std::vector<host::CoreCoord> cores_for(const Tensor& result);

// They throw TENSOR-OVERLAP, TENSOR-TYPE, TENSOR-SHAPE.
void require_apart(const char* operation, const Tensor& result, const Tensor& operand);
void require_int8(const char* operation, const char* argument, const Tensor& tensor);
// int8 or int16.
[[nodiscard]] constexpr bool is_activation(ElementType type) noexcept {
    return (type == ElementType::kInt8) || (type == ElementType::kInt16);
}
void require_activations(const char* operation, const char* argument, const Tensor& tensor);
void require_rank(const char* operation, const char* argument, const Tensor& tensor, std::size_t most);

// Whether rows are in no more pieces than there are cores. A page of interleaved L1 may be a single row: one launch for
// each would be too many.
[[nodiscard]] bool is_in_few_pieces(const Tensor& tensor);

// The address of a byte of a contiguous tensor, as an argument.
[[nodiscard]] inline host::Argument argument_at(const Tensor& tensor, std::uint32_t offset_bytes = 0U) {
    return address_in(tensor.buffer(), first_address(tensor) + offset_bytes);
}

// Calls body(result) if the result `fits`; else body(temporary in DRAM), which is then copied to the result.
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
[[nodiscard]] Tensor into_whole_rows(const Tensor& result, std::uint32_t queue, const Body& body) {
    return through(has_whole_rows, result, queue, body);
}
template <typename Body>
[[nodiscard]] Tensor into_contiguous(const Tensor& result, std::uint32_t queue, const Body& body) {
    return through(is_contiguous, result, queue, body);
}

}  // namespace pianola::tensor
