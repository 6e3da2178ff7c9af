// Shared by the int8 layers: operands, channel parameters, and weights in every layout.
//
// For the shaders of the fully connected and convolution kernels. hal/devices/refdev/kernels/packed_weights.h defines
// the packed layouts.
#include "launch.glsl"
#include "fixed_point.glsl"

READ8(0, input)
READ8(1, filter)
READ16(1, filter)
READ32(2, parameters)
WRITE8(3, output)

const uint kPlain = 0u;
const uint kDsp = 1u;
const uint kMve = 2u;

const uint kBias = 0u;
const uint kMultiplier = 1u;
const uint kShift = 2u;

int parameter_of(uint layout_of_weights, uint channel, uint member) {
    if (layout_of_weights == kPlain) {
        return parameters32((channel * 3u) + member);
    }
    return parameters32(((channel / 4u) * 12u) + (member * 4u) + (channel % 4u));
}

// Index into packed weights of a channel with `taps`, in elements of the layout's size.
int packed_weight(uint layout_of_weights, uint taps, uint channel, uint tap) {
    if (layout_of_weights == kDsp) {
        const uint row = ((taps + 7u) / 8u) * 8u;
        const uint pair = ((((tap / 4u) * 2u) + (tap % 2u)) * 4u) + (channel % 4u);
        return filter16(((channel / 4u) * row * 4u) + (pair * 2u) + ((tap / 2u) % 2u));
    }
    const uint row = ((taps + 15u) / 16u) * 16u;
    return filter8(((channel / 2u) * row * 2u) + ((tap / 16u) * 32u) + ((channel % 2u) * 16u) + (tap % 16u));
}

// Converts a sum, including the bias, to the element. Sums of the layout for DSP are doubled.
int element_of(uint layout_of_weights, uint channel, int sum, int offset, int lowest, int highest) {
    const int whole = (layout_of_weights == kDsp) ? (sum >> 1) : sum;
    const int value = scaled(whole, parameter_of(layout_of_weights, channel, kMultiplier),
                             parameter_of(layout_of_weights, channel, kShift));
    return placed(value, offset, lowest, highest);
}
