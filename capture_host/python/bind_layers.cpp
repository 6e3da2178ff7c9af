#include <variant>

#include "capture_host/python/bind_results.h"
#include "capture_host/python/bindings.h"
#include "pianola_host/quantized.h"
#include "pianola_host/tensor_error.h"

namespace pianola::python {
namespace {

namespace py = pybind11;
using tensor::Clamp;
using tensor::LayerQuantization;
using tensor::OperationOptions;
using tensor::Tensor;
using tensor::TensorError;
using tensor::TensorRule;
using tensor::Windows;

using Pair = std::pair<std::uint32_t, std::uint32_t>;  // height and width
using Sides = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
using WindowPadding = std::variant<std::string, Pair, Sides>;
using Scale = std::optional<float>;
using Bound = std::optional<std::int32_t>;

constexpr Pair kOnce{1U, 1U};
constexpr Pair kNoPadding{0U, 0U};

[[nodiscard]] Windows windows_from(const Pair& stride, const WindowPadding& padding, const Pair& dilation) {
    Windows windows;
    windows.height = {stride.first, dilation.first, 0U, 0U};
    windows.width = {stride.second, dilation.second, 0U, 0U};
    if (const auto* const scheme = std::get_if<std::string>(&padding)) {
        if ((*scheme != "same") && (*scheme != "valid")) {
            throw TensorError{TensorRule::kArgument, "padding is \"" + *scheme +
                                                         "\"; it must be \"same\", \"valid\", (height, width) or (top, "
                                                         "bottom, left, right)"};
        }
        windows.same = *scheme == "same";
    } else if (const auto* const both = std::get_if<Pair>(&padding)) {
        windows.height.pad_before = windows.height.pad_after = both->first;
        windows.width.pad_before = windows.width.pad_after = both->second;
    } else {
        const Sides& sides = std::get<Sides>(padding);
        std::tie(windows.height.pad_before, windows.height.pad_after, windows.width.pad_before,
                 windows.width.pad_after) = sides;
    }
    return windows;
}

void bind_pool(py::module_& module, const char* name, tensor::Pool operation, const char* doc) {
    bind_result(
        module, name,
        [operation](const Tensor& input, const Pair& kernel, const Pair& stride, const WindowPadding& padding,
                    Bound minimum, Bound maximum, const Memory& memory, const Output& output, std::uint32_t queue) {
            return tensor::pool2d(operation, input, kernel.first, kernel.second, windows_from(stride, padding, kOnce),
                                  Clamp{minimum, maximum}, OperationOptions{memory, output, queue});
        },
        doc, py::arg("input_tensor"), py::arg("kernel_size"), py::arg("stride"),
        py::arg("padding") = WindowPadding{kNoPadding}, py::kw_only(), py::arg("activation_min") = py::none(),
        py::arg("activation_max") = py::none());
}

void bind_convolutions(py::module_& module) {
    bind_result(
        module, "conv2d",
        [](const Tensor& input, const Tensor& weight, const Output& bias, const Pair& stride,
           const WindowPadding& padding, const Pair& dilation, std::uint32_t groups, Scale input_scale,
           Scale weight_scale, Scale output_scale, std::int32_t input_zero, std::int32_t output_zero, Bound minimum,
           Bound maximum, const Memory& memory, const Output& output, std::uint32_t queue) {
            const LayerQuantization quantization{
                {input_scale, weight_scale, output_scale}, input_zero, 0, output_zero, {minimum, maximum}};
            return tensor::conv2d(input, weight, bias, windows_from(stride, padding, dilation), groups, quantization,
                                  OperationOptions{memory, output, queue});
        },
        "Convolution of int8 or int16 images [batches, height, width, channels] with int8 weights [output channels, "
        "height, width, channels / groups]; the bias is int32 [output channels], or of prepare_conv_bias().",
        py::arg("input_tensor"), py::arg("weight_tensor"), py::kw_only(), py::arg("bias_tensor") = py::none(),
        py::arg("stride") = kOnce, py::arg("padding") = WindowPadding{kNoPadding}, py::arg("dilation") = kOnce,
        py::arg("groups") = 1U, py::arg("input_scale") = py::none(), py::arg("weight_scale") = py::none(),
        py::arg("output_scale") = py::none(), py::arg("input_zero_point") = 0, py::arg("output_zero_point") = 0,
        py::arg("activation_min") = py::none(), py::arg("activation_max") = py::none());
    bind_result(
        module, "depthwise_conv2d",
        [](const Tensor& input, const Tensor& weight, const Output& bias, const Pair& stride,
           const WindowPadding& padding, const Pair& dilation, Scale input_scale, Scale weight_scale,
           Scale output_scale, std::int32_t input_zero, std::int32_t output_zero, Bound minimum, Bound maximum,
           const Memory& memory, const Output& output, std::uint32_t queue) {
            const LayerQuantization quantization{
                {input_scale, weight_scale, output_scale}, input_zero, 0, output_zero, {minimum, maximum}};
            return tensor::depthwise_conv2d(input, weight, bias, windows_from(stride, padding, dilation), quantization,
                                            OperationOptions{memory, output, queue});
        },
        "conv2d() with weights [1, height, width, output channels], so many for each channel of the input.",
        py::arg("input_tensor"), py::arg("weight_tensor"), py::kw_only(), py::arg("bias_tensor") = py::none(),
        py::arg("stride") = kOnce, py::arg("padding") = WindowPadding{kNoPadding}, py::arg("dilation") = kOnce,
        py::arg("input_scale") = py::none(), py::arg("weight_scale") = py::none(), py::arg("output_scale") = py::none(),
        py::arg("input_zero_point") = 0, py::arg("output_zero_point") = 0, py::arg("activation_min") = py::none(),
        py::arg("activation_max") = py::none());
}

void bind_linear(py::module_& module) {
    bind_result(
        module, "linear",
        [](const Tensor& input, const Tensor& weight, ElementType dtype, const Output& bias, bool transpose,
           Scale input_scale, Scale weight_scale, Scale output_scale, std::int32_t input_zero, std::int32_t weight_zero,
           std::int32_t output_zero, Bound minimum, Bound maximum, const Memory& memory, const Output& output,
           std::uint32_t queue) {
            if (((dtype != ElementType::kInt8) && (dtype != ElementType::kInt16)) || (dtype != input.type())) {
                throw TensorError{
                    TensorRule::kType,
                    "linear: dtype must be int8 or int16, as the input's; without one the result is int32"};
            }
            const LayerQuantization quantization{
                {input_scale, weight_scale, output_scale}, input_zero, weight_zero, output_zero, {minimum, maximum}};
            return tensor::quantized_linear(input, weight, transpose, bias, quantization,
                                            OperationOptions{memory, output, queue});
        },
        "A fully connected layer of int8 or int16 with int8 weights, or a product of int16 matrices; weights are [k, "
        "n], "
        "or [n, k] with `transpose_b`, which is faster.",
        py::arg("input_tensor"), py::arg("weight"), py::kw_only(), py::arg("dtype"), py::arg("bias") = py::none(),
        py::arg("transpose_b") = false, py::arg("input_scale") = py::none(), py::arg("weight_scale") = py::none(),
        py::arg("output_scale") = py::none(), py::arg("input_zero_point") = 0, py::arg("weight_zero_point") = 0,
        py::arg("output_zero_point") = 0, py::arg("activation_min") = py::none(),
        py::arg("activation_max") = py::none());
    module.def(
        "prepare_conv_bias", &tensor::prepare_bias,
        "A host tensor [channels, 3] of a bias on the host: each channel's bias, and the multiplier and shift of its "
        "own weights' scale. For conv2d(), depthwise_conv2d() and linear().",
        py::arg("bias_tensor"), py::kw_only(), py::arg("input_scale"), py::arg("weight_scale"),
        py::arg("output_scale"));
    module.def(
        "prepare_conv_bias",
        [](const py::array& bias, float input_scale, const std::vector<float>& weight_scales, float output_scale) {
            return tensor::prepare_wide_bias(numbers_of<std::int64_t>("prepare_conv_bias: the bias", bias), input_scale,
                                             weight_scales, output_scale);
        },
        "The same of an array of int64, for layers of int16: a host tensor [channels, 4].", py::arg("bias"),
        py::kw_only(), py::arg("input_scale"), py::arg("weight_scale"), py::arg("output_scale"));
}

}  // namespace

void bind_layers(py::module_& module) {
    bind_pool(module, "avg_pool2d", tensor::Pool::kAverage,
              "Means of windows of int8 or int16 images, whose scale and zero point stay.");
    bind_pool(module, "max_pool2d", tensor::Pool::kMaximum,
              "Largest values of windows of int8 or int16 images, whose scale and zero point stay.");
    bind_convolutions(module);
    bind_linear(module);
}

}  // namespace pianola::python
