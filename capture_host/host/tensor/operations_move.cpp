#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/gather_rows.h"
#include "capture_host/host/tensor/layout.h"
#include "capture_host/host/tensor/staged_copy.h"
#include "capture_host/host/tensor/work.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

using refdev::KernelId;

constexpr std::size_t kGatherSegments = refdev::kMaxGatherSegments;
constexpr std::uint32_t kFillUnitBytes = 4U;

// Puts rows together from strips, as many at a time as the kernel takes.
class Mover {
  public:
    Mover(Launches& launches, const Tensor& source, const Tensor& destination)
        : launches_{launches}, source_{source}, destination_{destination.buffer()} {}

    void move(std::uint32_t to, host::CoreCoord core, const Block& block) {
        for (const Band& band : bands_of(*source_.buffer(), block)) {
            const std::uint32_t begin = word(to + ((band.row_begin - block.row_begin) * block.column_bytes));
            if ((band.strips.size() == 1U) && ((band.rows == 1U) || band.strips.front().is_dense())) {
                copy(begin, core, band.strips.front(), band.rows * block.column_bytes);
            } else if (band.strips.size() <= kGatherSegments) {
                gather(begin, core, band, 0U, band.rows, 0U, band.strips.size());
            } else {
                move_row_by_row(begin, core, band, block.column_bytes);
            }
        }
    }

  private:
    void copy(std::uint32_t to, host::CoreCoord core, const Strip& strip, std::uint64_t bytes) {
        launches_.add(KernelId::kCopy, core,
                      {address_in(source_.buffer(), strip.address), address_in(destination_, to), word(bytes)});
    }

    // Rows of so many strips would not be contiguous in the destination.
    void move_row_by_row(std::uint32_t to, host::CoreCoord core, const Band& band, std::uint64_t row_bytes) {
        for (std::uint64_t row = 0U; row < band.rows; ++row) {
            std::uint64_t offset = 0U;
            for (std::size_t first = 0U; first < band.strips.size(); first += kGatherSegments) {
                const std::size_t count = std::min(kGatherSegments, band.strips.size() - first);
                gather(word(to + (row * row_bytes) + offset), core, band, row, 1U, first, count);
                for (std::size_t i = first; i < (first + count); ++i) {
                    offset += band.strips[i].column_bytes;
                }
            }
        }
    }

    void gather(std::uint32_t to, host::CoreCoord core, const Band& band, std::uint64_t row, std::uint64_t rows,
                std::size_t first, std::size_t count) {
        RowBand part{word(rows), {}};
        for (std::size_t i = first; i < (first + count); ++i) {
            const Strip& strip = band.strips[i];
            part.parts.push_back({source_, word(strip.address + (row * strip.stride_bytes)), strip.stride_bytes,
                                  word(strip.column_bytes)});
        }
        add_gather(launches_, core, address_in(destination_, to), part);
    }

    Launches& launches_;
    Tensor source_;
    host::BufferPtr destination_;
};

// Its upper half is the bfloat16, where it is one.
[[nodiscard]] std::uint32_t float_bits(std::int64_t value) {
    const auto number = static_cast<float>(value);
    std::uint32_t bits = 0U;
    std::memcpy(&bits, &number, sizeof(bits));
    return bits;
}

}  // namespace

NumberRange range_of(ElementType type) {
    constexpr std::int64_t kExactFloat = std::int64_t{1} << 24U;
    constexpr std::int64_t kExactBfloat = std::int64_t{1} << 8U;
    switch (type) {
        case ElementType::kInt8:
            return {INT8_MIN, INT8_MAX};
        case ElementType::kUint8:
            return {0, UINT8_MAX};
        case ElementType::kInt32:
            return {INT32_MIN, INT32_MAX};
        case ElementType::kInt16:
            return {INT16_MIN, INT16_MAX};
        case ElementType::kUint16:
            return {0, UINT16_MAX};
        case ElementType::kUint32:
            return {0, UINT32_MAX};
        case ElementType::kFloat32:
            return {-kExactFloat, kExactFloat};
        case ElementType::kBfloat16:
            return {-kExactBfloat, kExactBfloat};
        case ElementType::kBool:
        case ElementType::kUnspecified:
            break;
    }
    static_cast<void>(bytes_per_element(type));  // throws
    return {};
}

