// Argument words of every kernel, as structures.
//
// The single definition of the argument layout. A launch command carries exactly these 32-bit words in this order,
// little-endian; docs/reference/device.md describes it. Addresses are device addresses; tensors are dense, row-major,
// NHWC; counts are in elements unless the name says bytes; offsets are minus the zero point for operands that are read
// and plus the zero point for results, as in the published int8 quantisation scheme of TensorFlow Lite.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hal/devices/refdev/kernels/recurrent_arguments.h"
#include "hal/devices/refdev/kernels/rescaling_arguments.h"
#include "pianola/span.h"

namespace pianola::refdev {

// Element types, with the values of the manifest's ElementType. Operands are aligned to the size of their elements.
inline constexpr std::uint32_t kTypeInt8 = 1U;
inline constexpr std::uint32_t kTypeUint8 = 2U;
inline constexpr std::uint32_t kTypeInt16 = 3U;
inline constexpr std::uint32_t kTypeInt32 = 4U;

// Per output channel, 12 bytes, as an array in device memory: accumulator start, and the fixed-point multiplier
// (Q31 mantissa and power-of-two exponent, positive is to the left) that scales the accumulator to the output.
struct ChannelParameters {
    std::int32_t bias;
    std::int32_t multiplier;
    std::int32_t shift;
};
inline constexpr std::uint32_t kChannelParametersBytes = 12U;

// Layout of a layer's filter and channel parameters in memory. packed_weights.h defines the packed layouts.
enum class WeightsLayout : std::uint32_t {
    kPlain = 0U,  // as the layer's arguments say below; every core reads it
    kDsp = 1U,
    kMve = 2U,
};

struct FullyConnectedArguments {
    std::uint32_t input;               // int8[batches][input_depth]
    std::uint32_t filter;              // int8[output_depth][input_depth]
    std::uint32_t channel_parameters;  // ChannelParameters[output_depth], 4-byte aligned
    std::uint32_t output;              // int8[batches][output_depth]
    std::uint32_t batches;
    std::uint32_t input_depth;
    std::uint32_t output_depth;
    std::int32_t input_offset;
    std::int32_t filter_offset;
    std::int32_t output_offset;
    std::int32_t activation_min;
    std::int32_t activation_max;
    WeightsLayout weights_layout;  // of filter and channel_parameters
};

// Geometry shared by the convolutions. Padding is given by its top and left amounts; taps outside the input count as
// zero.
struct Conv2dArguments {
    std::uint32_t input;               // int8[batches][input_height][input_width][input_channels]
    std::uint32_t filter;              // int8[output_channels][filter_height][filter_width][filter_channels]
    std::uint32_t channel_parameters;  // ChannelParameters[output_channels], 4-byte aligned
    std::uint32_t output;              // int8[batches][output_height][output_width][output_channels]
    std::uint32_t batches;
    std::uint32_t input_height;
    std::uint32_t input_width;
    std::uint32_t input_channels;
    std::uint32_t output_height;
    std::uint32_t output_width;
    std::uint32_t output_channels;
    std::uint32_t filter_height;
    std::uint32_t filter_width;
    std::uint32_t filter_channels;  // input_channels / groups; groups divide input_channels and output_channels
    std::uint32_t stride_height;
    std::uint32_t stride_width;
    std::uint32_t dilation_height;
    std::uint32_t dilation_width;
    std::uint32_t pad_top;
    std::uint32_t pad_left;
    std::int32_t input_offset;
    std::int32_t output_offset;
    std::int32_t activation_min;
    std::int32_t activation_max;
    WeightsLayout weights_layout;  // of filter and channel_parameters
};

struct DepthwiseConv2dArguments {
    std::uint32_t input;               // int8[batches][input_height][input_width][input_channels]
    std::uint32_t filter;              // int8[filter_height][filter_width][output_channels]
    std::uint32_t channel_parameters;  // ChannelParameters[output_channels], 4-byte aligned
    std::uint32_t output;              // int8[batches][output_height][output_width][output_channels]
    std::uint32_t batches;
    std::uint32_t input_height;
    std::uint32_t input_width;
    std::uint32_t input_channels;
    std::uint32_t output_height;
    std::uint32_t output_width;
    std::uint32_t depth_multiplier;  // output_channels = input_channels * depth_multiplier
    std::uint32_t filter_height;
    std::uint32_t filter_width;
    std::uint32_t stride_height;
    std::uint32_t stride_width;
    std::uint32_t dilation_height;
    std::uint32_t dilation_width;
    std::uint32_t pad_top;
    std::uint32_t pad_left;
    std::int32_t input_offset;
    std::int32_t output_offset;
    std::int32_t activation_min;
    std::int32_t activation_max;
};

// Average and maximum pooling. Taps outside the input do not count. Every window must hold at least one tap.
struct Pool2dArguments {
    std::uint32_t input;   // type[batches][input_height][input_width][channels]
    std::uint32_t output;  // type[batches][output_height][output_width][channels]
    std::uint32_t batches;
    std::uint32_t input_height;
    std::uint32_t input_width;
    std::uint32_t channels;
    std::uint32_t output_height;
    std::uint32_t output_width;
    std::uint32_t filter_height;
    std::uint32_t filter_width;
    std::uint32_t stride_height;
    std::uint32_t stride_width;
    std::uint32_t pad_top;
    std::uint32_t pad_left;
    std::int32_t activation_min;
    std::int32_t activation_max;
    std::uint32_t type;  // int8 or int16, aligned to their size
};

// Mean over any subset of the dimensions. There is one rounding path for all scales, keep_dims and axes: TensorFlow
// Lite Micro averages by rescaling the zero-point-free sum with a multiplier into which 1 / count is folded. With count
// the product of the reduced dimensions, an importer computes
//     QuantizeMultiplier(double(input scale) / double(output scale)) -> multiplier0, shift0   (the frexp of the scheme)
//     fold       = min(floor(log2(count)), 32, 31 + shift0)
//     multiplier = int32((int64(multiplier0) << fold) / count)      (truncated)
//     shift      = shift0 - fold                                    (-31 to 30)
// and the kernel
//     element = clamp(rescale(sum - count * input_zero_point, multiplier, shift) + output_zero_point)
// to the range of the type.
struct MeanArguments {
    std::uint32_t input;   // type[dims[0]][dims[1]][dims[2]][dims[3]]
    std::uint32_t output;  // type[product of the dimensions that are kept], same order
    std::array<std::uint32_t, 4> dims;
    std::uint32_t reduced_axes;  // bit i set: dims[i] is averaged over; 1 to 15
    std::int32_t input_zero_point;
    std::int32_t output_zero_point;
    std::int32_t multiplier;
    std::int32_t shift;
    std::uint32_t type;  // int8, or int16 without zero points, aligned to their size
};

// Element-wise sum with broadcasting: an operand's stride is 0 on the dimensions in which it is broadcast.
struct AddArguments {
    std::uint32_t input1;
    std::uint32_t input2;
    std::uint32_t output;  // int8[dims[0]][dims[1]][dims[2]][dims[3]], dense
    std::array<std::uint32_t, 4> dims;
    std::array<std::uint32_t, 4> strides1;  // elements
    std::array<std::uint32_t, 4> strides2;  // elements
    std::int32_t input1_offset;
    std::int32_t input1_multiplier;
    std::int32_t input1_shift;
    std::int32_t input2_offset;
    std::int32_t input2_multiplier;
    std::int32_t input2_shift;
    std::uint32_t left_shift;  // applied to both inputs before scaling; 20 for int8
    std::int32_t output_offset;
    std::int32_t output_multiplier;
    std::int32_t output_shift;
    std::int32_t activation_min;
    std::int32_t activation_max;
};

struct SoftmaxArguments {
    std::uint32_t input;   // int8[rows][depth]
    std::uint32_t output;  // output_type[rows][depth]; scale 1/256 or 1/65536, the least number is zero
    std::uint32_t rows;
    std::uint32_t depth;
    std::int32_t input_multiplier;  // beta * input scale as Q31 mantissa ...
    std::int32_t input_left_shift;  // ... and left shift, with 5 integer bits
    std::int32_t diff_min;          // differences to the row's maximum below this count as exp(...) = 0
    std::uint32_t output_type;      // int8, or int16 and 2-byte aligned
};

// Rows of length 1.
struct L2NormalizationArguments {
    std::uint32_t input;   // int8[rows][depth]
    std::uint32_t output;  // int8[rows][depth], scale 1/128, zero point 0
    std::uint32_t rows;
    std::uint32_t depth;
    std::int32_t input_zero_point;
};

// The logarithm of softmax. Differences are scaled as there, and back by reverse_multiplier and reverse_shift.
struct LogSoftmaxArguments {
    std::uint32_t input;   // int8[rows][depth]
    std::uint32_t output;  // int8[rows][depth], scale 1/16, zero point 127
    std::uint32_t rows;
    std::uint32_t depth;
    std::int32_t input_multiplier;
    std::int32_t input_left_shift;
    std::int32_t diff_min;
    std::int32_t reverse_multiplier;
    std::int32_t reverse_shift;
};

struct RequantizeArguments {
    std::uint32_t input;   // int8[count]
    std::uint32_t output;  // int8[count]
    std::uint32_t count;
    std::int32_t input_zero_point;
    std::int32_t multiplier;
    std::int32_t shift;
    std::int32_t output_zero_point;
};

struct PadArguments {
    std::uint32_t input;   // element[dims[0]][dims[1]][dims[2]][dims[3]]
    std::uint32_t output;  // element[before[i] + dims[i] + after[i]]...
    std::array<std::uint32_t, 4> dims;
    std::array<std::uint32_t, 4> before;
    std::array<std::uint32_t, 4> after;
    std::uint32_t element_bytes;  // 1 to 4
    std::int32_t value;           // its low element_bytes bytes, little-endian
};

// Copies bytes. Source and destination share no byte.
struct CopyArguments {
    std::uint32_t source;
    std::uint32_t destination;
    std::uint32_t size_bytes;
};

struct FillArguments {
    std::uint32_t destination;  // 4-byte aligned
    std::uint32_t size_bytes;   // multiple of 4
    std::uint32_t pattern;      // little-endian, repeated
};

inline constexpr std::uint32_t kMaxGatherSegments = 4U;

// One operand of a gather. Row i is the `bytes` bytes at address + i * stride_bytes. Unused segments are zero.
struct GatherSegment {
    std::uint32_t address;
    std::uint32_t stride_bytes;  // any; 0: the same bytes in every row
    std::uint32_t bytes;
};

// Rows assembled from columns of up to four sources: redistributes a tensor over memories, joins and slices.
struct GatherArguments {
    std::uint32_t destination;  // contiguous; each row consists of its consecutive segments
    std::uint32_t rows;
    std::uint32_t segment_count;  // 1 to 4
    std::array<GatherSegment, kMaxGatherSegments> segments;
};

enum class UnaryOp : std::uint32_t {
    kUnspecified = 0U,
    kCopy = 1U,
    kNegate = 2U,
    kAbs = 3U,
    kRelu = 4U,
    kAddScalar = 5U,
    kMulScalar = 6U,
    kSquare = 7U,
};

// Element by element. int8 saturates, int32 wraps modulo 2^32.
struct UnaryArguments {
    std::uint32_t input;
    std::uint32_t output;
    std::uint32_t count;
    std::uint32_t type;
    UnaryOp op;
    std::int32_t scalar;  // 0 for operations that have none; in the range of the type
};

enum class BinaryOp : std::uint32_t {
    kUnspecified = 0U,
    kAdd = 1U,
    kSubtract = 2U,
    kMultiply = 3U,
    kMinimum = 4U,
    kMaximum = 5U,
    kEqual = 6U,  // 1 if equal, else 0
};

// Element by element. int8 saturates, int32 wraps modulo 2^32.
struct BinaryArguments {
    std::uint32_t input1;
    std::uint32_t input2;
    std::uint32_t output;
    std::uint32_t count;
    std::uint32_t type;
    BinaryOp op;
};

// Sums wrap modulo 2^32; those of int8 without accumulation cannot reach it.
struct MatmulArguments {
    std::uint32_t a;  // type[m][k]
    std::uint32_t b;  // type[k][n]
    std::uint32_t c;  // int32[m][n], 4-byte aligned
    std::uint32_t m;
    std::uint32_t k;  // at most 65536 for int8
    std::uint32_t n;
    std::uint32_t type;
    std::uint32_t accumulate;  // 1: the product is added to c; 0: it replaces c
};

enum class ReduceOp : std::uint32_t {
    kUnspecified = 0U,
    kSum = 1U,  // modulo 2^32
    kMaximum = 2U,
    kMinimum = 3U,
    kArgMaximum = 4U,  // index of the term, from 0; the first of equal ones
    kArgMinimum = 5U,
};

struct ReduceArguments {
    std::uint32_t input;   // type[rows][columns]
    std::uint32_t output;  // int32[columns] for axis 0, int32[rows] for axis 1; 4-byte aligned
    std::uint32_t rows;
    std::uint32_t columns;
    std::uint32_t type;
    ReduceOp op;
    std::uint32_t axis;  // the reduced one: 0 rows, 1 columns
};

enum class SemaphoreOp : std::uint32_t {
    kUnspecified = 0U,
    kSet = 1U,
    kIncrement = 2U,  // by value, modulo 2^32
    kWait = 3U,       // the launch fails if the word is below value, unsigned
};

struct SemaphoreArguments {
    std::uint32_t address;  // of one word, 4-byte aligned
    SemaphoreOp op;
    std::uint32_t value;
};

inline constexpr std::uint32_t kViewRank = 6U;

// output[i0]...[i5] is the element whose offsets from that of index 0 are i0 * strides[0] + ... + i5 * strides[5].
struct ViewArguments {
    std::uint32_t input;          // the lowest byte that is read: that of the last element along each negative stride
    std::uint32_t output;         // dense
    std::uint32_t element_bytes;  // any; bytes that are contiguous in both are best treated as one element
    std::array<std::uint32_t, kViewRank> dims;
    std::array<std::int32_t, kViewRank> strides;  // bytes, any; 0 repeats
};

// output[b][o][i] = input[b][o][indices[b][i]].
struct TakeArguments {
    std::uint32_t input;    // entry[batches][outer][entries]
    std::uint32_t indices;  // int32[batches][count], 4-byte aligned
    std::uint32_t output;   // entry[batches][outer][count]
    std::uint32_t batches;
    std::uint32_t outer;
    std::uint32_t entries;
    std::uint32_t count;
    std::uint32_t entry_bytes;
};

template <typename Arguments>
inline constexpr std::uint32_t kArgumentWords = static_cast<std::uint32_t>(sizeof(Arguments) / sizeof(std::uint32_t));

// Converts the words to their structure. The caller has checked words.size() == kArgumentWords<Arguments>.
template <typename Arguments>
[[nodiscard]] inline Arguments arguments_from_words(WordSpan words) noexcept {
    static_assert(std::is_trivially_copyable_v<Arguments> && ((sizeof(Arguments) % sizeof(std::uint32_t)) == 0U));
    Arguments arguments{};
    std::memcpy(&arguments, words.data(), sizeof(Arguments));
    return arguments;
}

// Index of an argument's word, from the member's offset: kWordOf(offsetof(AddArguments, dims)).
[[nodiscard]] constexpr std::uint32_t word_of(std::size_t member_offset) noexcept {
    return static_cast<std::uint32_t>(member_offset / sizeof(std::uint32_t));
}

}  // namespace pianola::refdev
