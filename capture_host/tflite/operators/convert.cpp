#include <cstddef>

#include "capture_host/tflite/operators/movement.h"
#include "capture_host/tflite/operators/operator_context.h"
#include "capture_host/tflite/operators/wide_numbers.h"

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

namespace {

// Every number of the input fits the output.
void record_widened(OperatorContext& context, const QuantizedTensor& input, const QuantizedTensor& output) {
    refdev::RescaleArguments arguments =
        operators::rescale_arguments(input.kernel_type(), output.kernel_type(), kExactly);
    arguments.count = input.tensor->elements;
    context.launch(refdev::KernelId::kRescale, arguments, input, output);
}

// Keeps the low bytes of each number, which come first.
void record_truncated(OperatorContext& context, const QuantizedTensor& input, const QuantizedTensor& output) {
    const std::uint32_t from_bytes = input.tensor->size_bytes / input.tensor->elements;
    const std::uint32_t to_bytes = output.tensor->size_bytes / output.tensor->elements;
    StridedView view{{input.tensor->elements, from_bytes / to_bytes}, to_bytes};
    view.slice(1U, 0, 1, 1U);
    record_view(context, view, context.buffer(input), context.buffer(output));
}

// If one of a CAST's two types is set, both are: 0 is float32.
void require_named_type(const OperatorContext& context, const char* option, std::int8_t value, const Tensor& tensor) {
    context.require_type(option, value, tensor);
    if (value != tensor.type) {
        context.refuse(std::string{"its "} + option + " float32 differs from '" + tensor.name + "', which is " +
                           type_name(tensor.type),
                       tensor);
    }
}

// A whole number in single precision.
void record_real(OperatorContext& context, const QuantizedTensor& input, const QuantizedTensor& output) {
    context.require(input.tensor->type != kTypeInt32, "int32 to float32 is not supported");
    auto arguments = operators::float_conversion_arguments<refdev::DequantizeArguments>(input.kernel_type(), {1.0F, 0});
    arguments.count = input.tensor->elements;
    context.launch(refdev::KernelId::kDequantize, arguments, input, output);
}

}  // namespace

// The shape is known, so the result is a constant.
void lower_shape(OperatorContext& context) {
    context.require_operands(1U, 1U);
    const Shape& shape = context.input(0U, "input").shape;
    const QuantizedTensor output = context.typed_output({kTypeInt32});
    context.require(output.tensor->shape == Shape{static_cast<std::uint32_t>(shape.size())},
                    "its output shape does not follow from its input");
    const auto* const options = context.options_if_any<format::ShapeOptions>();
    context.require_type("out_type", (options == nullptr) ? std::int8_t{0} : options->out_type(), *output.tensor);
    const std::vector<std::int32_t> sizes(shape.begin(), shape.end());
    context.copy(context.buffer(output), add_words(context, "shape", sizes), output.tensor->size_bytes);
}

// Numbers stay as they are: scales are ignored.
void lower_cast(OperatorContext& context) {
    context.require_operands(1U, 1U);
    const QuantizedTensor input = context.typed_input(0U, "input", {kTypeInt8, kTypeInt16, kTypeInt32, kTypeBool});
    const QuantizedTensor output = context.typed_output({kTypeInt8, kTypeInt16, kTypeInt32, kTypeFloat32});
    context.require_same_shape(input, output);
    const auto* const options = context.options_if_any<format::CastOptions>();
    if ((options != nullptr) && ((options->in_data_type() != 0) || (options->out_data_type() != 0))) {
        require_named_type(context, "in_data_type", options->in_data_type(), *input.tensor);
        require_named_type(context, "out_data_type", options->out_data_type(), *output.tensor);
    }
    if (output.tensor->type == kTypeFloat32) {
        record_real(context, input, output);
    } else if (input.tensor->size_bytes < output.tensor->size_bytes) {
        record_widened(context, input, output);
    } else if (input.tensor->size_bytes > output.tensor->size_bytes) {
        record_truncated(context, input, output);
    } else {
        context.copy(context.buffer(output), context.buffer(input), output.tensor->size_bytes);
    }
}

// Terms of one scale, in 32 bits. The scheme's sums start at minus the zero point, so it counts twice in the first
// term.
void lower_add_n(OperatorContext& context) {
    context.require_operands(2U, kMaxOperands);
    const Int8Tensor first = context.int8_input(0U, "input");
    const Int8Tensor output = context.int8_output();
    const FixedPoint scale = sum_scale(context, first.scale, output.scale);
    const capture::BufferId sums = add_wide(context, output.tensor->elements);
    const capture::BufferId terms = add_wide(context, output.tensor->elements);
    for (std::size_t i = 0U; i < context.input_count(); ++i) {
        const Int8Tensor input = context.int8_input(i, "input");
        context.require((input.scale == first.scale) && (input.zero_point == first.zero_point),
                        "inputs of several scales are not supported");
        require_shape(context, AnyTensor{output.index, output.tensor, 1U}, input.tensor->shape);
        record_widening(context, input, (i == 0U) ? (2 * input.zero_point) : input.zero_point, kToSumFraction,
                        (i == 0U) ? sums : terms);
        if (i > 0U) {
            context.launch(refdev::KernelId::kBinary,
                           refdev::BinaryArguments{0U, 0U, 0U, output.tensor->elements, refdev::kTypeInt32,
                                                   refdev::BinaryOp::kAdd},
                           {{sums}, {terms}, {sums}});
        }
    }
    record_narrowing(context, sums, scale, output.zero_point, output);
}

}  // namespace pianola::tflite
