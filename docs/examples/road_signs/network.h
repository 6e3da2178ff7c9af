// Network: the sample's graph of layers, in float.
//
// Trained by the trainer (trainer.h), turned into int8 by quantise.h. Tensor 0 is the picture; node i makes tensor i +
// 1. The last tensor holds the logits: softmax is added when the model is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "docs/examples/road_signs/layers.h"
#include "docs/examples/road_signs/scene.h"

namespace pianola::sample {

enum class NodeKind : std::uint8_t { kConv, kDepthwise, kMaxPool, kAdd, kPad, kMean, kFullyConnected };

struct Node {
    NodeKind kind{NodeKind::kConv};
    std::string name;
    std::size_t input{0U};   // tensor
    std::size_t input2{0U};  // tensor, kAdd only
    Window window;
    bool same_padding{false};  // how TFLite calls it; window.pad_before already agrees
    bool relu{false};
    Weights weights;  // empty where the kind has none
};

struct Network {
    std::vector<Shape> shapes;  // per tensor
    std::vector<Node> nodes;
};

// With the initial weights of the seed.
[[nodiscard]] Network make_network(std::uint64_t seed);

// Multiply-accumulates of one picture, and the number of weights and biases.
[[nodiscard]] std::size_t count_macs(const Network& network);
[[nodiscard]] std::size_t count_parameters(const Network& network);

// Where a tensor's values lie once they are int8: real = scale * (q - zero_point).
struct Grid {
    float scale{1.0F};
    std::int32_t zero_point{0};
};

// Values per tensor, kept so that the backward pass can use them. Made by make_activations, reused from picture to
// picture.
using Activations = std::vector<Values>;
[[nodiscard]] Activations make_activations(const Network& network);

void load_image(const Image& image, Activations& activations);
// Tensor 0 is loaded; fills the others. With grids (one per tensor) every result is moved to the nearest point of its
// grid, which shows what int8 will do.
void forward(const Network& network, Activations& activations, const std::vector<Grid>* grids = nullptr);

// Gradients of the loss, by node; and what the backward pass needs beside them.
struct Gradients {
    std::vector<Weights> nodes;
    Activations tensors;             // the last one is given by the caller
    std::vector<Values> transposed;  // filters of the convolutions, current until the weights change
};
[[nodiscard]] Gradients make_gradients(const Network& network);
void refresh_transposed(const Network& network, Gradients& gradients);
// Adds this picture's gradients to gradients.nodes.
void backward(const Network& network, const Activations& activations, Gradients& gradients);

}  // namespace pianola::sample
