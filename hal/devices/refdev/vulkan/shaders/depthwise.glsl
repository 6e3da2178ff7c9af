// The geometry of a depthwise convolution, from the argument words that its int8 and int16 forms share. Like a
// convolution whose filter has one channel.
#include "convolution.glsl"

struct Depthwise {
    Convolution as_convolution;
    uint multiplier;
};

Depthwise depthwise() {
    const uint channels = argument(7u) * argument(10u);
    const Convolution c =
        Convolution(argument(4u), argument(5u), argument(6u), argument(7u), argument(8u), argument(9u), channels,
                    argument(11u), argument(12u), 1u, argument(13u), argument(14u), argument(15u), argument(16u),
                    signed_argument(17u), signed_argument(18u));
    return Depthwise(c, argument(10u));
}
