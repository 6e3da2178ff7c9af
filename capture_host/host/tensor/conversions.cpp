#include <fmt/format.h>

#include "capture_host/host/tensor/channel_parameters.h"
#include "capture_host/host/tensor/each_core.h"
#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/gather_rows.h"
#include "capture_host/operators/kernel_arguments.h"
#include "pianola_host/quantized.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

using refdev::KernelId;

constexpr std::uint32_t kTableEntries = 256U;

// One of the kernels between floats and bytes, over whole rows.
template <typename Arguments>
[[nodiscard]] Tensor convert(const char* name, KernelId kernel, const Tensor& operand, const Tensor& result,
                             const Quantization& quantization, ElementType type, std::uint32_t queue) {
    auto arguments = operators::float_conversion_arguments<Arguments>(static_cast<std::uint32_t>(type),
                                                                      {quantization.scale, quantization.zero_point});
    const std::uint32_t columns = columns_of(result.shape());
    return convert_rows(operand, result, name, queue, kernel,
                        [&](const host::Argument& from, const host::Argument& to, std::uint32_t rows) {
                            arguments.count = rows * columns;
                            return words_of(arguments, {from, to});
                        });
}

bool is_byte(ElementType type) {
    return (type == ElementType::kInt8) || (type == ElementType::kUint8);
}

void require_type(const char* name, const char* argument, bool accepted, ElementType type, const char* wanted) {
    if (!accepted) {
        throw TensorError{TensorRule::kType,
                          fmt::format("{}: {} is of {}; it must be of {}", name, argument, type_name(type), wanted)};
    }
}

// The zero point is a number of the byte's type; below the least scale the device's quotient would not be exact.
void require_quantization(const char* name, const Quantization& quantization, ElementType type) {
    constexpr float kLeast = 0x1p-124F;
    require_scale(name, "scale", quantization.scale);
    const bool is_int8 = type == ElementType::kInt8;
    const bool holds = (quantization.zero_point >= (is_int8 ? INT8_MIN : 0)) &&
                       (quantization.zero_point <= (is_int8 ? INT8_MAX : UINT8_MAX));
    if (!holds || (quantization.scale < kLeast)) {
        throw TensorError{
            TensorRule::kQuantization,
            fmt::format("{}: scale is {} and zero_point {}; they must be at least 2^-124 and a number of {}", name,
                        quantization.scale, quantization.zero_point, type_name(type))};
    }
}

}  // namespace

Tensor quantize(const Tensor& operand, const Quantization& to, ElementType type, const OperationOptions& options) {
    const char* const name = "quantize";
    if (is_distributed(operand, options)) {
        return for_each_device(name, [](const auto&... each) { return quantize(each...); }, operand, to, type, options);
    }
    require_type(name, "input_tensor", operand.type() == ElementType::kFloat32, operand.type(), "float32");
    require_type(name, "the result", is_byte(type), type, "int8 or uint8");
    require_quantization(name, to, type);
    const Tensor result = result_for(name, spec_of_type(operand, type), options, operand.device());
    return convert<refdev::QuantizeArguments>(name, KernelId::kQuantize, operand, result, to, type, options.queue);
}

Tensor dequantize(const Tensor& operand, const Quantization& from, const OperationOptions& options) {
    const char* const name = "dequantize";
    if (is_distributed(operand, options)) {
        return for_each_device(name, [](const auto&... each) { return dequantize(each...); }, operand, from, options);
    }
    require_type(name, "input_tensor", is_byte(operand.type()), operand.type(), "int8 or uint8");
    require_quantization(name, from, operand.type());
    const Tensor result = result_for(name, spec_of_type(operand, ElementType::kFloat32), options, operand.device());
    return convert<refdev::DequantizeArguments>(name, KernelId::kDequantize, operand, result, from, operand.type(),
                                                options.queue);
}

Tensor lookup(const Tensor& operand, const Tensor& table, const OperationOptions& options) {
    const char* const name = "lookup";
    if (is_distributed(operand, table, options)) {
        return for_each_device(name, [](const auto&... each) { return lookup(each...); }, operand, table, options);
    }
    require_same_device(name, operand, table);
    require_type(name, "input_tensor", is_byte(operand.type()), operand.type(), "int8 or uint8");
    require_type(name, "table", is_byte(table.type()), table.type(), "int8 or uint8");
    if (table.shape() != Shape{kTableEntries}) {
        throw TensorError{TensorRule::kShape,
                          fmt::format("{}: table is {}; it must be [256]", name, to_string(table.shape()))};
    }
    Tensor result = result_for(name, spec_of_type(operand, table.type()), options, operand.device());
    require_apart(name, result, table);
    const Tensor entries = as_contiguous(table, options.queue);
    element_by_element(operand, result, name, options.queue, KernelId::kLookup,
                       [&](const host::Argument& from, const host::Argument& to, std::uint32_t count) {
                           return words_of(refdev::LookupArguments{0U, 0U, 0U, count, 1U},
                                           {from, argument_at(entries), to});
                       });
    return result;
}

