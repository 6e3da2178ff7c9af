// Quantise: from the trained float network to int8, after training.
//
// docs/examples/road_signs, between the trainer and the model writer. Follows the published TensorFlow Lite 8-bit
// quantisation specification: activations are asymmetric int8 on the range that calibration pictures show, filters are
// symmetric int8 in [-127, 127], per output channel for convolutions and per tensor for the fully connected layer;
// biases are int32 of scale input * filter; pooling and padding keep their input's grid.
#pragma once

#include <cstdint>
#include <vector>

#include "docs/examples/road_signs/data_set.h"
#include "docs/examples/road_signs/network.h"

namespace pianola::sample {

// Filter and bias of one node, in TFLite's order: convolution [output channel][row][column][input channel], depthwise
// [row][column][channel], fully connected [output][input]. All empty where the node has no weights.
struct QuantisedNode {
    std::vector<std::int8_t> filter;
    std::vector<float> filter_scales;  // one, or one per output channel
    std::vector<std::int32_t> bias;
    std::vector<float> bias_scales;  // as many
};

struct QuantisedNetwork {
    std::vector<Grid> grids;  // per tensor of the network
    std::vector<QuantisedNode> nodes;
};

// Throws std::invalid_argument without examples.
[[nodiscard]] QuantisedNetwork quantise(const Network& network, const std::vector<Example>& calibration);

// The network with the weights that int8 has left of it; with the grids, forward() then estimates the int8 model.
[[nodiscard]] Network dequantise(const Network& network, const QuantisedNetwork& quantised);

}  // namespace pianola::sample
