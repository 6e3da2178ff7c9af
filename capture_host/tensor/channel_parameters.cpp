#include "capture_host/tensor/channel_parameters.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "capture_host/tensor/row_work.h"
#include "capture_host/tensor/tensor_error.h"
#include "capture_host/tflite/model/channel_table.h"

namespace pianola::tensor {
namespace {

constexpr std::uint32_t kWordBytes = sizeof(std::uint32_t);
constexpr std::uint32_t kTableColumns = refdev::kChannelParametersBytes / kWordBytes;

// So that what is rescaled, a difference of two int8 values or a sum of as many as its mean divides by, does not wrap.
constexpr std::int32_t kMaxRatioShift = 22;

[[noreturn]] void refuse_ratio(const char* operation) {
    throw TensorError{TensorRule::kQuantization,
                      fmt::format("{}: the operands' scale divided by the result's is 2^{} or above; it must be below",
                                  operation, kMaxRatioShift)};
}

[[nodiscard]] tflite::FixedPoint checked_ratio(const char* operation, const std::optional<tflite::FixedPoint>& ratio) {
    if (!ratio.has_value() || (ratio->shift > kMaxRatioShift)) {
        refuse_ratio(operation);
    }
    return ratio.value_or(tflite::FixedPoint{});
}

[[nodiscard]] bool is_prepared(const Tensor& bias, std::uint32_t channels) {
    return bias.shape() == Shape{channels, kTableColumns};
}

void require_no_scales(const char* operation, const LayerScales& scales) {
    if (scales.input.has_value() || scales.weight.has_value() || scales.output.has_value()) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: a prepared bias holds the scales already; give no input_scale, weight_scale "
                                      "and output_scale",
                                      operation)};
    }
}

[[nodiscard]] CommonScale common_scale(const char* operation, const LayerScales& scales, bool single_precision) {
    if (!scales.input.has_value() || !scales.weight.has_value() || !scales.output.has_value()) {
        throw TensorError{
            TensorRule::kQuantization,
            fmt::format("{}: input_scale, weight_scale and output_scale are all needed, unless the bias is "
                        "prepared",
                        operation)};
    }
    require_scale(operation, "input_scale", *scales.input);
    require_scale(operation, "weight_scale", *scales.weight);
    require_scale(operation, "output_scale", *scales.output);
    const auto product = static_cast<double>(*scales.input) * static_cast<double>(*scales.weight);
    return CommonScale{checked_ratio(
        operation, single_precision ? tflite::common_scale(*scales.input, *scales.weight, *scales.output)
                                    : tflite::quantize_multiplier(product / static_cast<double>(*scales.output)))};
}

}  // namespace

void require_scale(const char* operation, const char* argument, float scale) {
    if (!std::isfinite(scale) || !(scale > 0.0F)) {
        throw TensorError{
            TensorRule::kQuantization,
            fmt::format("{}: {} is {} in single precision; a scale is above 0 and finite", operation, argument, scale)};
    }
}

void require_zero_point(const char* operation, const char* argument, std::int32_t zero_point) {
    if ((zero_point < INT8_MIN) || (zero_point > INT8_MAX)) {
        throw TensorError{TensorRule::kQuantization, fmt::format("{}: {} is {}; a zero point is from -128 to 127",
                                                                 operation, argument, zero_point)};
    }
}

void require_quantizations(const char* name, const Quantization& left, const Quantization& right,
                           const Quantization& to) {
    require_scale(name, "input_scale_a", left.scale);
    require_scale(name, "input_scale_b", right.scale);
    require_scale(name, "output_scale", to.scale);
    require_zero_point(name, "input_zero_point_a", left.zero_point);
    require_zero_point(name, "input_zero_point_b", right.zero_point);
    require_zero_point(name, "output_zero_point", to.zero_point);
}

void require_clamp(const char* operation, const Clamp& clamp) {
    if ((clamp.minimum < INT8_MIN) || (clamp.maximum > INT8_MAX) || (clamp.minimum > clamp.maximum)) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: activation_min is {} and activation_max {}; both are from -128 to 127, the "
                                      "first no larger than the second",
                                      operation, clamp.minimum, clamp.maximum)};
    }
}

tflite::FixedPoint ratio_of(const char* operation, const Quantization& from, const Quantization& to) {
    return checked_ratio(operation,
                         tflite::quantize_multiplier(static_cast<double>(from.scale) / static_cast<double>(to.scale)));
}

Tensor CommonScale::cells(const std::shared_ptr<host::Device>& device, std::uint32_t queue) const {
    Tensor words = Tensor::on_device({{kTableColumns}, ElementType::kInt32, kDramInterleaved}, device, {queue, true});
    Launches launches{*device};
    const host::CoreCoord core = launches.next_core();
    std::uint32_t address = run_address(words);
    for (const std::int32_t value : {scale.multiplier, scale.shift, 0}) {
        launches.add(refdev::KernelId::kFill, core,
                     {address_in(words.buffer(), address), kWordBytes, static_cast<std::uint32_t>(value)});
        address += kWordBytes;
    }
    enqueue(words, launches, "scale", queue);
    return words;
}

