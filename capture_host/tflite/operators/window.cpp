#include "capture_host/tflite/operators/window.h"

#include "capture_host/operators/window.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::tflite {
namespace {

WindowAxis axis_of(const OperatorContext& context, std::int8_t padding, const AxisOptions& options, std::uint32_t input,
                   std::uint32_t output, std::uint32_t filter) {
    const auto [stride, dilation] = options;
    constexpr auto kMaxSpatial = static_cast<std::int32_t>(refdev::kMaxSpatial);
    context.require((stride >= 1) && (stride <= kMaxSpatial), "its stride is out of range");
    context.require((dilation >= 1) && (dilation <= kMaxSpatial), "its dilation is out of range");
    context.require((filter >= 1U) && (filter <= refdev::kMaxSpatial), "its filter size is out of range");
    context.require((padding == kPaddingSame) || (padding == kPaddingValid), "its padding scheme is not supported");

    const auto step = static_cast<std::uint64_t>(stride);
    const std::uint64_t reach = operators::window_reach(filter, static_cast<std::uint64_t>(dilation));
    WindowAxis axis{filter, static_cast<std::uint32_t>(stride), static_cast<std::uint32_t>(dilation), 0U};
    if (padding == kPaddingValid) {
        context.require(reach <= input, "its filter is larger than its input");
        context.require(output == operators::windows_inside(input, reach, step),
                        "its output size does not follow from its input");
        return axis;
    }
    context.require(output == operators::windows_same(input, step), "its output size does not follow from its input");
    const std::uint64_t before = operators::padding_same(input, output, reach, step) / 2U;
    context.require(before <= refdev::kMaxSpatial, "its padding is out of range");
    axis.pad_before = static_cast<std::uint32_t>(before);
    return axis;
}

}  // namespace

ImageShape image_shape(const OperatorContext& context, const Tensor& tensor, const char* what) {
    if (tensor.shape.size() != kImageRank) {
        context.refuse(std::string{what} + " of rank " + std::to_string(tensor.shape.size()) +
                       " is not supported; 4 is");
    }
    const ImageShape shape{tensor.shape[0], tensor.shape[1], tensor.shape[2], tensor.shape[3]};
    context.require((shape.height <= refdev::kMaxSpatial) && (shape.width <= refdev::kMaxSpatial),
                    "heights and widths above 32767 are not supported");
    return shape;
}

Window window_of(const OperatorContext& context, const WindowOptions& options, const ImageShape& input,
                 const ImageShape& output, std::uint32_t filter_height, std::uint32_t filter_width) {
    return Window{axis_of(context, options.padding, options.height, input.height, output.height, filter_height),
                  axis_of(context, options.padding, options.width, input.width, output.width, filter_width)};
}

}  // namespace pianola::tflite
