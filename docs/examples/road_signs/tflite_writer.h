// TFLite writer: the quantised network as a .tflite file.
//
// Writes TensorFlow Lite schema version 3, identifier TFL3, with all that an ordinary interpreter asks for: operator
// codes with versions, an empty buffer 0, tensor names, quantisation of every int8 and bias tensor. Same network, same
// bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "docs/examples/road_signs/network.h"
#include "docs/examples/road_signs/quantise.h"

namespace pianola::sample {

// The written model is the network with SOFTMAX behind it.
[[nodiscard]] std::vector<std::uint8_t> write_tflite(const Network& network, const QuantisedNetwork& quantised);

}  // namespace pianola::sample
