// Operators: the TensorFlow Lite operators that the importer lowers.
//
// One function per operator, in the files of this folder; import.cpp calls them in the model's order. A function either
// records launches that compute its operator exactly, or throws an ImportError that says why it cannot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {

void lower_conv_2d(OperatorContext& context);
void lower_depthwise_conv_2d(OperatorContext& context);
void lower_transpose_conv(OperatorContext& context);
void lower_fully_connected(OperatorContext& context);
void lower_batch_matmul(OperatorContext& context);
void lower_average_pool_2d(OperatorContext& context);
void lower_max_pool_2d(OperatorContext& context);
void lower_mean(OperatorContext& context);
void lower_sum(OperatorContext& context);
void lower_reduce_max(OperatorContext& context);
void lower_reduce_min(OperatorContext& context);
void lower_reduce_all(OperatorContext& context);
void lower_arg_max(OperatorContext& context);
void lower_arg_min(OperatorContext& context);
void lower_cumsum(OperatorContext& context);
void lower_add(OperatorContext& context);
void lower_add_n(OperatorContext& context);
void lower_softmax(OperatorContext& context);
void lower_log_softmax(OperatorContext& context);
void lower_l2_normalization(OperatorContext& context);
void lower_quantize(OperatorContext& context);
void lower_pad(OperatorContext& context);
void lower_pad_v2(OperatorContext& context);
void lower_concatenation(OperatorContext& context);
void lower_strided_slice(OperatorContext& context);
void lower_split(OperatorContext& context);
void lower_split_v(OperatorContext& context);
void lower_resize_bilinear(OperatorContext& context);
void lower_resize_nearest_neighbor(OperatorContext& context);
void lower_transpose(OperatorContext& context);
void lower_slice(OperatorContext& context);
void lower_pack(OperatorContext& context);
void lower_unpack(OperatorContext& context);
void lower_gather(OperatorContext& context);
void lower_gather_nd(OperatorContext& context);
void lower_space_to_depth(OperatorContext& context);
void lower_depth_to_space(OperatorContext& context);
void lower_space_to_batch_nd(OperatorContext& context);
void lower_batch_to_space_nd(OperatorContext& context);
void lower_mirror_pad(OperatorContext& context);
void lower_broadcast_to(OperatorContext& context);
void lower_zeros_like(OperatorContext& context);
void lower_fill(OperatorContext& context);
void lower_reverse_v2(OperatorContext& context);
void lower_tile(OperatorContext& context);
void lower_embedding_lookup(OperatorContext& context);
void lower_var_handle(OperatorContext& context);  // only checks: the operators that use the handle look it up
void lower_read_variable(OperatorContext& context);
void lower_assign_variable(OperatorContext& context);
void lower_call_once(OperatorContext& context);  // records no launch: sets the first contents of variables
void lower_svdf(OperatorContext& context);
void lower_unidirectional_sequence_lstm(OperatorContext& context);
void lower_dequantize(OperatorContext& context);
void lower_logistic(OperatorContext& context);
void lower_tanh(OperatorContext& context);
void lower_hard_swish(OperatorContext& context);
void lower_elu(OperatorContext& context);
void lower_exp(OperatorContext& context);
void lower_rsqrt(OperatorContext& context);
void lower_abs(OperatorContext& context);
void lower_relu(OperatorContext& context);
void lower_relu_n1_to_1(OperatorContext& context);
void lower_relu6(OperatorContext& context);
void lower_leaky_relu(OperatorContext& context);
void lower_logical_not(OperatorContext& context);
void lower_sub(OperatorContext& context);
void lower_mul(OperatorContext& context);
void lower_squared_difference(OperatorContext& context);
void lower_prelu(OperatorContext& context);
void lower_maximum(OperatorContext& context);
void lower_minimum(OperatorContext& context);
void lower_equal(OperatorContext& context);
void lower_not_equal(OperatorContext& context);
void lower_greater(OperatorContext& context);
void lower_greater_equal(OperatorContext& context);
void lower_less(OperatorContext& context);
void lower_less_equal(OperatorContext& context);
void lower_logical_and(OperatorContext& context);
void lower_logical_or(OperatorContext& context);
void lower_select_v2(OperatorContext& context);
void lower_shape(OperatorContext& context);
void lower_cast(OperatorContext& context);
// Aliases: they only check.
void lower_reshape(OperatorContext& context);
void lower_squeeze(OperatorContext& context);
void lower_expand_dims(OperatorContext& context);

// A function of one byte, which implements several operators. Refuses if there is no table.
void launch_lookup(OperatorContext& context, const QuantizedTensor& input, const QuantizedTensor& output,
                   const std::optional<ByteTable>& table);

}  // namespace pianola::tflite
