#include "capture_host/host/tensor/channel_parameters.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "capture_host/host/tensor/gather_rows.h"
#include "capture_host/host/tensor/operands.h"
#include "capture_host/operators/channel_table.h"
#include "hal/devices/refdev/kernels/fixed_point.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

constexpr std::uint32_t kScaleWords = 2U;

// Words of a channel's parameters.
[[nodiscard]] constexpr std::uint32_t table_columns(std::uint32_t sum_bytes) noexcept {
    return (sum_bytes / kWordBytes) + kScaleWords;
}

// With this bound, rescaling a difference of two int8 values, or the sum of a mean, does not wrap.
constexpr std::int32_t kMaxRatioShift = 22;

[[noreturn]] void refuse_ratio(const char* operation) {
    throw TensorError{TensorRule::kQuantization,
                      fmt::format("{}: the operands' scale divided by the result's is 2^{} or above; it must be below",
                                  operation, kMaxRatioShift)};
}

[[nodiscard]] operators::FixedPoint checked_ratio(const char* operation,
                                                  const std::optional<operators::FixedPoint>& ratio) {
    if (!ratio.has_value() || (ratio->shift > kMaxRatioShift)) {
        refuse_ratio(operation);
    }
    return ratio.value_or(operators::FixedPoint{});
}

// The size of sums for which the bias was prepared; 0 if it is not prepared.
[[nodiscard]] std::uint32_t prepared_sum_bytes(const Tensor& bias, std::uint32_t channels) {
    for (const std::uint32_t sum_bytes : {refdev::kNarrowSumBytes, refdev::kWideSumBytes}) {
        if (bias.shape() == Shape{channels, table_columns(sum_bytes)}) {
            return sum_bytes;
        }
    }
    return 0U;
}

void require_int16_zero_points(const char* operation, const LayerQuantization& quantization) {
    if ((quantization.input_zero_point != 0) || (quantization.weight_zero_point != 0) ||
        (quantization.output_zero_point != 0)) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: zero points of int16 activations and their weights must be 0", operation)};
    }
}

[[noreturn]] void refuse_wide_ratio(const char* operation) {
    throw TensorError{TensorRule::kQuantization,
                      fmt::format("{}: the operands' scale divided by the result's is 2^{} or above; it must be below",
                                  operation, refdev::kMaxWideShift)};
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
        operation, single_precision ? operators::common_scale(*scales.input, *scales.weight, *scales.output)
                                    : operators::quantize_multiplier(product / static_cast<double>(*scales.output)))};
}

constexpr const char* kPrepare = "prepare_conv_bias";

[[nodiscard]] operators::ChannelTable checked_table(const std::vector<std::int64_t>& starts, float input_scale,
                                                    const std::vector<float>& weight_scales, float output_scale) {
    require_scale(kPrepare, "input_scale", input_scale);
    require_scale(kPrepare, "output_scale", output_scale);
    for (const float scale : weight_scales) {
        require_scale(kPrepare, "weight_scale", scale);
    }
    if (weight_scales.size() != starts.size()) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: weight_scale has {} scales for {} channels; it must have one for each",
                                      kPrepare, weight_scales.size(), starts.size())};
    }
    std::optional<operators::ChannelTable> table =
        operators::channel_table(starts, input_scale, weight_scales, output_scale);
    if (!table.has_value()) {
        refuse_ratio(kPrepare);
    }
    for (const refdev::WideChannelParameters& row : *table) {
        static_cast<void>(checked_ratio(kPrepare, operators::FixedPoint{row.multiplier, row.shift}));
    }
    return std::move(*table);
}

[[nodiscard]] Tensor table_on_host(const operators::ChannelTable& table, std::uint32_t sum_bytes) {
    return Tensor::on_host({{word(table.size()), table_columns(sum_bytes)}, ElementType::kInt32, kDramInterleaved},
                           operators::bytes_of(table, sum_bytes));
}

}  // namespace

void require_scale(const char* operation, const char* argument, float scale) {
    if (!std::isfinite(scale) || !(scale > 0.0F)) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: {} is {} in single precision; a scale must be above 0 and finite", operation,
                                      argument, scale)};
    }
}

