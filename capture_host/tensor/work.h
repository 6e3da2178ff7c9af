// What operations share: checks of operands, the place of a result, and moving an operand that is not laid out as the
// work needs it.
//
// Place in the whole: internal to the tensor library. Host only.
#pragma once

#include <string>

#include "capture_host/tensor/launches.h"
#include "capture_host/tensor/operations.h"

namespace pianola::tensor {

[[nodiscard]] constexpr std::uint32_t word(std::uint64_t value) noexcept {
    return static_cast<std::uint32_t>(value);
}

// Throw TENSOR-DEVICE, TENSOR-FREED, TENSOR-TYPE.
void require_same_device(const char* operation, const Tensor& left, const Tensor& right);
void require_arithmetic(const char* operation, const Tensor& operand);  // int8 or int32

// A value over and over, as fill() takes it. Throws TENSOR-VALUE where the type does not have it.
[[nodiscard]] std::uint32_t pattern_of(ElementType type, std::int64_t value);

// The output that was asked for, or new memory. Throws TENSOR-SHAPE, TENSOR-TYPE, TENSOR-MEMORY where an output that is
// given is another.
[[nodiscard]] Tensor result_for(const char* operation, const TensorSpec& spec, const OperationOptions& options,
                                const std::shared_ptr<host::Device>& device);

// True where each block of `result` that lies dense also lies dense in `operand`.
[[nodiscard]] bool follows(const Tensor& operand, const Tensor& result);
// A copy that goes when the operation returns.
[[nodiscard]] Tensor temporary_copy(const Tensor& operand, const MemoryConfig& memory, std::uint32_t queue);
// The operand, moved to where the result lies unless it follows it already.
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

// Compiles what the device does not know yet, and enqueues it. Does nothing where there is nothing to do.
void enqueue(const Tensor& result, const Launches& launches, const std::string& name, std::uint32_t queue);

}  // namespace pianola::tensor
