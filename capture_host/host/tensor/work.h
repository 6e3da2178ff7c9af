// What operations share: checks of operands, the place of a result, and moving an operand that is not laid out as the
// work needs it.
#pragma once

#include <string>

#include "capture_host/host/tensor/launches.h"
#include "pianola_host/operations.h"

namespace pianola::tensor {

[[nodiscard]] constexpr std::uint32_t word(std::uint64_t value) noexcept {
    return static_cast<std::uint32_t>(value);
}

inline constexpr std::uint32_t kWordBytes = sizeof(std::uint32_t);

// Elements of dimensions that follow each other in a shape.
[[nodiscard]] std::uint32_t elements_of(Shape::const_iterator begin, Shape::const_iterator end);

// Launches whose commands fit the dispatch area.
inline constexpr std::size_t kLaunchesOfAProgram = 256U;

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

// Calls visit(address in the result, core, row, rows) for dense row ranges of the result, of no more than a core's
// share where they lie in DRAM.
template <typename Visit>
void for_dense_rows(Launches& launches, const Tensor& result, const Visit& visit) {
    for (const host::Piece& piece : result.buffer()->pieces()) {
        const std::uint64_t share =
            piece.core.has_value() ? piece.rows : ((piece.rows + launches.core_count()) - 1U) / launches.core_count();
        for (std::uint64_t row = 0U; row < piece.rows; row += share) {
            const std::uint64_t rows = std::min(share, piece.rows - row);
            const host::CoreCoord core = piece.core.has_value() ? *piece.core : launches.next_core();
            visit(static_cast<std::uint32_t>(piece.device_address + (row * piece.column_bytes)), core,
                  Block{piece.row_begin + row, rows, piece.column_begin_bytes, piece.column_bytes});
        }
    }
}

// Compiles what the device does not know yet, and enqueues it as one program. False, and nothing is enqueued, where the
// dispatch area or the proof of a capture does not hold that much (Device::fits()). There is at least one launch.
[[nodiscard]] bool enqueue_as_one(const Tensor& result, const Launches& launches, const std::string& name,
                                  std::uint32_t queue);
// As one program, or as consecutive ones that fit. Does nothing where there is nothing to do.
void enqueue(const Tensor& result, const Launches& launches, const std::string& name, std::uint32_t queue);

}  // namespace pianola::tensor
