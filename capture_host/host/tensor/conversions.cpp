#include <fmt/format.h>

#include "capture_host/host/tensor/channel_parameters.h"
#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/row_work.h"
#include "capture_host/operators/kernel_arguments.h"
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

// Of a byte's type, and not so small that the device's quotient is not exact.
void require_quantization(const char* name, const Quantization& quantization, ElementType type) {
    constexpr float kLeast = 0x1p-124F;
    require_scale(name, "scale", quantization.scale);
    const bool is_int8 = type == ElementType::kInt8;
    const bool holds = (quantization.zero_point >= (is_int8 ? INT8_MIN : 0)) &&
                       (quantization.zero_point <= (is_int8 ? INT8_MAX : UINT8_MAX));
    if (!holds || (quantization.scale < kLeast)) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: scale is {} and zero_point {}; they are at least 2^-124 and a number of {}",
                                      name, quantization.scale, quantization.zero_point, type_name(type))};
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
    const Tensor entries = in_one_run(table, options.queue);
    element_by_element(operand, result, name, options.queue, KernelId::kLookup,
                       [&](const host::Argument& from, const host::Argument& to, std::uint32_t count) {
                           return words_of(refdev::LookupArguments{0U, 0U, 0U, count, 1U},
                                           {from, run_argument(entries), to});
                       });
    return result;
}

}  // namespace pianola::tensor
