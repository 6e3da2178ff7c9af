// The kernels of the library, in the order of their ids.
//
// describe_*() and compute_*() implement Kernel::describe and Kernel::compute, a pair for each kernel; each comment
// names the structure of the argument words (arguments.h). Extents are in order.
#pragma once

#include "hal/devices/refdev/kernels/kernel.h"

namespace pianola::refdev {

// Fully connected layer: output = clamp(rescale(filter x input + bias)), per output channel. Arguments:
// FullyConnectedArguments. Extents: input, filter, channel_parameters (read), output (written, shares no byte with the
// others).
Status describe_fully_connected(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_fully_connected(WordSpan arguments, const BoundOperands& bound) noexcept;

// Two-dimensional convolution with groups, strides, dilations and padding, per-channel quantised. Arguments:
// Conv2dArguments. Extents: input, filter, channel_parameters (read), output (written, shares no byte with the others).
Status describe_conv2d(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_conv2d(WordSpan arguments, const BoundOperands& bound) noexcept;

// Depthwise convolution: every input channel has depth_multiplier separate filters. Arguments:
// DepthwiseConv2dArguments. Extents: input, filter, channel_parameters (read), output (written, shares no byte with the
// others).
Status describe_depthwise_conv2d(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_depthwise_conv2d(WordSpan arguments, const BoundOperands& bound) noexcept;

// Average pooling: the mean of the taps inside the input, rounded to nearest, halves away from zero. Arguments:
// Pool2dArguments. Extents: input (read), output (written, shares no byte with the input).
Status describe_pool2d(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;  // of both
Status compute_average_pool2d(WordSpan arguments, const BoundOperands& bound) noexcept;

// Maximum pooling: the largest of the taps inside the input. Arguments: Pool2dArguments. Extents: input (read), output
// (written, shares no byte with the input).
Status compute_max_pool2d(WordSpan arguments, const BoundOperands& bound) noexcept;

// Mean over any subset of four dimensions. Arguments: MeanArguments. Extents: input (read), output (written, shares no
// byte with the input).
Status describe_mean(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_mean(WordSpan arguments, const BoundOperands& bound) noexcept;

// Element-wise sum of two tensors, with broadcasting. Arguments: AddArguments. Extents: input1, input2 (read), output
// (written; apart from the inputs, or in place of one that is not broadcast). An operand is dense: its stride is 0 in
// each dimension in which it is broadcast, and in the others the product of its own later dimensions.
Status describe_add(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_add(WordSpan arguments, const BoundOperands& bound) noexcept;

// Softmax over rows. Arguments: SoftmaxArguments. Extents: input (read), output (written; apart from the input, or in
// place).
Status describe_softmax(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_softmax(WordSpan arguments, const BoundOperands& bound) noexcept;

// Requantisation: from one scale and zero point to another, element by element. Arguments: RequantizeArguments.
// Extents: input (read), output (written; apart from the input, or in place).
Status describe_requantize(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_requantize(WordSpan arguments, const BoundOperands& bound) noexcept;

// Padding of four dimensions of elements of any size with a constant. Arguments: PadArguments. Extents: input (read),
// output (written, shares no byte with the input).
Status describe_pad(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_pad(WordSpan arguments, const BoundOperands& bound) noexcept;

// Copy of bytes. Arguments: CopyArguments. Extents: source (read), destination (written; apart from the source).
Status describe_copy(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_copy(WordSpan arguments, const BoundOperands& bound) noexcept;

// Fill with a repeated 32-bit pattern. Arguments: FillArguments. Extents: destination (written).
Status describe_fill(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_fill(WordSpan arguments, const BoundOperands& bound) noexcept;

// Gather: rows assembled from columns of up to four sources. Arguments: GatherArguments. Extents: the used segments
// (read; each the hull of its rows), destination (written; apart from every hull).
Status describe_gather(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_gather(WordSpan arguments, const BoundOperands& bound) noexcept;

// Unary arithmetic, element by element, in int8 or int32. Arguments: UnaryArguments. Extents: input (read), output
// (written; apart from the input, or in place).
Status describe_unary(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_unary(WordSpan arguments, const BoundOperands& bound) noexcept;

// Binary arithmetic, element by element, in int8 or int32. Arguments: BinaryArguments. Extents: input1, input2 (read),
// output (written; apart from each input, or in place of it).
Status describe_binary(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_binary(WordSpan arguments, const BoundOperands& bound) noexcept;

// Matrix product of int8 or int32, summed in int32. Arguments: MatmulArguments. Extents: a, b (read), c (written; apart
// from both), and if it accumulates, c again (read).
Status describe_matmul(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_matmul(WordSpan arguments, const BoundOperands& bound) noexcept;

// Sum, maximum or minimum over the rows or the columns of a matrix, or the index of the extremum. Arguments:
// ReduceArguments. Extents: input (read), output (written; apart from the input).
Status describe_reduce(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_reduce(WordSpan arguments, const BoundOperands& bound) noexcept;

// Semaphore: one word of device memory that is set, counted up, or required to have reached a value. Arguments:
// SemaphoreArguments. Extents: address (read: increment and wait), address (written: set and increment).
Status describe_semaphore(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_semaphore(WordSpan arguments, const BoundOperands& bound) noexcept;

// View: elements at any byte strides, negative ones and 0 included, made dense. Arguments: ViewArguments. Extents:
// input (read; the hull of all elements), output (written; apart from the hull).
Status describe_view(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_view(WordSpan arguments, const BoundOperands& bound) noexcept;

// Take: entries of a table, chosen by indices in device memory. Arguments: TakeArguments. Extents: input, indices
// (read), output (written; apart from both). An index outside the table chooses the nearest entry of it.
Status describe_take(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_take(WordSpan arguments, const BoundOperands& bound) noexcept;

// Lookup: a function of one byte, given by its 256 values. Arguments: LookupArguments. Extents: input, table (read),
// output (written; apart from the table; apart from the input, or in place).
Status describe_lookup(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_lookup(WordSpan arguments, const BoundOperands& bound) noexcept;

// Quantised arithmetic and comparison of two operands of int8 or int16, with broadcasting. Arguments:
// QuantizedBinaryArguments. Extents: input1, input2 (read), output (written; apart from each input, or in place of it).
Status describe_quantized_binary(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_quantized_binary(WordSpan arguments, const BoundOperands& bound) noexcept;

// Select: elements of one operand or another, chosen by a third, with broadcasting. Arguments: SelectArguments.
// Extents: condition, input1, input2 (read), output (written; apart from each, or in place of it).
Status describe_select(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_select(WordSpan arguments, const BoundOperands& bound) noexcept;

// Quantisation of numbers in single precision, in integer arithmetic. Arguments: QuantizeArguments. Extents: input
// (read), output (written; apart from the input).
Status describe_quantize(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_quantize(WordSpan arguments, const BoundOperands& bound) noexcept;

// Dequantisation to numbers in single precision. Arguments: DequantizeArguments. Extents: input (read), output
// (written; apart from the input).
Status describe_dequantize(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_dequantize(WordSpan arguments, const BoundOperands& bound) noexcept;

// Rescaling between int8, int16 and int32, with a scale for numbers below 0 and one for all others. Arguments:
// RescaleArguments. Extents: input (read), output (written; apart from the input, or in place).
Status describe_rescale(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_rescale(WordSpan arguments, const BoundOperands& bound) noexcept;

// First half of an SVDF layer: the filters' results on the input are added to their memory. Arguments:
// SvdfFeatureArguments. Extents: input, features, memory (read), memory (written, shares no byte with the others).
Status describe_svdf_feature(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_svdf_feature(WordSpan arguments, const BoundOperands& bound) noexcept;

// Second half of an SVDF layer: weighted sums over memory. Arguments: SvdfTimeArguments. Extents: memory, weights, bias
// (read), output (written, shares no byte with the others).
Status describe_svdf_time(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_svdf_time(WordSpan arguments, const BoundOperands& bound) noexcept;

// A long short-term memory layer over a sequence. Arguments: LstmArguments. Extents: input, weights, parameters, state
// (read), state, output (written, share no byte with the others or each other).
Status describe_lstm(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_lstm(WordSpan arguments, const BoundOperands& bound) noexcept;

// The layers with filters, with int16 activations, int8 weights and sums of 4 or 8 bytes. Arguments: Int16Layer of the
// int8 layer's. Extents: those of the int8 layer.
Status describe_fully_connected_int16(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_fully_connected_int16(WordSpan arguments, const BoundOperands& bound) noexcept;
Status describe_conv2d_int16(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_conv2d_int16(WordSpan arguments, const BoundOperands& bound) noexcept;
Status describe_depthwise_conv2d_int16(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_depthwise_conv2d_int16(WordSpan arguments, const BoundOperands& bound) noexcept;

// Softmax over rows of int16. Arguments: SoftmaxInt16Arguments. Extents: input, tables (read), output (written; apart
// from the tables; apart from the input, or in place).
Status describe_softmax_int16(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_softmax_int16(WordSpan arguments, const BoundOperands& bound) noexcept;

// Logistic function and hyperbolic tangent of int16. Arguments: SigmoidInt16Arguments. Extents: input, table (read),
// output (written; apart from the table; apart from the input, or in place).
Status describe_sigmoid_int16(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_sigmoid_int16(WordSpan arguments, const BoundOperands& bound) noexcept;

// Normalisation: rows divided by their length, the root of the sum of their squares. Arguments:
// L2NormalizationArguments. Extents: input (read), output (written; apart from the input, or in place).
Status describe_l2_normalization(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_l2_normalization(WordSpan arguments, const BoundOperands& bound) noexcept;

// Logarithm of softmax over rows. Arguments: LogSoftmaxArguments. Extents: input (read), output (written; apart from
// the input, or in place).
Status describe_log_softmax(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_log_softmax(WordSpan arguments, const BoundOperands& bound) noexcept;

// Product of two int16 matrices, the second of which is transposed. Arguments: MatmulInt16Arguments. Extents: left,
// right (read), output (written, shares no byte with the others).
Status describe_matmul_int16(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept;
Status compute_matmul_int16(WordSpan arguments, const BoundOperands& bound) noexcept;

}  // namespace pianola::refdev
