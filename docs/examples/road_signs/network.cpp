#include "docs/examples/road_signs/network.h"

#include <algorithm>
#include <cmath>

#include "docs/examples/road_signs/data_set.h"
#include "docs/examples/road_signs/exact_math.h"
#include "docs/examples/road_signs/prng.h"

namespace pianola::sample {

namespace {

struct Builder {
    explicit Builder(std::uint64_t seed) : prng{seed, static_cast<std::uint64_t>(Stream::kInitialWeights), 0U} {}

    Network network;
    Prng prng;

    // Returns the tensor that the node makes.
    std::size_t add(Node node, Shape out_shape, std::size_t fan_in, std::size_t filter_elements) {
        if (filter_elements > 0U) {
            const double deviation = std::sqrt((node.relu ? 2.0 : 1.0) / static_cast<double>(fan_in));
            node.weights.bias.assign(out_shape.channels, 0.0F);
            node.weights.filter.reserve(filter_elements);
            for (std::size_t i = 0U; i < filter_elements; ++i) {
                node.weights.filter.push_back(static_cast<float>(prng.normal() * deviation));
            }
        }
        network.shapes.push_back(out_shape);
        network.nodes.push_back(std::move(node));
        return network.shapes.size() - 1U;
    }

    std::size_t conv(const char* name, std::size_t input, std::size_t channels, Window window, bool same, bool relu) {
        const Shape in = network.shapes[input];
        const Shape out{extent(in.height, window, same), extent(in.width, window, same), channels};
        const std::size_t fan_in = window.side * window.side * in.channels;
        return add(Node{NodeKind::kConv, name, input, 0U, window, same, relu, {}}, out, fan_in, fan_in * channels);
    }

    std::size_t depthwise(const char* name, std::size_t input, Window window) {
        const Shape in = network.shapes[input];
        const Shape out{extent(in.height, window, true), extent(in.width, window, true), in.channels};
        const std::size_t fan_in = window.side * window.side;
        return add(Node{NodeKind::kDepthwise, name, input, 0U, window, true, true, {}}, out, fan_in,
                   fan_in * in.channels);
    }

