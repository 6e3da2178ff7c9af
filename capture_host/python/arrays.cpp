// Arrays of NumPy, and the elements of tensors and trace binaries.

#include <cstring>

#include "capture_host/host/tensor/bfloat16.h"
#include "capture_host/python/bindings.h"

namespace pianola::python {

namespace py = pybind11;

py::dtype dtype_of(ElementType type) {
    switch (type) {
        case ElementType::kInt8:
            return py::dtype::of<std::int8_t>();
        case ElementType::kUint8:
            return py::dtype::of<std::uint8_t>();
        case ElementType::kInt16:
            return py::dtype::of<std::int16_t>();
        case ElementType::kUint16:
            return py::dtype::of<std::uint16_t>();
        case ElementType::kInt32:
            return py::dtype::of<std::int32_t>();
        case ElementType::kUint32:
            return py::dtype::of<std::uint32_t>();
        case ElementType::kFloat32:
        case ElementType::kBfloat16:
            return py::dtype::of<float>();
        case ElementType::kBool:
            return py::dtype::of<bool>();
        case ElementType::kUnspecified:
            break;
    }
    return py::dtype::of<std::uint8_t>();
}

// Not array::ensure(), which gives nothing where it fails, and forgets why.
py::array dense_of(const py::handle& value) {
    return py::module_::import("numpy").attr("asarray")(value, py::arg("order") = "C").cast<py::array>();
}

py::array array_of(ElementType type, const tensor::Shape& shape, const std::vector<std::uint8_t>& elements) {
    const ByteSpan stored{elements.data(), elements.size()};
    const bool widens = type == ElementType::kBfloat16;
    const std::vector<std::uint8_t> wide = widens ? tensor::float32_from_bfloat16(stored) : std::vector<std::uint8_t>{};
    const std::vector<std::uint8_t>& bytes = widens ? wide : elements;
    py::array array{dtype_of(type), std::vector<py::ssize_t>(shape.begin(), shape.end())};
    std::memcpy(array.mutable_data(), bytes.data(), bytes.size());
    return array;
}

std::vector<std::uint8_t> elements_of(ElementType type, const py::array& dense) {
    const auto* const data = static_cast<const std::uint8_t*>(dense.data());
    const auto size = static_cast<std::size_t>(dense.nbytes());
    if (type == ElementType::kBfloat16) {
        return tensor::bfloat16_from_float32(ByteSpan{data, size});
    }
    return {data, data + size};
}

}  // namespace pianola::python
