#include <cstddef>
#include <cstring>

#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {
namespace {

std::uint32_t device_type(const Tensor& tensor) {
    return static_cast<std::uint32_t>(element_type(tensor.type));
}

std::uint32_t bits_of(float value) {
    std::uint32_t bits = 0U;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}

bool is_byte(const QuantizedTensor& tensor) {
    return (tensor.tensor->type == kTypeInt8) || (tensor.tensor->type == kTypeUint8);
}

// The device's kernels accept scales that are normal numbers, with some margin.
void require_scale(const OperatorContext& context, float scale) {
    constexpr float kLeast = 0x1p-124F;
    context.require(scale >= kLeast, "a scale below 2^-124 is not supported");
}

template <typename Arguments>
void launch_float(OperatorContext& context, refdev::KernelId kernel, const QuantizedTensor& input,
                  const QuantizedTensor& output, const QuantizedTensor& quantized) {
    require_scale(context, quantized.scale);
    Arguments arguments{};
    arguments.count = input.tensor->elements;
    arguments.type = device_type(*quantized.tensor);
    arguments.scale = bits_of(quantized.scale);
    arguments.zero_point = quantized.zero_point;
    context.launch(kernel, arguments, input, output);
}

void rescale(OperatorContext& context, const QuantizedTensor& input, const QuantizedTensor& output,
             const FixedPoint& scale) {
    refdev::RescaleArguments arguments{};
    arguments.count = input.tensor->elements;
    arguments.input_type = device_type(*input.tensor);
    arguments.output_type = device_type(*output.tensor);
    arguments.input_zero_point = input.zero_point;
    arguments.multiplier = scale.multiplier;
    arguments.shift = scale.shift;
    arguments.negative_multiplier = scale.multiplier;
    arguments.negative_shift = scale.shift;
    arguments.output_zero_point = output.zero_point;
    arguments.activation_min = INT32_MIN;
    arguments.activation_max = INT32_MAX;
    if (output.tensor->type != kTypeInt32) {
        const ActivationRange range = (output.tensor->type == kTypeInt16) ? kInt16Range : ActivationRange{};
        arguments.activation_min = range.min;
        arguments.activation_max = range.max;
    }
    context.launch(refdev::KernelId::kRescale, arguments, input, output);
}

void requantize(OperatorContext& context, const QuantizedTensor& input, const QuantizedTensor& output) {
    const FixedPoint scale = context.multiplier(static_cast<double>(input.scale) / static_cast<double>(output.scale));
    if ((input.tensor->type != kTypeInt8) || (output.tensor->type != kTypeInt8)) {
        rescale(context, input, output, scale);
        return;
    }
    refdev::RequantizeArguments arguments{};
    arguments.count = input.tensor->elements;
    arguments.input_zero_point = input.zero_point;
    arguments.multiplier = scale.multiplier;
    arguments.shift = scale.shift;
    arguments.output_zero_point = output.zero_point;
    context.launch(refdev::KernelId::kRequantize, arguments, input, output);
}

}  // namespace

void lower_quantize(OperatorContext& context) {
    context.require_operands(1U, 1U);
    const QuantizedTensor from =
        context.typed_input(0U, "input", {kTypeInt8, kTypeInt16, kTypeInt32, kTypeUint8, kTypeFloat32});
    if (from.tensor->type == kTypeFloat32) {
        const QuantizedTensor output = context.quantized_output({kTypeInt8, kTypeInt16, kTypeUint8});
        context.require_same_shape(from, output);
        launch_float<refdev::QuantizeArguments>(context, refdev::KernelId::kQuantize, from, output, output);
        return;
    }
    const QuantizedTensor input = context.shifted_input(0U, "input", {from.tensor->type});
    if (from.tensor->type == kTypeUint8) {
        const QuantizedTensor output = context.int8_output();
        context.require_same_shape(input, output);
        launch_lookup(context, input, output,
                      operators::requantize_table({input.scale, input.zero_point}, false,
                                                  {output.scale, output.zero_point}, true));
        return;
    }
    const QuantizedTensor output = context.shifted_output({kTypeInt8, kTypeInt16, kTypeInt32, kTypeUint8});
    context.require_same_shape(input, output);
    if (output.tensor->type == kTypeUint8) {
        context.require(is_byte(input), "uint8 output of this input is not supported");
        launch_lookup(context, input, output,
                      operators::requantize_table({input.scale, input.zero_point}, true,
                                                  {output.scale, output.zero_point}, false));
        return;
    }
    requantize(context, input, output);
}

void lower_dequantize(OperatorContext& context) {
    context.require_operands(1U, 1U);
    const QuantizedTensor input = context.quantized_input(0U, "input", {kTypeInt8, kTypeInt16, kTypeUint8});
    const QuantizedTensor output = context.typed_output({kTypeFloat32});
    context.require_same_shape(input, output);
    launch_float<refdev::DequantizeArguments>(context, refdev::KernelId::kDequantize, input, output, input);
}

}  // namespace pianola::tflite
