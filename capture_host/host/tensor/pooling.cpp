#include <fmt/format.h>

#include "capture_host/host/tensor/channel_parameters.h"
#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/windows.h"
#include "hal/devices/refdev/kernels/launch_check.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {

Tensor pool2d(Pool operation, const Tensor& input, std::uint32_t filter_height, std::uint32_t filter_width,
              const Windows& windows, const Clamp& clamp, const OperationOptions& options) {
    if (is_distributed(input, options)) {
        return for_each_device(
            "pool2d", [](const auto&... each) { return pool2d(each...); }, operation, input, filter_height,
            filter_width, windows, clamp, options);
    }
    using Arguments = refdev::Pool2dArguments;
    const bool averages = operation == Pool::kAverage;
    const char* const name = averages ? "avg_pool2d" : "max_pool2d";
    const Image in = image_of(name, "input_tensor", input);
    const operators::ActivationRange range = clamp_range(name, clamp, input.type());
    if ((windows.height.dilation != 1U) || (windows.width.dilation != 1U)) {
        throw TensorError{TensorRule::kArgument, std::string{name} + ": dilation must be 1"};
    }
    const WindowPlan plan = plan_of(name, in, filter_height, filter_width, windows);
    require_taps(name, filter_height, filter_width, 1U);
    if ((input.type() == ElementType::kInt16) &&
        ((std::uint64_t{filter_height} * filter_width) > refdev::kMaxSpatial)) {
        throw TensorError{TensorRule::kArgument,
                          fmt::format("{}: a window of int16 has at most {} elements", name, refdev::kMaxSpatial)};
    }
    const TensorSpec spec =
        spec_of_shape(input, {in.batches, plan.height.output, plan.width.output, in.channels}, input.type());
    const Tensor result = result_for(name, spec, options, input.device());
    require_apart(name, result, input);
    const std::vector<host::CoreCoord> cores = cores_for(result);
    const std::vector<RowShare> shares = shares_of(in, plan, in.channels, cores.size());
    return through_one_run(result, options.queue, [&](const Tensor& output) {
        launch_shares<Arguments>(name, averages ? refdev::KernelId::kAveragePool2d : refdev::KernelId::kMaxPool2d,
                                 in_one_run(input, options.queue), output, cores, shares, options.queue,
                                 [&](const RowShare& share) {
                                     Arguments arguments{};
                                     arguments.batches = share.batches;
                                     arguments.input_height = share.input_rows;
                                     arguments.input_width = in.width;
                                     arguments.channels = in.channels;
                                     arguments.output_height = share.output_rows;
                                     arguments.output_width = plan.width.output;
                                     arguments.filter_height = filter_height;
                                     arguments.filter_width = filter_width;
                                     arguments.stride_height = plan.height.stride;
                                     arguments.stride_width = plan.width.stride;
                                     arguments.pad_top = share.pad_before;
                                     arguments.pad_left = plan.width.pad_before;
                                     arguments.activation_min = range.min;
                                     arguments.activation_max = range.max;
                                     arguments.type = static_cast<std::uint32_t>(input.type());
                                     return words_of(arguments);
                                 });
    });
}

}  // namespace pianola::tensor
