#include "capture_host/tflite/support.h"

#include <array>

#include "tflite_subset_generated.h"

namespace pianola::tflite {
namespace {

constexpr const char* kInt8 = "int8";
constexpr const char* kInt8And16 = "int8, int16";
constexpr const char* kArithmetic = "int8, int16, int32";
constexpr const char* kMoved = "int8, int16, int32, uint8, float32, bool";

constexpr const char* kSameQuantization = "equal quantisation of input and output";
constexpr const char* kBroadcasts = "broadcasts along at most 4 dimensions that differ";
constexpr const char* kWraps =
    "broadcasts along at most 4 dimensions that differ; int32 wraps, and has no scale and no fused activation";
constexpr const char* kBroadcastsAlike =
    "broadcasts along at most 4 dimensions that differ; equal quantisation of inputs and output";
constexpr const char* kLarger =
    "broadcasts along at most 4 dimensions that differ; equal quantisation of inputs and output; int32 has no scale";
constexpr const char* kCompares =
    "broadcasts along at most 4 dimensions that differ; scales below 1; int32 has no scale";
constexpr const char* kWeights = "constant int8 weights, int32 bias; of int16: bias of int64 or int32";
constexpr const char* kAnyWeights = "int8 weights, constant or computed, int32 bias; of int16: bias of int64 or int32";
constexpr const char* kWideWeights = "constant int8 weights, int32 bias; of int16: bias of int64";
constexpr const char* kPaddings = "constant paddings, of at most 4 dimensions";

constexpr std::array<OperatorSupport, 85> kOperators{{
    {format::BuiltinOperator_ADD, kArithmetic, kWraps},
    {format::BuiltinOperator_AVERAGE_POOL_2D, kInt8And16, kSameQuantization},
    {format::BuiltinOperator_CONCATENATION, kMoved, kSameQuantization},
    {format::BuiltinOperator_CONV_2D, kInt8And16, kWeights},
    {format::BuiltinOperator_DEPTHWISE_CONV_2D, kInt8And16, kWideWeights},
    {format::BuiltinOperator_DEPTH_TO_SPACE, kMoved, kSameQuantization},
    {format::BuiltinOperator_DEQUANTIZE, "int8, int16, uint8", "to float32"},
    {format::BuiltinOperator_EMBEDDING_LOOKUP, kMoved, "int32 indices, constant or computed"},
    {format::BuiltinOperator_FULLY_CONNECTED, kInt8And16, kAnyWeights},
    {format::BuiltinOperator_L2_NORMALIZATION, kInt8, "output scale 1/128, zero point 0"},
    {format::BuiltinOperator_LOGISTIC, kInt8And16, "output scale 1/256, zero point -128; of int16 1/32768, 0"},
    {format::BuiltinOperator_MAX_POOL_2D, kInt8And16, kSameQuantization},
    {format::BuiltinOperator_MUL, kArithmetic, kWraps},
    {format::BuiltinOperator_RELU, kInt8And16, ""},
    {format::BuiltinOperator_RELU_N1_TO_1, kInt8And16, "", false},
    {format::BuiltinOperator_RELU6, kInt8And16, ""},
    {format::BuiltinOperator_RESHAPE, kMoved, kSameQuantization},
    {format::BuiltinOperator_RESIZE_BILINEAR, kInt8, "constant size; equal quantisation of input and output"},
    {format::BuiltinOperator_SOFTMAX, kInt8And16,
     "output scale 1/256, zero point -128; of int16 1/32768, 0; from int8 to int16 1/65536, -32768"},
    {format::BuiltinOperator_SPACE_TO_DEPTH, kMoved, kSameQuantization},
    {format::BuiltinOperator_SVDF, kInt8, "state and time weights of int8 or int16"},
    {format::BuiltinOperator_TANH, kInt8And16, "output scale 1/128, zero point 0; of int16 1/32768, 0"},
    {format::BuiltinOperator_PAD, kMoved, kPaddings},
    {format::BuiltinOperator_GATHER, kMoved,
     "int32 indices, constant or computed; a computed one outside takes the nearest entry"},
    {format::BuiltinOperator_BATCH_TO_SPACE_ND, kMoved, kSameQuantization},
    {format::BuiltinOperator_SPACE_TO_BATCH_ND, kMoved, kSameQuantization},
    {format::BuiltinOperator_TRANSPOSE, kMoved, kSameQuantization},
    {format::BuiltinOperator_MEAN, kInt8And16,
     "constant axes; of rank 5 and above at most 4 runs of axes that go or stay"},
    {format::BuiltinOperator_SUB, kArithmetic, kWraps},
    {format::BuiltinOperator_SQUEEZE, kMoved, kSameQuantization},
    {format::BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_LSTM, kInt8And16,
     "cells of int16, TANH; constant int8 weights, int32 bias, of int16 int64; no peepholes, projection, "
     "normalisation"},
    {format::BuiltinOperator_STRIDED_SLICE, kMoved, "constant bounds; no ellipsis, no new axes"},
    {format::BuiltinOperator_EXP, kInt8, "by TensorFlow Lite's table; TensorFlow Lite Micro computes it in float only",
     false},
    {format::BuiltinOperator_SPLIT, kMoved, kSameQuantization},
    {format::BuiltinOperator_LOG_SOFTMAX, kInt8, "output scale 1/16, zero point 127"},
    {format::BuiltinOperator_CAST, "int8, int16, int32, bool", "to int8, int16, int32; of all but int32 to float32"},
    {format::BuiltinOperator_PRELU, kInt8And16,
     "broadcasts along at most 4 dimensions that differ; of int16: a constant alpha of int8"},
    {format::BuiltinOperator_MAXIMUM, kArithmetic, kLarger},
    {format::BuiltinOperator_ARG_MAX, kInt8, "constant axis"},
    {format::BuiltinOperator_MINIMUM, kArithmetic, kLarger},
    {format::BuiltinOperator_LESS, "int8, int32", kCompares},
    {format::BuiltinOperator_PADV2, kMoved, kPaddings},
    {format::BuiltinOperator_GREATER, "int8, int32", kCompares},
    {format::BuiltinOperator_GREATER_EQUAL, "int8, int32", kCompares},
    {format::BuiltinOperator_LESS_EQUAL, "int8, int32", kCompares},
    {format::BuiltinOperator_SLICE, kMoved, kSameQuantization},
    {format::BuiltinOperator_TRANSPOSE_CONV, kInt8And16, kWideWeights},
    {format::BuiltinOperator_TILE, kMoved, kSameQuantization, false},
    {format::BuiltinOperator_EXPAND_DIMS, kMoved, kSameQuantization},
    {format::BuiltinOperator_EQUAL, "int8, int32, bool", kCompares},
    {format::BuiltinOperator_NOT_EQUAL, "int8, int32, bool", kCompares},
    {format::BuiltinOperator_SUM, kInt8And16,
     "constant axes; of rank 5 and above at most 4 runs of axes that go or stay"},
    {format::BuiltinOperator_RSQRT, kInt8, "of numbers that are not above 0 the largest result"},
    {format::BuiltinOperator_SHAPE, kMoved, "to int32"},
    {format::BuiltinOperator_ARG_MIN, kInt8, "constant axis"},
    {format::BuiltinOperator_REDUCE_MAX, kInt8, "constant axes; equal quantisation of input and output"},
    {format::BuiltinOperator_PACK, kMoved, kSameQuantization},
    {format::BuiltinOperator_LOGICAL_OR, "bool", kBroadcasts},
    {format::BuiltinOperator_LOGICAL_AND, "bool", kBroadcasts},
    {format::BuiltinOperator_LOGICAL_NOT, "bool", ""},
    {format::BuiltinOperator_UNPACK, kMoved, kSameQuantization},
    {format::BuiltinOperator_REDUCE_MIN, kInt8, "constant axes; equal quantisation of input and output"},
    {format::BuiltinOperator_ZEROS_LIKE, kMoved, ""},
    {format::BuiltinOperator_FILL, kMoved, "constant shape"},
    {format::BuiltinOperator_RESIZE_NEAREST_NEIGHBOR, kMoved, kSameQuantization},
    {format::BuiltinOperator_LEAKY_RELU, kInt8And16, ""},
    {format::BuiltinOperator_SQUARED_DIFFERENCE, kInt8And16, kBroadcasts},
    {format::BuiltinOperator_MIRROR_PAD, kMoved, "constant paddings"},
    {format::BuiltinOperator_ABS, kInt8And16, ""},
    {format::BuiltinOperator_SPLIT_V, kMoved, kSameQuantization},
    {format::BuiltinOperator_REVERSE_V2, kMoved, kSameQuantization},
    {format::BuiltinOperator_ADD_N, kInt8, "equal quantisation of inputs"},
    {format::BuiltinOperator_GATHER_ND, kMoved, "int32 indices, constant where they have more than one dimension"},
    {format::BuiltinOperator_ELU, kInt8, ""},
    {format::BuiltinOperator_QUANTIZE, "int8, int16, int32, uint8, float32",
     "from float32 to int8, uint8, int16; from int8 to these and int32; from uint8 to int8; from int16 and int32 to "
     "int8, int16, int32, where a number that its scale takes out of 32 bits saturates"},
    {format::BuiltinOperator_HARD_SWISH, kInt8, "output scale at most 512 times the input's"},
    {format::BuiltinOperator_SELECT_V2, kMoved, kBroadcastsAlike},
    {format::BuiltinOperator_BATCH_MATMUL, kInt8And16, "broadcasts matrices"},
    {format::BuiltinOperator_CUMSUM, kInt8, "constant axis, at most 1024 elements along it"},
    {format::BuiltinOperator_CALL_ONCE, kMoved, "a graph that assigns constants to variables"},
    {format::BuiltinOperator_BROADCAST_TO, kMoved, kSameQuantization},
    {format::BuiltinOperator_REDUCE_ALL, "bool", "constant axes"},
    {format::BuiltinOperator_VAR_HANDLE, kMoved, ""},
    {format::BuiltinOperator_READ_VARIABLE, kMoved, ""},
    {format::BuiltinOperator_ASSIGN_VARIABLE, kMoved, ""},
}};

constexpr std::array<std::int32_t, 12> kFloatOnly{
    format::BuiltinOperator_FLOOR,     format::BuiltinOperator_L2_POOL_2D, format::BuiltinOperator_NEG,
    format::BuiltinOperator_SIN,       format::BuiltinOperator_LOG,        format::BuiltinOperator_SQRT,
    format::BuiltinOperator_FLOOR_DIV, format::BuiltinOperator_SQUARE,     format::BuiltinOperator_FLOOR_MOD,
    format::BuiltinOperator_CEIL,      format::BuiltinOperator_COS,        format::BuiltinOperator_ROUND};

}  // namespace

Span<const OperatorSupport> supported_operators() {
    return {kOperators.data(), kOperators.size()};
}

Span<const std::int32_t> float_only_operators() {
    return {kFloatOnly.data(), kFloatOnly.size()};
}

}  // namespace pianola::tflite
