// Quantisation of numbers in IEEE 754 single precision, and its inverse, in integer arithmetic.
//
// All cores give the same bits, with any or no floating-point unit. Numbers are passed as words. The arithmetic is
// defined for all operands.
#include <cstdint>

#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "hal/devices/refdev/kernels/turns.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kMantissaBits = 23U;
constexpr std::uint32_t kHiddenBit = 0x0080'0000U;
constexpr std::uint32_t kMantissaMask = kHiddenBit - 1U;
constexpr std::int32_t kSpecialExponent = 255;  // infinities and NaN
constexpr std::uint32_t kInfinity = 0x7F80'0000U;
constexpr std::uint32_t kSignBit = 0x8000'0000U;

[[nodiscard]] constexpr std::int32_t exponent_of(std::uint32_t bits) noexcept {
    return static_cast<std::int32_t>((bits & kInfinity) >> kMantissaBits);
}

// value / 2^drop, rounded to nearest, halves to even; drop 1 to 31. `sticky` where value stands for slightly more.
[[nodiscard]] constexpr std::uint32_t rounded_to_even(std::uint32_t value, std::uint32_t drop, bool sticky) noexcept {
    const std::uint32_t half = std::uint32_t{1} << (drop - 1U);
    const std::uint32_t rest = value & ((half << 1U) - 1U);
    const std::uint32_t kept = value >> drop;
    const bool up = (rest > half) || ((rest == half) && (sticky || ((kept & 1U) != 0U)));
    return kept + (up ? 1U : 0U);
}

// dividend / divisor rounded to single precision, halves to even, then to an integer, halves away from 0. At most 2^24
// in magnitude; 0 if the dividend is NaN. The divisor is positive and at least 2^-124.
[[nodiscard]] constexpr std::int32_t rounded_quotient(std::uint32_t dividend, std::uint32_t divisor) noexcept {
    constexpr std::int32_t kLargest = 1 << 24;
    constexpr std::uint32_t kDigitBits = 7U;
    constexpr std::uint32_t kDigits = 4U;  // of the quotient's fraction
    constexpr std::int32_t kPoint = 28;
    constexpr std::int32_t kBeyond = 1024;  // an exponent above all others
    constexpr std::int32_t kAllBits = 26;   // a shift that leaves nothing, also by rounding
    std::int32_t exponent = exponent_of(dividend);
    if (exponent == kSpecialExponent) {
        exponent = ((dividend & kMantissaMask) == 0U) ? kBeyond : -kBeyond;
    }
    // Numbers without a hidden bit are below 2^-126, and so below a quarter of any divisor: 0 with that bit as well.
    std::uint32_t rest = (dividend & kMantissaMask) | kHiddenBit;
    const std::uint32_t by = (divisor & kMantissaMask) | kHiddenBit;
    exponent -= exponent_of(divisor);
    std::uint32_t quotient = rest / by;
    rest -= quotient * by;
    for (std::uint32_t i = 0U; i < kDigits; ++i) {
        rest <<= kDigitBits;
        const std::uint32_t digit = rest / by;
        rest -= digit * by;
        quotient = (quotient << kDigitBits) | digit;
    }
    const std::uint32_t drop = (quotient >> static_cast<std::uint32_t>(kPoint)) + 4U;  // to 24 bits
    const std::uint32_t mantissa = rounded_to_even(quotient, drop, rest != 0U);
    const std::int32_t to_right = kPoint - exponent - static_cast<std::int32_t>(drop);
    const std::int32_t shifted = rounding_shift_right(static_cast<std::int32_t>(mantissa),
                                                      static_cast<std::uint32_t>(clamp_to(to_right, 0, kAllBits)));
    const std::int32_t magnitude = (to_right > 0) ? shifted : kLargest;
    return ((dividend & kSignBit) != 0U) ? -magnitude : magnitude;
}

// Position of the highest bit that is set, from 1; 0 for 0.
[[nodiscard]] constexpr std::uint32_t bit_length(std::uint32_t value) noexcept {
    constexpr std::uint32_t kHalfWidth = 16U;
    std::uint32_t length = 0U;
    for (std::uint32_t step = kHalfWidth; step != 0U; step >>= 1U) {
        length += ((value >> (length + step)) != 0U) ? step : 0U;
    }
    return length + (((value >> length) != 0U) ? 1U : 0U);
}

// value * scale rounded to single precision, halves to even. The scale is positive and normal; the value has at most 17
// bits.
[[nodiscard]] constexpr std::uint32_t scaled_integer(std::int32_t value, std::uint32_t scale) noexcept {
    const std::uint32_t magnitude = static_cast<std::uint32_t>((value < 0) ? -value : value);
    const std::uint64_t product = static_cast<std::uint64_t>(magnitude) * ((scale & kMantissaMask) | kHiddenBit);
    const std::uint32_t dropped = bit_length(static_cast<std::uint32_t>(product >> (kMantissaBits + 1U)));
    // Of twice the product, so that at least one bit is dropped.
    const std::uint64_t below_half = (std::uint64_t{1} << dropped) - 1U;
    const std::uint64_t odd = (product >> dropped) & 1U;
    const std::uint32_t mantissa = static_cast<std::uint32_t>(((product << 1U) + below_half + odd) >> (dropped + 1U));
    // Adding the mantissa with its hidden bit also carries where rounding made it longer. 0 has no exponent.
    const std::uint32_t exponent = static_cast<std::uint32_t>(exponent_of(scale)) + dropped - 1U;
    const std::uint32_t bits = ((exponent * ((magnitude != 0U) ? 1U : 0U)) << kMantissaBits) + mantissa;
    return ((bits < kInfinity) ? bits : kInfinity) | ((value < 0) ? kSignBit : 0U);
}

