#include <fmt/format.h>

#include "capture_host/host/tensor/tiles.h"
#include "capture_host/python/bindings.h"
#include "pianola_host/operations.h"
#include "pianola_host/quantized.h"
#include "pianola_host/tensor.h"
#include "pianola_host/tensor_error.h"

namespace pianola::python {
namespace {

namespace py = pybind11;
using tensor::MemoryConfig;
using tensor::Tensor;
using tensor::TensorError;
using tensor::TensorRule;
using tensor::TensorSpec;

[[nodiscard]] ElementType type_of(const py::array& array) {
    const py::dtype type = array.dtype();
    for (const auto& [format, element] :
         {std::pair{'b', ElementType::kInt8}, std::pair{'B', ElementType::kUint8}, std::pair{'h', ElementType::kInt16},
          std::pair{'H', ElementType::kUint16}, std::pair{'i', ElementType::kInt32},
          std::pair{'I', ElementType::kUint32}, std::pair{'f', ElementType::kFloat32}}) {
        if ((type.char_() == format) && (type.byteorder() != '>')) {
            return element;
        }
    }
    throw TensorError{TensorRule::kType,
                      "arrays hold int8, uint8, int16, uint16, int32, uint32 or float32 of this machine, not " +
                          py::str(static_cast<py::handle>(type)).cast<std::string>() + "; convert with astype() first"};
}

[[nodiscard]] Tensor from_numpy(const py::array& array, const std::optional<ElementType>& dtype, ElementLayout layout,
                                const std::optional<AnyDevice>& device, const std::optional<MemoryConfig>& memory,
                                std::uint32_t queue, const std::optional<TensorToMesh>& mapper) {
    const ElementType held = type_of(array);
    const ElementType type = dtype.value_or(held);
    const bool rounds = (held == ElementType::kFloat32) && (type == ElementType::kBfloat16);
    if ((type != held) && !rounds) {
        throw TensorError{TensorRule::kType,
                          fmt::format("the array holds {}, and {} was asked for; convert with astype() first",
                                      tensor::type_name(held), tensor::type_name(type))};
    }
    const py::array dense = dense_of(array);
    TensorSpec spec;
    spec.type = type;
    spec.layout = layout;
    for (py::ssize_t i = 0; i < dense.ndim(); ++i) {
        spec.shape.push_back(static_cast<std::uint32_t>(std::min<py::ssize_t>(dense.shape(i), INT32_MAX)));
    }
    tensor::check_spec(spec);
    const Tensor whole = Tensor::on_host(spec, elements_of(type, dense));
    const Tensor tensor = mapper.has_value() ? tensor::distribute(whole, mapper->mesh, mapper->config) : whole;
    return device.has_value() ? tensor.to(*device, memory.value_or(tensor::kDramInterleaved), queue) : tensor;
}

[[nodiscard]] py::array to_numpy(const Tensor& given, const std::optional<MeshToTensor>& composer) {
    const Tensor tensor = composed(given, composer);
    return array_of(tensor.type(), tensor.shape(), tensor.bytes());
}

// NumPy's protocol: what asarray() makes of a tensor, wherever it lies.
[[nodiscard]] py::array as_array(const Tensor& tensor, const Elements& dtype, const std::optional<bool>& copy) {
    if (copy.has_value() && !*copy) {
        throw py::value_error("an array of a tensor is always a copy");
    }
    if (tensor.is_on_device()) {
        call_on(tensor.place(), [](auto& device) {
            device.synchronize();
        });  // NumPy names no queue: whichever made the data has ended then
    }
    const py::array array = to_numpy(tensor.cpu(), std::nullopt);
    return dtype.object.is_none() ? array : array.attr("astype")(dtype.object).cast<py::array>();
}

[[nodiscard]] TensorSpec spec_of(const Shape& shape, ElementType dtype, ElementLayout layout,
                                 const std::optional<MemoryConfig>& memory) {
    return TensorSpec{shape_from(shape.object), dtype, memory.value_or(tensor::kDramInterleaved), layout};
}

[[nodiscard]] tensor::Shape padded_shape_of(const TensorSpec& spec) {
    return (spec.layout == ElementLayout::kTile) ? tensor::tile_padded(spec.shape) : spec.shape;
}

[[nodiscard]] std::string describe(const Tensor& tensor) {
    std::string place = tensor.is_on_device() ? tensor::to_string(tensor.memory_config()) : "host";
    if (tensor.is_distributed()) {
        place +=
            fmt::format(", {} shards over {}", tensor.shards().size(),
                        (tensor.mesh() != nullptr) ? tensor.mesh()->name() : host::to_string(tensor.topology().shape));
    }
    return fmt::format("Tensor({}, {}, {}{}{})", tensor::to_string(tensor.shape()), tensor::type_name(tensor.type()),
                       place, (tensor.layout() == ElementLayout::kTile) ? ", tiles" : "",
                       tensor.is_allocated() ? "" : ", deallocated");
}

void bind_class(py::module_& module) {
    enum class Storage : std::uint8_t { kHost, kDevice };
    py::enum_<Storage>(module, "StorageType", "Where a tensor's data are.")
        .value("HOST", Storage::kHost)
        .value("DEVICE", Storage::kDevice);
    py::class_<Tensor>(module, "Tensor", "Data of a shape and an element type, on the host or on a device.")
        .def_property_readonly("shape", [](const Tensor& tensor) { return ShapeTuple{py::cast(tensor.shape())}; })
        .def_property_readonly("dtype", &Tensor::type)
        .def_property_readonly("layout", &Tensor::layout)
        .def_property_readonly(
            "padded_shape", [](const Tensor& tensor) { return ShapeTuple{py::cast(padded_shape_of(tensor.spec()))}; },
            "The shape in memory: the last two dimensions of tiles are multiples of 32.")
        .def_property_readonly("spec", &Tensor::spec)
        .def("memory_config", &Tensor::memory_config)
        .def("buffer_address", &Tensor::buffer_address, "Device address of the first byte; for L1, on the first core.")
        .def("is_allocated", &Tensor::is_allocated)
        .def("is_ready", &Tensor::is_ready, "Host: the data are there, so that looking at them does not wait.")
        .def("storage_type",
             [](const Tensor& tensor) { return tensor.is_on_device() ? Storage::kDevice : Storage::kHost; })
        .def("device",
             [](const Tensor& tensor) { return tensor.is_on_device() ? std::optional{tensor.place()} : std::nullopt; })
        .def("deallocate", &Tensor::deallocate, py::arg("force") = true)
        .def("cpu", &Tensor::cpu, py::arg("blocking") = true, py::arg("cq_id") = 0U)
        .def(
            "to",
            [](const Tensor& tensor, const AnyDevice& device, const std::optional<MemoryConfig>& memory,
               std::uint32_t queue) { return tensor.to(device, memory.value_or(tensor::kDramInterleaved), queue); },
            py::arg("device").none(false), py::arg("memory_config") = py::none(), py::arg("cq_id") = 0U)
        .def("to_numpy", &to_numpy, "A copy of a host tensor's data. Waits for a read that is under way.",
             py::arg("mesh_composer") = py::none())
        .def("tensor_topology", &Tensor::topology, "Where the shards of a distributed tensor are.")
        .def("__array__", &as_array,
             "A copy of the data; waits for all queues of a device tensor first, and reads on queue 0.",
             py::arg("dtype") = py::none(), py::arg("copy") = py::none())
        .def(
            "reshape",
            [](const Tensor& tensor, const Shape& shape) { return reshape(tensor, shape_of(tensor, shape)); },
            "pianola.reshape() of this tensor.", py::arg("shape"))
        .def("__add__",
             [](const Tensor& left, const Tensor& right) { return binary(tensor::Binary::kAdd, left, right); })
        .def("__add__",
             [](const Tensor& left, std::int64_t right) { return binary(tensor::Binary::kAdd, left, right); })
        .def("__sub__",
             [](const Tensor& left, const Tensor& right) { return binary(tensor::Binary::kSubtract, left, right); })
        .def("__sub__",
             [](const Tensor& left, std::int64_t right) { return binary(tensor::Binary::kSubtract, left, right); })
        .def("__mul__",
             [](const Tensor& left, const Tensor& right) { return binary(tensor::Binary::kMultiply, left, right); })
        .def("__mul__",
             [](const Tensor& left, std::int64_t right) { return binary(tensor::Binary::kMultiply, left, right); })
        .def("__matmul__", [](const Tensor& left, const Tensor& right) { return matmul(left, right); })
        .def("__neg__", [](const Tensor& operand) { return unary(tensor::Unary::kNeg, operand); })
        .def("__repr__", &describe);
}

}  // namespace

void bind_tensor(py::module_& module) {
    // Named by annotations before it is bound in full.
    const py::class_<host::Device, DevicePtr> device_class{module, "Device", "A simulated reference device."};
    bind_class(module);
    module.def("from_numpy", &from_numpy, "A tensor with an array's data, on the host or on a device.",
               py::arg("array"), py::arg("dtype") = py::none(), py::arg("layout") = ElementLayout::kRowMajor,
               py::arg("device") = py::none(), py::arg("memory_config") = py::none(), py::arg("cq_id") = 0U,
               py::arg("mesh_mapper") = py::none());
    module.def("to_numpy", &to_numpy,
               "A copy of a host tensor's data, of bfloat16 as float32. Waits for a read that is under way.",
               py::arg("tensor"), py::arg("mesh_composer") = py::none());
    module.def(
        "allocate_tensor_on_device",
        [](const Shape& shape, ElementType dtype, ElementLayout layout, const AnyDevice& device,
           const std::optional<MemoryConfig>& memory) {
            return Tensor::on_device(spec_of(shape, dtype, layout, memory), device);
        },
        "Device memory for a tensor, with whatever was there.", py::arg("shape"), py::arg("dtype"), py::arg("layout"),
        py::arg("device").none(false), py::arg("memory_config") = py::none());
    module.def(
        "allocate_tensor_on_device",
        [](TensorSpec spec, const AnyDevice& device, const std::optional<MemoryConfig>& memory) {
            spec.memory = memory.value_or(spec.memory);
            return Tensor::on_device(spec, device);
        },
        py::arg("tensor_spec"), py::arg("device").none(false), py::arg("memory_config") = py::none());
    module.def("copy_host_to_device_tensor", &tensor::copy_host_to_device,
               "Writes a tensor of the host to one of the device, of the same shape and type.", py::arg("host_tensor"),
               py::arg("device_tensor"), py::arg("cq_id") = 0U, py::arg("blocking") = false);
    module.def("deallocate", &Tensor::deallocate, "Frees the tensor's memory; force=False leaves it to other owners.",
               py::arg("tensor"), py::arg("force") = true);
}

}  // namespace pianola::python
