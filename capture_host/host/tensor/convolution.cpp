#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "capture_host/host/tensor/channel_parameters.h"
#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/operands.h"
#include "capture_host/operators/kernel_arguments.h"
#include "capture_host/operators/window.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "pianola_host/quantized.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

using operators::ImageShape;
using operators::Window;
using operators::WindowAxis;

// A window that slides over an image, and the sizes of the result.
struct WindowPlan {
    Window window;
    std::uint32_t output_height{0U};
    std::uint32_t output_width{0U};
};

// A part of the work: rows of the result, and the rows of the input that they are made from.
struct RowShare {
    std::uint32_t input_begin{0U};   // elements before its first row
    std::uint32_t output_begin{0U};  // the same
    ImageShape input;
    ImageShape output;
    Window window;
};
// Launches one kernel for all shares of a result; input and result are contiguous. `describe(share, from, to)` gives
// the arguments of one launch.
template <typename Describe>
void launch_shares(const char* name, refdev::KernelId kernel, const Tensor& input, const Tensor& output,
                   const std::vector<host::CoreCoord>& cores, const std::vector<RowShare>& shares, std::uint32_t queue,
                   const Describe& describe) {
    Launches launches{*output.device()};
    const std::uint32_t element = bytes_per_element(input.type());  // of both
    for (std::size_t i = 0U; i < shares.size(); ++i) {
        const RowShare& share = shares[i];
        launches.add(kernel, cores[i % cores.size()],
                     describe(share, argument_at(input, element * share.input_begin),
                              argument_at(output, element * share.output_begin)));
    }
    enqueue(output, launches, name, queue);
}

void require_size(const char* operation, const char* argument, std::uint64_t size, std::uint32_t least) {
    if ((size < least) || (size > refdev::kMaxSpatial)) {
        throw TensorError{TensorRule::kArgument, fmt::format("{}: {} is {}; it must be from {} to {}", operation,
                                                             argument, size, least, refdev::kMaxSpatial)};
    }
}

// The axis and the size of the result along it.
[[nodiscard]] std::pair<WindowAxis, std::uint32_t> axis_of(const char* operation, const char* axis_name,
                                                           std::uint32_t input, std::uint32_t filter,
                                                           const Windows::Axis& wanted, bool same) {
    require_size(operation, "a filter's size", filter, 1U);
    require_size(operation, "stride", wanted.stride, 1U);
    require_size(operation, "dilation", wanted.dilation, 1U);
    const std::uint64_t reach = operators::window_reach(filter, wanted.dilation);
    std::uint64_t before = wanted.pad_before;
    std::uint64_t after = wanted.pad_after;
    if (same) {
        const std::uint64_t total =
            operators::padding_same(input, operators::windows_same(input, wanted.stride), reach, wanted.stride);
        before = total / 2U;
        after = total - before;
    }
    if ((before >= reach) || (after >= reach)) {
        throw TensorError{TensorRule::kArgument,
                          fmt::format("{}: padding of {} before and {} after the {}, of which a filter covers {}; both "
                                      "must be less, so that every window has an element",
                                      operation, before, after, axis_name, reach)};
    }
    require_size(operation, "padding", before, 0U);
    const std::uint64_t windows = operators::windows_inside(input + before + after, reach, wanted.stride);
    if (windows == 0U) {
        throw TensorError{TensorRule::kArgument,
                          fmt::format("{}: a filter covers {} of the {}, which is {} with its padding; it must fit",
                                      operation, reach, axis_name, input + before + after)};
    }
    require_size(operation, "the result's height or width", windows, 1U);
    return {WindowAxis{filter, wanted.stride, wanted.dilation, word(before)}, word(windows)};
}

// Throws TENSOR-TYPE, TENSOR-SHAPE: int8 or int16, four dimensions, height and width within what kernels take.
[[nodiscard]] ImageShape image_of(const char* operation, const char* argument, const Tensor& tensor) {
    constexpr std::size_t kImageRank = 4U;
    require_activations(operation, argument, tensor);
    const Shape& shape = tensor.shape();
    if ((shape.size() != kImageRank) || (shape[1] > refdev::kMaxSpatial) || (shape[2] > refdev::kMaxSpatial)) {
        throw TensorError{TensorRule::kShape,
                          fmt::format("{}: {} is {}; it must have four dimensions, the second and third up to {}",
                                      operation, argument, to_string(shape), refdev::kMaxSpatial)};
    }
    return ImageShape{shape[0], shape[1], shape[2], shape[3]};
}

// Throws TENSOR-ARGUMENT.
[[nodiscard]] WindowPlan plan_of(const char* operation, const ImageShape& input, std::uint32_t filter_height,
                                 std::uint32_t filter_width, const Windows& windows) {
    const auto [height, output_height] =
        axis_of(operation, "height", input.height, filter_height, windows.height, windows.same);
    const auto [width, output_width] =
        axis_of(operation, "width", input.width, filter_width, windows.width, windows.same);
    return WindowPlan{{height, width}, output_height, output_width};
}

