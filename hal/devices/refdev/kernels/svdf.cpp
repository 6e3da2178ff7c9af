#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "hal/devices/refdev/kernels/turns.h"

namespace pianola::refdev {
namespace {

[[nodiscard]] constexpr bool is_memory_type(std::uint32_t type) noexcept {
    return (type == kTypeInt8) || (type == kTypeInt16);
}

[[nodiscard]] std::int32_t feature_sum(const std::int8_t* input, const std::int8_t* features, std::uint32_t count,
                                       std::int32_t offset) noexcept {
    std::int32_t sum = 0;
    for (std::uint32_t i = 0U; i < count; ++i) {
        sum += (input[i] + offset) * features[i];
    }
    return sum;
}

// `read` and `written` are the same memory.
template <typename Element>
void remember(const SvdfFeatureArguments& a, const BoundOperands& bound) noexcept {
    const Scale scale{a.multiplier, a.shift};
    const std::size_t newest = (a.length - 1U) * sizeof(Element);
    const std::int8_t* input = bound.inputs[0];
    std::int8_t* memory = bound.output;
    for (std::uint32_t batch = 0U; batch < a.batches; ++batch) {
        const std::int8_t* features = bound.inputs[1];
        for (std::uint32_t filter = 0U; filter < a.filters; ++filter) {
            std::memmove(memory, memory + sizeof(Element), newest);
            const std::int32_t scaled = scale.apply(feature_sum(input, features, a.input_depth, a.input_offset));
            const std::int32_t fresh =
                clamp_to(scaled, std::numeric_limits<Element>::min(), std::numeric_limits<Element>::max());
            store_element<Element>(memory + newest, 0U, fresh + a.memory_zero_point);
            memory += newest + sizeof(Element);
            features += a.input_depth;
        }
        input += a.input_depth;
    }
}

template <typename Element>
void weigh(const SvdfTimeArguments& a, const BoundOperands& bound) noexcept {
    const Scale scale{a.multiplier, a.shift};
    const OutputRange range{a.output_offset, INT8_MIN, INT8_MAX};
    const std::size_t taps = std::size_t{a.rank} * a.length;
    const std::int8_t* memory = bound.inputs[0];
    std::int8_t* output = bound.output;
    for (std::uint32_t batch = 0U; batch < a.batches; ++batch) {
        const std::int8_t* weights = bound.inputs[1];
        for (std::uint32_t unit = 0U; unit < a.units; ++unit) {
            std::int32_t sum = load_element<std::int32_t>(bound.inputs[2], unit);
            for (std::size_t i = 0U; i < taps; ++i) {
                const std::int32_t held = load_element<Element>(memory, i) + a.memory_offset;
                sum = wrapping_add(sum, held * load_element<Element>(weights, i));
            }
            *output = range.place(scale.apply(sum));
            ++output;
            memory += taps * sizeof(Element);
            weights += taps * sizeof(Element);
        }
    }
}

}  // namespace

Status describe_svdf_feature(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    using Arguments = SvdfFeatureArguments;
    LaunchCheck check{arguments, kRules<SvdfFeatureArguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint32_t memory_word = word_of(offsetof(Arguments, memory));
    const std::uint32_t element_bytes = rescaled_bytes(a.type);
    const std::uint64_t memory_bytes = bounded_product(a.batches, a.filters, a.length, element_bytes);
    const bool accepted =
        check.require(is_memory_type(a.type), word_of(offsetof(Arguments, type))) &&
        check.require((a.type == kTypeInt8) || (a.memory_zero_point == 0),
                      word_of(offsetof(Arguments, memory_zero_point))) &&
        check.require(is_aligned_to(a.memory, element_bytes), memory_word) &&
        check.operand(word_of(offsetof(Arguments, input)), bounded_product(a.batches, a.input_depth), Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, features)), bounded_product(a.filters, a.input_depth),
                      Access::kRead) &&
        check.operand(memory_word, memory_bytes, Access::kRead) &&
        check.output_placed(memory_word, LaunchCheck::Placement::kApart) &&
        check.operand(memory_word, memory_bytes, Access::kWrite);
    return check.finish(accepted);
}

void work_svdf_feature(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const SvdfFeatureArguments a = arguments_from_words<SvdfFeatureArguments>(arguments);
    const std::uint64_t filters = bounded_product(a.batches, a.filters);
    const std::uint64_t products = filters * a.input_depth;
    const std::uint64_t memory_bytes = bounded_product(filters, a.length, rescaled_bytes(a.type));
    const bool is_short = a.type == kTypeInt8;
    work.operations = products + memory_bytes;
    work.turns = {1U,
                  a.batches,
                  turns_if(is_short, filters),
                  turns_if(!is_short, filters),
                  products,
                  turns_if(is_short, memory_bytes),
                  turns_if(!is_short, memory_bytes)};
}

Status compute_svdf_feature(WordSpan arguments, const BoundOperands& bound) noexcept {
    const SvdfFeatureArguments a = arguments_from_words<SvdfFeatureArguments>(arguments);
    if (a.type == kTypeInt8) {
        remember<std::int8_t>(a, bound);
    } else {
        remember<std::int16_t>(a, bound);
    }
    return Status::kOk;
}

Status describe_svdf_time(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    using Arguments = SvdfTimeArguments;
    LaunchCheck check{arguments, kRules<SvdfTimeArguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint32_t memory_word = word_of(offsetof(Arguments, memory));
    const std::uint32_t weights_word = word_of(offsetof(Arguments, weights));
    const std::uint32_t bias_word = word_of(offsetof(Arguments, bias));
    const std::uint32_t output_word = word_of(offsetof(Arguments, output));
    const std::uint32_t element_bytes = rescaled_bytes(a.type);
    const std::uint64_t weight_bytes = bounded_product(a.units, a.rank, a.length, element_bytes);
    const std::uint64_t output_bytes = bounded_product(a.batches, a.units);
    const bool accepted =
        check.require(is_memory_type(a.type), word_of(offsetof(Arguments, type))) &&
        check.require((a.type == kTypeInt8) || (a.memory_offset == 0), word_of(offsetof(Arguments, memory_offset))) &&
        check.require(is_aligned_to(a.memory, element_bytes), memory_word) &&
        check.require(is_aligned_to(a.weights, element_bytes), weights_word) &&
        check.require(is_aligned_to(a.bias, sizeof(std::int32_t)), bias_word) &&
        check.operand(memory_word, bounded_product(weight_bytes, a.batches), Access::kRead) &&
        check.operand(weights_word, weight_bytes, Access::kRead) &&
        check.operand(bias_word, bounded_product(a.units, sizeof(std::int32_t)), Access::kRead) &&
        check.operand(output_word, output_bytes, Access::kWrite) &&
        check.output_placed(output_word, LaunchCheck::Placement::kApart);
    return check.finish(accepted);
}

void work_svdf_time(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const SvdfTimeArguments a = arguments_from_words<SvdfTimeArguments>(arguments);
    const std::uint64_t products = bounded_product(a.batches, a.units, a.rank, a.length);
    const bool is_short = a.type == kTypeInt8;
    work.operations = products;
    work.turns = {1U, a.batches, bounded_product(a.batches, a.units), turns_if(is_short, products),
                  turns_if(!is_short, products)};
}

Status compute_svdf_time(WordSpan arguments, const BoundOperands& bound) noexcept {
    const SvdfTimeArguments a = arguments_from_words<SvdfTimeArguments>(arguments);
    if (a.type == kTypeInt8) {
        weigh<std::int8_t>(a, bound);
    } else {
        weigh<std::int16_t>(a, bound);
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
