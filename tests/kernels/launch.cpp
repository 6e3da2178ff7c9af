#include "tests/kernels/launch.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kInput = kBase;
constexpr std::uint32_t kFilter = kBase + 256U;
constexpr std::uint32_t kParameters = kBase + 512U;
constexpr std::uint32_t kOutput = kBase + 768U;
constexpr std::int32_t kHalf = 1 << 30;

}  // namespace

std::vector<Sample> layer_launches() {
    FullyConnectedArguments fully_connected{};
    fully_connected.input = kInput;
    fully_connected.filter = kFilter;
    fully_connected.channel_parameters = kParameters;
    fully_connected.output = kOutput;
    fully_connected.batches = 3U;
    fully_connected.input_depth = 20U;
    fully_connected.output_depth = 7U;
    fully_connected.input_offset = 128;
    fully_connected.output_offset = -5;
    fully_connected.activation_min = -128;
    fully_connected.activation_max = 127;

    Conv2dArguments conv2d{};
    conv2d.input = kInput;
    conv2d.filter = kFilter;
    conv2d.channel_parameters = kParameters;
    conv2d.output = kOutput;
    conv2d.batches = 1U;
    conv2d.input_height = 5U;
    conv2d.input_width = 6U;
    conv2d.input_channels = 4U;
    conv2d.output_height = 3U;
    conv2d.output_width = 3U;
    conv2d.output_channels = 6U;
    conv2d.filter_height = 3U;
    conv2d.filter_width = 2U;
    conv2d.filter_channels = 2U;
    conv2d.stride_height = 2U;
    conv2d.stride_width = 2U;
    conv2d.dilation_height = 1U;
    conv2d.dilation_width = 2U;
    conv2d.pad_top = 1U;
    conv2d.pad_left = 1U;
    conv2d.input_offset = -3;
    conv2d.output_offset = 4;
    conv2d.activation_min = -100;
    conv2d.activation_max = 100;

    DepthwiseConv2dArguments depthwise{};
    depthwise.input = kInput;
    depthwise.filter = kFilter;
    depthwise.channel_parameters = kParameters;
    depthwise.output = kOutput;
    depthwise.batches = 1U;
    depthwise.input_height = 5U;
    depthwise.input_width = 5U;
    depthwise.input_channels = 3U;
    depthwise.output_height = 5U;
    depthwise.output_width = 5U;
    depthwise.depth_multiplier = 2U;
    depthwise.filter_height = 3U;
    depthwise.filter_width = 3U;
    depthwise.stride_height = 1U;
    depthwise.stride_width = 1U;
    depthwise.dilation_height = 1U;
    depthwise.dilation_width = 1U;
    depthwise.pad_top = 1U;
    depthwise.pad_left = 1U;
    depthwise.input_offset = 7;
    depthwise.output_offset = -9;
    depthwise.activation_min = -128;
    depthwise.activation_max = 127;

    Pool2dArguments pool{};
    pool.input = kInput;
    pool.output = kOutput;
    pool.batches = 2U;
    pool.input_height = 5U;
    pool.input_width = 4U;
    pool.channels = 3U;
    pool.output_height = 3U;
    pool.output_width = 2U;
    pool.filter_height = 3U;
    pool.filter_width = 3U;
    pool.stride_height = 2U;
    pool.stride_width = 2U;
    pool.pad_top = 1U;
    pool.pad_left = 0U;
    pool.activation_min = -120;
    pool.activation_max = 120;
    pool.type = kTypeInt8;

    MeanArguments mean{};
    mean.input = kInput;
    mean.output = kOutput;
    mean.dims = {2U, 3U, 4U, 5U};
    mean.reduced_axes = 0b0110U;
    mean.input_zero_point = 3;
    mean.output_zero_point = -2;
    mean.multiplier = 1431655765;  // 8/12 of Q31, with the shift below 1/12
    mean.shift = -3;
    mean.type = kTypeInt8;

    AddArguments add{};
    add.input1 = kInput;
    add.input2 = kFilter;
    add.output = kOutput;
    add.dims = {2U, 3U, 4U, 5U};
    add.strides1 = {60U, 20U, 5U, 1U};
    add.strides2 = {0U, 0U, 0U, 1U};
    add.input1_offset = -3;
    add.input1_multiplier = kHalf;
    add.input2_offset = 9;
    add.input2_multiplier = kHalf;
    add.input2_shift = -1;
    add.left_shift = 20U;
    add.output_offset = 2;
    add.output_multiplier = kHalf;
    add.output_shift = -18;
    add.activation_min = -128;
    add.activation_max = 127;

    SoftmaxArguments softmax{};
    softmax.input = kInput;
    softmax.output = kOutput;
    softmax.rows = 6U;
    softmax.depth = 10U;
    softmax.input_multiplier = kHalf;  // 1/16 per step
    softmax.input_left_shift = 23;
    softmax.diff_min = -248;
    softmax.output_type = kTypeInt8;

    RequantizeArguments requantize{};
    requantize.input = kInput;
    requantize.output = kOutput;
    requantize.count = 150U;
    requantize.input_zero_point = 3;
    requantize.multiplier = kHalf + 12345;
    requantize.shift = 1;
    requantize.output_zero_point = -17;

    PadArguments pad{};
    pad.input = kInput;
    pad.output = kOutput;
    pad.dims = {2U, 3U, 2U, 3U};
    pad.before = {0U, 1U, 2U, 1U};
    pad.after = {1U, 0U, 1U, 0U};
    pad.element_bytes = 1U;
    pad.value = -7;

    PadArguments wide = pad;
    wide.dims = {1U, 2U, 1U, 3U};
    wide.element_bytes = 2U;
    wide.value = 0x1234;

    QuantizedBinaryArguments product{};
    product.input1 = kInput;
    product.input2 = kFilter;
    product.output = kOutput;
    product.dims = add.dims;
    product.strides1 = add.strides1;
    product.strides2 = add.strides2;
    product.type = kTypeInt8;
    product.op = QuantizedBinaryOp::kMultiply;
    product.input1_offset = -3;
    product.input1_multiplier = kHalf;
    product.input2_offset = 9;
    product.input2_multiplier = kHalf;
    product.output_offset = 2;
    product.output_multiplier = kHalf + 777;
    product.output_shift = -6;
    product.activation_min = -100;
    product.activation_max = 127;
    QuantizedBinaryArguments difference = product;
    difference.dims = {2U, 3U, 4U, 1U};
    difference.strides1 = {12U, 4U, 1U, 0U};
    difference.strides2 = {0U, 0U, 1U, 0U};
    difference.type = kTypeInt16;
    difference.op = QuantizedBinaryOp::kSubtract;
    difference.left_shift = 15U;
    difference.output_shift = -13;
    difference.activation_min = -30000;
    difference.activation_max = 30000;
    QuantizedBinaryArguments less = difference;
    less.op = QuantizedBinaryOp::kLess;

    const RescaleArguments narrow{kInput, kOutput, 50U, kTypeInt32, kTypeInt16, 0,    kHalf + 5,
                                  -3,     kHalf,   -5,  17,         -32768,     32767};
    const RescaleArguments leaky{kInput, kOutput, 100U, kTypeInt16, kTypeInt16, 0,    kHalf,
                                 1,      kHalf,   -1,   0,          -32768,     20000};
    constexpr std::uint32_t kScaleBits = 0x3D4C'CCCDU;  // 0.05
    const QuantizeArguments quantize{kInput, kOutput, 50U, kTypeInt16, kScaleBits, 11};
    const DequantizeArguments dequantize{kInput, kOutput, 50U, kTypeUint8, kScaleBits, 11};

    return {
        {KernelId::kFullyConnected, words_of(fully_connected)},
        {KernelId::kConv2d, words_of(conv2d)},
        {KernelId::kDepthwiseConv2d, words_of(depthwise)},
        {KernelId::kAveragePool2d, words_of(pool)},
        {KernelId::kMaxPool2d, words_of(pool)},
        {KernelId::kMean, words_of(mean)},
        {KernelId::kAdd, words_of(add)},
        {KernelId::kSoftmax, words_of(softmax)},
        {KernelId::kL2Normalization, words_of(L2NormalizationArguments{kInput, kOutput, 6U, 10U, 3})},
        // 1/16 per step, and 16 steps for each.
        {KernelId::kLogSoftmax, words_of(LogSoftmaxArguments{kInput, kOutput, 6U, 10U, kHalf, 23, -248, kHalf, -21})},
        {KernelId::kRequantize, words_of(requantize)},
        {KernelId::kPad, words_of(pad)},
        {KernelId::kPad, words_of(wide), "_int16"},
        {KernelId::kQuantizedBinary, words_of(product)},
        {KernelId::kQuantizedBinary, words_of(difference), "_int16"},
        {KernelId::kQuantizedBinary, words_of(less), "_less"},
        {KernelId::kQuantize, words_of(quantize)},
        {KernelId::kDequantize, words_of(dequantize)},
        {KernelId::kRescale, words_of(narrow)},
        {KernelId::kRescale, words_of(leaky), "_int16"},
    };
}

std::vector<Sample> sample_launches() {
    std::vector<Sample> all = layer_launches();
    for (const std::vector<Sample>& others : {int16_launches(), plain_launches()}) {
        all.insert(all.end(), others.begin(), others.end());
    }
    return all;
}

std::string sample_name(const Sample& sample) {
    return std::string{kernel(sample.id).name} + sample.variant;
}

}  // namespace pianola::refdev