std::uint32_t pattern_of(ElementType type, std::int64_t value) {
    const NumberRange range = range_of(type);
    if ((value < range.minimum) || (value > range.maximum)) {
        throw TensorError{TensorRule::kValue, fmt::format("{} takes values from {} to {}, not {}", type_name(type),
                                                          range.minimum, range.maximum, value)};
    }
    constexpr std::uint32_t kEveryByte = 0x0101'0101U;
    constexpr std::uint32_t kBothHalves = 0x0001'0001U;
    constexpr std::uint32_t kHalfBits = 16U;
    if (type == ElementType::kFloat32) {
        return float_bits(value);
    }
    if (type == ElementType::kBfloat16) {
        return (float_bits(value) >> kHalfBits) * kBothHalves;
    }
    const auto number = static_cast<std::uint32_t>(value);
    switch (bytes_per_element(type)) {
        case 1U:
            return (number & UINT8_MAX) * kEveryByte;
        case 2U:
            return (number & UINT16_MAX) * kBothHalves;
        default:
            return number;
    }
}

void copy(const Tensor& source, const Tensor& destination, std::uint32_t queue) {
    if (is_distributed(source, destination)) {
        return for_each_device("copy", [](const auto&... each) { return copy(each...); }, source, destination, queue);
    }
    require_same_device("copy", source, destination);
    if ((source.shape() != destination.shape()) || (source.type() != destination.type())) {
        throw TensorError{TensorRule::kShape,
                          fmt::format("copy: the source is {} of {}, the destination {} of {}; both must be the same",
                                      to_string(source.shape()), type_name(source.type()),
                                      to_string(destination.shape()), type_name(destination.type()))};
    }
    if (source.buffer() == destination.buffer()) {
        return;
    }
    if (source.layout() != destination.layout()) {
        convert_layout(source, destination, queue);
        return;
    }
    if (source.layout() == ElementLayout::kTile) {
        copy(source.storage(), destination.storage(), queue);
        return;
    }
    Launches launches{*destination.device()};
    Mover mover{launches, source, destination};
    for_dense_rows(launches, destination, [&mover](std::uint32_t to, host::CoreCoord core, const Block& block) {
        mover.move(to, core, block);
    });
    if (!launches.empty() && !enqueue_as_one(destination, launches, "copy", queue)) {
        copy_in_stages(source, destination, queue);
    }
}

Tensor reshard(const Tensor& operand, const MemoryConfig& memory, const std::optional<Tensor>& output,
               std::uint32_t queue) {
    if (is_distributed(operand, output)) {
        return for_each_device(
            "reshard", [](const auto&... each) { return reshard(each...); }, operand, memory, output, queue);
    }
    const OperationOptions options{memory, output, queue};
    Tensor result = result_for("reshard", operand.spec(), options, operand.device());
    copy(operand, result, queue);
    return result;
}

Tensor to_memory_config(const Tensor& operand, const MemoryConfig& memory, std::uint32_t queue) {
    return reshard(operand, memory, std::nullopt, queue);
}

void fill(const Tensor& tensor, std::int64_t value, std::uint32_t queue) {
    if (is_distributed(tensor)) {
        return for_each_device("fill", [](const auto&... each) { return fill(each...); }, tensor, value, queue);
    }
    const std::uint32_t pattern = pattern_of(tensor.type(), value);
    const host::BufferPtr& buffer = tensor.buffer();
    Launches launches{*tensor.device()};
    std::optional<Tensor> unit;  // what is left of a shard is copied from here
    for (std::uint32_t shard = 0U; shard < buffer->shard_count(); ++shard) {
        const std::uint32_t bytes = buffer->shard_bytes(shard);
        const std::uint32_t whole = bytes - (bytes % kFillUnitBytes);
        const host::CoreCoord core = buffer->shard_core(shard).value_or(launches.next_core());
        if (whole > 0U) {
            launches.add(KernelId::kFill, core, {host::BufferArgument{buffer, shard, 0U}, whole, pattern});
        }
        if (whole == bytes) {
            continue;
        }
        if (!unit.has_value()) {
            unit =
                Tensor::on_device({{kFillUnitBytes}, tensor.type(), kDramInterleaved}, tensor.device(), {queue, true});
            fill(*unit, value, queue);
        }
        launches.add(
            KernelId::kCopy, core,
            {host::BufferArgument{unit->buffer(), 0U, 0U}, host::BufferArgument{buffer, shard, whole}, bytes - whole});
    }
    enqueue(tensor, launches, "fill", queue);
}

Tensor full(const TensorSpec& spec, std::int64_t value, const std::shared_ptr<host::Device>& device,
            std::uint32_t queue) {
    static_cast<void>(pattern_of(spec.type, value));
    Tensor tensor = Tensor::on_device(spec, device, {queue});
    fill(tensor, value, queue);
    return tensor;
}

Tensor full(const TensorSpec& spec, std::int64_t value, const host::MeshPtr& mesh, std::uint32_t queue) {
    static_cast<void>(pattern_of(spec.type, value));
    Tensor tensor = Tensor::on_mesh(spec, mesh, std::nullopt, {queue});
    fill(tensor, value, queue);
    return tensor;
}

}  // namespace pianola::tensor
