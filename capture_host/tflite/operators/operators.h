// Operators: which TensorFlow Lite operators the importer lowers, and how.
//
// Place in the whole: one function per operator, in the files of this folder; import.cpp calls them in the model's
// order. A function either records what computes its operator exactly, or throws the ImportError that says why it
// cannot.
#pragma once

#include <cstdint>

#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {

void lower_conv_2d(OperatorContext& context);
void lower_depthwise_conv_2d(OperatorContext& context);
void lower_fully_connected(OperatorContext& context);
void lower_average_pool_2d(OperatorContext& context);
void lower_max_pool_2d(OperatorContext& context);
void lower_mean(OperatorContext& context);
void lower_add(OperatorContext& context);
void lower_softmax(OperatorContext& context);
void lower_quantize(OperatorContext& context);
void lower_pad(OperatorContext& context);
void lower_pad_v2(OperatorContext& context);
void lower_concatenation(OperatorContext& context);
void lower_strided_slice(OperatorContext& context);
void lower_split(OperatorContext& context);
void lower_split_v(OperatorContext& context);
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
void lower_reshape(OperatorContext& context);  // an alias: only checks

}  // namespace pianola::tflite