constexpr std::uint32_t kFloatBytes = 4U;
constexpr std::uint64_t kOperationsPerElement = 32U;

// 0 for a word that is not a type of these kernels.
[[nodiscard]] constexpr std::uint32_t quantized_bytes(std::uint32_t type) noexcept {
    const std::uint32_t long_bytes = (type == kTypeInt16) ? 2U : 0U;
    return ((type == kTypeInt8) || (type == kTypeUint8)) ? 1U : long_bytes;
}

// The two kernels differ in which operand is in single precision. `Arguments` belongs to either of them.
template <typename Arguments>
[[nodiscard]] Status describe(WordSpan arguments, std::uint32_t quantized_word, std::uint32_t float_word,
                              LaunchCheck& check) noexcept {
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint32_t element_bytes = quantized_bytes(a.type);
    const std::uint32_t input_word = word_of(offsetof(Arguments, input));
    const std::uint32_t output_word = word_of(offsetof(Arguments, output));
    const std::uint32_t input_bytes = (input_word == float_word) ? kFloatBytes : element_bytes;
    const std::uint32_t output_bytes = (output_word == float_word) ? kFloatBytes : element_bytes;
    const bool accepted = check.require(element_bytes != 0U, word_of(offsetof(Arguments, type))) &&
                          check.require(is_aligned_to(arguments[quantized_word], element_bytes), quantized_word) &&
                          check.require(is_aligned_to(arguments[float_word], kFloatBytes), float_word) &&
                          check.operand(input_word, bounded_product(a.count, input_bytes), Access::kRead) &&
                          check.operand(output_word, bounded_product(a.count, output_bytes), Access::kWrite) &&
                          check.output_placed(output_word, LaunchCheck::Placement::kApart);
    return check.finish(accepted);
}

template <typename Element>
void quantize(const QuantizeArguments& a, const std::int8_t* input, std::int8_t* output) noexcept {
    for (std::uint32_t i = 0U; i < a.count; ++i) {
        const std::uint32_t bits = static_cast<std::uint32_t>(load_element<std::int32_t>(input, i));
        store_element<Element>(output, i,
                               clamp_to(rounded_quotient(bits, a.scale) + a.zero_point,
                                        std::numeric_limits<Element>::min(), std::numeric_limits<Element>::max()));
    }
}

template <typename Element>
void dequantize(const DequantizeArguments& a, const std::int8_t* input, std::int8_t* output) noexcept {
    for (std::uint32_t i = 0U; i < a.count; ++i) {
        const std::uint32_t bits = scaled_integer(load_element<Element>(input, i) - a.zero_point, a.scale);
        store_element<std::int32_t>(output, i, static_cast<std::int32_t>(bits));
    }
}

}  // namespace

Status describe_quantize(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<QuantizeArguments>, extents, error};
    return describe<QuantizeArguments>(arguments, word_of(offsetof(QuantizeArguments, output)),
                                       word_of(offsetof(QuantizeArguments, input)), check);
}

void work_quantize(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const QuantizeArguments a = arguments_from_words<QuantizeArguments>(arguments);
    work.operations = kOperationsPerElement * a.count;
    work.turns = {1U, turns_if(a.type == kTypeInt8, a.count), turns_if(a.type == kTypeUint8, a.count),
                  turns_if(a.type == kTypeInt16, a.count)};
}

Status compute_quantize(WordSpan arguments, const BoundOperands& bound) noexcept {
    const QuantizeArguments a = arguments_from_words<QuantizeArguments>(arguments);
    if (a.type == kTypeInt8) {
        quantize<std::int8_t>(a, bound.inputs[0], bound.output);
    } else if (a.type == kTypeUint8) {
        quantize<std::uint8_t>(a, bound.inputs[0], bound.output);
    } else {
        quantize<std::int16_t>(a, bound.inputs[0], bound.output);
    }
    return Status::kOk;
}

Status describe_dequantize(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<DequantizeArguments>, extents, error};
    return describe<DequantizeArguments>(arguments, word_of(offsetof(DequantizeArguments, input)),
                                         word_of(offsetof(DequantizeArguments, output)), check);
}

void work_dequantize(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const DequantizeArguments a = arguments_from_words<DequantizeArguments>(arguments);
    work.operations = kOperationsPerElement * a.count;
    work.turns = {1U, turns_if(a.type == kTypeInt8, a.count), turns_if(a.type == kTypeUint8, a.count),
                  turns_if(a.type == kTypeInt16, a.count)};
}

Status compute_dequantize(WordSpan arguments, const BoundOperands& bound) noexcept {
    const DequantizeArguments a = arguments_from_words<DequantizeArguments>(arguments);
    if (a.type == kTypeInt8) {
        dequantize<std::int8_t>(a, bound.inputs[0], bound.output);
    } else if (a.type == kTypeUint8) {
        dequantize<std::uint8_t>(a, bound.inputs[0], bound.output);
    } else {
        dequantize<std::int16_t>(a, bound.inputs[0], bound.output);
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
