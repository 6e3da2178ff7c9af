// Argument words of the kernels that rescale, convert, select and look up elements of several types.
#pragma once

#include <array>
#include <cstdint>

namespace pianola::refdev {

// A function of one byte, by its values: element = table[the input's byte as a number from 0 to 255].
struct LookupArguments {
    std::uint32_t input;  // one byte each
    std::uint32_t table;  // 256 elements of element_bytes
    std::uint32_t output;
    std::uint32_t count;
    std::uint32_t element_bytes;  // of table and output: 1, 2 or 4; both are aligned to it
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

// Quantised arithmetic on two operands with broadcasting, as in AddArguments. With
//     number1 = element1 + input1_offset        term1 = rescale(number1 << left_shift, input1_multiplier, input1_shift)
// and the same of the second operand, an operation rescales to the output, with output_multiplier, output_shift,
// output_offset and the activation's bounds:
//     add, subtract, squared_difference: their result on the terms; multiply: number1 * number2;
//     prelu: number1 * number2 if number1 is below 0; else term1, which is not rescaled again.
// Comparisons compare terms.
struct QuantizedBinaryArguments {
    std::uint32_t input1;
    std::uint32_t input2;
    std::uint32_t output;  // type[dims[0]][dims[1]][dims[2]][dims[3]], dense; bytes if the operation gives bytes
    std::array<std::uint32_t, 4> dims;
    std::array<std::uint32_t, 4> strides1;  // elements
    std::array<std::uint32_t, 4> strides2;  // elements
    std::uint32_t type;                     // int8 or int16
    QuantizedBinaryOp op;
    std::int32_t input1_offset;
    std::int32_t input1_multiplier;
    std::int32_t input1_shift;
    std::int32_t input2_offset;
    std::int32_t input2_multiplier;
    std::int32_t input2_shift;
    std::uint32_t left_shift;
    std::int32_t output_offset;
    std::int32_t output_multiplier;
    std::int32_t output_shift;
    std::int32_t activation_min;
    std::int32_t activation_max;
};

// element = (condition's byte is not 0) ? element of input1 : element of input2, all with broadcasting.
struct SelectArguments {
    std::uint32_t condition;  // one byte each
    std::uint32_t input1;
    std::uint32_t input2;
    std::uint32_t output;
    std::array<std::uint32_t, 4> dims;
    std::array<std::uint32_t, 4> condition_strides;
    std::array<std::uint32_t, 4> strides1;
    std::array<std::uint32_t, 4> strides2;
    std::uint32_t element_bytes;  // of inputs and output: 1, 2 or 4; they are aligned to it
};

// element = clamp(round(input / scale) + zero_point): the quotient rounded to single precision, halves to even, then to
// an integer, halves away from 0. NaN gives the zero point.
struct QuantizeArguments {
    std::uint32_t input;   // IEEE 754 single precision, 4-byte aligned
    std::uint32_t output;  // type[count]
    std::uint32_t count;
    std::uint32_t type;   // int8, uint8 or int16
    std::uint32_t scale;  // single precision, as bits; 2^-124 and above
    std::int32_t zero_point;
};

// element = scale * (input - zero_point), rounded to single precision, halves to even.
struct DequantizeArguments {
    std::uint32_t input;   // type[count]
    std::uint32_t output;  // IEEE 754 single precision, 4-byte aligned
    std::uint32_t count;
    std::uint32_t type;   // int8, uint8 or int16
    std::uint32_t scale;  // single precision, as bits; 2^-124 and above
    std::int32_t zero_point;
};

// From one scale and zero point to another, also between types; numbers below 0 may have a separate scale. A number
// that a left shift would move out of 32 bits saturates.
struct RescaleArguments {
    std::uint32_t input;   // input_type[count]
    std::uint32_t output;  // output_type[count]
    std::uint32_t count;
    std::uint32_t input_type;       // int8, int16 or int32
    std::uint32_t output_type;      // the same
    std::int32_t input_zero_point;  // 0 for int32, as the other
    std::int32_t multiplier;
    std::int32_t shift;
    std::int32_t negative_multiplier;
    std::int32_t negative_shift;
    std::int32_t output_zero_point;
    std::int32_t activation_min;
    std::int32_t activation_max;
};

}  // namespace pianola::refdev