void require_taps(const char* operation, std::uint64_t height, std::uint64_t width, std::uint64_t depth) {
    // Each factor is below 2^32 and the first two below 2^15: no overflow.
    const std::uint64_t taps = height * width * depth;
    if (taps > refdev::kMaxTaps) {
        throw TensorError{TensorRule::kArgument, fmt::format("{}: a filter has {} taps; it must have at most {}",
                                                             operation, taps, refdev::kMaxTaps)};
    }
}

// Divides the work into about as many parts as there are cores.
[[nodiscard]] std::vector<RowShare> shares_of(const ImageShape& input, const WindowPlan& plan,
                                              std::uint32_t output_channels, std::size_t cores) {
    const WindowAxis& height = plan.window.height;
    const std::uint32_t rows = plan.output_height;
    const std::uint64_t input_row = std::uint64_t{input.width} * input.channels;
    const std::uint64_t output_row = std::uint64_t{plan.output_width} * output_channels;
    const std::uint64_t share = ((std::uint64_t{input.batches} * rows) + (cores - 1U)) / cores;
    const std::uint32_t batches = std::max(word(share / rows), 1U);
    const std::uint32_t rows_at_once = word(std::min<std::uint64_t>(share, rows));
    std::vector<RowShare> shares;
    for (std::uint32_t batch = 0U; batch < input.batches; batch += batches) {
        for (std::uint32_t row = 0U; row < rows; row += rows_at_once) {
            // Where the first window begins inside the input, the rows above it are left out.
            const std::uint64_t begin = std::uint64_t{row} * height.stride;
            const std::uint64_t skipped = std::max<std::uint64_t>(begin, height.pad_before) - height.pad_before;
            const std::uint64_t inside = (std::uint64_t{batch} * input.height) + skipped;
            const std::uint32_t count = std::min(batches, input.batches - batch);
            RowShare& part = shares.emplace_back();
            part.input_begin = word(inside * input_row);
            part.output_begin = word(((std::uint64_t{batch} * rows) + row) * output_row);
            part.input = {count, word(input.height - skipped), input.width, input.channels};
            part.output = {count, std::min(rows_at_once, rows - row), plan.output_width, output_channels};
            part.window = plan.window;
            part.window.height.pad_before = word((height.pad_before + skipped) - begin);
        }
    }
    return shares;
}

using refdev::KernelId;

// A convolution, checked.
struct Convolution {
    const char* name{nullptr};
    KernelId kernel{KernelId::kUnspecified};
    ImageShape in;
    std::uint32_t output_channels{0U};
    WindowPlan plan;
    CheckedBias bias;
};

[[nodiscard]] KernelId kernel_for(const Tensor& input, KernelId of_int8, KernelId of_int16) {
    return (input.type() == ElementType::kInt16) ? of_int16 : of_int8;
}

void require_shape(bool condition, const char* name, const Tensor& input, const Tensor& weight, const char* rule) {
    if (!condition) {
        throw TensorError{TensorRule::kShape, fmt::format("{}: input_tensor is {} and weight_tensor {}; {}", name,
                                                          to_string(input.shape()), to_string(weight.shape()), rule)};
    }
}

// Enqueues the work. `arguments_of(share, numbers)` makes the kernel's arguments.
template <typename Make>
[[nodiscard]] Tensor convolve(const Convolution& work, const Tensor& input, const Tensor& weight,
                              const LayerQuantization& quantization, const OperationOptions& options,
                              const Make& arguments_of) {
    const auto& [name, kernel, in, channels, plan, bias] = work;
    const TensorSpec spec =
        spec_of_shape(input, {in.batches, plan.output_height, plan.output_width, channels}, input.type());
    const Tensor result = result_for(name, spec, options, input.device());
    require_apart(name, result, input);
    require_apart(name, result, weight);
    const operators::LayerNumbers numbers{quantization.input_zero_point, 0, quantization.output_zero_point, bias.range};
    const std::vector<host::CoreCoord> cores = cores_for(result);
    const std::vector<RowShare> shares = shares_of(in, plan, channels, cores.size());
    return into_contiguous(result, options.queue, [&](const Tensor& output) {
        const Tensor image = as_contiguous(input, options.queue);
        const Tensor filter = as_contiguous(weight, options.queue);
        const Tensor table = table_of(work.bias, work.output_channels, result.device(), options.queue);
        launch_shares(work.name, work.kernel, image, output, cores, shares, options.queue,
                      [&](const RowShare& share, const host::Argument& from, const host::Argument& to) {
                          return layer_words(arguments_of(share, numbers), input.type(), work.bias.sum_bytes,
                                             {from, argument_at(filter), argument_at(table), to});
                      });
    });
}

}  // namespace

