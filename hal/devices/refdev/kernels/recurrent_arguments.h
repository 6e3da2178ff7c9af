// Argument words of the kernels that keep memory from one step to the next.
#pragma once

#include <array>
#include <cstdint>

namespace pianola::refdev {

// The first half of an SVDF layer. The memory of each filter moves by one element, the oldest is dropped, and
//     element = saturate(rescale(sum of (input + input_offset) * features)) + memory_zero_point, modulo its width
// becomes the newest.
struct SvdfFeatureArguments {
    std::uint32_t input;     // int8[batches][input_depth]
    std::uint32_t features;  // int8[filters][input_depth]
    std::uint32_t memory;    // type[batches][filters][length], the oldest first; read and written
    std::uint32_t batches;
    std::uint32_t input_depth;
    std::uint32_t filters;
    std::uint32_t length;
    std::uint32_t type;  // int8 or int16
    std::int32_t input_offset;
    std::int32_t multiplier;
    std::int32_t shift;
    std::int32_t memory_zero_point;
};

// The second half: output = saturate(rescale(bias + sum of (memory + memory_offset) * weights) + output_offset), over
// the `rank` filters of each unit. The sum is modulo 2^32.
struct SvdfTimeArguments {
    std::uint32_t memory;   // type[batches][units * rank][length]
    std::uint32_t weights;  // type[units * rank][length]
    std::uint32_t bias;     // int32[units], 4-byte aligned
    std::uint32_t output;   // int8[batches][units]
    std::uint32_t batches;
    std::uint32_t units;
    std::uint32_t rank;
    std::uint32_t length;
    std::uint32_t type;  // int8 or int16
    std::int32_t memory_offset;
    std::int32_t multiplier;
    std::int32_t shift;
    std::int32_t output_offset;
};

inline constexpr std::uint32_t kLstmGates = 4U;         // input, forget, candidate, output
inline constexpr std::int32_t kLstmUnclipped = 0x8000;  // a cell_clip without effect

// Conversion of the two sums of a gate to its argument, in steps of 2^-12.
struct LstmGateScales {
    std::int32_t input_multiplier;
    std::int32_t input_shift;
    std::int32_t hidden_multiplier;
    std::int32_t hidden_shift;
};

// A long short-term memory layer over a sequence. With saturating numbers of 16 bits, each step computes
//     gate      = rescale(bias + (input + input_offset) * input weights) + rescale((hidden + hidden_offset) * others)
//     cell      = rescale(sigmoid(forget) * cell) + rescale(sigmoid(input) * tanh(candidate)), clipped
//     hidden    = rescale(sigmoid(output) * tanh(cell * cell_multiplier / 2^cell_shift)) - hidden_offset, of the type
// A step's hidden values are its output. With int16 the two sums of a gate have 64 bits and are rescaled as WideScale
// does, biases have 64 bits too, and both offsets are 0.
struct LstmArguments {
    std::uint32_t input;       // type[batches][steps][input_depth]; [steps][batches][input_depth] where time_major
    std::uint32_t weights;     // int8[gates][units][input_depth + units]
    std::uint32_t parameters;  // bias[gates][units], 4-byte aligned; then uint16 sigmoid[kSigmoidTableEntries]
    std::uint32_t state;       // int16 cell[batches][units], 2-byte aligned; after it type hidden[batches][units]
    std::uint32_t output;      // type, like the input with units for input_depth
    std::uint32_t batches;
    std::uint32_t steps;
    std::uint32_t input_depth;
    std::uint32_t units;
    std::uint32_t time_major;  // 0 or 1
    std::int32_t input_offset;
    std::int32_t hidden_offset;
    std::array<LstmGateScales, kLstmGates> gates;
    std::int32_t forget_multiplier;
    std::int32_t forget_shift;
    std::int32_t admit_multiplier;
    std::int32_t admit_shift;
    std::int32_t emit_multiplier;
    std::int32_t emit_shift;
    std::int32_t cell_multiplier;
    std::int32_t cell_shift;
    std::int32_t cell_clip;
    std::uint32_t type;  // int8 or int16
};

}  // namespace pianola::refdev
