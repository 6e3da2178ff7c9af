// Functions that give a tensor, and whose last parameters say where it goes.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "capture_host/python/bindings.h"
#include "pianola_host/tensor.h"
#include "pianola_host/tensor_error.h"

namespace pianola::python {

using Memory = std::optional<tensor::MemoryConfig>;
using Output = std::optional<tensor::Tensor>;
using Integers = std::vector<std::int64_t>;  // negative ones too

using Dimensions = std::optional<std::variant<std::int64_t, std::vector<std::int64_t>>>;

// Dimensions from the front, whichever end they were counted from; all of them where none is given. Throws
// TENSOR-ARGUMENT.
[[nodiscard]] std::vector<std::uint32_t> dimensions_of(const char* operation, const tensor::Tensor& operand,
                                                       const Dimensions& dimensions);

// The elements of an array of exactly that type. Throws TENSOR-TYPE.
template <typename Element>
[[nodiscard]] std::vector<Element> numbers_of(const char* what, const pybind11::array& array) {
    using Dense = pybind11::array_t<Element, pybind11::array::c_style>;
    if (!pybind11::isinstance<pybind11::array_t<Element>>(array)) {
        throw tensor::TensorError{
            tensor::TensorRule::kType,
            std::string{what} + " is an array of " +
                pybind11::str(static_cast<pybind11::handle>(array.dtype())).template cast<std::string>() +
                "; it must be of int" + std::to_string(sizeof(Element) * 8U)};
    }
    const Dense dense{dense_of(array)};
    return {dense.data(), dense.data() + dense.size()};
}

// Adds a function: its own parameters, of which some are keywords, then memory_config, output_tensor and cq_id.
template <typename Function, typename... Parameters>
void bind_result(pybind11::module_& module, const char* name, const Function& function, const char* doc,
                 const Parameters&... parameters) {
    module.def(name, function, doc, parameters..., pybind11::arg("memory_config") = pybind11::none(),
               pybind11::arg("output_tensor") = pybind11::none(), pybind11::arg("cq_id") = 0U);
}

}  // namespace pianola::python
