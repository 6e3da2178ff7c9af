#include <cstddef>

#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {
namespace {

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
    auto arguments = operators::float_conversion_arguments<Arguments>(quantized.kernel_type(), quantized.affine());
    arguments.count = input.tensor->elements;
    context.launch(kernel, arguments, input, output);
}

void requantize(OperatorContext& context, const QuantizedTensor& input, const QuantizedTensor& output) {
    const FixedPoint scale = context.multiplier(static_cast<double>(input.scale) / static_cast<double>(output.scale));
    if ((input.tensor->type == kTypeInt8) && (output.tensor->type == kTypeInt8)) {
        refdev::RequantizeArguments arguments =
            operators::requantize_arguments(scale, input.zero_point, output.zero_point);
        arguments.count = input.tensor->elements;
        context.launch(refdev::KernelId::kRequantize, arguments, input, output);
        return;
    }
    refdev::RescaleArguments arguments = operators::rescale_arguments(input.kernel_type(), output.kernel_type(), scale,
                                                                      input.zero_point, output.zero_point);
    arguments.count = input.tensor->elements;
    context.launch(refdev::KernelId::kRescale, arguments, input, output);
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
                      operators::requantize_table(input.affine(), false, output.affine(), true));
        return;
    }
    const QuantizedTensor output = context.shifted_output({kTypeInt8, kTypeInt16, kTypeInt32, kTypeUint8});
    context.require_same_shape(input, output);
    if (output.tensor->type == kTypeUint8) {
        context.require(is_byte(input), "uint8 output of this input is not supported");
        launch_lookup(context, input, output,
                      operators::requantize_table(input.affine(), true, output.affine(), false));
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