Tensor requantize(const Tensor& operand, const Quantization& from, const Quantization& to,
                  const OperationOptions& options) {
    if (is_distributed(operand, options)) {
        return for_each_device(
            "requantize", [](const auto&... each) { return requantize(each...); }, operand, from, to, options);
    }
    const char* const name = "requantize";
    static_cast<void>(kernel_type(name, operand));
    require_scale(name, "in_scale", from.scale);
    require_scale(name, "out_scale", to.scale);
    require_zero_point(name, "in_zero_point", from.zero_point);
    require_zero_point(name, "out_zero_point", to.zero_point);
    const operators::FixedPoint scale = ratio_of(name, from, to);
    const bool narrows = operand.type() == ElementType::kInt32;
    if (narrows && (from.zero_point != 0)) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: in_zero_point is {}; that of int32 must be 0", name, from.zero_point)};
    }
    Tensor result = result_for(name, spec_of_type(operand, ElementType::kInt8), options, operand.device());
    if (narrows) {
        refdev::RescaleArguments arguments =
            operators::rescale_arguments(refdev::kTypeInt32, refdev::kTypeInt8, scale, 0, to.zero_point);
        const std::uint32_t columns = columns_of(result.shape());
        return convert_rows(operand, result, name, options.queue, refdev::KernelId::kRescale,
                            [&](const host::Argument& source, const host::Argument& target, std::uint32_t rows) {
                                arguments.count = rows * columns;
                                return words_of(arguments, {source, target});
                            });
    }
    refdev::RequantizeArguments arguments = operators::requantize_arguments(scale, from.zero_point, to.zero_point);
    element_by_element(operand, result, name, options.queue, refdev::KernelId::kRequantize,
                       [&](const host::Argument& source, const host::Argument& target, std::uint32_t count) {
                           arguments.count = count;
                           return words_of(arguments, {source, target});
                       });
    return result;
}

