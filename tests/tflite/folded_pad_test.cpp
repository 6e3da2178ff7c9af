// PAD operators that a convolution computes itself: which ones, with what arguments, and that no number changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "hal/devices/refdev/kernels/arguments.h"
#include "tests/tflite/flat_device.h"
#include "tests/tflite/padded_models.h"

namespace pianola::tflite {
namespace {

using refdev::KernelId;

const std::vector<KernelId> kFolded{KernelId::kConv2d};
const std::vector<KernelId> kApart{KernelId::kPad, KernelId::kConv2d};

bool has_buffer(const capture::Recorder& recorder, const std::string& name) {
    return std::any_of(recorder.buffers().begin(), recorder.buffers().end(),
                       [&name](const capture::Buffer& buffer) { return buffer.name == name; });
}

// Without the copies to outputs.
std::vector<KernelId> launched(const ModelSpec& model) {
    std::vector<KernelId> kernels = kernels_of(import(model));
    kernels.erase(std::remove(kernels.begin(), kernels.end(), KernelId{}), kernels.end());
    return kernels;
}

std::vector<KernelId> kernels_after(const std::function<void(ModelSpec&)>& change) {
    ModelSpec model = padded_model(small_layer());
    change(model);
    return launched(model);
}

TEST(FoldedPad, TheConvolutionReadsTheImageAndPads) {
    PaddedConvolution layer = small_layer();
    layer.height.before = 2;
    layer.width.after = 3;
    const capture::Recorder recorder = import(padded_model(layer));
    const auto arguments = only_launch<refdev::Conv2dArguments>(recorder, KernelId::kConv2d);
    EXPECT_EQ(arguments.input_height, 4U);
    EXPECT_EQ(arguments.input_width, 4U);
    EXPECT_EQ(arguments.pad_top, 2U);
    EXPECT_EQ(arguments.pad_left, 1U);
    EXPECT_EQ(arguments.output_height, 5U);
    EXPECT_EQ(arguments.output_width, 6U);
    EXPECT_EQ(arguments.input_offset, 5);
    EXPECT_EQ(recorder.launches().front().label, "1 CONV_2D");
    EXPECT_FALSE(has_buffer(recorder, "padded"));
}

TEST(FoldedPad, ThePaddingOfBothAddsUp) {
    PaddedConvolution layer = small_layer();
    layer.is_same = true;
    layer.width.before = 4;
    const auto arguments = only_launch<refdev::Conv2dArguments>(import(padded_model(layer)), KernelId::kConv2d);
    EXPECT_EQ(arguments.pad_top, 2U);
    EXPECT_EQ(arguments.pad_left, 5U);
    EXPECT_EQ(arguments.output_height, 6U);
    EXPECT_EQ(arguments.output_width, 9U);
}

TEST(FoldedPad, PaddingOfNothingIsFolded) {
    EXPECT_EQ(kernels_after([](ModelSpec& model) {
                  model.contents[0] = words({0, 0, 0, 0, 0, 0, 0, 0});
                  model.tensors[kImage].shape = {1, 6, 6, 2};
              }),
              kFolded);
}

TEST(FoldedPad, AnExplicitValueIsTheZeroPoint) {
    PaddedConvolution layer = small_layer();
    layer.pad_code = kPadV2;
    EXPECT_EQ(launched(padded_model(layer)), kFolded);
    ModelSpec model = padded_model(layer);
    model.contents[3] = {static_cast<std::uint8_t>(-4)};
    EXPECT_EQ(launched(model), kApart);
    layer.is_int16 = true;
    EXPECT_EQ(launched(padded_model(layer)), (std::vector<KernelId>{KernelId::kConv2dInt16}));
    model = padded_model(layer);
    model.contents[3] = {0U, 1U};  // 256
    EXPECT_EQ(launched(model), (std::vector<KernelId>{KernelId::kPad, KernelId::kConv2dInt16}));
}

TEST(FoldedPad, WhatSomethingElseReadsIsApart) {
    EXPECT_EQ(kernels_after([](ModelSpec& model) { model.outputs.push_back(kPadded); }), kApart);
    const auto read_by = [](const OperatorSpec& reader, const TensorSpec& tensor) {
        return [=](ModelSpec& model) {
            model.operators.push_back(reader);
            model.tensors.push_back(tensor);
            model.outputs.push_back(static_cast<std::int32_t>(model.tensors.size()) - 1);
        };
    };
    constexpr std::int32_t kNext = kValue + 1;
    const TensorSpec flat{"flat", {72}, 0U, kInt8, {0.5F}, {-5}};
    EXPECT_EQ(kernels_after(read_by(OperatorSpec{kReshape, {kPadded}, {kNext}, 17U}, flat)), kApart);
    const OperatorSpec twin = padded_model(small_layer()).operators[kConvolutionAt];
    OperatorSpec second = twin;
    second.outputs = {kNext};
    const TensorSpec convolved{"second", {1, 4, 4, 3}, 0U, kInt8, {0.25F}, {-5}};
    EXPECT_EQ(kernels_after(read_by(second, convolved)),
              (std::vector<KernelId>{KernelId::kPad, KernelId::kConv2d, KernelId::kConv2d}));
}

TEST(FoldedPad, BatchesAndChannelsArePaddedApart) {
    EXPECT_EQ(kernels_after([](ModelSpec& model) {
                  model.contents[0] = words({1, 0, 1, 1, 1, 1, 0, 0});
                  model.tensors[kPadded].shape = {2, 6, 6, 2};
                  model.tensors[kConvolved].shape = {2, 4, 4, 3};
              }),
              kApart);
    EXPECT_EQ(kernels_after([](ModelSpec& model) {
                  model.contents[0] = words({0, 0, 1, 1, 1, 1, 0, 1});
                  model.tensors[kImage].shape = {1, 4, 4, 1};
              }),
              kApart);
}

TEST(FoldedPad, OtherReadersGetAPaddedImage) {
    // Pooling counts only what lies inside of its input.
    EXPECT_EQ(kernels_after([](ModelSpec& model) {
                  model.tensors[kConvolved] = TensorSpec{"pooled", {1, 4, 4, 2}, 0U, kInt8, {0.5F}, {-5}};
                  model.operators[kConvolutionAt] = OperatorSpec{
                      17, {kPadded}, {kConvolved}, 5U, {{0U, 1, true}, {1U, 1}, {2U, 1}, {3U, 3}, {4U, 3}}};
              }),
              (std::vector<KernelId>{KernelId::kPad, KernelId::kMaxPool2d}));
}

// The kernel's padding has a limit, which that of both together can exceed.
TEST(FoldedPad, PaddingThatNoKernelTakesIsApart) {
    PaddedConvolution layer = small_layer();
    layer.is_same = true;
    layer.input_channels = 1;
    layer.width = PaddedAxis{1, 32'700, 0, 3, 1, 67};
    layer.weights.resize(layer.weight_count());
    EXPECT_EQ(launched(padded_model(layer)), kFolded);
    layer.width.dilation = 68;  // reaches 137 positions: half of them are 68
    EXPECT_EQ(launched(padded_model(layer)), kApart);
}

TEST(FoldedPad, RefusalsStayThoseOfThePad) {
    const auto refused = [](const std::function<void(ModelSpec&)>& change) {
        return refusal(padded_model(small_layer()), change);
    };
    EXPECT_EQ(refused([](ModelSpec& model) { model.contents[0] = words({0, 0, -1, 3, 1, 1, 0, 0}); }),
              "negative paddings are not supported");
    EXPECT_EQ(refused([](ModelSpec& model) { model.contents[0] = words({0, 0, 1, 2, 1, 1, 0, 0}); }),
              "its output size does not follow from its input");
    EXPECT_EQ(refused([](ModelSpec& model) { model.tensors[kPadded].zero_points = {-4}; }),
              "different quantisation of input and output is not supported");
    EXPECT_EQ(refused([](ModelSpec& model) { model.tensors[kPadded].scales = {0.75F}; }),
              "different quantisation of input and output is not supported");
    EXPECT_EQ(refused([](ModelSpec& model) { model.tensors[kImage].shape = {1, 4, 4, 3}; }),
              "its output size does not follow from its input");
    EXPECT_EQ(refused([](ModelSpec& model) { model.operators[kPadAt].inputs = {kImage}; }),
              "1 inputs are not supported");
}

// Random layers.

class RandomLayers {
  public:
    std::int32_t pick(std::int32_t lowest, std::int32_t highest) {
        return lowest + static_cast<std::int32_t>(random_() % static_cast<std::uint32_t>(highest - lowest + 1));
    }
    PaddedConvolution layer() {
        PaddedConvolution drawn;
        drawn.is_same = pick(0, 2) == 0;
        drawn.height = axis(drawn.is_same);
        drawn.width = axis(drawn.is_same);
        drawn.batches = pick(1, 2);
        drawn.input_channels = pick(1, 5);
        drawn.is_depthwise = pick(0, 1) == 0;
        drawn.output_channels = drawn.is_depthwise ? (drawn.input_channels * pick(1, 3)) : pick(1, 40);
        drawn.is_int16 = pick(0, 3) == 0;
        drawn.zero_point = pick(-128, 127);
        drawn.pad_code = (pick(0, 1) == 0) ? kPad : kPadV2;
        for (std::size_t i = 0U; i < drawn.weight_count(); ++i) {
            drawn.weights.push_back(static_cast<std::int8_t>(pick(-3, 3)));
        }
        for (std::int32_t i = 0; i < drawn.output_channels; ++i) {
            drawn.bias.push_back(pick(-100, 100));
        }
        return drawn;
    }

  private:
    // Every third one has the shape of many layers of models. Padding may be larger than the filter, and than the
    // image.
    PaddedAxis axis(bool is_same) {
        PaddedAxis drawn;
        do {
            drawn = (pick(0, 2) == 0)
                        ? PaddedAxis{pick(1, 12), pick(0, 1), 1, 3, pick(1, 2), 1}
                        : PaddedAxis{pick(1, 6), pick(0, 7), pick(0, 7), pick(1, 4), pick(1, 3), pick(1, 3)};
        } while (!is_same && (drawn.padded() < drawn.reach()));
        return drawn;
    }

    std::mt19937 random_{3U};
};

std::vector<std::int32_t> elements_of(const std::uint8_t* bytes, std::size_t count, bool is_int16) {
    std::vector<std::int32_t> elements;
    for (std::size_t i = 0U; i < count; ++i) {
        elements.push_back(is_int16 ? static_cast<std::int16_t>(bytes[2U * i] | (bytes[(2U * i) + 1U] << 8))
                                    : static_cast<std::int8_t>(bytes[i]));
    }
    return elements;
}

std::size_t buffer_of(const capture::Recorder& recorder, const std::string& name) {
    for (std::size_t i = 0U; i < recorder.buffers().size(); ++i) {
        if (recorder.buffers()[i].name == name) {
            return i;
        }
    }
    return recorder.buffers().size();
}

// The layer by its definition, on the image without padding: positions outside of it add nothing.
class Reference {
  public:
    Reference(const PaddedConvolution& layer, const std::vector<std::int32_t>& image) : layer_{layer}, image_{image} {}

    std::vector<std::int32_t> output() {
        std::vector<std::int32_t> all;
        for (std::int32_t batch = 0; batch < layer_.batches; ++batch) {
            for (std::int32_t row = 0; row < layer_.height.outputs(layer_.is_same); ++row) {
                for (std::int32_t column = 0; column < layer_.width.outputs(layer_.is_same); ++column) {
                    add_pixel(batch, row, column, all);
                }
            }
        }
        return all;
    }
    // Of all pixels of the output: those without a tap in the image.
    [[nodiscard]] std::size_t pixels_outside() const { return pixels_outside_; }

  private:
    // Where a tap lies in the image; outside of it, that is below 0 or at least the size.
    [[nodiscard]] std::int32_t place(const PaddedAxis& axis, std::int32_t output, std::int32_t tap) const {
        return (output * axis.stride) + (tap * axis.dilation) - axis.before - axis.same_before(layer_.is_same);
    }

    void add_pixel(std::int32_t batch, std::int32_t row, std::int32_t column, std::vector<std::int32_t>& all) {
        std::vector<std::int32_t> sums = layer_.bias;
        bool is_outside = true;
        for (std::int32_t tap = 0; tap < (layer_.height.filter * layer_.width.filter); ++tap) {
            const std::int32_t y = place(layer_.height, row, tap / layer_.width.filter);
            const std::int32_t x = place(layer_.width, column, tap % layer_.width.filter);
            if ((y >= 0) && (y < layer_.height.size) && (x >= 0) && (x < layer_.width.size)) {
                is_outside = false;
                add_tap(tap, ((((batch * layer_.height.size) + y) * layer_.width.size) + x), sums);
            }
        }
        pixels_outside_ += is_outside ? 1U : 0U;
        const std::int32_t zero_point = layer_.is_int16 ? 0 : layer_.zero_point;
        const std::int32_t lowest = layer_.is_int16 ? INT16_MIN : INT8_MIN;
        for (const std::int32_t sum : sums) {
            all.push_back(std::clamp(sum + zero_point, lowest, -lowest - 1));
        }
    }

    void add_tap(std::int32_t tap, std::int32_t pixel, std::vector<std::int32_t>& sums) const {
        const std::int32_t taps = layer_.height.filter * layer_.width.filter;
        const std::int32_t zero_point = layer_.is_int16 ? 0 : layer_.zero_point;
        for (std::int32_t out = 0; out < layer_.output_channels; ++out) {
            const std::int32_t multiplier = layer_.output_channels / layer_.input_channels;
            for (std::int32_t in = 0; in < layer_.input_channels; ++in) {
                if (layer_.is_depthwise && (in != (out / multiplier))) {
                    continue;
                }
                const std::int32_t weight = layer_.is_depthwise ? ((tap * layer_.output_channels) + out)
                                                                : ((((out * taps) + tap) * layer_.input_channels) + in);
                const std::int32_t element =
                    image_.at(product_of({pixel, layer_.input_channels}) + static_cast<std::size_t>(in));
                sums.at(static_cast<std::size_t>(out)) +=
                    (element - zero_point) * layer_.weights.at(static_cast<std::size_t>(weight));
            }
        }
    }

    const PaddedConvolution& layer_;
    const std::vector<std::int32_t>& image_;
    std::size_t pixels_outside_{0U};
};

// Runs the model on an image that is the same for every model of the layer. Gives image and result.
std::vector<std::int32_t> run_model(const ModelSpec& model, const PaddedConvolution& layer, std::size_t outputs,
                                    std::vector<std::int32_t>& image) {
    const capture::Recorder recorder = import(model);
    FlatDevice device{recorder};
    const std::size_t input = buffer_of(recorder, "image");
    const std::size_t input_bytes = recorder.buffers().at(input).size_bytes;
    std::mt19937 random{9U};
    for (std::size_t i = 0U; i < input_bytes; ++i) {
        device.bytes(input)[i] = static_cast<std::uint8_t>(random());
    }
    device.run();
    image = elements_of(device.bytes(input), input_bytes / (layer.is_int16 ? 2U : 1U), layer.is_int16);
    return elements_of(device.bytes(buffer_of(recorder, "convolved")), outputs, layer.is_int16);
}

TEST(FoldedPad, NoNumberChanges) {
    RandomLayers layers;
    std::size_t outside = 0U;
    for (std::uint32_t round = 0U; round < 1500U; ++round) {
        const PaddedConvolution layer = layers.layer();
        ModelSpec model = padded_model(layer);
        ASSERT_EQ(launched(model).size(), 1U) << round;
        const std::size_t outputs = product_of({layer.batches, layer.height.outputs(layer.is_same),
                                                layer.width.outputs(layer.is_same), layer.output_channels});
        std::vector<std::int32_t> image;
        const std::vector<std::int32_t> folded = run_model(model, layer, outputs, image);
        Reference reference{layer, image};
        ASSERT_EQ(folded, reference.output()) << round;
        outside += reference.pixels_outside();
        model.outputs.push_back(kPadded);
        ASSERT_EQ(launched(model).size(), 2U) << round;
        ASSERT_EQ(run_model(model, layer, outputs, image), folded) << round;
        ASSERT_FALSE(HasFatalFailure());
    }
    EXPECT_GT(outside, 1000U) << "pixels of which no tap lies in the image";
}

}  // namespace
}  // namespace pianola::tflite
