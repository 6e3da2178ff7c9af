#include "capture_host/python/bind_results.h"
#include "capture_host/python/bindings.h"
#include "capture_host/tensor/quantized.h"

namespace pianola::python {
namespace {

namespace py = pybind11;
using tensor::Binary;
using tensor::Clamp;
using tensor::OperationOptions;
using tensor::Tensor;

void bind_with_number(py::module_& module, const char* name, Binary operation) {
    bind_result(
        module, name,
        [operation](const Tensor& left, std::int64_t right, const Memory& memory, const Output& output,
                    std::uint32_t queue) {
            return tensor::binary(operation, left, right, OperationOptions{memory, output, queue});
        },
        "The same with a number of the tensor's type.", py::arg("input_tensor_a"), py::arg("input_tensor_b"),
        py::kw_only());
}

}  // namespace

void bind_elementwise(py::module_& module) {
    bind_with_number(module, "add", Binary::kAdd);
    bind_with_number(module, "subtract", Binary::kSubtract);
    bind_with_number(module, "multiply", Binary::kMultiply);
    bind_with_number(module, "minimum", Binary::kMinimum);
    bind_with_number(module, "maximum", Binary::kMaximum);
    bind_with_number(module, "eq", Binary::kEqual);
    bind_result(
        module, "add",
        [](const Tensor& left, const Tensor& right, float left_scale, float right_scale, float output_scale,
           std::int32_t left_zero, std::int32_t right_zero, std::int32_t output_zero, std::int32_t minimum,
           std::int32_t maximum, const Memory& memory, const Output& output, std::uint32_t queue) {
            return tensor::quantized_add(left, right, {left_scale, left_zero}, {right_scale, right_zero},
                                         {output_scale, output_zero}, Clamp{minimum, maximum},
                                         OperationOptions{memory, output, queue});
        },
        "a + b of the numbers for which int8 stands.", py::arg("input_tensor_a"), py::arg("input_tensor_b"),
        py::kw_only(), py::arg("input_scale_a"), py::arg("input_scale_b"), py::arg("output_scale"),
        py::arg("input_zero_point_a") = 0, py::arg("input_zero_point_b") = 0, py::arg("output_zero_point") = 0,
        py::arg("activation_min") = INT8_MIN, py::arg("activation_max") = INT8_MAX);
}

}  // namespace pianola::python
