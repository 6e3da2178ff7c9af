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
        throw TensorError{TensorRule::kArgument,
                          fmt::format("{}: a window of int16 has at most {} elements", name, refdev::kMaxSpatial)};
    }
    const TensorSpec spec =
        spec_of_shape(input, {in.batches, plan.output_height, plan.output_width, in.channels}, input.type());
    const Tensor result = result_for(name, spec, options, input.device());
    require_apart(name, result, input);
    const std::vector<host::CoreCoord> cores = cores_for(result);
    const std::vector<RowShare> shares = shares_of(in, plan, in.channels, cores.size());
    return through_one_run(result, options.queue, [&](const Tensor& output) {
        launch_shares(name, averages ? refdev::KernelId::kAveragePool2d : refdev::KernelId::kMaxPool2d,
                      in_one_run(input, options.queue), output, cores, shares, options.queue,
                      [&](const RowShare& share, const host::Argument& from, const host::Argument& to) {
                          return words_of(operators::pool2d_arguments(share.input, share.output, share.window, range,
                                                                      static_cast<std::uint32_t>(input.type())),
                                          {from, to});
                      });
    });
}

}  // namespace pianola::tensor
