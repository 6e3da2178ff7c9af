#include <fmt/format.h>

#include "capture_host/host/tensor/channel_parameters.h"
#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/row_work.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

using refdev::KernelId;

struct RequantizeLaunch {
    static constexpr KernelId kKernel = KernelId::kRequantize;
    operators::FixedPoint scale;
    std::int32_t input_zero_point{0};
    std::int32_t output_zero_point{0};

    host::Arguments operator()(const host::Argument& from, const host::Argument& to, std::uint32_t count) const {
        return {from,
                to,
                count,
                static_cast<std::uint32_t>(input_zero_point),
                static_cast<std::uint32_t>(scale.multiplier),
                static_cast<std::uint32_t>(scale.shift),
                static_cast<std::uint32_t>(output_zero_point)};
    }
};

// int32 to int8, whole rows at a time, because elements differ in size.
struct NarrowLaunch {
    static constexpr KernelId kKernel = KernelId::kRescale;
    operators::FixedPoint scale;
    std::int32_t output_zero_point{0};
    std::uint32_t columns{0U};

    host::Arguments operator()(const host::Argument& from, const host::Argument& to, std::uint32_t rows) const {
        refdev::RescaleArguments arguments{};
        arguments.count = rows * columns;
        arguments.input_type = refdev::kTypeInt32;
        arguments.output_type = refdev::kTypeInt8;
        arguments.multiplier = scale.multiplier;
        arguments.shift = scale.shift;
        arguments.negative_multiplier = scale.multiplier;
        arguments.negative_shift = scale.shift;
        arguments.output_zero_point = output_zero_point;
        arguments.activation_min = INT8_MIN;
        arguments.activation_max = INT8_MAX;
        host::Arguments words = words_of(arguments);
        words[refdev::word_of(offsetof(refdev::RescaleArguments, input))] = from;
        words[refdev::word_of(offsetof(refdev::RescaleArguments, output))] = to;
        return words;
    }
};

}  // namespace

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
        return convert_rows(operand, result, name, options.queue,
                            NarrowLaunch{scale, to.zero_point, columns_of(result.shape())});
    }
    element_by_element(operand, result, name, options.queue, RequantizeLaunch{scale, from.zero_point, to.zero_point});
    return result;
}

}  // namespace pianola::tensor
