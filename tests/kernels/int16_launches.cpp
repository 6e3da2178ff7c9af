#include "hal/devices/refdev/kernels/arguments.h"
#include "tests/kernels/launch.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kInput = kBase;
constexpr std::uint32_t kTable = kBase + 256U;
constexpr std::uint32_t kOutput = kBase + 768U;

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

}  // namespace pianola::refdev
