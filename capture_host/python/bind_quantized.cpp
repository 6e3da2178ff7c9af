#include <algorithm>

#include "capture_host/python/bind_results.h"
#include "capture_host/python/bindings.h"
#include "pianola_host/quantized.h"
#include "pianola_host/tensor_error.h"

namespace pianola::python {
namespace {

namespace py = pybind11;
using tensor::OperationOptions;
using tensor::Tensor;
using tensor::TensorError;
using tensor::TensorRule;

void bind_types(py::module_& module) {
    bind_result(
        module, "requantize",
        [](const Tensor& operand, float in_scale, std::int32_t in_zero_point, float out_scale,
           std::int32_t out_zero_point, const Memory& memory, const Output& output, std::uint32_t queue) {
            return tensor::requantize(operand, {in_scale, in_zero_point}, {out_scale, out_zero_point},
                                      OperationOptions{memory, output, queue});
        },
        "int8 for the numbers for which int8, or int32 with zero point 0, stands.", py::arg("input_tensor"),
        py::arg("in_scale"), py::arg("in_zero_point"), py::arg("out_scale"), py::arg("out_zero_point"), py::kw_only());
    bind_result(
        module, "quantize",
        [](const Tensor& operand, float scale, std::int32_t zero_point, ElementType type, const Memory& memory,
           const Output& output, std::uint32_t queue) {
            return tensor::quantize(operand, {scale, zero_point}, type, OperationOptions{memory, output, queue});
        },
        "int8 or uint8 that stand for the numbers of float32.", py::arg("input_tensor"), py::arg("scale"),
        py::arg("zero_point"), py::kw_only(), py::arg("dtype") = ElementType::kInt8);
    bind_result(
        module, "dequantize",
        [](const Tensor& operand, float scale, std::int32_t zero_point, const Memory& memory, const Output& output,
           std::uint32_t queue) {
            return tensor::dequantize(operand, {scale, zero_point}, OperationOptions{memory, output, queue});
        },
        "The numbers, of float32, for which int8 or uint8 stand.", py::arg("input_tensor"), py::arg("scale"),
        py::arg("zero_point"), py::kw_only());
    bind_result(
        module, "typecast",
        [](const Tensor& operand, ElementType type, const Memory& memory, const Output& output, std::uint32_t queue) {
            return tensor::typecast(operand, type, OperationOptions{memory, output, queue});
        },
        "The same numbers in another integer type, saturated, or bfloat16 as float32.", py::arg("input_tensor"),
        py::arg("dtype"), py::kw_only());
    bind_result(
        module, "reshape",
        [](const Tensor& operand, const Shape& shape, const Memory& memory, const Output& output, std::uint32_t queue) {
            return tensor::reshape(operand, shape_of(operand, shape), OperationOptions{memory, output, queue});
        },
        "The same data in another shape, of which one dimension may be -1. A view where only dimensions before the "
        "last "
        "differ and nothing else is asked for, else a copy.",
        py::arg("input_tensor"), py::arg("shape"), py::kw_only());
}

void bind_rows(py::module_& module) {
    bind_result(
        module, "softmax",
        [](const Tensor& operand, std::int64_t dim, float input_scale, float beta, const Output& tables,
           const Memory& memory, const Output& output, std::uint32_t queue) {
            if (dimensions_of("softmax", operand, dim).front() != (operand.shape().size() - 1U)) {
                throw TensorError{TensorRule::kArgument,
                                  "softmax: dim is " + std::to_string(dim) + "; it must be the last one, -1"};
            }
            const OperationOptions options{memory, output, queue};
            return tables.has_value() ? tensor::softmax_int16(operand, *tables, input_scale, beta, options)
                                      : tensor::softmax(operand, input_scale, beta, options);
        },
        "int8 probabilities over the last dimension; their scale is 1/256, their zero point -128. With the tables of "
        "prepare_softmax_tables(), of int16: int16 of scale 1/32768.",
        py::arg("input_tensor"), py::arg("dim") = -1, py::kw_only(), py::arg("input_scale"), py::arg("beta") = 1.0F,
        py::arg("tables") = py::none());
    module.def("prepare_softmax_tables", &tensor::prepare_softmax_tables,
               "A host tensor [2, 513] of int16, which softmax() of int16 takes.");
    bind_result(
        module, "log_softmax",
        [](const Tensor& operand, float input_scale, const Memory& memory, const Output& output, std::uint32_t queue) {
            return tensor::log_softmax(operand, input_scale, OperationOptions{memory, output, queue});
        },
        "int8 logarithms of softmax over the last dimension; their scale is 1/16, their zero point 127.",
        py::arg("input_tensor"), py::kw_only(), py::arg("input_scale"));
    bind_result(
        module, "l2_normalize",
        [](const Tensor& operand, std::int32_t zero_point, const Memory& memory, const Output& output,
           std::uint32_t queue) {
            return tensor::l2_normalize(operand, zero_point, OperationOptions{memory, output, queue});
        },
        "int8 rows of the last dimension divided by their length; their scale is 1/128, their zero point 0.",
        py::arg("input_tensor"), py::kw_only(), py::arg("input_zero_point") = 0);
    bind_result(
        module, "mean",
        [](const Tensor& operand, const Dimensions& dim, bool keep, float in_scale, std::int32_t in_zero,
           float out_scale, std::int32_t out_zero, const Memory& memory, const Output& output, std::uint32_t queue) {
            return tensor::mean(operand, dimensions_of("mean", operand, dim), keep, {in_scale, in_zero},
                                {out_scale, out_zero}, OperationOptions{memory, output, queue});
        },
        "int8 means over dimensions, or over all; with other scales, in those of the result.", py::arg("input_tensor"),
        py::arg("dim") = py::none(), py::arg("keepdim") = false, py::kw_only(), py::arg("input_scale") = 1.0F,
        py::arg("input_zero_point") = 0, py::arg("output_scale") = 1.0F, py::arg("output_zero_point") = 0);
    bind_result(
        module, "pad",
        [](const Tensor& operand, const tensor::Padding& padding, std::int64_t value, const Memory& memory,
           const Output& output, std::uint32_t queue) {
            return tensor::pad(operand, padding, value, OperationOptions{memory, output, queue});
        },
        "The data with `value` around them: so many elements before and after, for each dimension.",
        py::arg("input_tensor"), py::arg("padding"), py::arg("value") = 0, py::kw_only());
}

void bind_sigmoid(py::module_& module, const char* name, tensor::Sigmoid operation, const char* doc) {
    bind_result(
        module, name,
        [operation](const Tensor& operand, const Tensor& table, float input_scale, const Memory& memory,
                    const Output& output, std::uint32_t queue) {
            return tensor::sigmoid_int16(operation, operand, table, input_scale,
                                         OperationOptions{memory, output, queue});
        },
        doc, py::arg("input_tensor"), py::arg("table"), py::kw_only(), py::arg("input_scale"));
}

}  // namespace

std::vector<std::uint32_t> dimensions_of(const char* operation, const Tensor& operand, const Dimensions& dimensions) {
    const auto rank = static_cast<std::int64_t>(operand.shape().size());
    std::vector<std::int64_t> given;
    if (!dimensions.has_value()) {
        for (std::int64_t i = 0; i < rank; ++i) {
            given.push_back(i);
        }
    } else if (const auto* const one = std::get_if<std::int64_t>(&*dimensions)) {
        given.push_back(*one);
    } else {
        given = std::get<std::vector<std::int64_t>>(*dimensions);
    }
    std::vector<std::uint32_t> result;
    for (const std::int64_t dimension : given) {
        if ((dimension < -rank) || (dimension >= rank)) {
            throw TensorError{TensorRule::kArgument, std::string{operation} + ": dim is " + std::to_string(dimension) +
                                                         "; it must be from " + std::to_string(-rank) + " to " +
                                                         std::to_string(rank - 1)};
        }
        result.push_back(static_cast<std::uint32_t>((dimension < 0) ? (dimension + rank) : dimension));
    }
    return result;
}

tensor::Shape shape_of(const Tensor& operand, const Shape& shape) {
    const auto given = shape.object.cast<std::vector<std::int64_t>>();
    if (std::count(given.begin(), given.end(), -1) != 1) {
        return shape_from(shape.object);
    }
    std::uint64_t known = 1U;
    for (const std::int64_t dimension : given) {
        known = ((dimension > 0) && (known <= UINT32_MAX)) ? (known * static_cast<std::uint64_t>(dimension)) : known;
    }
    const std::uint64_t missing = tensor::element_count(operand.shape()) / known;
    std::vector<std::int64_t> filled = given;
    std::replace(filled.begin(), filled.end(), std::int64_t{-1}, static_cast<std::int64_t>(missing));
    return shape_from(py::cast(filled));
}

void bind_quantized(py::module_& module) {
    bind_types(module);
    bind_rows(module);
    bind_sigmoid(module, "sigmoid", tensor::Sigmoid::kLogistic,
                 "The logistic function of int16; the result's scale is 1/32768. Of int8 it is lookup().");
    bind_sigmoid(module, "tanh", tensor::Sigmoid::kTanh,
                 "The hyperbolic tangent of int16; the result's scale is 1/32768. Of int8 it is lookup().");
    module.def("prepare_sigmoid_table", &tensor::prepare_sigmoid_table,
               "A host tensor [256] of uint16, which sigmoid() and tanh() take.");
}

}  // namespace pianola::python
