#include "tests/kernels/launch.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kInput = kBase;
constexpr std::uint32_t kFilter = kBase + 256U;
constexpr std::uint32_t kParameters = kBase + 512U;
constexpr std::uint32_t kOutput = kBase + 768U;
constexpr std::uint32_t kTable = kBase + 256U;
constexpr std::uint32_t kFirst = kBase;  // operands of what is not a layer
constexpr std::uint32_t kSecond = kBase + 256U;
constexpr std::uint32_t kThird = kBase + 512U;
constexpr std::int32_t kHalf = 1 << 30;

// The layer's int8 form, without zero points.
template <typename Layer>
Layer layer_of(KernelId id) {
    auto layer = sample_arguments<Layer>(id, layer_launches());
    layer.input_offset = 0;
    layer.output_offset = 0;
    layer.activation_min = -32768;
    layer.activation_max = 32767;
    return layer;
}

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

std::vector<Sample> int16_launches() {
    const auto fully_connected = layer_of<FullyConnectedArguments>(KernelId::kFullyConnected);
    const auto conv2d = layer_of<Conv2dArguments>(KernelId::kConv2d);
    auto depthwise = layer_of<DepthwiseConv2dArguments>(KernelId::kDepthwiseConv2d);
    depthwise.output_height = 4U;
    depthwise.output_width = 4U;
    auto pool = sample_arguments<Pool2dArguments>(KernelId::kMaxPool2d, layer_launches());
    pool.activation_min = -30000;
    pool.activation_max = 30000;
    pool.type = kTypeInt16;
    auto mean = sample_arguments<MeanArguments>(KernelId::kMean, layer_launches());
    mean.input_zero_point = 0;
    mean.output_zero_point = 0;
    mean.type = kTypeInt16;
    auto softmax = sample_arguments<SoftmaxArguments>(KernelId::kSoftmax, layer_launches());
    softmax.output_type = kTypeInt16;
    const SoftmaxInt16Arguments softmax16{kInput, kBase + 1024U, kOutput, 6U, 10U, 1 << 30, 1};
    const SigmoidInt16Arguments tanh{kInput, kTable, kOutput, 100U, SigmoidOp::kTanh, 20000, 14};
    const MatmulInt16Arguments matmul{kInput, kTable, kOutput, 7U, 9U, 11U, 1 << 30, -13};
    return {
        {KernelId::kMatmulInt16, words_of(matmul)},
        {KernelId::kAveragePool2d, words_of(pool), "_int16"},
        {KernelId::kMaxPool2d, words_of(pool), "_int16"},
        {KernelId::kMean, words_of(mean), "_int16"},
        {KernelId::kSoftmax, words_of(softmax), "_to_int16"},
        {KernelId::kSoftmaxInt16, words_of(softmax16)},
        {KernelId::kSigmoidInt16, words_of(tanh)},
        {KernelId::kFullyConnectedInt16, words_of(FullyConnectedInt16Arguments{fully_connected, kWideSumBytes})},
        {KernelId::kFullyConnectedInt16, words_of(FullyConnectedInt16Arguments{fully_connected, kNarrowSumBytes}),
         "_narrow"},
        {KernelId::kConv2dInt16, words_of(Conv2dInt16Arguments{conv2d, kWideSumBytes})},
        {KernelId::kConv2dInt16, words_of(Conv2dInt16Arguments{conv2d, kNarrowSumBytes}), "_narrow"},
        {KernelId::kDepthwiseConv2dInt16, words_of(DepthwiseConv2dInt16Arguments{depthwise, kWideSumBytes})},
    };
}

