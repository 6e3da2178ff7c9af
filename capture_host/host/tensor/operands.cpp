#include "capture_host/host/tensor/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "capture_host/host/tensor/tiles.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {

std::uint32_t elements_of(Shape::const_iterator begin, Shape::const_iterator end) {
    return std::accumulate(begin, end, std::uint32_t{1U}, std::multiplies<>{});
}

void require_same_device(const char* operation, const Tensor& left, const Tensor& right) {
    if (left.device() != right.device()) {
        throw TensorError{TensorRule::kDevice, fmt::format("{}: the operands lie on different devices", operation)};
    }
}

std::uint32_t kernel_type(const char* operation, const Tensor& operand, Computes computes) {
    static_cast<void>(operand.buffer());
    const ElementType type = operand.type();
    if ((type == ElementType::kInt8) || ((type == ElementType::kUint8) && (computes == Computes::kBits))) {
        return refdev::kTypeInt8;
    }
    if ((type == ElementType::kInt32) || ((type == ElementType::kUint32) && (computes != Computes::kSigned))) {
        return refdev::kTypeInt32;
    }
    constexpr std::array<const char*, 3> kTypes{"int8 and int32", "int8, int32 and uint32",
                                                "int8, uint8, int32 and uint32"};
    throw TensorError{TensorRule::kType,
                      fmt::format("{} computes with {}; {} can be moved and filled, and integers cast with typecast()",
                                  operation, kTypes.at(static_cast<std::size_t>(computes)), type_name(type))};
}

Tensor result_for(const char* operation, const TensorSpec& spec, const OperationOptions& options,
                  const std::shared_ptr<host::Device>& device) {
    if (!options.output.has_value()) {
        return Tensor::on_device(TensorSpec{spec.shape, spec.type, options.memory.value_or(spec.memory), spec.layout},
                                 device, {options.queue});
    }
    const Tensor& output = *options.output;
    if (output.device() != device) {
        throw TensorError{TensorRule::kDevice, fmt::format("{}: the output lies on another device", operation)};
    }
    if ((output.shape() != spec.shape) || (output.type() != spec.type)) {
        throw TensorError{(output.shape() != spec.shape) ? TensorRule::kShape : TensorRule::kType,
                          fmt::format("{} gives {} of {}, and the output is {} of {}", operation, to_string(spec.shape),
                                      type_name(spec.type), to_string(output.shape()), type_name(output.type()))};
    }
    const auto wanted = [&] {
        return resolved(*options.memory, spec.shape, spec.layout, host::all_cores(device->spec()));
    };
    if (options.memory.has_value() && (wanted() != output.memory_config())) {
        throw TensorError{TensorRule::kMemory,
                          fmt::format("{}: the output lies in {}, and {} was asked for", operation,
                                      to_string(output.memory_config()), to_string(*options.memory))};
    }
    return output;
}

bool matches_placement(const Tensor& operand, const Tensor& result) {
    if (operand.layout() != result.layout()) {
        return false;
    }
    const std::vector<host::Piece>& pieces = result.buffer()->pieces();
    return std::all_of(pieces.begin(), pieces.end(), [&operand](const host::Piece& piece) {
        const std::vector<Band> bands = bands_of(
            *operand.buffer(), Block{piece.row_begin, piece.rows, piece.column_begin_bytes, piece.column_bytes});
        return std::all_of(bands.begin(), bands.end(), [](const Band& band) {
            return (band.strips.size() == 1U) && ((band.rows == 1U) || band.strips.front().is_dense());
        });
    });
}

Tensor temporary_copy(const Tensor& operand, const MemoryConfig& memory, std::uint32_t queue) {
    Tensor moved = Tensor::on_device({operand.shape(), operand.type(), memory}, operand.device(), {queue, true});
    copy(operand, moved, queue);
    return moved;
}

Tensor placed_like(const Tensor& operand, const Tensor& result, std::uint32_t queue) {
    if (matches_placement(operand, result)) {
        return operand;
    }
    Tensor moved = Tensor::on_device({operand.shape(), operand.type(), result.memory_config(), result.layout()},
                                     operand.device(), {queue, true});
    copy(operand, moved, queue);
    return moved;
}

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

Tensor as_whole_rows(const Tensor& tensor, std::uint32_t queue) {
    return has_whole_rows(tensor) ? tensor : temporary_copy(tensor, kDramInterleaved, queue);
}

Tensor as_contiguous(const Tensor& tensor, std::uint32_t queue) {
    return is_contiguous(tensor) ? tensor : temporary_copy(tensor, kDramInterleaved, queue);
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
        throw TensorError{TensorRule::kShape, fmt::format("{}: {} is {}; it must have at most {} dimensions", operation,
                                                          argument, to_string(tensor.shape()), most)};
    }
}

}  // namespace pianola::tensor
