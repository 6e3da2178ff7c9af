// Changes of scale and zero point: rescaling between types, and requantisation of int8.
#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "hal/devices/refdev/kernels/turns.h"

namespace pianola::refdev {
namespace {

constexpr std::uint64_t kOperationsPerElement = 2U;

// A number that the left shift would move out of 32 bits saturates.
[[nodiscard]] std::int32_t rescaled(std::int32_t value, std::int32_t multiplier, std::int32_t shift) noexcept {
    if (shift > 0) {
        return Scale{multiplier, 0}.apply(saturating_shift_left(value, static_cast<std::uint32_t>(shift)));
    }
    return Scale{multiplier, shift}.apply(value);
}

// Of an accepted type in the order int8, int16, int32.
[[nodiscard]] std::uint32_t position_of(std::uint32_t type) noexcept {
    const std::uint32_t of_long = (type == kTypeInt16) ? 1U : 2U;
    return (type == kTypeInt8) ? 0U : of_long;
}

template <typename Input, typename Output>
void compute(const RescaleArguments& a, const std::int8_t* input, std::int8_t* output) noexcept {
    const OutputRange range{a.output_zero_point, a.activation_min, a.activation_max};
    for (std::uint32_t i = 0U; i < a.count; ++i) {
        const std::int32_t value = wrapping_subtract(load_element<Input>(input, i), a.input_zero_point);
        const std::int32_t scaled = (value < 0) ? rescaled(value, a.negative_multiplier, a.negative_shift)
                                                : rescaled(value, a.multiplier, a.shift);
        store_element<Output>(output, i, range.clamp(scaled));
    }
}

template <typename Input>
void compute(const RescaleArguments& a, const std::int8_t* input, std::int8_t* output) noexcept {
    if (a.output_type == kTypeInt8) {
        compute<Input, std::int8_t>(a, input, output);
    } else if (a.output_type == kTypeInt16) {
        compute<Input, std::int16_t>(a, input, output);
    } else {
        compute<Input, std::int32_t>(a, input, output);
    }
}

}  // namespace

Status describe_rescale(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<RescaleArguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const RescaleArguments a = arguments_from_words<RescaleArguments>(arguments);
    const std::uint32_t input_word = word_of(offsetof(RescaleArguments, input));
    const std::uint32_t output_word = word_of(offsetof(RescaleArguments, output));
    const std::uint32_t input_bytes = rescaled_bytes(a.input_type);
    const std::uint32_t output_bytes = rescaled_bytes(a.output_type);
    const bool accepted = check.require(input_bytes != 0U, word_of(offsetof(RescaleArguments, input_type))) &&
                          check.require(output_bytes != 0U, word_of(offsetof(RescaleArguments, output_type))) &&
                          check.require((a.input_type != kTypeInt32) || (a.input_zero_point == 0),
                                        word_of(offsetof(RescaleArguments, input_zero_point))) &&
                          check.require((a.output_type != kTypeInt32) || (a.output_zero_point == 0),
                                        word_of(offsetof(RescaleArguments, output_zero_point))) &&
                          check.require((a.activation_min <= a.activation_max) &&
                                            type_holds(a.output_type, a.activation_min, a.activation_max),
                                        word_of(offsetof(RescaleArguments, activation_min))) &&
                          check.require(is_aligned_to(a.input, input_bytes), input_word) &&
                          check.require(is_aligned_to(a.output, output_bytes), output_word) &&
                          check.operand(input_word, bounded_product(a.count, input_bytes), Access::kRead) &&
                          check.operand(output_word, bounded_product(a.count, output_bytes), Access::kWrite) &&
                          check.output_placed(output_word, LaunchCheck::Placement::kApartOrInPlace);
    return check.finish(accepted);
}

void work_rescale(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const RescaleArguments a = arguments_from_words<RescaleArguments>(arguments);
    work.operations = kOperationsPerElement * a.count;
    // One loop for each pair of types.
    constexpr std::uint32_t kTypes = 3U;
    work.turns[0] = 1U;
    work.turns[1U + (kTypes * position_of(a.input_type)) + position_of(a.output_type)] = a.count;
}

Status compute_rescale(WordSpan arguments, const BoundOperands& bound) noexcept {
    const RescaleArguments a = arguments_from_words<RescaleArguments>(arguments);
    if (a.input_type == kTypeInt8) {
        compute<std::int8_t>(a, bound.inputs[0], bound.output);
    } else if (a.input_type == kTypeInt16) {
        compute<std::int16_t>(a, bound.inputs[0], bound.output);
    } else {
        compute<std::int32_t>(a, bound.inputs[0], bound.output);
    }
    return Status::kOk;
}

Status describe_requantize(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<RequantizeArguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const RequantizeArguments a = arguments_from_words<RequantizeArguments>(arguments);
    const bool accepted =
        check.operand(word_of(offsetof(RequantizeArguments, input)), a.count, Access::kRead) &&
        check.operand(word_of(offsetof(RequantizeArguments, output)), a.count, Access::kWrite) &&
        check.output_placed(word_of(offsetof(RequantizeArguments, output)), LaunchCheck::Placement::kApartOrInPlace);
    return check.finish(accepted);
}

void work_requantize(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const RequantizeArguments a = arguments_from_words<RequantizeArguments>(arguments);
    work.operations = kOperationsPerElement * a.count;
    work.turns = {1U, a.count};
}

Status compute_requantize(WordSpan arguments, const BoundOperands& bound) noexcept {
    const RequantizeArguments a = arguments_from_words<RequantizeArguments>(arguments);
    const std::int8_t* const input = bound.inputs[0];
    std::int8_t* const output = bound.output;
    const Scale scale{a.multiplier, a.shift};
    const OutputRange range{a.output_zero_point, INT8_MIN, INT8_MAX};
    for (std::uint32_t i = 0U; i < a.count; ++i) {
        output[i] = range.place(scale.apply(input[i] - a.input_zero_point));
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
