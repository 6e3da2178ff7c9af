// Argument words of the layers with int16 activations and int8 weights.
//
// A layer has the words of its int8 form and one more.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/kernels/arguments.h"

namespace pianola::refdev {

// Per output channel, 16 bytes, as an array in device memory: ChannelParameters whose accumulator start has 64 bits.
struct WideChannelParameters {
    std::int64_t bias;
    std::int32_t multiplier;
    std::int32_t shift;  // at most kMaxWideShift
};
inline constexpr std::uint32_t kWideChannelParametersBytes = 16U;

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

// Softmax of int16, by interpolation between the entries of tables: exp(x) for x from -10 to 0, and 1 / (1 + x) for x
// from 0 to 1, in Q0.15.
inline constexpr std::uint32_t kSoftmaxTables = 2U;
inline constexpr std::uint32_t kSoftmaxTableEntries = 513U;
struct SoftmaxInt16Arguments {
    std::uint32_t input;   // int16[rows][depth]
    std::uint32_t tables;  // int16[kSoftmaxTables][kSoftmaxTableEntries]
    std::uint32_t output;  // int16[rows][depth], scale 1/32768, zero point 0
    std::uint32_t rows;
    std::uint32_t depth;
    std::int32_t multiplier;  // beta * input scale * 65535 / 10 as Q31 mantissa ...
    std::int32_t shift;       // ... and power of two
};

// The logistic function or the hyperbolic tangent of int16, by interpolation in a table of the former for numbers from
// 0 in steps of 1/24.
enum class SigmoidOp : std::uint32_t {
    kUnspecified = 0U,
    kLogistic = 1U,
    kTanh = 2U,
};
inline constexpr std::uint32_t kSigmoidTableEntries = 256U;
struct SigmoidInt16Arguments {
    std::uint32_t input;   // int16[count]
    std::uint32_t table;   // uint16[kSigmoidTableEntries]
    std::uint32_t output;  // int16[count], scale 1/32768, zero point 0
    std::uint32_t count;
    SigmoidOp op;
    std::int32_t multiplier;  // multiplier / 2^shift * input is the number in steps of 1/(24 * 512)
    std::int32_t shift;       // to the right, halves upwards
};

// The product of two int16 matrices with zero points 0: output = saturate(rescale(sum of left * right)) over the depth.
// Sums have 64 bits and are rescaled as WideScale does.
struct MatmulInt16Arguments {
    std::uint32_t left;    // int16[rows][depth]
    std::uint32_t right;   // int16[columns][depth], so that both are read along their rows
    std::uint32_t output;  // int16[rows][columns]
    std::uint32_t rows;
    std::uint32_t depth;
    std::uint32_t columns;
    std::int32_t multiplier;
    std::int32_t shift;  // at most kMaxWideShift
};

inline constexpr std::uint32_t kNarrowSumBytes = 4U;
inline constexpr std::uint32_t kWideSumBytes = 8U;

}  // namespace pianola::refdev
