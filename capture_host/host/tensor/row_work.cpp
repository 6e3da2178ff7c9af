#include "capture_host/host/tensor/row_work.h"

#include <fmt/format.h>

#include "capture_host/host/tensor/tiles.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {

MemoryConfig memory_for_columns(const Tensor& operand, std::uint32_t columns) {
    MemoryConfig memory = operand.memory_config();
    if ((memory.layout == host::Layout::kHeightSharded) && memory.shard.has_value()) {
        const bool tiles = operand.layout() == ElementLayout::kTile;
        memory.shard->columns = tiles ? tile_padded({columns}).back() : columns;
        return memory;
    }
    return memory_for_shape(memory);
}

bool has_whole_rows(const Tensor& tensor) {
    const std::vector<host::Piece>& pieces = tensor.buffer()->pieces();
    return (tensor.layout() == ElementLayout::kRowMajor) &&
           std::all_of(pieces.begin(), pieces.end(), [&tensor](const host::Piece& piece) {
               return piece.column_bytes == tensor.buffer()->config().row_bytes;
           });
}

bool is_in_few_pieces(const Tensor& tensor) {
    return has_whole_rows(tensor) &&
           (tensor.buffer()->pieces().size() <= host::cores_of(host::all_cores(tensor.device()->spec())).size());
}

Tensor in_whole_rows(const Tensor& tensor, std::uint32_t queue) {
    return has_whole_rows(tensor) ? tensor : temporary_copy(tensor, kDramInterleaved, queue);
}

Tensor in_one_run(const Tensor& tensor, std::uint32_t queue) {
    return is_one_run(tensor) ? tensor : temporary_copy(tensor, kDramInterleaved, queue);
}

std::vector<host::CoreCoord> cores_for(const Tensor& result) {
    std::vector<host::CoreCoord> cores;
    if (result.memory_config().layout != host::Layout::kInterleaved) {
        for (const host::Piece& piece : result.buffer()->pieces()) {
            if (piece.core.has_value() && (std::find(cores.begin(), cores.end(), *piece.core) == cores.end())) {
                cores.push_back(*piece.core);
            }
        }
    }
    return cores.empty() ? host::cores_of(host::all_cores(result.device()->spec())) : cores;
}

void require_apart(const char* operation, const Tensor& result, const Tensor& operand) {
    if (result.buffer() == operand.buffer()) {
        throw TensorError{TensorRule::kOverlap, fmt::format("{}: the output must not be an operand", operation)};
    }
}

void require_int8(const char* operation, const char* argument, const Tensor& tensor) {
    static_cast<void>(tensor.buffer());
    if (tensor.type() != ElementType::kInt8) {
        throw TensorError{TensorRule::kType, fmt::format("{}: {} is of {}; it must be of int8", operation, argument,
                                                         type_name(tensor.type()))};
    }
}

void require_activations(const char* operation, const char* argument, const Tensor& tensor) {
    static_cast<void>(tensor.buffer());
    if (!is_activation(tensor.type())) {
        throw TensorError{TensorRule::kType, fmt::format("{}: {} is of {}; it must be of int8 or int16", operation,
                                                         argument, type_name(tensor.type()))};
    }
}

void require_rank(const char* operation, const char* argument, const Tensor& tensor, std::size_t most) {
    if (tensor.shape().size() > most) {
        throw TensorError{TensorRule::kShape, fmt::format("{}: {} is {}; it has at most {} dimensions", operation,
                                                          argument, to_string(tensor.shape()), most)};
    }
}

}  // namespace pianola::tensor