namespace {

// To words with the sign of the numbers: int8 as a sum of one term, int16 with a scale of 1.
void widen(const Tensor& operand, const Tensor& result, std::uint32_t queue) {
    const std::uint32_t columns = columns_of(operand.shape());
    if (operand.type() == ElementType::kInt16) {
        refdev::RescaleArguments arguments =
            operators::rescale_arguments(refdev::kTypeInt16, refdev::kTypeInt32, operators::kUnity);
        row_by_row(operand, result, "typecast", queue, refdev::KernelId::kRescale,
                   [&](const host::Argument& from, const host::Argument& to, std::uint32_t rows) {
                       arguments.count = rows * columns;
                       return words_of(arguments, {from, to});
                   });
        return;
    }
    row_by_row(operand, result, "typecast", queue, refdev::KernelId::kReduce,
               [&](const host::Argument& from, const host::Argument& to, std::uint32_t rows) {
                   return words_of(refdev::ReduceArguments{0U, 0U, rows * columns, 1U, refdev::kTypeInt8,
                                                           refdev::ReduceOp::kSum, 1U},
                                   {from, to});
               });
}

// The bytes of an element that the result has, and the number of zeros before and after them.
struct Bytes {
    std::uint32_t zeros_before{0U};
    std::uint32_t taken{0U};
    std::uint32_t zeros_after{0U};
};

// Copies the first `taken` bytes of each element, between contiguous tensors.
void move_bytes(const Tensor& source, const Tensor& result, const Bytes& bytes, std::uint32_t queue) {
    const std::uint32_t from = bytes_per_element(source.type());
    const std::uint64_t count = element_count(source.shape());
    const bool has_zeros = (bytes.zeros_before + bytes.zeros_after) > 0U;
    const Tensor zeros = has_zeros ? zeros_for_parts(source, kWordBytes, queue) : source;
    const std::uint64_t cores = host::cores_of(host::all_cores(result.device()->spec())).size();
    const std::uint64_t share = ((count + cores) - 1U) / cores;
    std::vector<RowBand> bands;
    for (std::uint64_t first = 0U; first < count; first += share) {
        RowBand band{word(std::min(share, count - first)), {}};
        if (bytes.zeros_before > 0U) {
            band.parts.push_back({zeros, first_address(zeros), 0U, bytes.zeros_before});
        }
        band.parts.push_back({source, word(first_address(source) + (first * from)), from, bytes.taken});
        if (bytes.zeros_after > 0U) {
            band.parts.push_back({zeros, first_address(zeros), 0U, bytes.zeros_after});
        }
        bands.push_back(std::move(band));
    }
    gather_rows(result, std::move(bands), "typecast", queue);
}

// Whether numbers are signed and narrower than a word.
[[nodiscard]] bool has_short_sign(ElementType type) noexcept {
    return (type == ElementType::kInt8) || (type == ElementType::kInt16);
}

[[nodiscard]] bool is_integer(ElementType type) noexcept {
    return (type != ElementType::kFloat32) && (type != ElementType::kBfloat16);
}

[[nodiscard]] Tensor words_like(const Tensor& operand, std::uint32_t queue) {
    return Tensor::on_device({operand.shape(), ElementType::kInt32, kDramInterleaved}, operand.device(), {queue, true});
}

// The same words as another type of 32 bits.
[[nodiscard]] Tensor words_as(const Tensor& words, ElementType type) {
    return words.viewed_as(TensorSpec{words.shape(), type, words.memory_config(), words.layout()});
}

[[nodiscard]] Tensor with_number(Binary operation, const Tensor& words, std::int64_t number, std::uint32_t queue) {
    OperationOptions options;
    options.queue = queue;
    options.output = words_like(words, queue);
    return binary(operation, words, number, options);
}

// Clamps numbers of `from`, as words, to the range of `to`.
[[nodiscard]] Tensor clamped(Tensor words, ElementType from, ElementType to, std::uint32_t queue) {
    const NumberRange source = range_of(from);
    const NumberRange range = range_of(to);
    if (source.minimum < range.minimum) {
        words = with_number(Binary::kMaximum, words, range.minimum, queue);
    }
    if (source.maximum > range.maximum) {
        // The device compares signed words: an offset maps unsigned numbers to signed ones and back.
        const bool moves = from == ElementType::kUint32;
        const std::int64_t offset = moves ? std::int64_t{INT32_MIN} : 0;
        words = moves ? with_number(Binary::kAdd, words, offset, queue) : words;
        words = with_number(Binary::kMinimum, words, range.maximum + offset, queue);
        words = moves ? with_number(Binary::kAdd, words, offset, queue) : words;
    }
    return words;
}

[[nodiscard]] Tensor words_of_integers(const Tensor& source, std::uint32_t queue) {
    const std::uint32_t bytes = bytes_per_element(source.type());
    if (bytes == kWordBytes) {
        return words_as(source, ElementType::kInt32);
    }
    Tensor words = words_like(source, queue);
    if (has_short_sign(source.type())) {
        widen(source, words, queue);
    } else {
        move_bytes(source, words, {0U, bytes, kWordBytes - bytes}, queue);
    }
    return words;
}

// Between contiguous tensors.
void cast(const Tensor& source, const Tensor& result, std::uint32_t queue) {
    const std::uint32_t from_bytes = bytes_per_element(source.type());
    const std::uint32_t to_bytes = bytes_per_element(result.type());
    if (!is_integer(source.type())) {
        move_bytes(source, result, {to_bytes - from_bytes, from_bytes, 0U}, queue);
        return;
    }
    const NumberRange from = range_of(source.type());
    const NumberRange to = range_of(result.type());
    const bool fits = (from.minimum >= to.minimum) && (from.maximum <= to.maximum);
    if (fits && has_short_sign(source.type())) {
        if (to_bytes == kWordBytes) {
            widen(source, words_as(result, ElementType::kInt32), queue);
        } else {
            move_bytes(words_of_integers(source, queue), result, {0U, to_bytes, 0U}, queue);
        }
        return;
    }
    if (fits) {
        move_bytes(source, result, {0U, from_bytes, to_bytes - from_bytes}, queue);
        return;
    }
    const Tensor words = clamped(words_of_integers(source, queue), source.type(), result.type(), queue);
    move_bytes(words, result, {0U, to_bytes, 0U}, queue);
}

}  // namespace

Tensor typecast(const Tensor& operand, ElementType type, const OperationOptions& options) {
    if (is_distributed(operand, options)) {
        return for_each_device(
            "typecast", [](const auto&... each) { return typecast(each...); }, operand, type, options);
    }
    const char* const name = "typecast";
    static_cast<void>(operand.buffer());
    static_cast<void>(bytes_per_element(type));
    const bool extends = (operand.type() == ElementType::kBfloat16) && (type == ElementType::kFloat32);
    const bool integers = is_integer(operand.type()) && is_integer(type);
    if (!integers && !extends && (operand.type() != type)) {
        throw TensorError{
            TensorRule::kType,
            fmt::format("{}: {} to {}; the device casts integers to integers and bfloat16 to float32, the "
                        "host others",
                        name, type_name(operand.type()), type_name(type))};
    }
    Tensor result = result_for(name, spec_of_type(operand, type), options, operand.device());
    if (operand.type() == type) {
        copy(operand, result, options.queue);
        return result;
    }
    require_apart(name, result, operand);
    return into_contiguous(result, options.queue,
                           [&](const Tensor& run) { cast(as_contiguous(operand, options.queue), run, options.queue); });
}

}  // namespace pianola::tensor