Tensor conv2d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias, const Windows& windows,
              std::uint32_t groups, const LayerQuantization& quantization, const OperationOptions& options) {
    if (is_distributed(input, weight, bias, options)) {
        return for_each_device(
            "conv2d", [](const auto&... each) { return conv2d(each...); }, input, weight, bias, windows, groups,
            quantization, options);
    }
    const char* const name = "conv2d";
    const ImageShape in = image_of(name, "input_tensor", input);
    require_int8(name, "weight_tensor", weight);
    const ImageShape filter = image_of(name, "weight_tensor", weight);
    require_same_device(name, input, weight);
    if ((groups == 0U) || ((in.channels % groups) != 0U) || ((filter.batches % groups) != 0U)) {
        throw TensorError{TensorRule::kArgument,
                          fmt::format("{}: groups is {}; it must divide the input's {} channels and the result's {}",
                                      name, groups, in.channels, filter.batches)};
    }
    require_shape(filter.channels == (in.channels / groups), name, input, weight,
                  "weights must be [output channels, height, width, input channels / groups]");
    require_taps(name, filter.height, filter.width, filter.channels);
    const Convolution work{name,
                           kernel_for(input, KernelId::kConv2d, KernelId::kConv2dInt16),
                           in,
                           filter.batches,
                           plan_of(name, in, filter.height, filter.width, windows),
                           checked_bias(name, input, bias, filter.batches, quantization, false)};
    return convolve(
        work, input, weight, quantization, options, [&](const RowShare& share, const operators::LayerNumbers& numbers) {
            return operators::conv2d_arguments(share.input, share.output, filter.channels, share.window, numbers);
        });
}

Tensor depthwise_conv2d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                        const Windows& windows, const LayerQuantization& quantization,
                        const OperationOptions& options) {
    if (is_distributed(input, weight, bias, options)) {
        return for_each_device(
            "depthwise_conv2d", [](const auto&... each) { return depthwise_conv2d(each...); }, input, weight, bias,
            windows, quantization, options);
    }
    const char* const name = "depthwise_conv2d";
    const ImageShape in = image_of(name, "input_tensor", input);
    require_int8(name, "weight_tensor", weight);
    const ImageShape filter = image_of(name, "weight_tensor", weight);
    require_same_device(name, input, weight);
    require_shape((filter.batches == 1U) && ((filter.channels % in.channels) == 0U), name, input, weight,
                  "weights are [1, height, width, output channels], a multiple of the input's channels");
    require_taps(name, filter.height, filter.width, 1U);
    const Convolution work{name,
                           kernel_for(input, KernelId::kDepthwiseConv2d, KernelId::kDepthwiseConv2dInt16),
                           in,
                           filter.channels,
                           plan_of(name, in, filter.height, filter.width, windows),
                           checked_bias(name, input, bias, filter.channels, quantization, false)};
    return convolve(work, input, weight, quantization, options,
                    [](const RowShare& share, const operators::LayerNumbers& numbers) {
                        return operators::depthwise_conv2d_arguments(share.input, share.output, share.window, numbers);
                    });
}

Tensor pool2d(Pool operation, const Tensor& input, std::uint32_t filter_height, std::uint32_t filter_width,
              const Windows& windows, const Clamp& clamp, const OperationOptions& options) {
    if (is_distributed(input, options)) {
        return for_each_device(
            "pool2d", [](const auto&... each) { return pool2d(each...); }, operation, input, filter_height,
            filter_width, windows, clamp, options);
    }
    const bool averages = operation == Pool::kAverage;
    const char* const name = averages ? "avg_pool2d" : "max_pool2d";
    const ImageShape in = image_of(name, "input_tensor", input);
    const operators::ActivationRange range = clamp_range(name, clamp, input.type());
    if ((windows.height.dilation != 1U) || (windows.width.dilation != 1U)) {
        throw TensorError{TensorRule::kArgument, std::string{name} + ": dilation must be 1"};
    }
    const WindowPlan plan = plan_of(name, in, filter_height, filter_width, windows);
    require_taps(name, filter_height, filter_width, 1U);
    if ((input.type() == ElementType::kInt16) &&
        ((std::uint64_t{filter_height} * filter_width) > refdev::kMaxSpatial)) {
        throw TensorError{TensorRule::kArgument, fmt::format("{}: a window of int16 must have at most {} elements",
                                                             name, refdev::kMaxSpatial)};
    }
    const TensorSpec spec =
        spec_of_shape(input, {in.batches, plan.output_height, plan.output_width, in.channels}, input.type());
    const Tensor result = result_for(name, spec, options, input.device());
    require_apart(name, result, input);
    const std::vector<host::CoreCoord> cores = cores_for(result);
    const std::vector<RowShare> shares = shares_of(in, plan, in.channels, cores.size());
    return into_contiguous(result, options.queue, [&](const Tensor& output) {
        launch_shares(name, averages ? refdev::KernelId::kAveragePool2d : refdev::KernelId::kMaxPool2d,
                      as_contiguous(input, options.queue), output, cores, shares, options.queue,
                      [&](const RowShare& share, const host::Argument& from, const host::Argument& to) {
                          return words_of(operators::pool2d_arguments(share.input, share.output, share.window, range,
                                                                      static_cast<std::uint32_t>(input.type())),
                                          {from, to});
                      });
    });
}

}  // namespace pianola::tensor
