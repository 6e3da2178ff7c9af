// Argument words of every kernel, as structures: arguments.inc lists their members.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

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

// Per output channel, 16 bytes, as an array in device memory: ChannelParameters whose accumulator start has 64 bits.
struct WideChannelParameters {
    std::int64_t bias;
    std::int32_t multiplier;
    std::int32_t shift;  // at most kMaxWideShift
};
inline constexpr std::uint32_t kWideChannelParametersBytes = 16U;

// Sizes of four dimensions, or an operand's strides in them.
using Dims4 = std::array<std::uint32_t, 4>;

inline constexpr std::uint32_t kMaxGatherSegments = 4U;

// One operand of a gather. Row i is the `bytes` bytes at address + i * stride_bytes. Unused segments are zero.
struct GatherSegment {
    std::uint32_t address;
    std::uint32_t stride_bytes;  // any; 0: the same bytes in every row
    std::uint32_t bytes;
};
using GatherSegments = std::array<GatherSegment, kMaxGatherSegments>;

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

enum class BinaryOp : std::uint32_t {
    kUnspecified = 0U,
    kAdd = 1U,
    kSubtract = 2U,
    kMultiply = 3U,
    kMinimum = 4U,
    kMaximum = 5U,
    kEqual = 6U,  // 1 if equal, else 0
};

enum class ReduceOp : std::uint32_t {
    kUnspecified = 0U,
    kSum = 1U,  // modulo 2^32
    kMaximum = 2U,
    kMinimum = 3U,
    kArgMaximum = 4U,  // index of the term, from 0; the first of equal ones
    kArgMinimum = 5U,
};

enum class SemaphoreOp : std::uint32_t {
    kUnspecified = 0U,
    kSet = 1U,
    kIncrement = 2U,  // by value, modulo 2^32
    kWait = 3U,       // the launch fails if the word is below value, unsigned
};

enum class QuantizedBinaryOp : std::uint32_t {
    kUnspecified = 0U,
    kAdd = 1U,
    kSubtract = 2U,
    kMultiply = 3U,
    kMinimum = 4U,  // of the unscaled elements
    kMaximum = 5U,
    kSquaredDifference = 6U,
    kEqual = 7U,  // this operation and the following ones give bytes, 1 or 0
    kNotEqual = 8U,
    kGreater = 9U,
    kGreaterEqual = 10U,
    kLess = 11U,
    kLessEqual = 12U,
    kLogicalAnd = 13U,  // of the unscaled elements: what is not 0 is true
    kLogicalOr = 14U,
    kPrelu = 15U,  // gives elements
};

// The logistic function or the hyperbolic tangent of int16, by interpolation in a table of the former for numbers from
// 0 in steps of 1/24.
enum class SigmoidOp : std::uint32_t {
    kUnspecified = 0U,
    kLogistic = 1U,
    kTanh = 2U,
};
inline constexpr std::uint32_t kSigmoidTableEntries = 256U;

// Softmax of int16, by interpolation between the entries of tables: exp(x) for x from -10 to 0, and 1 / (1 + x) for x
// from 0 to 1, in Q0.15.
inline constexpr std::uint32_t kSoftmaxTables = 2U;
inline constexpr std::uint32_t kSoftmaxTableEntries = 513U;

inline constexpr std::uint32_t kViewRank = 6U;
using ViewDims = std::array<std::uint32_t, kViewRank>;
using ViewStrides = std::array<std::int32_t, kViewRank>;

inline constexpr std::uint32_t kLstmGates = 4U;         // input, forget, candidate, output
inline constexpr std::int32_t kLstmUnclipped = 0x8000;  // a cell_clip without effect

// Conversion of the two sums of a gate to its argument, in steps of 2^-12.
struct LstmGateScales {
    std::int32_t input_multiplier;
    std::int32_t input_shift;
    std::int32_t hidden_multiplier;
    std::int32_t hidden_shift;
};
using LstmGates = std::array<LstmGateScales, kLstmGates>;

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_ARGUMENTS(structure) struct structure {
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_WORD(type, member, name, rule) type member;
#define PIANOLA_ARGUMENTS_END \
    }                         \
    ;
#include "hal/devices/refdev/kernels/arguments.inc"  // NOLINT(misra-text-19.0.3): DEV-004
#undef PIANOLA_ARGUMENTS
#undef PIANOLA_WORD
#undef PIANOLA_ARGUMENTS_END

// A layer with filters, with int16 activations and int8 weights: the words of its int8 form, and one more.
//
// Input and output are int16, 2-byte aligned, with zero points 0: the layer's offsets are 0. Sums of 8 bytes start with
// WideChannelParameters and are rescaled as WideScale does, to a multiplier of 16 bits with one rounding; sums of 4
// bytes wrap modulo 2^32, start with ChannelParameters and are rescaled as in the int8 layer. Both tables are 4-byte
// aligned.
template <typename Layer>
struct Int16Layer {
    Layer layer;
    std::uint32_t sum_bytes;  // 4 or 8
};
using FullyConnectedInt16Arguments = Int16Layer<FullyConnectedArguments>;
using Conv2dInt16Arguments = Int16Layer<Conv2dArguments>;
using DepthwiseConv2dInt16Arguments = Int16Layer<DepthwiseConv2dArguments>;

inline constexpr std::uint32_t kNarrowSumBytes = 4U;
inline constexpr std::uint32_t kWideSumBytes = 8U;

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

// Index of an argument's word, from the member's offset: word_of(offsetof(AddArguments, dims)).
[[nodiscard]] constexpr std::uint32_t word_of(std::size_t member_offset) noexcept {
    return static_cast<std::uint32_t>(member_offset / sizeof(std::uint32_t));
}

}  // namespace pianola::refdev
