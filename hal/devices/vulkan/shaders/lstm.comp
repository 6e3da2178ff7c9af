#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 29u
#include "launch.glsl"
#include "fixed_point.glsl"

READ8(0, input)
READ8(1, weights)
READ16(2, parameters)
READ32(2, parameters)
STATE8(3, state)
STATE16(3, state)
STATE8(4, output)

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
};

int saturated(int number) {
    return min(max(number, kLowest16), kHighest16);
}

// The gate's argument in the table's steps. `values` and `hidden` are where the step's input and the batch's hidden
// values begin.
int gate_of(Layer layer, uint gate, uint unit, uint values, uint hidden) {
    const uint row = (gate * layer.units) + unit;
    const uint first = row * (layer.depth + layer.units);
    int by_input = parameters32(row);
    for (uint i = 0u; i < layer.depth; ++i) {
        by_input += (input8(values + i) + layer.input_offset) * weights8(first + i);
    }
    int by_hidden = 0;
    for (uint i = 0u; i < layer.units; ++i) {
        by_hidden += (state8(hidden + i) + layer.hidden_offset) * weights8(first + layer.depth + i);
    }
    const uint scales = 12u + (gate * 4u);  // argument words
    const int input_part = saturated(scaled(by_input, signed_argument(scales), signed_argument(scales + 1u)));
    const int hidden_part = saturated(scaled(by_hidden, signed_argument(scales + 2u), signed_argument(scales + 3u)));
    return saturated(input_part + hidden_part) * 3;
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
    return placed(scaled(shown, signed_argument(32u), signed_argument(33u)), -layer.hidden_offset, kLowest8,
                  kHighest8);
}

// A workgroup has a batch at a time, an invocation some of its units. Within a step all units read the hidden values of
// the step before; these change when all have done so.
void main() {
    leave_mark();
    const Layer layer = Layer(argument(5u), argument(6u), argument(7u), argument(8u), signed_argument(10u),
                              signed_argument(11u));
    const bool time_major = argument(9u) != 0u;
    first_table_entry = kGates * layer.units * 2u;
    for (uint batch = gl_WorkGroupID.x; batch < layer.batches; batch += gl_NumWorkGroups.x) {
        const uint hidden = (layer.batches * layer.units * 2u) + (batch * layer.units);  // behind all cells
        for (uint step = 0u; step < layer.steps; ++step) {
            const uint row = time_major ? ((step * layer.batches) + batch) : ((batch * layer.steps) + step);
            for (uint unit = gl_LocalInvocationID.x; unit < layer.units; unit += kLanes) {
                output8((row * layer.units) + unit, hidden_value(layer, batch, unit, row * layer.depth, hidden));
            }
            memoryBarrierBuffer();
            barrier();
            for (uint unit = gl_LocalInvocationID.x; unit < layer.units; unit += kLanes) {
                state8(hidden + unit, output8((row * layer.units) + unit));
            }
            memoryBarrierBuffer();
            barrier();
        }
    }
}
