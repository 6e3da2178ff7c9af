#include "capture_host/python/bind_results.h"
#include "capture_host/python/bindings.h"
#include "pianola_host/quantized.h"

namespace pianola::python {
namespace {

namespace py = pybind11;
using tensor::Binary;
using tensor::Clamp;
using tensor::OperationOptions;
using tensor::Quantization;
using tensor::QuantizedBinary;
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

// A function of two tensors with a scale and a zero point each.
template <typename Function>
void bind_pair(py::module_& module, const char* name, const char* doc, const Function& function) {
    bind_result(
        module, name,
        [function](const Tensor& left, const Tensor& right, float left_scale, float right_scale, float output_scale,
                   std::int32_t left_zero, std::int32_t right_zero, std::int32_t output_zero, std::int32_t minimum,
                   std::int32_t maximum, const Memory& memory, const Output& output, std::uint32_t queue) {
            return function(left, right, {left_scale, left_zero}, {right_scale, right_zero},
                            {output_scale, output_zero}, Clamp{minimum, maximum},
                            OperationOptions{memory, output, queue});
        },
        doc, py::arg("input_tensor_a"), py::arg("input_tensor_b"), py::kw_only(), py::arg("input_scale_a"),
        py::arg("input_scale_b"), py::arg("output_scale"), py::arg("input_zero_point_a") = 0,
        py::arg("input_zero_point_b") = 0, py::arg("output_zero_point") = 0, py::arg("activation_min") = INT8_MIN,
        py::arg("activation_max") = INT8_MAX);
}

auto pair(QuantizedBinary operation) {
    return [operation](const Tensor& left, const Tensor& right, const Quantization& from_left,
                       const Quantization& from_right, const Quantization& to, const Clamp& clamp,
                       const OperationOptions& options) {
        return tensor::quantized_binary(operation, left, right, from_left, from_right, to, clamp, options);
    };
}

void bind_comparison(py::module_& module, const char* name, QuantizedBinary operation) {
    bind_result(
        module, name,
        [operation](const Tensor& left, const Tensor& right, float left_scale, float right_scale,
                    std::int32_t left_zero, std::int32_t right_zero, const Memory& memory, const Output& output,
                    std::uint32_t queue) {
            return tensor::quantized_binary(operation, left, right, {left_scale, left_zero}, {right_scale, right_zero},
                                            {}, {}, OperationOptions{memory, output, queue});
        },
        "1 and 0: whether the numbers for which int8 stands compare so.", py::arg("input_tensor_a"),
        py::arg("input_tensor_b"), py::kw_only(), py::arg("input_scale_a"), py::arg("input_scale_b"),
        py::arg("input_zero_point_a") = 0, py::arg("input_zero_point_b") = 0);
}

}  // namespace

void bind_elementwise(py::module_& module) {
    bind_with_number(module, "add", Binary::kAdd);
    bind_with_number(module, "subtract", Binary::kSubtract);
    bind_with_number(module, "multiply", Binary::kMultiply);
    bind_with_number(module, "minimum", Binary::kMinimum);
    bind_with_number(module, "maximum", Binary::kMaximum);
    bind_with_number(module, "eq", Binary::kEqual);
    bind_pair(module, "add", "a + b of the numbers for which int8 stands.", tensor::quantized_add);
    bind_pair(module, "subtract", "a - b of the numbers for which int8 stands.", pair(QuantizedBinary::kSubtract));
    bind_pair(module, "multiply", "a * b of the numbers for which int8 stands.", pair(QuantizedBinary::kMultiply));
    bind_pair(module, "squared_difference", "(a - b)^2 of the numbers for which int8 stands.",
              pair(QuantizedBinary::kSquaredDifference));
    bind_pair(module, "prelu", "a where that is not below 0, else a * b, of the numbers for which int8 stands.",
              pair(QuantizedBinary::kPrelu));
    bind_comparison(module, "eq", QuantizedBinary::kEqual);
    bind_comparison(module, "ne", QuantizedBinary::kNotEqual);
    bind_comparison(module, "gt", QuantizedBinary::kGreater);
    bind_comparison(module, "ge", QuantizedBinary::kGreaterEqual);
    bind_comparison(module, "lt", QuantizedBinary::kLess);
    bind_comparison(module, "le", QuantizedBinary::kLessEqual);
    bind_result(
        module, "where",
        [](const Tensor& condition, const Tensor& left, const Tensor& right, const Memory& memory, const Output& output,
           std::uint32_t queue) {
            return tensor::where(condition, left, right, OperationOptions{memory, output, queue});
        },
        "Elements of the second tensor where those of the first, int8 or uint8, are not 0, else of the third.",
        py::arg("predicate"), py::arg("value_true"), py::arg("value_false"), py::kw_only());
    bind_result(
        module, "lookup",
        [](const Tensor& operand, const Tensor& table, const Memory& memory, const Output& output,
           std::uint32_t queue) { return tensor::lookup(operand, table, OperationOptions{memory, output, queue}); },
        "table[i] for each byte whose bits, as an unsigned number, are i.", py::arg("input_tensor"), py::arg("table"),
        py::kw_only());
}

}  // namespace pianola::python
