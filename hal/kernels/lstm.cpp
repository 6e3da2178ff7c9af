#include "hal/kernels/argument_words.h"
#include "hal/kernels/elements.h"
#include "hal/kernels/fixed_point.h"
#include "hal/kernels/kernels.h"
#include "hal/kernels/launch_check.h"
#include "hal/kernels/sigmoid_curve.h"

namespace pianola::refdev {
namespace {

using Arguments = LstmArguments;

constexpr ArgumentRules<Arguments> kRules = rules_of<Arguments>();

constexpr std::uint32_t kInputGate = 0U;
constexpr std::uint32_t kForgetGate = 1U;
constexpr std::uint32_t kCandidate = 2U;
constexpr std::uint32_t kOutputGate = 3U;
constexpr std::int32_t kGateMultiplier = 3;  // a gate's 2^-12 steps to those of the table, 2^-9 of 1/24

// What one batch has: addresses of its parts, and where the layer's constants lie.
struct Layer {
    const std::int8_t* weights;
    const std::int8_t* biases;
    const std::int8_t* sigmoid;
    std::int8_t* cell;
    std::int8_t* hidden;
};

[[nodiscard]] std::int32_t saturate16(std::int32_t number) noexcept {
    return clamp_to(number, INT16_MIN, INT16_MAX);
}

[[nodiscard]] std::int32_t weighted(const std::int8_t* values, const std::int8_t* weights, std::uint32_t count,
                                    std::int32_t offset) noexcept {
    std::int32_t sum = 0;
    for (std::uint32_t i = 0U; i < count; ++i) {
        sum += (values[i] + offset) * weights[i];
    }
    return sum;
}

[[nodiscard]] std::int32_t gate_sum(const Arguments& a, const Layer& layer, const std::int8_t* input,
                                    std::uint32_t gate, std::uint32_t unit) noexcept {
    const std::size_t row = (std::size_t{gate} * a.units) + unit;
    const std::int8_t* const weights = layer.weights + (row * (std::size_t{a.input_depth} + a.units));
    const LstmGateScales& scales = a.gates[gate];
    const std::int32_t by_input = wrapping_add(weighted(input, weights, a.input_depth, a.input_offset),
                                               load_element<std::int32_t>(layer.biases, row));
    const std::int32_t by_hidden = weighted(layer.hidden, weights + a.input_depth, a.units, a.hidden_offset);
    return saturate16(saturate16(Scale{scales.input_multiplier, scales.input_shift}.apply(by_input)) +
                      saturate16(Scale{scales.hidden_multiplier, scales.hidden_shift}.apply(by_hidden)));
}

// One unit in one step: its cell changes, its hidden value is what comes back.
[[nodiscard]] std::int8_t compute_unit(const Arguments& a, const Layer& layer, const std::int8_t* input,
                                       std::uint32_t unit) noexcept {
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
    const OutputRange range{-a.hidden_offset, INT8_MIN, INT8_MAX};
    return range.place(Scale{a.emit_multiplier, a.emit_shift}.apply(bent * kLogistic.at(table, gate(kOutputGate))));
}

// The whole sequence of one batch. A step's output holds its hidden values until the last unit has read the old ones.
void compute_batch(const Arguments& a, const Layer& layer, const std::int8_t* input, std::int8_t* output) noexcept {
    const std::size_t apart = (a.time_major != 0U) ? a.batches : 1U;
    for (std::uint32_t step = 0U; step < a.steps; ++step) {
        const std::size_t row = apart * step;
        std::int8_t* const hidden = output + (row * a.units);
        for (std::uint32_t unit = 0U; unit < a.units; ++unit) {
            hidden[unit] = compute_unit(a, layer, input + (row * a.input_depth), unit);
        }
        std::memcpy(layer.hidden, hidden, a.units);
    }
}

}  // namespace

Status describe_lstm(WordSpan arguments, Footprint& footprint, ArgumentError& error) noexcept {
    constexpr std::uint32_t kStateBytes = 3U;  // a cell of 16 bits, a hidden value of 8
    LaunchCheck check{arguments, kRules, footprint, error};
    if (!check.words_accepted()) {
        return Status::kRefused;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::uint32_t parameters_word = word_of(offsetof(Arguments, parameters));
    const std::uint32_t state_word = word_of(offsetof(Arguments, state));
    const std::uint32_t output_word = word_of(offsetof(Arguments, output));
    const std::uint64_t rows = bounded_product(kLstmGates, a.units);
    const std::uint64_t weight_bytes = bounded_product(rows, std::uint64_t{a.input_depth} + a.units);
    const std::uint64_t parameter_bytes =
        bounded_product(rows, sizeof(std::int32_t)) + (kSigmoidTableEntries * sizeof(std::uint16_t));
    const std::uint64_t state_bytes = bounded_product(a.batches, a.units, kStateBytes);
    const bool accepted = check.require(is_aligned_to(a.parameters, sizeof(std::int32_t)), parameters_word) &&
                          check.require(is_aligned_to(a.state, sizeof(std::int16_t)), state_word) &&
                          check.operand(word_of(offsetof(Arguments, input)),
                                        bounded_product(a.batches, a.steps, a.input_depth), Access::kRead) &&
                          check.operand(word_of(offsetof(Arguments, weights)), weight_bytes, Access::kRead) &&
                          check.operand(parameters_word, parameter_bytes, Access::kRead) &&
                          check.operand(state_word, state_bytes, Access::kRead) &&
                          check.output_placed(state_word, LaunchCheck::Placement::kApart) &&
                          check.operand(state_word, state_bytes, Access::kWrite) &&
                          check.operand(output_word, bounded_product(a.batches, a.steps, a.units), Access::kWrite) &&
                          check.output_placed(output_word, LaunchCheck::Placement::kApart);
    return check.finish(accepted, bounded_product(a.batches, a.steps) * weight_bytes);  // below 2^63
}

Status run_lstm(WordSpan arguments, const DeviceMemory& memory) noexcept {
    BoundOperands bound;
    const Status status = bind_operands(describe_lstm, arguments, memory, bound);
    if (!is_ok(status)) {
        return status;
    }
    const Arguments a = arguments_from_words<Arguments>(arguments);
    const std::size_t cells = std::size_t{a.batches} * a.units;
    const std::int8_t* const biases = bound.inputs[2];
    Layer layer{bound.inputs[1], biases, biases + (std::size_t{kLstmGates} * a.units * sizeof(std::int32_t)),
                bound.state, bound.state + (cells * sizeof(std::int16_t))};
    const std::size_t sequence = (a.time_major != 0U) ? 1U : a.steps;
    for (std::uint32_t batch = 0U; batch < a.batches; ++batch) {
        const std::size_t first = batch * sequence;
        compute_batch(a, layer, bound.inputs[0] + (first * a.input_depth), bound.output + (first * a.units));
        layer.cell += a.units * sizeof(std::int16_t);
        layer.hidden += a.units;
    }
    return Status::kOk;
}

}  // namespace pianola::refdev
