// Layouts, and parts of tensors.

#include "capture_host/host/tensor/tiles.h"
#include "capture_host/python/bind_results.h"
#include "capture_host/python/bindings.h"
#include "pianola_host/operations.h"
#include "pianola_host/tensor_error.h"

namespace pianola::python {
namespace {

namespace py = pybind11;
using tensor::OperationOptions;
using tensor::SliceRange;
using tensor::Tensor;
using tensor::TensorError;
using tensor::TensorRule;
using tensor::TensorSpec;

// Positions from the front, whichever end they were counted from. Throws TENSOR-ARGUMENT.
[[nodiscard]] std::uint32_t position(std::int64_t given, std::uint32_t size) {
    const std::int64_t from_front = (given < 0) ? (given + size) : given;
    if ((from_front < 0) || (from_front > size)) {
        throw TensorError{TensorRule::kArgument, "slice: " + std::to_string(given) +
                                                     " lies outside of a dimension of " + std::to_string(size)};
    }
    return static_cast<std::uint32_t>(from_front);
}

[[nodiscard]] std::vector<SliceRange> ranges_of(const tensor::Shape& shape, const Integers& starts,
                                                const Integers& ends, const std::optional<Integers>& steps) {
    const std::size_t rank = shape.size();
    if ((starts.size() != rank) || (ends.size() != rank) || (steps.has_value() && (steps->size() != rank))) {
        throw TensorError{TensorRule::kArgument,
                          "slice: starts, ends and steps are one for each dimension of " + tensor::to_string(shape)};
    }
    std::vector<SliceRange> ranges;
    for (std::size_t i = 0U; i < rank; ++i) {
        ranges.push_back({position(starts[i], shape[i]), position(ends[i], shape[i]),
                          steps.has_value() ? unsigned_from((*steps)[i], "a step") : 1U});
    }
    return ranges;
}

// A host tensor of an array, which only lends its shape and bytes.
[[nodiscard]] TensorSpec bytes_spec(const tensor::Shape& shape, py::ssize_t element_bytes) {
    for (const ElementType type : {ElementType::kUint8, ElementType::kUint16, ElementType::kUint32}) {
        if (static_cast<py::ssize_t>(tensor::bytes_per_element(type)) == element_bytes) {
            TensorSpec spec{shape, type, {}, ElementLayout::kTile};
            tensor::check_spec(spec);
            return spec;
        }
    }
    throw TensorError{TensorRule::kType, "elements of tiles have 1, 2 or 4 bytes"};
}

[[nodiscard]] tensor::Shape shape_of_array(const py::array& array) {
    return {array.shape(), array.shape() + array.ndim()};
}

[[nodiscard]] py::array array_like(const py::array& array, const tensor::Shape& shape,
                                   const std::vector<std::uint8_t>& bytes) {
    py::array result{array.dtype(), std::vector<py::ssize_t>(shape.begin(), shape.end())};
    std::copy(bytes.begin(), bytes.end(), static_cast<std::uint8_t*>(result.mutable_data()));
    return result;
}

[[nodiscard]] ByteSpan span_of(const py::array& dense) {
    return {static_cast<const std::uint8_t*>(dense.data()), static_cast<std::size_t>(dense.nbytes())};
}

[[nodiscard]] py::array to_tiles(const py::array& array) {
    const py::array dense = dense_of(array);
    const TensorSpec spec = bytes_spec(shape_of_array(dense), dense.itemsize());
    return array_like(dense, tensor::storage_spec(spec).shape, tensor::tilized(span_of(dense), spec));
}

[[nodiscard]] py::array from_tiles(const py::array& tiles, const Shape& shape) {
    const py::array dense = dense_of(tiles);
    const TensorSpec spec = bytes_spec(shape_from(shape.object), dense.itemsize());
    const tensor::Shape stored = tensor::storage_spec(spec).shape;
    if (shape_of_array(dense) != stored) {
        throw TensorError{TensorRule::kShape, "tiles of " + tensor::to_string(spec.shape) + " are " +
                                                  tensor::to_string(stored) + ", not " +
                                                  tensor::to_string(shape_of_array(dense))};
    }
    return array_like(dense, spec.shape, tensor::untilized(span_of(dense), spec));
}

void bind_parts(py::module_& module) {
    bind_result(
        module, "slice",
        [](const Tensor& operand, const Integers& starts, const Integers& ends, const std::optional<Integers>& steps,
           const Memory& memory, const Output& output, std::uint32_t queue) {
            return tensor::slice(operand, ranges_of(operand.shape(), starts, ends, steps),
                                 OperationOptions{memory, output, queue});
        },
        "Elements from each dimension's start to below its end, so many steps apart.", py::arg("input_tensor"),
        py::arg("slice_start"), py::arg("slice_end"), py::arg("slice_step") = py::none(), py::kw_only());
    bind_result(
        module, "concat",
        [](const std::vector<Tensor>& operands, std::int64_t dim, const Memory& memory, const Output& output,
           std::uint32_t queue) {
            const std::size_t rank = operands.empty() ? 0U : operands.front().shape().size();
            const std::int64_t axis = (dim < 0) ? (dim + static_cast<std::int64_t>(rank)) : dim;
            if ((axis < 0) || (axis > UINT32_MAX)) {
                throw TensorError{TensorRule::kArgument, "concat: dim is " + std::to_string(dim)};
            }
            return tensor::concat(operands, static_cast<std::uint32_t>(axis), OperationOptions{memory, output, queue});
        },
        "Tensors of one type one after the other, along a dimension.", py::arg("tensors"), py::arg("dim") = 0,
        py::kw_only());
}

}  // namespace

void bind_layouts(py::module_& module) {
    module.def("to_layout", &tensor::to_layout,
               "The same data in rows or in tiles: the tensor itself, where it is what was asked for.",
               py::arg("tensor"), py::arg("layout"), py::arg("memory_config") = py::none(), py::arg("cq_id") = 0U);
    module.def("to_tiles", &to_tiles,
               "An array as the memory of a tensor in tiles holds it: what a trace binary takes.", py::arg("array"));
    module.def("from_tiles", &from_tiles, "The array of that shape of which to_tiles() made `tiles`.", py::arg("tiles"),
               py::arg("shape"));
    bind_parts(module);
}

}  // namespace pianola::python