    static std::size_t extent(std::size_t in, const Window& window, bool same) noexcept {
        return same ? ((in + window.stride - 1U) / window.stride) : (((in - window.side) / window.stride) + 1U);
    }
};

bool is_convolution(const Node& node) noexcept {
    return (node.kind == NodeKind::kConv) || (node.kind == NodeKind::kFullyConnected);
}

void add_into(const Values& from, Values& sum) {
    for (std::size_t i = 0U; i < sum.size(); ++i) {
        sum[i] += from[i];
    }
}

void snap(const Grid& grid, Values& values) {
    for (float& value : values) {
        const std::int64_t q = round_half_away(static_cast<double>(value) / static_cast<double>(grid.scale)) +
                               static_cast<std::int64_t>(grid.zero_point);
        const std::int64_t stored = std::clamp<std::int64_t>(q, -128, 127);
        value = grid.scale * static_cast<float>(stored - grid.zero_point);
    }
}

}  // namespace

Network make_network(std::uint64_t seed) {
    Builder builder{seed};
    builder.network.shapes.push_back(Shape{kImageSide, kImageSide, kImageChannels});
    // TFLite's SAME puts the odd row of padding at the bottom: a 3-wide window of stride 2 on an even side starts at 0.
    const std::size_t stem = builder.conv("stem", 0U, 16U, Window{3U, 2U, 0U}, true, true);
    const std::size_t spatial1 = builder.depthwise("block1/depthwise", stem, Window{3U, 1U, 1U});
    const std::size_t point1 = builder.conv("block1/pointwise", spatial1, 32U, Window{}, true, true);
    const Shape half{8U, 8U, 32U};
    const std::size_t pooled =
        builder.add(Node{NodeKind::kMaxPool, "pool", point1, 0U, Window{2U, 2U, 0U}, false, false, {}}, half, 0U, 0U);
    const std::size_t spatial2 = builder.depthwise("block2/depthwise", pooled, Window{3U, 1U, 1U});
    const std::size_t point2 = builder.conv("block2/pointwise", spatial2, 32U, Window{}, true, false);
    const std::size_t joined =
        builder.add(Node{NodeKind::kAdd, "block2/add", pooled, point2, Window{}, false, true, {}}, half, 0U, 0U);
    const std::size_t padded = builder.add(
        Node{NodeKind::kPad, "pad", joined, 0U, Window{1U, 1U, 1U}, false, false, {}}, Shape{10U, 10U, 32U}, 0U, 0U);
    const std::size_t deep = builder.conv("block3/conv", padded, 48U, Window{3U, 2U, 0U}, false, true);
    const std::size_t mean =
        builder.add(Node{NodeKind::kMean, "mean", deep, 0U, Window{}, false, false, {}}, Shape{1U, 1U, 48U}, 0U, 0U);
    (void)builder.add(Node{NodeKind::kFullyConnected, "logits", mean, 0U, Window{}, false, false, {}},
                      Shape{1U, 1U, kClassCount}, 48U, 48U * kClassCount);
    return builder.network;
}

std::size_t count_macs(const Network& network) {
    std::size_t macs = 0U;
    for (std::size_t i = 0U; i < network.nodes.size(); ++i) {
        const Shape& out = network.shapes[i + 1U];
        macs += out.height * out.width * network.nodes[i].weights.filter.size();
    }
    return macs;
}

std::size_t count_parameters(const Network& network) {
    std::size_t count = 0U;
    for (const Node& node : network.nodes) {
        count += node.weights.filter.size() + node.weights.bias.size();
    }
    return count;
}

Activations make_activations(const Network& network) {
    Activations activations;
    for (const Shape& shape : network.shapes) {
        activations.emplace_back(shape.elements(), 0.0F);
    }
    return activations;
}

void load_image(const Image& image, Activations& activations) {
    for (std::size_t i = 0U; i < image.size(); ++i) {
        activations[0U][i] = static_cast<float>(to_model_input(image[i])) * kInputScale;
    }
}

void forward(const Network& network, Activations& activations, const std::vector<Grid>* grids) {
    for (std::size_t i = 0U; i < network.nodes.size(); ++i) {
        const Node& node = network.nodes[i];
        const Shape& in_shape = network.shapes[node.input];
        const Shape& out_shape = network.shapes[i + 1U];
        const Values& in = activations[node.input];
        Values& out = activations[i + 1U];
        switch (node.kind) {
            case NodeKind::kConv:
            case NodeKind::kFullyConnected:
                conv_forward(in_shape, out_shape, node.window, node.weights, in, out);
                break;
            case NodeKind::kDepthwise:
                depthwise_forward(in_shape, out_shape, node.window, node.weights, in, out);
                break;
            case NodeKind::kMaxPool:
                max_pool_forward(in_shape, out_shape, node.window, in, out);
                break;
            case NodeKind::kAdd:
                out = in;
                add_into(activations[node.input2], out);
                break;
            case NodeKind::kPad:
                pad_forward(in_shape, out_shape, node.window, in, out);
                break;
            case NodeKind::kMean:
                mean_forward(in_shape, in, out);
                break;
        }
        if (node.relu) {
            std::replace_if(out.begin(), out.end(), [](float value) { return value < 0.0F; }, 0.0F);
        }
        if (grids != nullptr) {
            snap((*grids)[i + 1U], out);
        }
    }
}

Gradients make_gradients(const Network& network) {
    Gradients gradients;
    gradients.tensors = make_activations(network);
    gradients.transposed.resize(network.nodes.size());
    for (const Node& node : network.nodes) {
        gradients.nodes.push_back(
            Weights{Values(node.weights.filter.size(), 0.0F), Values(node.weights.bias.size(), 0.0F)});
    }
    refresh_transposed(network, gradients);
    return gradients;
}

void refresh_transposed(const Network& network, Gradients& gradients) {
    for (std::size_t i = 0U; i < network.nodes.size(); ++i) {
        if (is_convolution(network.nodes[i])) {
            gradients.transposed[i] =
                transpose_filter(network.nodes[i].weights.filter, network.shapes[i + 1U].channels);
        }
    }
}

void backward(const Network& network, const Activations& activations, Gradients& gradients) {
    for (std::size_t i = 0U; (i + 1U) < gradients.tensors.size(); ++i) {
        std::fill(gradients.tensors[i].begin(), gradients.tensors[i].end(), 0.0F);
    }
    for (std::size_t i = network.nodes.size(); i-- > 0U;) {
        const Node& node = network.nodes[i];
        const Shape& in_shape = network.shapes[node.input];
        const Shape& out_shape = network.shapes[i + 1U];
        const Values& in = activations[node.input];
        const Values& out = activations[i + 1U];
        Values& out_gradient = gradients.tensors[i + 1U];
        Values& in_gradient = gradients.tensors[node.input];
        if (node.relu) {
            for (std::size_t at = 0U; at < out.size(); ++at) {
                out_gradient[at] = (out[at] > 0.0F) ? out_gradient[at] : 0.0F;
            }
        }
        switch (node.kind) {
            case NodeKind::kConv:
            case NodeKind::kFullyConnected:
                conv_backward(in_shape, out_shape, node.window, gradients.transposed[i], in, out_gradient,
                              gradients.nodes[i], (node.input == 0U) ? nullptr : &in_gradient);
                break;
            case NodeKind::kDepthwise:
                depthwise_backward(in_shape, out_shape, node.window, node.weights, in, out_gradient, gradients.nodes[i],
                                   in_gradient);
                break;
            case NodeKind::kMaxPool:
                max_pool_backward(in_shape, out_shape, node.window, in, out, out_gradient, in_gradient);
                break;
            case NodeKind::kAdd:
                add_into(out_gradient, in_gradient);
                add_into(out_gradient, gradients.tensors[node.input2]);
                break;
            case NodeKind::kPad:
                pad_backward(in_shape, out_shape, node.window, out_gradient, in_gradient);
                break;
            case NodeKind::kMean:
                mean_backward(in_shape, out_gradient, in_gradient);
                break;
        }
    }
}

}  // namespace pianola::sample