void add_table(Launches& launches, host::CoreCoord core, const Tensor& starts, std::uint32_t start_address,
               std::uint32_t start_stride, const Tensor& cells, const Tensor& table, std::uint32_t table_address,
               std::uint32_t rows) {
    constexpr std::uint32_t kSegments = 2U;
    launches.add(refdev::KernelId::kGather, core,
                 {address_in(table.buffer(), table_address), rows, kSegments,
                  address_in(starts.buffer(), start_address), start_stride, kWordBytes,
                  address_in(cells.buffer(), run_address(cells)), 0U, kSegments * kWordBytes, 0U, 0U, 0U, 0U, 0U, 0U});
}

CheckedBias checked_bias(const char* operation, const Tensor& input, const std::optional<Tensor>& bias,
                         std::uint32_t channels, const LayerQuantization& quantization, bool single_precision) {
    require_zero_point(operation, "input_zero_point", quantization.input_zero_point);
    require_zero_point(operation, "weight_zero_point", quantization.weight_zero_point);
    require_zero_point(operation, "output_zero_point", quantization.output_zero_point);
    require_clamp(operation, quantization.clamp);
    if (bias.has_value()) {
        require_same_device(operation, input, *bias);
        const bool fits = is_prepared(*bias, channels) || (bias->shape() == Shape{channels});
        if (!fits || (bias->type() != ElementType::kInt32)) {
            throw TensorError{
                fits ? TensorRule::kType : TensorRule::kShape,
                fmt::format("{}: the bias is {} of {}; it must be [{}] of int32, or prepared and [{}, {}]", operation,
                            to_string(bias->shape()), type_name(bias->type()), channels, channels, kTableColumns)};
        }
        if (is_prepared(*bias, channels)) {
            require_no_scales(operation, quantization.scales);
            return CheckedBias{bias, true, {}};
        }
    }
    return CheckedBias{bias, false, common_scale(operation, quantization.scales, single_precision)};
}

Tensor table_of(const CheckedBias& checked, std::uint32_t channels, const std::shared_ptr<host::Device>& device,
                std::uint32_t queue) {
    if (checked.is_prepared && checked.bias.has_value()) {
        return in_one_run(*checked.bias, queue);
    }
    const Tensor cells = checked.common.cells(device, queue);
    // Without a bias every channel starts from the cell that is 0.
    const Tensor starts = checked.bias.has_value() ? in_one_run(*checked.bias, queue) : cells;
    const std::uint32_t zero = run_address(cells) + ((kTableColumns - 1U) * kWordBytes);
    Tensor table =
        Tensor::on_device({{channels, kTableColumns}, ElementType::kInt32, kDramInterleaved}, device, {queue, true});
    Launches launches{*device};
    add_table(launches, launches.next_core(), starts, checked.bias.has_value() ? run_address(starts) : zero,
              checked.bias.has_value() ? kWordBytes : 0U, cells, table, run_address(table), channels);
    enqueue(table, launches, "channels", queue);
    return table;
}

Tensor prepare_bias(const Tensor& bias, float input_scale, const std::vector<float>& weight_scales,
                    float output_scale) {
    const char* const name = "prepare_conv_bias";
    if ((bias.shape().size() != 1U) || (bias.type() != ElementType::kInt32)) {
        throw TensorError{(bias.type() != ElementType::kInt32) ? TensorRule::kType : TensorRule::kShape,
                          fmt::format("{}: the bias is {} of {}; it must be [channels] of int32", name,
                                      to_string(bias.shape()), type_name(bias.type()))};
    }
    require_scale(name, "input_scale", input_scale);
    require_scale(name, "output_scale", output_scale);
    for (const float scale : weight_scales) {
        require_scale(name, "weight_scale", scale);
    }
    const std::uint32_t channels = bias.shape().front();
    if (weight_scales.size() != channels) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: weight_scale has {} scales for {} channels; it has one for each", name,
                                      weight_scales.size(), channels)};
    }
    const std::vector<std::uint8_t>& bytes = bias.bytes();
    std::vector<std::int32_t> narrow(channels);
    std::memcpy(narrow.data(), bytes.data(), bytes.size());
    const std::vector<std::int64_t> starts(narrow.begin(), narrow.end());
    const std::optional<tflite::ChannelTable> table =
        tflite::channel_table(starts, input_scale, weight_scales, output_scale);
    if (table.has_value()) {
        for (const refdev::WideChannelParameters& row : *table) {
            static_cast<void>(checked_ratio(name, tflite::FixedPoint{row.multiplier, row.shift}));
        }
        return Tensor::on_host({{channels, kTableColumns}, ElementType::kInt32, kDramInterleaved},
                               tflite::bytes_of(*table, refdev::kNarrowSumBytes));
    }
    refuse_ratio(name);
}

}  // namespace pianola::tensor
