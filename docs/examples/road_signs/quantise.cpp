#include "docs/examples/road_signs/quantise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "docs/examples/road_signs/exact_math.h"

namespace pianola::sample {

namespace {

// Always holds 0, which padding and ReLU need to be exact.
struct Range {
    float low{0.0F};
    float high{0.0F};
};

std::vector<Range> observe(const Network& network, const std::vector<Example>& examples) {
    std::vector<Range> ranges(network.shapes.size());
    Activations activations = make_activations(network);
    for (const Example& example : examples) {
        load_image(example.image, activations);
        forward(network, activations);
        for (std::size_t t = 0U; t < ranges.size(); ++t) {
            for (const float value : activations[t]) {
                ranges[t].low = std::min(ranges[t].low, value);
                ranges[t].high = std::max(ranges[t].high, value);
            }
        }
    }
    return ranges;
}

Grid grid_of(const Range& range) {
    constexpr double kSteps = 255.0;
    constexpr double kSmallest = 1e-6;  // a tensor that is always 0 still needs a scale
    const double span = std::max(static_cast<double>(range.high) - static_cast<double>(range.low), kSmallest);
    const auto scale = static_cast<float>(span / kSteps);
    const std::int64_t zero_point = -128 - round_half_away(static_cast<double>(range.low) / static_cast<double>(scale));
    return Grid{scale, static_cast<std::int32_t>(std::clamp<std::int64_t>(zero_point, -128, 127))};
}

std::vector<Grid> make_grids(const Network& network, const std::vector<Range>& ranges) {
    std::vector<Grid> grids{Grid{kInputScale, 0}};
    for (std::size_t i = 0U; i < network.nodes.size(); ++i) {
        const Node& node = network.nodes[i];
        const bool keeps = (node.kind == NodeKind::kMaxPool) || (node.kind == NodeKind::kPad);
        grids.push_back(keeps ? grids[node.input] : grid_of(ranges[i + 1U]));
    }
    return grids;
}

// One scale per output channel, which is the innermost index of the float filter; or one for all.
std::vector<float> make_filter_scales(const Node& node, std::size_t channels) {
    constexpr float kGreatest = 127.0F;
    constexpr float kSmallest = 1e-8F;
    const std::size_t count = (node.kind == NodeKind::kFullyConnected) ? 1U : channels;
    std::vector<float> scales(count, kSmallest);
    for (std::size_t i = 0U; i < node.weights.filter.size(); ++i) {
        float& scale = scales[i % count];
        scale = std::max(scale, std::fabs(node.weights.filter[i]) / kGreatest);
    }
    return scales;
}

// Where element i of the float filter goes in TFLite's order.
std::size_t stored_index(const Node& node, std::size_t channels, std::size_t i) {
    if (node.kind == NodeKind::kDepthwise) {
        return i;
    }
    const std::size_t rows = node.weights.filter.size() / channels;
    return ((i % channels) * rows) + (i / channels);
}

template <typename Integer>
Integer to_integer(float value, double scale, std::int64_t limit) {
    const std::int64_t q = round_half_away(static_cast<double>(value) / scale);
    return static_cast<Integer>(std::clamp<std::int64_t>(q, -limit, limit));
}

QuantisedNode quantise_node(const Node& node, std::size_t channels, const Grid& input) {
    constexpr std::int64_t kBiasLimit = std::numeric_limits<std::int32_t>::max();
    constexpr std::int64_t kFilterLimit = 127;
    QuantisedNode result;
    if (node.weights.filter.empty()) {
        return result;
    }
    result.filter_scales = make_filter_scales(node, channels);
    const std::size_t count = result.filter_scales.size();
    result.filter.resize(node.weights.filter.size());
    for (std::size_t i = 0U; i < node.weights.filter.size(); ++i) {
        result.filter[stored_index(node, channels, i)] = to_integer<std::int8_t>(
            node.weights.filter[i], static_cast<double>(result.filter_scales[i % count]), kFilterLimit);
    }
    for (const float scale : result.filter_scales) {
        result.bias_scales.push_back(input.scale * scale);
    }
    for (std::size_t c = 0U; c < channels; ++c) {
        result.bias.push_back(to_integer<std::int32_t>(node.weights.bias[c],
                                                       static_cast<double>(result.bias_scales[c % count]), kBiasLimit));
    }
    return result;
}

}  // namespace

QuantisedNetwork quantise(const Network& network, const std::vector<Example>& calibration) {
    if (calibration.empty()) {
        throw std::invalid_argument("quantise: needs calibration pictures");
    }
    QuantisedNetwork quantised;
    quantised.grids = make_grids(network, observe(network, calibration));
    for (std::size_t i = 0U; i < network.nodes.size(); ++i) {
        const Node& node = network.nodes[i];
        quantised.nodes.push_back(quantise_node(node, network.shapes[i + 1U].channels, quantised.grids[node.input]));
    }
    return quantised;
}

Network dequantise(const Network& network, const QuantisedNetwork& quantised) {
    Network result = network;
    for (std::size_t n = 0U; n < result.nodes.size(); ++n) {
        Node& node = result.nodes[n];
        const QuantisedNode& from = quantised.nodes[n];
        const std::size_t channels = result.shapes[n + 1U].channels;
        const std::size_t count = from.filter_scales.size();
        for (std::size_t i = 0U; i < from.filter.size(); ++i) {
            node.weights.filter[i] =
                static_cast<float>(from.filter[stored_index(node, channels, i)]) * from.filter_scales[i % count];
        }
        for (std::size_t c = 0U; c < from.bias.size(); ++c) {
            node.weights.bias[c] = static_cast<float>(from.bias[c]) * from.bias_scales[c % count];
        }
    }
    return result;
}

}  // namespace pianola::sample
