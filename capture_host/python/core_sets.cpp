#include "capture_host/python/bindings.h"
#include "pianola_host/tensor_error.h"

namespace pianola::python {

namespace py = pybind11;

host::CoreRangeSet cores_from(const py::handle& cores) {
    if (py::isinstance<CoreGrid>(cores)) {
        const auto grid = cores.cast<CoreGrid>();
        return {host::CoreRange{{0U, 0U}, {grid.x - 1U, grid.y - 1U}}};
    }
    if (py::isinstance<host::CoreRange>(cores)) {
        return {cores.cast<host::CoreRange>()};
    }
    if (py::isinstance<CoreSet>(cores)) {
        return cores.cast<CoreSet>().ranges;
    }
    throw py::type_error("cores are named by a CoreGrid, a CoreRange or a CoreRangeSet");
}

tensor::Shape shape_from(const py::handle& shape) {
    tensor::Shape dimensions;
    for (const py::handle item : py::iter(shape)) {
        const auto dimension = item.cast<std::int64_t>();
        if ((dimension < 1) || (dimension > INT32_MAX)) {
            throw tensor::TensorError{
                tensor::TensorRule::kShape,
                "a dimension is at least 1 and at most 2147483647, and " + std::to_string(dimension) + " was given"};
        }
        dimensions.push_back(static_cast<std::uint32_t>(dimension));
    }
    return dimensions;
}

std::uint32_t unsigned_from(std::int64_t value, const char* name) {
    if ((value < 0) || (value > UINT32_MAX)) {
        throw py::value_error(std::string{name} + " must be from 0 to 4294967295, and is " + std::to_string(value));
    }
    return static_cast<std::uint32_t>(value);
}

}  // namespace pianola::python
