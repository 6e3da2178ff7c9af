// A PAD and the convolution of its output, of any geometry: for the tests of how the importer joins them.
//
// Scales are such that a sum of products is the output, but for the zero point and the range: a test needs no rounding
// to say what comes out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "tests/tflite/model_builder.h"
#include "tests/tflite/one_import.h"

namespace pianola::tflite {

inline constexpr std::int32_t kConv2d = 3;
inline constexpr std::int32_t kDepthwiseConv2d = 4;
inline constexpr std::int32_t kPad = 34;
inline constexpr std::int32_t kPadV2 = 60;
inline constexpr std::int8_t kInt64 = 4;

// Of sizes.
inline std::size_t product_of(std::initializer_list<std::int32_t> sizes) {
    std::size_t product = 1U;
    for (const std::int32_t size : sizes) {
        product *= static_cast<std::size_t>(size);
    }
    return product;
}

struct PaddedAxis {
    std::int32_t size{4};
    std::int32_t before{1};
    std::int32_t after{1};
    std::int32_t filter{3};
    std::int32_t stride{1};
    std::int32_t dilation{1};

    [[nodiscard]] std::int32_t padded() const { return before + size + after; }
    [[nodiscard]] std::int32_t reach() const { return ((filter - 1) * dilation) + 1; }
    [[nodiscard]] std::int32_t outputs(bool is_same) const {
        return is_same ? ((padded() + stride - 1) / stride) : (((padded() - reach()) / stride) + 1);
    }
    // What the convolution pads itself.
    [[nodiscard]] std::int32_t same_before(bool is_same) const {
        const std::int32_t needed = ((outputs(is_same) - 1) * stride) + reach() - padded();
        return (is_same && (needed > 0)) ? (needed / 2) : 0;
    }
};

struct PaddedConvolution {
    PaddedAxis height;
    PaddedAxis width;
    std::int32_t batches{1};
    std::int32_t input_channels{2};
    std::int32_t output_channels{3};
    bool is_depthwise{false};  // then output channels are a multiple of the input's
    bool is_int16{false};
    bool is_same{false};  // what the convolution pads; otherwise nothing
    std::int32_t zero_point{-5};
    std::int32_t pad_code{kPad};
    std::vector<std::int8_t> weights;  // [output_channels][height][width][input_channels], or [height][width][channels]
    std::vector<std::int32_t> bias;

    [[nodiscard]] std::size_t weight_count() const {
        return product_of({height.filter, width.filter, output_channels, is_depthwise ? 1 : input_channels});
    }
};

// Tensors and operators of padded_model().
enum PaddedTensor : std::int32_t { kImage, kPaddings, kPadded, kFilter, kBias, kConvolved, kValue };
enum PaddedOperator : std::size_t { kPadAt, kConvolutionAt };

inline std::vector<std::uint8_t> wide_words(const std::vector<std::int32_t>& values) {
    std::vector<std::int32_t> parts;
    for (const std::int32_t value : values) {
        parts.push_back(value);
        parts.push_back((value < 0) ? -1 : 0);
    }
    return words(parts);
}

// The image is the input, what the convolution computes the output. The value of a PADV2 is the zero point.
inline ModelSpec padded_model(const PaddedConvolution& layer) {
    const auto& [height, width] = std::array<PaddedAxis, 2>{layer.height, layer.width};
    const std::int8_t type = layer.is_int16 ? kInt16 : kInt8;
    const std::int32_t zero_point = layer.is_int16 ? 0 : layer.zero_point;
    const auto image = [&](const char* name, std::int32_t rows, std::int32_t columns, std::int32_t channels) {
        return TensorSpec{name, {layer.batches, rows, columns, channels}, 0U, type, {0.5F}, {zero_point}};
    };
    std::vector<std::uint8_t> value{static_cast<std::uint8_t>(zero_point)};
    value.resize(layer.is_int16 ? 2U : 1U);
    ModelSpec model;
    model.contents = {words({0, 0, height.before, height.after, width.before, width.after, 0, 0}),
                      std::vector<std::uint8_t>(layer.weights.begin(), layer.weights.end()),
                      layer.is_int16 ? wide_words(layer.bias) : words(layer.bias), value};
    const std::int32_t outer = layer.is_depthwise ? 1 : layer.output_channels;
    const std::int32_t inner = layer.is_depthwise ? layer.output_channels : layer.input_channels;
    model.tensors = {
        image("image", height.size, width.size, layer.input_channels),
        TensorSpec{"paddings", {4, 2}, 1U, kInt32, {}, {}},
        image("padded", height.padded(), width.padded(), layer.input_channels),
        TensorSpec{"filter", {outer, height.filter, width.filter, inner}, 2U},
        TensorSpec{"bias", {layer.output_channels}, 3U, layer.is_int16 ? kInt64 : kInt32, {0.25F}},
        image("convolved", height.outputs(layer.is_same), width.outputs(layer.is_same), layer.output_channels),
        TensorSpec{"value", {}, 4U, type, {0.5F}, {zero_point}}};
    model.tensors[kConvolved].scales = {0.25F};
    const std::int32_t padding = layer.is_same ? 0 : 1;
    std::vector<OptionSpec> options{{0U, padding, true}, {1U, width.stride}, {2U, height.stride}};
    if (layer.is_depthwise) {
        options.insert(
            options.end(),
            {{3U, layer.output_channels / layer.input_channels}, {5U, width.dilation}, {6U, height.dilation}});
    } else {
        options.insert(options.end(), {{4U, width.dilation}, {5U, height.dilation}});
    }
    model.operators = {OperatorSpec{layer.pad_code, {kImage, kPaddings}, {kPadded}},
                       OperatorSpec{layer.is_depthwise ? kDepthwiseConv2d : kConv2d,
                                    {kPadded, kFilter, kBias},
                                    {kConvolved},
                                    static_cast<std::uint8_t>(layer.is_depthwise ? 2U : 1U),
                                    options}};
    if (layer.pad_code == kPadV2) {
        model.operators[kPadAt].inputs.push_back(kValue);
    }
    model.inputs = {kImage};
    model.outputs = {kConvolved};
    return model;
}

// Weights of -1, 0 and 1.
inline PaddedConvolution small_layer() {
    PaddedConvolution layer;
    for (std::size_t i = 0U; i < layer.weight_count(); ++i) {
        layer.weights.push_back(static_cast<std::int8_t>(static_cast<std::int32_t>(i % 3U) - 1));
    }
    layer.bias = {3, -4, 5};
    return layer;
}

}  // namespace pianola::tflite
