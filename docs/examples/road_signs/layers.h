// Layers: forward and backward passes of the few operators that the sample's network has, in float.
//
// docs/examples/road_signs, below the network (network.h). Written for one core and for one order of additions: vectors
// run over channels, whose sums are independent, so the result does not depend on how wide the machine's registers are.
// Tensors are NHWC of one picture.
#pragma once

#include <cstddef>
#include <vector>

namespace pianola::sample {

struct Shape {
    std::size_t height{0U};
    std::size_t width{0U};
    std::size_t channels{0U};
    [[nodiscard]] constexpr std::size_t elements() const noexcept { return height * width * channels; }
};

using Values = std::vector<float>;

// A square window that moves over the picture; taps outside the input count as zero (convolutions) or do not occur
// (pooling).
struct Window {
    std::size_t side{1U};
    std::size_t stride{1U};
    std::size_t pad_before{0U};  // top and left
};

struct Weights {
    Values filter;  // convolution: [row][column][input channel][output channel]; depthwise: [row][column][channel]
    Values bias;    // [output channel]
};

// The gradient arguments of the backward functions are added to. Sizes are as the shapes say.
void conv_forward(const Shape& in_shape, const Shape& out_shape, const Window& window, const Weights& weights,
                  const Values& in, Values& out);
// transposed: the filter as [output channel][row][column][input channel]. in_gradient may be null if it is not needed.
void conv_backward(const Shape& in_shape, const Shape& out_shape, const Window& window, const Values& transposed,
                   const Values& in, const Values& out_gradient, Weights& gradient, Values* in_gradient);
[[nodiscard]] Values transpose_filter(const Values& filter, std::size_t out_channels);

void depthwise_forward(const Shape& in_shape, const Shape& out_shape, const Window& window, const Weights& weights,
                       const Values& in, Values& out);
void depthwise_backward(const Shape& in_shape, const Shape& out_shape, const Window& window, const Weights& weights,
                        const Values& in, const Values& out_gradient, Weights& gradient, Values& in_gradient);

void max_pool_forward(const Shape& in_shape, const Shape& out_shape, const Window& window, const Values& in,
                      Values& out);
// The first greatest tap gets the gradient.
void max_pool_backward(const Shape& in_shape, const Shape& out_shape, const Window& window, const Values& in,
                       const Values& out, const Values& out_gradient, Values& in_gradient);

// Zeros around the picture: window.pad_before rows and columns on every side.
void pad_forward(const Shape& in_shape, const Shape& out_shape, const Window& window, const Values& in, Values& out);
void pad_backward(const Shape& in_shape, const Shape& out_shape, const Window& window, const Values& out_gradient,
                  Values& in_gradient);

void mean_forward(const Shape& in_shape, const Values& in, Values& out);
void mean_backward(const Shape& in_shape, const Values& out_gradient, Values& in_gradient);

}  // namespace pianola::sample
