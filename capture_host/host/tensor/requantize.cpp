#include <fmt/format.h>

#include "capture_host/host/tensor/channel_parameters.h"
#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/row_work.h"
#include "capture_host/operators/kernel_arguments.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
Tensor requantize(const Tensor& operand, const Quantization& from, const Quantization& to,
                  const OperationOptions& options) {
    if (is_distributed(operand, options)) {
        return for_each_device(
            "requantize", [](const auto&... each) { return requantize(each...); }, operand, from, to, options);
    }
    const char* const name = "requantize";
    static_cast<void>(kernel_type(name, operand));
    require_scale(name, "in_scale", from.scale);
    require_scale(name, "out_scale", to.scale);
    require_zero_point(name, "in_zero_point", from.zero_point);
    require_zero_point(name, "out_zero_point", to.zero_point);
    const operators::FixedPoint scale = ratio_of(name, from, to);
    const bool narrows = operand.type() == ElementType::kInt32;
    if (narrows && (from.zero_point != 0)) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: in_zero_point is {}; that of int32 is 0", name, from.zero_point)};
    }
    Tensor result = result_for(name, spec_of_type(operand, ElementType::kInt8), options, operand.device());
    if (narrows) {
        refdev::RescaleArguments arguments =
            operators::rescale_arguments(refdev::kTypeInt32, refdev::kTypeInt8, scale, 0, to.zero_point);
        const std::uint32_t columns = columns_of(result.shape());
        return convert_rows(operand, result, name, options.queue, refdev::KernelId::kRescale,
                            [&](const host::Argument& source, const host::Argument& target, std::uint32_t rows) {
                                arguments.count = rows * columns;
                                return words_of(arguments, {source, target});
                            });
    }
    refdev::RequantizeArguments arguments = operators::requantize_arguments(scale, from.zero_point, to.zero_point);
    element_by_element(operand, result, name, options.queue, refdev::KernelId::kRequantize,
                       [&](const host::Argument& source, const host::Argument& target, std::uint32_t count) {
                           arguments.count = count;
                           return words_of(arguments, {source, target});
                       });
    return result;
}

}  // namespace pianola::tensor
