// The elements of a tensor in another order, several times, or chosen by indices.

#include "capture_host/python/bind_results.h"
#include "capture_host/python/bindings.h"
#include "pianola_host/operations.h"
#include "pianola_host/tensor_error.h"

namespace pianola::python {
namespace {

namespace py = pybind11;
using tensor::OperationOptions;
using tensor::Tensor;

[[nodiscard]] std::uint32_t dimension_of(const char* operation, const Tensor& operand, std::int64_t dim) {
    return dimensions_of(operation, operand, dim).front();
}

[[nodiscard]] Tensor repeated(const Tensor& operand, const Integers& times, const OperationOptions& options) {
    std::vector<std::uint32_t> counts;
    for (const std::int64_t count : times) {
        counts.push_back(unsigned_from(count, "a number of repetitions"));
    }
    return tensor::repeat(operand, counts, options);
}

[[nodiscard]] Tensor transposed(const Tensor& operand, std::int64_t first, std::int64_t second,
                                const OperationOptions& options) {
    std::vector<std::uint32_t> order = dimensions_of("transpose", operand, std::nullopt);
    std::swap(order.at(dimension_of("transpose", operand, first)),
              order.at(dimension_of("transpose", operand, second)));
    return tensor::permute(operand, order, options);
}

void bind_orders(py::module_& module) {
    bind_result(
        module, "permute",
        [](const Tensor& operand, const Integers& dims, const Memory& memory, const Output& output,
           std::uint32_t queue) {
            return tensor::permute(operand, dimensions_of("permute", operand, dims),
                                   OperationOptions{memory, output, queue});
        },
        "The data with their dimensions in another order: dimension i of the result is dims[i].",
        py::arg("input_tensor"), py::arg("dims"), py::kw_only());
    bind_result(
        module, "transpose",
        [](const Tensor& operand, std::int64_t first, std::int64_t second, const Memory& memory, const Output& output,
           std::uint32_t queue) { return transposed(operand, first, second, OperationOptions{memory, output, queue}); },
        "The data with two dimensions exchanged.", py::arg("input_tensor"), py::arg("dim1"), py::arg("dim2"),
        py::kw_only());
    bind_result(
        module, "flip",
        [](const Tensor& operand, const Integers& dims, const Memory& memory, const Output& output,
           std::uint32_t queue) {
            return tensor::flip(operand, dimensions_of("flip", operand, dims), OperationOptions{memory, output, queue});
        },
        "The data backwards along each of `dims`.", py::arg("input_tensor"), py::arg("dims"), py::kw_only());
    bind_result(
        module, "repeat",
        [](const Tensor& operand, const Integers& times, const Memory& memory, const Output& output,
           std::uint32_t queue) { return repeated(operand, times, OperationOptions{memory, output, queue}); },
        "The data so many times along each dimension.", py::arg("input_tensor"), py::arg("repeat_dims"), py::kw_only());
}

void bind_choices(py::module_& module) {
    bind_result(
        module, "take",
        [](const Tensor& operand, const Tensor& indices, std::int64_t dim, const Memory& memory, const Output& output,
           std::uint32_t queue) {
            return tensor::take(operand, indices, dimension_of("take", operand, dim),
                                OperationOptions{memory, output, queue});
        },
        "Entries of a dimension by int32 indices; one outside takes the nearest entry.", py::arg("input_tensor"),
        py::arg("indices"), py::arg("dim") = 0, py::kw_only());
    bind_result(
        module, "embedding",
        [](const Tensor& indices, const Tensor& weight, const Memory& memory, const Output& output,
           std::uint32_t queue) { return tensor::take(weight, indices, 0U, OperationOptions{memory, output, queue}); },
        "Rows of `weight` by int32 indices; one outside takes the nearest row.", py::arg("input_tensor"),
        py::arg("weight"), py::kw_only());
}

}  // namespace

void bind_rearrange(py::module_& module) {
    bind_orders(module);
    bind_choices(module);
}

}  // namespace pianola::python
