#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "hal/devices/refdev/kernels/layers.h"
#include "hal/devices/refdev/kernels/sigmoid_curve.h"
#include "hal/devices/refdev/kernels/turns.h"

namespace pianola::refdev {
namespace {

using Arguments = LstmArguments;

constexpr std::uint32_t kInputGate = 0U;
constexpr std::uint32_t kForgetGate = 1U;
constexpr std::uint32_t kCandidate = 2U;
constexpr std::uint32_t kOutputGate = 3U;
constexpr std::int32_t kGateMultiplier = 3;  // converts a gate's steps of 2^-12 to the table's, 2^-9 of 1/24

// Data of one batch: addresses of its parts, and of the layer's constants.
struct Layer {
    const std::int8_t* weights;
    const std::int8_t* biases;
    const std::int8_t* sigmoid;
    std::int8_t* cell;
    std::int8_t* hidden;
};

// Sizes of the type's values and sums.
struct Sizes {
    std::uint32_t value_bytes;
    std::uint32_t sum_bytes;

    explicit Sizes(std::uint32_t type) noexcept
        : value_bytes{rescaled_bytes(type)}, sum_bytes{(type == kTypeInt16) ? kWideSumBytes : kNarrowSumBytes} {}
};

// A part of a gate: values, their weights, and the initial bias of the sum, if any.
struct Part {
    const std::int8_t* values;
    const std::int8_t* weights;
    const std::int8_t* bias;
    std::uint32_t count;
    std::int32_t offset;
    std::int32_t multiplier;
    std::int32_t shift;
};

[[nodiscard]] std::int32_t saturate16(std::int32_t number) noexcept {
    return clamp_to(number, INT16_MIN, INT16_MAX);
}

[[nodiscard]] std::int32_t int8_sum(const Part& part) noexcept {
    std::int32_t sum = 0;
    for (std::uint32_t i = 0U; i < part.count; ++i) {
        sum += (part.values[i] + part.offset) * part.weights[i];
    }
    const std::int32_t bias = (part.bias != nullptr) ? load_element<std::int32_t>(part.bias, 0U) : 0;
    return Scale{part.multiplier, part.shift}.apply(wrapping_add(sum, bias));
}

[[nodiscard]] std::int32_t int16_sum(const Part& part) noexcept {
    std::int64_t bias = 0;
    if (part.bias != nullptr) {
        std::memcpy(&bias, part.bias, sizeof(bias));
    }
    return WideScale{part.multiplier, part.shift}.apply(
        wrapping_sum(wide_sum(part.values, part.weights, part.count), bias));
}

[[nodiscard]] std::int32_t gate_sum(const Arguments& a, const Layer& layer, const std::int8_t* input,
                                    std::uint32_t gate, std::uint32_t unit) noexcept {
    const std::size_t row = (std::size_t{gate} * a.units) + unit;
    const std::int8_t* const weights = layer.weights + (row * (std::size_t{a.input_depth} + a.units));
    const LstmGateScales& scales = a.gates[gate];
    const std::int8_t* const bias = layer.biases + (row * Sizes{a.type}.sum_bytes);
    const Part by_input{
        input, weights, bias, a.input_depth, a.input_offset, scales.input_multiplier, scales.input_shift};
    const Part by_hidden{
        layer.hidden,       weights + a.input_depth, nullptr, a.units, a.hidden_offset, scales.hidden_multiplier,
        scales.hidden_shift};
    const bool is_wide = a.type == kTypeInt16;
    return saturate16(saturate16(is_wide ? int16_sum(by_input) : int8_sum(by_input)) +
                      saturate16(is_wide ? int16_sum(by_hidden) : int8_sum(by_hidden)));
}

// One unit in one step: its cell changes, its hidden value is stored in the output.
void compute_unit(const Arguments& a, const Layer& layer, const std::int8_t* input, std::uint32_t unit,
                  std::int8_t* output) noexcept {
    const auto gate = [&a, &layer, input, unit](std::uint32_t number) noexcept {
        return gate_sum(a, layer, input, number, unit) * kGateMultiplier;
    };
    const std::int8_t* const table = layer.sigmoid;
    const std::int32_t kept = kLogistic.at(table, gate(kForgetGate)) * load_element<std::int16_t>(layer.cell, unit);
    const std::int32_t added = kLogistic.at(table, gate(kInputGate)) * kTanh.at(table, gate(kCandidate));
    const std::int32_t sum = saturate16(saturate16(Scale{a.forget_multiplier, a.forget_shift}.apply(kept)) +
                                        saturate16(Scale{a.admit_multiplier, a.admit_shift}.apply(added)));
    const std::int32_t cell = saturate16(clamp_to(sum, -a.cell_clip, a.cell_clip));
    store_element<std::int16_t>(layer.cell, unit, cell);
    const std::uint32_t shift = static_cast<std::uint32_t>(a.cell_shift);
    const std::int32_t half = static_cast<std::int32_t>((std::uint32_t{1} << shift) >> 1U);
    const std::int32_t bent = kTanh.at(table, floor_shift_right((cell * a.cell_multiplier) + half, shift));
    const std::int32_t emitted =
        Scale{a.emit_multiplier, a.emit_shift}.apply(bent * kLogistic.at(table, gate(kOutputGate)));
    if (a.type == kTypeInt16) {
        store_element<std::int16_t>(output, unit, saturate16(emitted));
    } else {
        output[unit] = OutputRange{-a.hidden_offset, INT8_MIN, INT8_MAX}.place(emitted);
    }
}

// The whole sequence of one batch. A step's output holds its hidden values until the last unit has read the old ones.
void compute_batch(const Arguments& a, const Layer& layer, const std::int8_t* input, std::int8_t* output) noexcept {
    const std::size_t apart = (a.time_major != 0U) ? a.batches : 1U;
    const std::size_t value_bytes = Sizes{a.type}.value_bytes;
    for (std::uint32_t step = 0U; step < a.steps; ++step) {
        const std::size_t row = apart * step;
        std::int8_t* const hidden = output + (row * a.units * value_bytes);
        for (std::uint32_t unit = 0U; unit < a.units; ++unit) {
            compute_unit(a, layer, input + (row * a.input_depth * value_bytes), unit, hidden);
        }
        std::memcpy(layer.hidden, hidden, a.units * value_bytes);
    }
}

// With int16: zero points are 0, and values aligned.
[[nodiscard]] bool type_accepted(const Arguments& a, LaunchCheck& check) noexcept {
    const bool is_wide = a.type == kTypeInt16;
    const std::uint32_t value_bytes = Sizes{a.type}.value_bytes;
    return check.require(is_wide || (a.type == kTypeInt8), word_of(offsetof(Arguments, type))) &&
           check.require(!is_wide || (a.input_offset == 0), word_of(offsetof(Arguments, input_offset))) &&
           check.require(!is_wide || (a.hidden_offset == 0), word_of(offsetof(Arguments, hidden_offset))) &&
           check.require(is_aligned_to(a.input, value_bytes), word_of(offsetof(Arguments, input))) &&
           check.require(is_aligned_to(a.output, value_bytes), word_of(offsetof(Arguments, output)));
}

}  // namespace

Status describe_lstm(WordSpan arguments, ExtentList& extents, ArgumentError& error) noexcept {
    LaunchCheck check{arguments, kRules<Arguments>, extents, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    if (!type_accepted(a, check)) {
        return Status::kRefused;
    }
    const Sizes sizes{a.type};
    const std::uint32_t parameters_word = word_of(offsetof(Arguments, parameters));
    const std::uint32_t state_word = word_of(offsetof(Arguments, state));
    const std::uint32_t output_word = word_of(offsetof(Arguments, output));
    const std::uint64_t rows = bounded_product(kLstmGates, a.units);
    const std::uint64_t weight_bytes = bounded_product(rows, std::uint64_t{a.input_depth} + a.units);
    const std::uint64_t parameter_bytes =
        bounded_product(rows, sizes.sum_bytes) + (kSigmoidTableEntries * sizeof(std::uint16_t));
    const std::uint64_t state_bytes = bounded_product(a.batches, a.units, sizeof(std::int16_t) + sizes.value_bytes);
    const bool accepted =
        check.require(is_aligned_to(a.parameters, sizeof(std::int32_t)), parameters_word) &&
        check.require(is_aligned_to(a.state, sizeof(std::int16_t)), state_word) &&
        check.operand(word_of(offsetof(Arguments, input)),
                      bounded_product(a.batches, a.steps, a.input_depth, sizes.value_bytes), Access::kRead) &&
        check.operand(word_of(offsetof(Arguments, weights)), weight_bytes, Access::kRead) &&
        check.operand(parameters_word, parameter_bytes, Access::kRead) &&
        check.operand(state_word, state_bytes, Access::kRead) &&
        check.output_placed(state_word, LaunchCheck::Placement::kApart) &&
        check.operand(state_word, state_bytes, Access::kWrite) &&
        check.operand(output_word, bounded_product(a.batches, a.steps, a.units, sizes.value_bytes), Access::kWrite) &&
        check.output_placed(output_word, LaunchCheck::Placement::kApart);
    return check.finish(accepted);
}

void work_lstm(WordSpan arguments, Loops /*loops*/, Work& work) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint64_t rows = bounded_product(a.batches, a.steps);
    const std::uint64_t units = bounded_product(rows, a.units);
    const std::uint64_t gates = kLstmGates * units;
    const std::uint64_t pieces = blocks_of(a.input_depth, kNarrowTaps) + blocks_of(a.units, kNarrowTaps);
    const std::uint64_t products = gates * (std::uint64_t{a.input_depth} + a.units);
    const bool is_wide = a.type == kTypeInt16;
    work.operations = products;
    work.turns = {1U,
                  a.batches,
                  rows,
                  turns_if(!is_wide, units),
                  turns_if(!is_wide, products),
                  turns_if(is_wide, units),
                  turns_if(is_wide, gates * pieces),
                  turns_if(is_wide, products)};
}

Status compute_lstm(WordSpan arguments, const BoundOperands& bound) noexcept {
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const Sizes sizes{a.type};
    const std::size_t cells = std::size_t{a.batches} * a.units;
    const std::int8_t* const biases = bound.inputs[2];
    Layer layer{bound.inputs[1], biases, biases + (std::size_t{kLstmGates} * a.units * sizes.sum_bytes), bound.state,
                bound.state + (cells * sizeof(std::int16_t))};
    const std::size_t sequence = (a.time_major != 0U) ? 1U : a.steps;
    for (std::uint32_t batch = 0U; batch < a.batches; ++batch) {
        const std::size_t first = batch * sequence * sizes.value_bytes;
        compute_batch(a, layer, bound.inputs[0] + (first * a.input_depth), bound.output + (first * a.units));
        layer.cell += a.units * sizeof(std::int16_t);
        layer.hidden += std::size_t{a.units} * sizes.value_bytes;
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