std::vector<Sample> plain_launches() {
    const GatherArguments gather{
        kOutput, 5U, 3U, {{{kFirst + 1U, 7U, 5U}, {kSecond, 0U, 6U}, {kThird + 2U, 30U, 8U}, {}}}};
    const GatherArguments widest{
        kOutput, 4U, 4U, {{{kFirst, 9U, 9U}, {kSecond, 16U, 1U}, {kThird, 2U, 5U}, {kThird + 64U, 40U, 16U}}}};
    const UnaryArguments scaled{kFirst, kOutput, 50U, kTypeInt32, UnaryOp::kMulScalar, -70000};
    const UnaryArguments shifted{kFirst, kOutput, 77U, kTypeInt8, UnaryOp::kAddScalar, 100};
    const BinaryArguments sum{kFirst, kSecond, kOutput, 61U, kTypeInt32, BinaryOp::kAdd};
    const BinaryArguments equal{kFirst + 1U, kSecond + 2U, kOutput + 3U, 61U, kTypeInt8, BinaryOp::kEqual};
    const MatmulArguments matmul{kFirst, kSecond, kOutput, 5U, 19U, 7U, kTypeInt8, 0U};
    const MatmulArguments accumulate{kFirst, kSecond, kOutput, 3U, 5U, 11U, kTypeInt32, 1U};
    const ReduceArguments columns{kFirst, kOutput, 9U, 21U, kTypeInt8, ReduceOp::kSum, 0U};
    const ReduceArguments rows{kFirst, kOutput, 9U, 7U, kTypeInt32, ReduceOp::kMinimum, 1U};
    // [5][7] bytes of [9][14], every other column backwards, each row twice.
    const ViewArguments view{kFirst, kOutput, 1U, {1U, 1U, 1U, 5U, 2U, 7U}, {0, 0, 0, 14, 0, -2}};
    // [3][2][5] elements of 4 bytes, transposed.
    const ViewArguments transposed{kSecond, kOutput, 4U, {1U, 5U, 1U, 2U, 3U, 1U}, {-3, 4, 0, 20, 40, 9}};
    const TakeArguments take{kFirst, kSecond, kOutput, 2U, 2U, 5U, 6U, 7U};
    const LookupArguments bytes{kFirst + 3U, kSecond, kOutput + 1U, 101U, 1U};
    const LookupArguments pairs{kFirst + 1U, kSecond, kOutput + 2U, 70U, 2U};
    const SelectArguments choice{kFirst + 1U,      kSecond,           kThird,           kOutput, {2U, 3U, 1U, 5U},
                                 {3U, 1U, 0U, 0U}, {15U, 5U, 0U, 1U}, {0U, 0U, 0U, 1U}, 4U};
    constexpr std::int32_t kHalfway = 1 << 30;
    const SvdfFeatureArguments feature{kFirst, kSecond, kOutput, 2U, 5U, 6U, 4U, kTypeInt8, 7, kHalfway, -3, -9};
    const SvdfTimeArguments time{kFirst, kSecond, kThird, kOutput, 2U, 3U, 2U, 4U, kTypeInt8, 9, kHalfway, -6, 5};
    LstmArguments lstm{};
    lstm.input = kFirst;
    lstm.weights = kFirst + 64U;
    lstm.parameters = kSecond;
    lstm.state = kFirst + 192U;
    lstm.output = kFirst + 224U;
    lstm.batches = 2U;
    lstm.steps = 3U;
    lstm.input_depth = 4U;
    lstm.units = 3U;
    lstm.input_offset = 128;
    lstm.hidden_offset = -3;
    lstm.gates.fill(LstmGateScales{kHalfway, -1, kHalfway, 0});
    lstm.forget_multiplier = kHalfway;
    lstm.forget_shift = -14;
    lstm.admit_multiplier = kHalfway;
    lstm.admit_shift = -17;
    lstm.emit_multiplier = kHalfway;
    lstm.emit_shift = -21;
    lstm.cell_multiplier = 6;
    lstm.cell_clip = 20000;
    lstm.type = kTypeInt8;
    LstmArguments wide = lstm;  // 2 * 3 * 4 inputs, 84 weights, 96 + 512 bytes of parameters, 24 of state
    wide.weights = kFirst + 64U;
    wide.state = kFirst + 160U;
    wide.input_offset = 0;
    wide.hidden_offset = 0;
    wide.output = kFirst + 192U;
    wide.type = kTypeInt16;
    return {
        {KernelId::kCopy, words_of(CopyArguments{kFirst + 3U, kOutput + 1U, 101U})},
        {KernelId::kFill, words_of(FillArguments{kOutput + 4U, 100U, 0x1234'5678U})},
        {KernelId::kGather, words_of(gather)},
        {KernelId::kGather, words_of(widest), "_widest"},
        {KernelId::kView, words_of(view)},
        {KernelId::kView, words_of(transposed), "_transposed"},
        {KernelId::kTake, words_of(take)},
        {KernelId::kUnary, words_of(scaled)},
        {KernelId::kUnary, words_of(shifted), "_int8"},
        {KernelId::kBinary, words_of(sum)},
        {KernelId::kBinary, words_of(equal), "_int8"},
        {KernelId::kMatmul, words_of(matmul)},
        {KernelId::kMatmul, words_of(accumulate), "_accumulate"},
        {KernelId::kReduce, words_of(columns)},
        {KernelId::kReduce, words_of(rows), "_rows"},
        {KernelId::kLookup, words_of(bytes)},
        {KernelId::kLookup, words_of(pairs), "_pairs"},
        {KernelId::kSelect, words_of(choice)},
        {KernelId::kSvdfFeature, words_of(feature)},
        {KernelId::kSvdfTime, words_of(time)},
        {KernelId::kLstm, words_of(lstm)},
        {KernelId::kLstm, words_of(wide), "_int16"},
        {KernelId::kSemaphore, words_of(SemaphoreArguments{kOutput, SemaphoreOp::kSet, 3U}), "_set"},
        {KernelId::kSemaphore, words_of(SemaphoreArguments{kOutput, SemaphoreOp::kIncrement, 3U}), "_increment"},
        {KernelId::kSemaphore, words_of(SemaphoreArguments{kOutput, SemaphoreOp::kWait, 0U}), "_wait"},
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

void SmallDevice::randomise_with_extremes(std::mt19937& random, std::uint32_t type) {
    constexpr std::array<std::int32_t, 6> kBytes{-128, 127, -127, -1, 0, 1};
    constexpr std::array<std::int32_t, 8> kWords{INT32_MIN, INT32_MAX, INT32_MIN + 1, -1, 0, 1, 65536, -46341};
    const std::uint32_t step = (type == kTypeInt8) ? 1U : 4U;
    randomise(random);
    for (std::uint32_t at = 0U; (at + step) <= bytes_.size(); at += step) {
        if ((random() % 2U) == 0U) {
            continue;
        }
        if (type == kTypeInt8) {
            bytes_.at(at) = static_cast<std::uint8_t>(kBytes.at(random() % kBytes.size()));
        } else {
            store_word(kBase + at, kWords.at(random() % kWords.size()));
        }
    }
}

}  // namespace pianola::refdev
