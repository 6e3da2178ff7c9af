#include <algorithm>
#include <variant>

#include "capture_host/python/bindings.h"
#include "capture_host/tensor/quantized.h"
#include "capture_host/tensor/tensor_error.h"

namespace pianola::python {
namespace {

namespace py = pybind11;
using tensor::MemoryConfig;
using tensor::OperationOptions;
using tensor::Quantization;
using tensor::Tensor;
using tensor::TensorError;
using tensor::TensorRule;

using Memory = std::optional<MemoryConfig>;
using Output = std::optional<Tensor>;

// Adds a function whose last parameters say where its result goes.
template <typename Function, typename... Arguments>
void bind(py::module_& module, const char* name, const Function& function, const char* doc,
          const Arguments&... arguments) {
    module.def(name, function, doc, arguments..., py::arg("memory_config") = py::none(),
               py::arg("output_tensor") = py::none(), py::arg("cq_id") = 0U);
}

void bind_types(py::module_& module) {
    bind(
        module, "requantize",
        [](const Tensor& operand, float in_scale, std::int32_t in_zero_point, float out_scale,
           std::int32_t out_zero_point, const Memory& memory, const Output& output, std::uint32_t queue) {
            return tensor::requantize(operand, {in_scale, in_zero_point}, {out_scale, out_zero_point},
                                      OperationOptions{memory, output, queue});
        },
        "int8 for the numbers for which int8, or int32 with zero point 0, stands.", py::arg("input_tensor"),
        py::arg("in_scale"), py::arg("in_zero_point"), py::arg("out_scale"), py::arg("out_zero_point"), py::kw_only());
    bind(
        module, "typecast",
        [](const Tensor& operand, ElementType type, const Memory& memory, const Output& output, std::uint32_t queue) {
            return tensor::typecast(operand, type, OperationOptions{memory, output, queue});
        },
        "int8 as int32, or int32 as int8, which saturates.", py::arg("input_tensor"), py::arg("dtype"), py::kw_only());
    bind(
        module, "reshape",
        [](const Tensor& operand, const Shape& shape, const Memory& memory, const Output& output, std::uint32_t queue) {
            return tensor::reshape(operand, shape_of(operand, shape), OperationOptions{memory, output, queue});
        },
        "The same data in another shape, of which one dimension may be -1. A view where only dimensions before the "
        "last "
        "differ and nothing else is asked for, else a copy.",
        py::arg("input_tensor"), py::arg("shape"), py::kw_only());
}

}  // namespace

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
}

}  // namespace pianola::python
