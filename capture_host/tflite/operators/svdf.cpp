#include <cstddef>

#include "capture_host/operators/recurrent_arguments.h"
#include "capture_host/tflite/operators/operator_context.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::tflite {
namespace {

constexpr std::size_t kFeaturesPosition = 1U;
constexpr std::size_t kWeightsPosition = 2U;
constexpr std::size_t kSvdfBiasPosition = 3U;
constexpr std::size_t kMemoryPosition = 4U;

operators::SvdfSizes sizes_of(const OperatorContext& context, const Int8Tensor& input, const Tensor& features,
                              const Tensor& weights, const QuantizedTensor& memory) {
    const auto& options = context.options<format::SVDFOptions>();
    context.require((input.tensor->shape.size() == 2U) && (features.shape.size() == 2U) &&
                        (weights.shape.size() == 2U) && (options.rank() > 0),
                    "only operands of rank 2 are supported");
    const operators::SvdfSizes sizes{input.tensor->shape[0],
                                     input.tensor->shape[1],
                                     features.shape[0],
                                     weights.shape[1],
                                     static_cast<std::uint32_t>(options.rank()),
                                     memory.kernel_type()};
    context.require((features.shape[1] == sizes.input_depth) && (weights.shape[0] == sizes.filters) &&
                        ((sizes.filters % sizes.rank) == 0U),
                    "the sizes of its operands do not fit each other");
    context.require(sizes.input_depth <= refdev::kMaxTaps, "feature weights with so many columns are not supported");
    return sizes;
}

const Tensor& symmetric_constant(const OperatorContext& context, std::size_t position, const char* what) {
    const Tensor& tensor = context.input(position, what);
    context.require(tensor.is_constant, "computed weights are not supported");
    context.require((tensor.quantization.scales.size() == 1U) && (tensor.quantization.zero_points.front() == 0),
                    "weights with several scales or a zero point are not supported");
    return tensor;
}

}  // namespace

// The published operator clamps to int8 only, whatever activation its options name.
void lower_svdf(OperatorContext& context) {
    using Feature = refdev::SvdfFeatureArguments;
    context.require_operands(5U, 5U);
    const Int8Tensor input = context.int8_input(0U, "input");
    const Int8Tensor output = context.int8_output();
    const Tensor& features = symmetric_constant(context, kFeaturesPosition, "feature weights");
    context.require(features.type == kTypeInt8, "feature weights other than int8 are not supported");
    const QuantizedTensor memory = context.quantized_input(kMemoryPosition, "memory", {kTypeInt8, kTypeInt16});
    const Tensor& weights = symmetric_constant(context, kWeightsPosition, "time weights");
    context.require(memory.tensor->is_variable && (weights.type == memory.tensor->type),
                    "its memory is no variable tensor of the type of its time weights");
    const operators::SvdfSizes sizes = sizes_of(context, input, features, weights, memory);
    const std::uint32_t units = sizes.filters / sizes.rank;
    const std::uint64_t held = std::uint64_t{sizes.filters} * sizes.length;
    context.require((memory.tensor->shape.size() == 2U) && (memory.tensor->shape[0] == sizes.batches) &&
                        (memory.tensor->shape[1] == held) &&
                        (output.tensor->shape == std::vector<std::uint32_t>{sizes.batches, units}),
                    "the shape of its memory or output does not follow from its operands");
    context.require_bias_scales(kSvdfBiasPosition, memory.scale, weights.quantization.scales);
    const std::optional<operators::SvdfArguments> arguments =
        operators::svdf_arguments(sizes, {input.affine(), features.quantization.scales.front(), memory.affine(),
                                          weights.quantization.scales.front(), output.affine()});
    if (!arguments.has_value()) {
        context.refuse("the ratio of its scales is out of range");
    }
    const capture::BufferId state = context.add_state(
        "memory", std::vector<std::uint8_t>(
                      memory.tensor->size_bytes,
                      (memory.tensor->type == kTypeInt8) ? static_cast<std::uint8_t>(memory.zero_point) : 0U));
    context.launch(refdev::KernelId::kSvdfFeature, arguments->feature,
                   {{offsetof(Feature, input), context.buffer(input), Access::kRead},
                    {offsetof(Feature, features), context.input_buffer(kFeaturesPosition), Access::kRead},
                    {offsetof(Feature, memory), state, Access::kRead},
                    {offsetof(Feature, memory), state, Access::kWrite}});
    const capture::BufferId bias =
        context.add_table("bias", operators::bytes_of(context.bias(units, refdev::kNarrowSumBytes, kSvdfBiasPosition)));
    context.launch(refdev::KernelId::kSvdfTime, arguments->time,
                   {{state}, {context.input_buffer(kWeightsPosition)}, {bias}, {context.buffer(output)}});
}

}  // namespace pianola::tflite
