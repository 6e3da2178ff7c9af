#include "capture_host/tflite/model/support.h"

#include <algorithm>
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

// The highest version is that of the latest captured form, as TensorFlow Lite numbers an operator's forms: each new
// type, option or rank of a kernel is a version. Types and options of lower versions that are not captured are refused
// by name.
constexpr std::array<OperatorSupport, 85> kOperators{{
    {format::BuiltinOperator_ADD, 3, kArithmetic, kWraps},
    {format::BuiltinOperator_AVERAGE_POOL_2D, 3, kInt8And16, kSameQuantization},
    {format::BuiltinOperator_CONCATENATION, 3, kMoved, kSameQuantization},
    {format::BuiltinOperator_CONV_2D, 8, kInt8And16, kWeights},
    {format::BuiltinOperator_DEPTHWISE_CONV_2D, 5, kInt8And16, kWideWeights},
    {format::BuiltinOperator_DEPTH_TO_SPACE, 2, kMoved, kSameQuantization},
    {format::BuiltinOperator_DEQUANTIZE, 3, "int8, int16, uint8", "to float32"},
    {format::BuiltinOperator_EMBEDDING_LOOKUP, 3, kMoved, "int32 indices, constant or computed"},
    {format::BuiltinOperator_FULLY_CONNECTED, 11, kInt8And16, kAnyWeights},
    {format::BuiltinOperator_L2_NORMALIZATION, 2, kInt8, "output scale 1/128, zero point 0"},
    {format::BuiltinOperator_LOGISTIC, 3, kInt8And16, "output scale 1/256, zero point -128; of int16 1/32768, 0"},
    {format::BuiltinOperator_MAX_POOL_2D, 3, kInt8And16, kSameQuantization},
    {format::BuiltinOperator_MUL, 4, kArithmetic, kWraps},
    {format::BuiltinOperator_RELU, 3, kInt8And16, ""},
    {format::BuiltinOperator_RELU_N1_TO_1, 1, kInt8And16, "", false},
    {format::BuiltinOperator_RELU6, 3, kInt8And16, ""},
    {format::BuiltinOperator_RESHAPE, 1, kMoved, kSameQuantization},
    {format::BuiltinOperator_RESIZE_BILINEAR, 3, kInt8, "constant size; equal quantisation of input and output"},
    {format::BuiltinOperator_SOFTMAX, 3, kInt8And16,
     "output scale 1/256, zero point -128; of int16 1/32768, 0; from int8 to int16 1/65536, -32768"},
    {format::BuiltinOperator_SPACE_TO_DEPTH, 2, kMoved, kSameQuantization},
    {format::BuiltinOperator_SVDF, 3, kInt8, "state and time weights of int8 or int16"},
    {format::BuiltinOperator_TANH, 3, kInt8And16, "output scale 1/128, zero point 0; of int16 1/32768, 0"},
    {format::BuiltinOperator_PAD, 5, kMoved, kPaddings},
    {format::BuiltinOperator_GATHER, 5, kMoved,
     "int32 indices, constant or computed; a computed one outside takes the nearest entry"},
    {format::BuiltinOperator_BATCH_TO_SPACE_ND, 4, kMoved, kSameQuantization},
    {format::BuiltinOperator_SPACE_TO_BATCH_ND, 4, kMoved, kSameQuantization},
    {format::BuiltinOperator_TRANSPOSE, 8, kMoved, kSameQuantization},
    {format::BuiltinOperator_MEAN, 3, kInt8And16,
     "constant axes; of rank 5 and above at most 4 runs of axes that go or stay"},
    {format::BuiltinOperator_SUB, 5, kArithmetic, kWraps},
    {format::BuiltinOperator_SQUEEZE, 1, kMoved, kSameQuantization},
    {format::BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_LSTM, 5, kInt8And16,
     "cells of int16, TANH; constant int8 weights, int32 bias, of int16 int64; no peepholes, projection, "
     "normalisation"},
    {format::BuiltinOperator_STRIDED_SLICE, 8, kMoved, "constant bounds; no ellipsis, no new axes"},
    {format::BuiltinOperator_EXP, 2, kInt8,
     "by TensorFlow Lite's table; TensorFlow Lite Micro computes it in float only", false},
    {format::BuiltinOperator_SPLIT, 4, kMoved, kSameQuantization},
    {format::BuiltinOperator_LOG_SOFTMAX, 2, kInt8, "output scale 1/16, zero point 127"},
    {format::BuiltinOperator_CAST, 3, "int8, int16, int32, bool", "to int8, int16, int32; of all but int32 to float32"},
    {format::BuiltinOperator_PRELU, 1, kInt8And16,
     "broadcasts along at most 4 dimensions that differ; of int16: a constant alpha of int8"},
    {format::BuiltinOperator_MAXIMUM, 4, kArithmetic, kLarger},
    {format::BuiltinOperator_ARG_MAX, 2, kInt8, "constant axis"},
    {format::BuiltinOperator_MINIMUM, 4, kArithmetic, kLarger},
    {format::BuiltinOperator_LESS, 2, "int8, int32", kCompares},
    {format::BuiltinOperator_PADV2, 5, kMoved, kPaddings},
    {format::BuiltinOperator_GREATER, 2, "int8, int32", kCompares},
    {format::BuiltinOperator_GREATER_EQUAL, 2, "int8, int32", kCompares},
    {format::BuiltinOperator_LESS_EQUAL, 2, "int8, int32", kCompares},
    {format::BuiltinOperator_SLICE, 5, kMoved, kSameQuantization},
    {format::BuiltinOperator_TRANSPOSE_CONV, 5, kInt8And16, kWideWeights},
    {format::BuiltinOperator_TILE, 3, kMoved, kSameQuantization, false},
    {format::BuiltinOperator_EXPAND_DIMS, 1, kMoved, kSameQuantization},
    {format::BuiltinOperator_EQUAL, 2, "int8, int32, bool", kCompares},
    {format::BuiltinOperator_NOT_EQUAL, 2, "int8, int32, bool", kCompares},
    {format::BuiltinOperator_SUM, 2, kInt8And16,
     "constant axes; of rank 5 and above at most 4 runs of axes that go or stay"},
    {format::BuiltinOperator_RSQRT, 2, kInt8, "of numbers that are not above 0 the largest result"},
    {format::BuiltinOperator_SHAPE, 1, kMoved, "to int32"},
    {format::BuiltinOperator_ARG_MIN, 2, kInt8, "constant axis"},
    {format::BuiltinOperator_REDUCE_MAX, 2, kInt8, "constant axes; equal quantisation of input and output"},
    {format::BuiltinOperator_PACK, 3, kMoved, kSameQuantization},
    {format::BuiltinOperator_LOGICAL_OR, 1, "bool", kBroadcasts},
    {format::BuiltinOperator_LOGICAL_AND, 1, "bool", kBroadcasts},
    {format::BuiltinOperator_LOGICAL_NOT, 1, "bool", ""},
    {format::BuiltinOperator_UNPACK, 4, kMoved, kSameQuantization},
    {format::BuiltinOperator_REDUCE_MIN, 2, kInt8, "constant axes; equal quantisation of input and output"},
    {format::BuiltinOperator_ZEROS_LIKE, 1, kMoved, ""},
    {format::BuiltinOperator_FILL, 3, kMoved, "constant shape; equal quantisation of value and output"},
    {format::BuiltinOperator_RESIZE_NEAREST_NEIGHBOR, 4, kMoved, kSameQuantization},
    {format::BuiltinOperator_LEAKY_RELU, 2, kInt8And16, ""},
    {format::BuiltinOperator_SQUARED_DIFFERENCE, 2, kInt8And16, kBroadcasts},
    {format::BuiltinOperator_MIRROR_PAD, 3, kMoved, "constant paddings"},
    {format::BuiltinOperator_ABS, 3, kInt8And16, ""},
    {format::BuiltinOperator_SPLIT_V, 2, kMoved, kSameQuantization},
    {format::BuiltinOperator_REVERSE_V2, 3, kMoved, kSameQuantization},
    {format::BuiltinOperator_ADD_N, 1, kInt8, "equal quantisation of inputs"},
    {format::BuiltinOperator_GATHER_ND, 5, kMoved, "int32 indices, constant where they have more than one dimension"},
    {format::BuiltinOperator_ELU, 1, kInt8, ""},
    {format::BuiltinOperator_QUANTIZE, 2, "int8, int16, int32, uint8, float32",
     "from float32 to int8, uint8, int16; from int8 to these and int32; from uint8 to int8; from int16 and int32 to "
     "int8, int16, int32, where a number that its scale takes out of 32 bits saturates"},
    {format::BuiltinOperator_HARD_SWISH, 1, kInt8, "output scale at most 512 times the input's"},
    {format::BuiltinOperator_SELECT_V2, 1, kMoved, kBroadcastsAlike},
    {format::BuiltinOperator_BATCH_MATMUL, 3, kInt8And16, "broadcasts matrices"},
    {format::BuiltinOperator_CUMSUM, 1, kInt8, "constant axis, at most 1024 elements along it"},
    {format::BuiltinOperator_CALL_ONCE, 1, kMoved, "a graph that assigns constants to variables"},
    {format::BuiltinOperator_BROADCAST_TO, 3, kMoved, kSameQuantization},
    {format::BuiltinOperator_REDUCE_ALL, 1, "bool", "constant axes"},
    {format::BuiltinOperator_VAR_HANDLE, 1, kMoved, ""},
    {format::BuiltinOperator_READ_VARIABLE, 1, kMoved, ""},
    {format::BuiltinOperator_ASSIGN_VARIABLE, 1, kMoved, ""},
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

const OperatorSupport* find_support(std::int32_t code) {
    const auto* const found = std::find_if(kOperators.begin(), kOperators.end(),
                                           [code](const OperatorSupport& support) { return support.code == code; });
    return (found == kOperators.end()) ? nullptr : found;
}

std::string version_refusal(const OperatorSupport& support, std::int32_t version) {
    if ((version >= 1) && (version <= support.highest_version)) {
        return {};
    }
    return "version " + std::to_string(version) + " is not supported; " +
           ((support.highest_version == 1) ? std::string{"version 1 is"}
                                           : ("versions 1 to " + std::to_string(support.highest_version) + " are"));
}

Span<const std::int32_t> float_only_operators() {
    return {kFloatOnly.data(), kFloatOnly.size()};
}

}  // namespace pianola::tflite
