#include "capture_host/python/bind_results.h"
#include "capture_host/python/bindings.h"
#include "pianola_host/operations.h"
#include "pianola_host/tensor_error.h"

namespace pianola::python {
namespace {

namespace py = pybind11;
using tensor::OperationOptions;
using tensor::Tensor;
using tensor::TensorError;
using tensor::TensorRule;
using tensor::TensorSpec;

[[nodiscard]] Tensor full_on(const AnyDevice& device, const TensorSpec& spec, std::int64_t value, std::uint32_t queue) {
    return std::visit([&](const auto& each) { return tensor::full(spec, value, each, queue); }, device);
}

void bind_binary(py::module_& module, const char* name, tensor::Binary operation, const char* doc) {
    module.def(
        name,
        [operation](const Tensor& left, const Tensor& right, const Memory& memory, const Output& output,
                    std::uint32_t queue) {
            return tensor::binary(operation, left, right, OperationOptions{memory, output, queue});
        },
        doc, py::arg("input_tensor_a"), py::arg("input_tensor_b"), py::kw_only(), py::arg("memory_config") = py::none(),
        py::arg("output_tensor") = py::none(), py::arg("cq_id") = 0U);
}

void bind_unary(py::module_& module, const char* name, tensor::Unary operation, const char* doc) {
    module.def(
        name,
        [operation](const Tensor& operand, const Memory& memory, const Output& output, std::uint32_t queue) {
            return tensor::unary(operation, operand, OperationOptions{memory, output, queue});
        },
        doc, py::arg("input_tensor"), py::kw_only(), py::arg("memory_config") = py::none(),
        py::arg("output_tensor") = py::none(), py::arg("cq_id") = 0U);
}

void bind_reduction(py::module_& module, const char* name, tensor::Reduction operation, const char* doc) {
    module.def(
        name,
        [operation](const Tensor& operand, std::int64_t dim, const Memory& memory, const Output& output,
                    std::uint32_t queue) {
            const auto rank = static_cast<std::int64_t>(operand.shape().size());
            if ((dim < -rank) || (dim >= rank)) {
                throw TensorError{TensorRule::kShape, "dim is from " + std::to_string(-rank) + " to " +
                                                          std::to_string(rank - 1) + ", not " + std::to_string(dim)};
            }
            return tensor::reduce(operation, operand, static_cast<std::uint32_t>((dim < 0) ? (dim + rank) : dim),
                                  OperationOptions{memory, output, queue});
        },
        doc, py::arg("input_tensor"), py::arg("dim") = -1, py::kw_only(), py::arg("memory_config") = py::none(),
        py::arg("output_tensor") = py::none(), py::arg("cq_id") = 0U);
}

void bind_matrices(py::module_& module) {
    module.def(
        "matmul",
        [](const Tensor& left, const Tensor& right, const Memory& memory, const Output& output, std::uint32_t queue) {
            return tensor::matmul(left, right, OperationOptions{memory, output, queue});
        },
        "[..., m, k] times [..., k, n], of int8 or int32, gives int32 [..., m, n]; what is in front is broadcast, sums "
        "wrap.",
        py::arg("input_tensor_a"), py::arg("input_tensor_b"), py::kw_only(), py::arg("memory_config") = py::none(),
        py::arg("output_tensor") = py::none(), py::arg("cq_id") = 0U);
    module.def(
        "linear",
        [](const Tensor& input, const Tensor& weight, const Output& bias, const Memory& memory, const Output& output,
           std::uint32_t queue) {
            return tensor::linear(input, weight, bias, OperationOptions{memory, output, queue});
        },
        "matmul() plus an int32 bias [n].", py::arg("input_tensor"), py::arg("weight"), py::kw_only(),
        py::arg("bias") = py::none(), py::arg("memory_config") = py::none(), py::arg("output_tensor") = py::none(),
        py::arg("cq_id") = 0U);
}

void bind_moves(py::module_& module) {
    module.def("to_memory_config", &tensor::to_memory_config, "The same data in new memory.", py::arg("tensor"),
               py::arg("memory_config"), py::arg("cq_id") = 0U);
    module.def("reshard", &tensor::reshard,
               "The same data elsewhere: in new memory, or in `output_tensor`, whose address stays.",
               py::arg("input_tensor"), py::arg("output_memory_config"), py::arg("output_tensor") = py::none(),
               py::arg("cq_id") = 0U);
    module.def("copy", &tensor::copy, "Overwrites the data of a device tensor with those of another.",
               py::arg("input_tensor"), py::arg("output_tensor"), py::arg("cq_id") = 0U);
    module.def("fill", &tensor::fill, "Makes every element of a device tensor `fill_value`.", py::arg("input_tensor"),
               py::arg("fill_value"), py::arg("cq_id") = 0U);
    module.def(
        "full",
        [](const Shape& shape, std::int64_t value, ElementType dtype, ElementLayout layout, const AnyDevice& device,
           const Memory& memory, std::uint32_t queue) {
            return full_on(
                device, TensorSpec{shape_from(shape.object), dtype, memory.value_or(tensor::kDramInterleaved), layout},
                value, queue);
        },
        "A device tensor whose elements are all `fill_value`.", py::arg("shape"), py::arg("fill_value"),
        py::arg("dtype"), py::arg("layout") = ElementLayout::kRowMajor, py::kw_only(), py::arg("device").none(false),
        py::arg("memory_config") = py::none(), py::arg("cq_id") = 0U);
    module.def(
        "zeros",
        [](const Shape& shape, ElementType dtype, ElementLayout layout, const AnyDevice& device, const Memory& memory,
           std::uint32_t queue) {
            return full_on(
                device, TensorSpec{shape_from(shape.object), dtype, memory.value_or(tensor::kDramInterleaved), layout},
                0, queue);
        },
        "A device tensor of zeros.", py::arg("shape"), py::arg("dtype"), py::arg("layout") = ElementLayout::kRowMajor,
        py::kw_only(), py::arg("device").none(false), py::arg("memory_config") = py::none(), py::arg("cq_id") = 0U);
}

}  // namespace

void bind_operations(py::module_& module) {
    bind_binary(module, "add", tensor::Binary::kAdd, "a + b; int8 saturates, int32 wraps.");
    bind_binary(module, "subtract", tensor::Binary::kSubtract, "a - b; int8 saturates, int32 wraps.");
    bind_binary(module, "multiply", tensor::Binary::kMultiply, "a * b; int8 saturates, int32 wraps.");
    bind_binary(module, "minimum", tensor::Binary::kMinimum, "The smaller of a and b.");
    bind_binary(module, "maximum", tensor::Binary::kMaximum, "The larger of a and b.");
    bind_binary(module, "eq", tensor::Binary::kEqual, "1 where a equals b, else 0, in their type.");
    bind_unary(module, "square", tensor::Unary::kSquare, "a * a; int8 saturates, int32 wraps.");
    bind_unary(module, "relu", tensor::Unary::kRelu, "The larger of each element and 0.");
    bind_unary(module, "neg", tensor::Unary::kNeg, "-a; int8 saturates, int32 wraps.");
    bind_unary(module, "abs", tensor::Unary::kAbs, "Absolute values; int8 saturates, int32 wraps.");
    bind_reduction(module, "sum", tensor::Reduction::kSum, "int32 sums over a dimension, which becomes 1; sums wrap.");
    bind_reduction(module, "max", tensor::Reduction::kMax,
                   "Largest values over a dimension, which becomes 1, as int32.");
    bind_reduction(module, "min", tensor::Reduction::kMin,
                   "Smallest values over a dimension, which becomes 1, as int32.");
    bind_reduction(module, "argmax", tensor::Reduction::kArgMax,
                   "Where the first of the largest values of a dimension is, which becomes 1; int32.");
    bind_reduction(module, "argmin", tensor::Reduction::kArgMin,
                   "Where the first of the smallest values of a dimension is, which becomes 1; int32.");
    bind_matrices(module);
    bind_moves(module);
}

}  // namespace pianola::python