void require_zero_point(const char* operation, const char* argument, std::int32_t zero_point) {
    if ((zero_point < INT8_MIN) || (zero_point > INT8_MAX)) {
        throw TensorError{TensorRule::kQuantization, fmt::format("{}: {} is {}; a zero point must be from -128 to 127",
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

operators::ActivationRange clamp_range(const char* operation, const Clamp& clamp, ElementType type) {
    const NumberRange whole = range_of(type);
    const std::int64_t minimum = clamp.minimum.value_or(static_cast<std::int32_t>(whole.minimum));
    const std::int64_t maximum = clamp.maximum.value_or(static_cast<std::int32_t>(whole.maximum));
    if ((minimum < whole.minimum) || (maximum > whole.maximum) || (minimum > maximum)) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: activation_min is {} and activation_max {}; both must be from {} to {}, the "
                                      "first no larger than the second",
                                      operation, minimum, maximum, whole.minimum, whole.maximum)};
    }
    return operators::ActivationRange{static_cast<std::int32_t>(minimum), static_cast<std::int32_t>(maximum)};
}

operators::FixedPoint ratio_of(const char* operation, const Quantization& from, const Quantization& to) {
    return checked_ratio(
        operation, operators::quantize_multiplier(static_cast<double>(from.scale) / static_cast<double>(to.scale)));
}

Tensor CommonScale::cells(const std::shared_ptr<host::Device>& device, std::uint32_t sum_bytes,
                          std::uint32_t queue) const {
    std::vector<std::int32_t> values{scale.multiplier, scale.shift};
    values.resize(table_columns(sum_bytes), 0);
    Tensor words =
        Tensor::on_device({{word(values.size())}, ElementType::kInt32, kDramInterleaved}, device, {queue, true});
    Launches launches{*device};
    const host::CoreCoord core = launches.next_core();
    std::uint32_t address = first_address(words);
    for (const std::int32_t value : values) {
        launches.add(refdev::KernelId::kFill, core,
                     {address_in(words.buffer(), address), kWordBytes, static_cast<std::uint32_t>(value)});
        address += kWordBytes;
    }
    enqueue(words, launches, "scale", queue);
    return words;
}

CheckedBias checked_bias(const char* operation, const Tensor& input, const std::optional<Tensor>& bias,
                         std::uint32_t channels, const LayerQuantization& quantization, bool single_precision) {
    const bool is_int16 = input.type() == ElementType::kInt16;
    require_zero_point(operation, "input_zero_point", quantization.input_zero_point);
    require_zero_point(operation, "weight_zero_point", quantization.weight_zero_point);
    require_zero_point(operation, "output_zero_point", quantization.output_zero_point);
    if (is_int16) {
        require_int16_zero_points(operation, quantization);
    }
    CheckedBias checked;
    checked.bias = bias;
    checked.range = clamp_range(operation, quantization.clamp, input.type());
    checked.sum_bytes = (is_int16 && !bias.has_value()) ? refdev::kWideSumBytes : refdev::kNarrowSumBytes;
    if (bias.has_value()) {
        require_same_device(operation, input, *bias);
        const std::uint32_t prepared = prepared_sum_bytes(*bias, channels);
        const bool fits = (bias->shape() == Shape{channels}) || (prepared == refdev::kNarrowSumBytes) ||
                          (is_int16 && (prepared == refdev::kWideSumBytes));
        if (!fits || (bias->type() != ElementType::kInt32)) {
            throw TensorError{
                fits ? TensorRule::kType : TensorRule::kShape,
                fmt::format("{}: the bias is {} of {}; it must be [{}] of int32, or prepared and [{}, {}]{}", operation,
                            to_string(bias->shape()), type_name(bias->type()), channels, channels,
                            table_columns(refdev::kNarrowSumBytes),
                            is_int16 ? fmt::format(" or [{}, {}]", channels, table_columns(refdev::kWideSumBytes))
                                     : std::string{})};
        }
        if (prepared != 0U) {
            require_no_scales(operation, quantization.scales);
            checked.is_prepared = true;
            checked.sum_bytes = prepared;
            return checked;
        }
    }
    checked.common = common_scale(operation, quantization.scales, single_precision);
    if ((checked.sum_bytes == refdev::kWideSumBytes) && (checked.common.scale.shift > refdev::kMaxWideShift)) {
        refuse_wide_ratio(operation);
    }
    return checked;
}

Tensor table_of(const CheckedBias& checked, std::uint32_t channels, const std::shared_ptr<host::Device>& device,
                std::uint32_t queue) {
    if (checked.is_prepared && checked.bias.has_value()) {
        return as_contiguous(*checked.bias, queue);
    }
    constexpr std::uint32_t kScaleBytes = kScaleWords * kWordBytes;
    const Tensor cells = checked.common.cells(device, checked.sum_bytes, queue);
    // Without a bias every channel starts from the cells that are 0.
    const Tensor starts = checked.bias.has_value() ? as_contiguous(*checked.bias, queue) : cells;
    const std::uint32_t first = checked.bias.has_value() ? first_address(starts) : (first_address(cells) + kScaleBytes);
    Tensor table = Tensor::on_device(
        {{channels, table_columns(checked.sum_bytes)}, ElementType::kInt32, kDramInterleaved}, device, {queue, true});
    Launches launches{*device};
    add_gather(launches, launches.next_core(), argument_at(table),
               RowBand{channels,
                       {{starts, first, checked.bias.has_value() ? kWordBytes : 0U, checked.sum_bytes},
                        {cells, first_address(cells), 0U, kScaleBytes}}});
    enqueue(table, launches, "channels", queue);
    return table;
}

Tensor prepare_bias(const Tensor& bias, float input_scale, const std::vector<float>& weight_scales,
                    float output_scale) {
    if ((bias.shape().size() != 1U) || (bias.type() != ElementType::kInt32)) {
        throw TensorError{(bias.type() != ElementType::kInt32) ? TensorRule::kType : TensorRule::kShape,
                          fmt::format("{}: the bias is {} of {}; it must be [channels] of int32", kPrepare,
                                      to_string(bias.shape()), type_name(bias.type()))};
    }
    const std::vector<std::uint8_t>& bytes = bias.bytes();
    std::vector<std::int32_t> narrow(bias.shape().front());
    std::memcpy(narrow.data(), bytes.data(), bytes.size());
    const operators::ChannelTable table =
        checked_table({narrow.begin(), narrow.end()}, input_scale, weight_scales, output_scale);
    return table_on_host(table, refdev::kNarrowSumBytes);
}

Tensor prepare_wide_bias(const std::vector<std::int64_t>& bias, float input_scale,
                         const std::vector<float>& weight_scales, float output_scale) {
    if (bias.empty()) {
        throw TensorError{TensorRule::kShape, fmt::format("{}: the bias has no channels", kPrepare)};
    }
    const operators::ChannelTable table = checked_table(bias, input_scale, weight_scales, output_scale);
    if (!operators::fits_wide_sums(table)) {
        throw TensorError{TensorRule::kQuantization,
                          fmt::format("{}: the operands' scale divided by the result's must be below 2^{}, and biases "
                                      "between -2^46 and 2^46",
                                      kPrepare, refdev::kMaxWideShift)};
    }
    return table_on_host(table, refdev::kWideSumBytes);
}

}  // namespace pianola::tensor
