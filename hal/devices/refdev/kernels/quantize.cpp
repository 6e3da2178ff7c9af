#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "hal/devices/refdev/kernels/single_precision.h"

namespace pianola::refdev {
namespace {

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
    return check.finish(accepted, kOperationsPerElement * a.count);
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

constexpr ArgumentRules<QuantizeArguments> kQuantizeRules = rules_of<QuantizeArguments>();
constexpr ArgumentRules<DequantizeArguments> kDequantizeRules = rules_of<DequantizeArguments>();

}  // namespace

Status describe_quantize(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kQuantizeRules, footprint, error};
    return describe<QuantizeArguments>(arguments, word_of(offsetof(QuantizeArguments, output)),
                                       word_of(offsetof(QuantizeArguments, input)), check);
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

Status describe_dequantize(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kDequantizeRules, footprint, error};
    return describe<DequantizeArguments>(arguments, word_of(offsetof(DequantizeArguments, input)),
                                         word_of(offsetof(DequantizeArguments, output)), check);
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
