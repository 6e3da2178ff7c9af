#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 29u
#define PIECE_WORDS 5
#define LANES_PER_PIECE 64
#include "launch.glsl"
#include "fixed_point.glsl"

READ8(0, input)
READ16(0, input)
READ8(1, weights)
READ16(2, parameters)
READ32(2, parameters)
STATE8(3, state)
STATE16(3, state)
READ_OF_TYPES_8_16(state)
WRITE_OF_TYPES_8_16(state)
STATE8(4, output)
STATE16(4, output)
READ_OF_TYPES_8_16(output)
WRITE_OF_TYPES_8_16(output)

const uint kInputGate = 0u;
const uint kForgetGate = 1u;
const uint kCandidate = 2u;
const uint kOutputGate = 3u;
const uint kGates = 4u;

uint first_table_entry;

int table_entry(uint index) {
    return parameters16(first_table_entry + index) & 0xFFFF;
}

#include "sigmoid_curve.glsl"

struct Layer {
    uint batches;
    uint steps;
    uint depth;
    uint units;
    int input_offset;
    int hidden_offset;
    uint type;
};

int saturated(int number) {
    return min(max(number, kLowest16), kHighest16);
}

// The two sums of a gate. `first` is the unit's first weight; `values` and `hidden` are the starts of the step's input
// and the batch's hidden values.
int input_sum(Layer layer, uint first, uint values) {
    int sum = 0;
    for (uint i = 0u; i < layer.depth; ++i) {
        sum += (input8(values + i) + layer.input_offset) * weights8(first + i);
    }
    return sum;
}

int hidden_sum(Layer layer, uint first, uint hidden) {
    int sum = 0;
    for (uint i = 0u; i < layer.units; ++i) {
        sum += (state8(hidden + i) + layer.hidden_offset) * weights8(first + layer.depth + i);
    }
    return sum;
}

int64_t wide_input_sum(Layer layer, uint first, uint values) {
    int64_t sum = 0L;
    for (uint i = 0u; i < layer.depth; ++i) {
        sum += int64_t(input16(values + i) * weights8(first + i));
    }
    return sum;
}

int64_t wide_hidden_sum(Layer layer, uint first, uint hidden) {
    int64_t sum = 0L;
    for (uint i = 0u; i < layer.units; ++i) {
        sum += int64_t(state16(hidden + i) * weights8(first + layer.depth + i));
    }
    return sum;
}

int64_t wide_bias(uint row) {
    const uint64_t lower = uint64_t(uint(parameters32(row * 2u)));
    const uint64_t upper = uint64_t(uint(parameters32((row * 2u) + 1u)));
    return int64_t(lower | (upper << 32));
}

// The gate's argument in the table's steps.
int gate_of(Layer layer, uint gate, uint unit, uint values, uint hidden) {
    const uint row = (gate * layer.units) + unit;
    const uint first = row * (layer.depth + layer.units);
    const uint scales = 12u + (gate * 4u);  // argument words
    const int input_multiplier = signed_argument(scales);
    const int input_shift = signed_argument(scales + 1u);
    const int hidden_multiplier = signed_argument(scales + 2u);
    const int hidden_shift = signed_argument(scales + 3u);
    int by_input = 0;
    int by_hidden = 0;
    if (layer.type == kTypeInt16) {
        by_input = scaled_wide(wide_input_sum(layer, first, values) + wide_bias(row), input_multiplier, input_shift);
        by_hidden = scaled_wide(wide_hidden_sum(layer, first, hidden), hidden_multiplier, hidden_shift);
    } else {
        by_input = scaled(input_sum(layer, first, values) + parameters32(row), input_multiplier, input_shift);
        by_hidden = scaled(hidden_sum(layer, first, hidden), hidden_multiplier, hidden_shift);
    }
    return saturated(saturated(by_input) + saturated(by_hidden)) * 3;
}

// Changes the unit's cell and gives its hidden value.
int hidden_value(Layer layer, uint batch, uint unit, uint values, uint hidden) {
    const uint cell_at = (batch * layer.units) + unit;
    const int kept = curve_at(kLogistic, gate_of(layer, kForgetGate, unit, values, hidden)) * state16(cell_at);
    const int added = curve_at(kLogistic, gate_of(layer, kInputGate, unit, values, hidden)) *
                      curve_at(kTanh, gate_of(layer, kCandidate, unit, values, hidden));
    const int sum = saturated(saturated(scaled(kept, signed_argument(28u), signed_argument(29u))) +
                              saturated(scaled(added, signed_argument(30u), signed_argument(31u))));
    const int clip = signed_argument(36u);
    const int cell = saturated(min(max(sum, -clip), clip));
    state16(cell_at, cell);
    const uint shift = argument(35u);
    const int halfway = int((1u << shift) >> 1u);
    const int bent = curve_at(kTanh, ((cell * signed_argument(34u)) + halfway) >> shift);
    const int shown = bent * curve_at(kLogistic, gate_of(layer, kOutputGate, unit, values, hidden));
    const int value = scaled(shown, signed_argument(32u), signed_argument(33u));
    return (layer.type == kTypeInt16) ? saturated(value) : placed(value, -layer.hidden_offset, kLowest8, kHighest8);
}

// A workgroup processes one batch at a time, an invocation some of its units. Within a step all units read the hidden
// values of the previous step; these change after all have done so.
void main() {
    leave_mark();
    const Layer layer = Layer(argument(5u), argument(6u), argument(7u), argument(8u), signed_argument(10u),
                              signed_argument(11u), argument(37u));
    const bool time_major = argument(9u) != 0u;
    // Sizes of the memory's elements: entries and cells have 16 bits, biases 32 or 64; hidden values are of the type.
    const bool is_wide = layer.type == kTypeInt16;
    first_table_entry = kGates * layer.units * (is_wide ? 4u : 2u);
    const uint first_hidden = layer.batches * layer.units * (is_wide ? 1u : 2u);  // after all cells
    for (uint batch = gl_WorkGroupID.x; batch < layer.batches; batch += gl_NumWorkGroups.x) {
        const uint hidden = first_hidden + (batch * layer.units);
        for (uint step = 0u; step < layer.steps; ++step) {
            const uint row = time_major ? ((step * layer.batches) + batch) : ((batch * layer.steps) + step);
            for (uint unit = gl_LocalInvocationID.x; unit < layer.units; unit += kLanes) {
                output_of(layer.type, (row * layer.units) + unit,
                          hidden_value(layer, batch, unit, row * layer.depth, hidden));
            }
            memoryBarrierBuffer();
            barrier();
            for (uint unit = gl_LocalInvocationID.x; unit < layer.units; unit += kLanes) {
                state_of(layer.type, hidden + unit, output_of(layer.type, (row * layer.units) + unit));
            }
            memoryBarrierBuffer();
            barrier();
        }
    }
}
