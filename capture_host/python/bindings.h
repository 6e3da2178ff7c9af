// The parts of the Python module.
//
// Each function adds its part; module.cpp calls them in the order in which they need each other. docs/guide/python.md
// is the manual. toolchains/package_stub.py makes the type stubs of the signatures that pybind11 derives from the
// bindings' types.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pianola_host/device.h"
#include "pianola_host/geometry.h"
#include "pianola_host/targets.h"
#include "pianola_host/tensor.h"
#include "pianola_host/tensor_spec.h"
#include "pianola_host/trace.h"

namespace pianola::python {

// From now on, long calls of the host's libraries look for signals: what a signal's handler raises ends them.
void look_for_signals();

void bind_errors(pybind11::module_& module);
void bind_configs(pybind11::module_& module);
void bind_mesh_types(pybind11::module_& module);
void bind_tensor(pybind11::module_& module);
void bind_device(pybind11::module_& module);
void bind_mesh(pybind11::module_& module);
void bind_operations(pybind11::module_& module);
void bind_quantized(pybind11::module_& module);
void bind_rearrange(pybind11::module_& module);
void bind_layers(pybind11::module_& module);
void bind_recurrent(pybind11::module_& module);
void bind_elementwise(pybind11::module_& module);
void bind_layouts(pybind11::module_& module);
void bind_pipeline(pybind11::module_& module);
void bind_capture(pybind11::module_& module);
void bind_session(pybind11::module_& module);

// For all classes of the module: using an object that no constructor has made, as Class.__new__(Class) gives it, raises
// TypeError. pybind11 would take memory without contents for the object.
void require_construction(const pybind11::module_& module);

// A Python object to which signatures give a more exact type than its class.
template <const auto& kType, typename Object = pybind11::object>
struct Typed {
    Object object;
};

inline constexpr auto kShapeType = pybind11::detail::const_name("Sequence[int]");
inline constexpr auto kTupleType = pybind11::detail::const_name("Tuple[int, ...]");
inline constexpr auto kCoresType = pybind11::detail::const_name("Union[CoreGrid, CoreRange, CoreRangeSet]");
inline constexpr auto kPathType = pybind11::detail::const_name("Union[str, os.PathLike[str]]");
inline constexpr auto kElementsType = pybind11::detail::const_name("numpy.typing.DTypeLike");
inline constexpr auto kEntryType = pybind11::detail::const_name("Dict[str, Any]");
using Shape = Typed<kShapeType>;
using ShapeTuple = Typed<kTupleType, pybind11::tuple>;
using Cores = Typed<kCoresType>;
using Path = Typed<kPathType>;
using Elements = Typed<kElementsType>;
using Entry = Typed<kEntryType, pybind11::dict>;

using DevicePtr = std::shared_ptr<host::Device>;
using tensor::AnyDevice;
using tensor::call_on;

// An event knows its device, because the calls that use it name a queue only.
struct Event {
    AnyDevice device;
    host::EventId id;
};

// What distributes a host tensor over a mesh of that shape, and what puts it together again.
struct TensorToMesh {
    host::MeshShape mesh;
    tensor::MapperConfig config;
};
struct MeshToTensor {
    tensor::ComposerConfig config;
    bool is_line{false};  // all shards in a row, however they were cut
};
[[nodiscard]] tensor::Tensor composed(const tensor::Tensor& tensor, const std::optional<MeshToTensor>& composer);

// A rectangle of cores that begins at the origin.
struct CoreGrid {
    std::uint32_t x{1U};
    std::uint32_t y{1U};
};
struct CoreSet {
    host::CoreRangeSet ranges;
};
using tensor::ElementLayout;

// Where the program calls from, "file:line": the innermost frame outside of the package. Empty outside of Python.
[[nodiscard]] std::string call_site();

// Cores, however they are named: a CoreRangeSet, a CoreRange, a CoreGrid.
[[nodiscard]] host::CoreRangeSet cores_from(const pybind11::handle& cores);
// Throws TENSOR-SHAPE for numbers that cannot be dimensions.
[[nodiscard]] tensor::Shape shape_from(const pybind11::handle& shape);

// The shape that a tensor is given: one dimension may be -1, and then follows from the others.
[[nodiscard]] tensor::Shape shape_of(const tensor::Tensor& operand, const Shape& shape);

// A parameter as Python declares it, for a trace or a captured workload.
[[nodiscard]] host::TraceParameter trace_parameter(const std::string& name, const std::vector<std::uint32_t>& words,
                                                   std::int64_t minimum, std::int64_t maximum, std::int64_t alignment,
                                                   bool is_address);

[[nodiscard]] inline pybind11::bytes bytes_of(const std::vector<std::uint8_t>& bytes) {
    const std::string text{bytes.begin(), bytes.end()};
    return pybind11::bytes{text};
}

// What NumPy calls elements of that type. It has no bfloat16: arrays of float32 stand for it.
[[nodiscard]] pybind11::dtype dtype_of(ElementType type);
// Any object's elements row by row. Throws what NumPy or the object says where there are none: a list whose rows
// differ, a tensor that was freed, more bytes than there is memory.
[[nodiscard]] pybind11::array dense_of(const pybind11::handle& value);
// Elements as an array, and a dense array of dtype_of(type) as elements.
[[nodiscard]] pybind11::array array_of(ElementType type, const tensor::Shape& shape,
                                       const std::vector<std::uint8_t>& elements);
[[nodiscard]] std::vector<std::uint8_t> elements_of(ElementType type, const pybind11::array& dense);

// The name of a file, as open() takes it: str or os.PathLike. Throws ValueError for one that holds a NUL, as open()
// does: the operating system would see another name.
[[nodiscard]] std::string path_from(const pybind11::object& path);

// What executes a device's commands: the simulator, or the device that the text names. Throws API-DEVICE-OPTIONS.
inline constexpr const char* kSimulator = "simulator";
[[nodiscard]] ExecutorDevice executor_from(const std::string& executor,
                                           const targets::Targets& targets = targets::Targets{});

// For numbers that the caller of Python may give as any integer: throws ValueError where it does not fit.
[[nodiscard]] std::uint32_t unsigned_from(std::int64_t value, const char* name);

}  // namespace pianola::python

template <const auto& kType, typename Object>
struct pybind11::detail::type_caster<pianola::python::Typed<kType, Object>> {
    using Value = pianola::python::Typed<kType, Object>;
    PYBIND11_TYPE_CASTER(Value, kType);

    bool load(handle source, bool convert) {
        make_caster<Object> object;
        if (!object.load(source, convert)) {
            return false;
        }
        value.object = cast_op<Object>(std::move(object));
        return true;
    }
    static handle cast(const Value& typed, return_value_policy /*policy*/, handle /*parent*/) {
        return typed.object.inc_ref();
    }
};

// Every number below 2^32 that Python passes: one out of range is a ValueError, as unsigned_from() says, and not
// another type's.
template <>
struct pybind11::detail::type_caster<std::uint32_t> {
    PYBIND11_TYPE_CASTER(std::uint32_t, const_name("int"));

    bool load(handle source, bool convert) {
        make_caster<std::int64_t> number;
        if (number.load(source, convert)) {
            value = pianola::python::unsigned_from(cast_op<std::int64_t>(number), "the number");
            return true;
        }
        if (PyLong_Check(source.ptr()) != 0) {
            throw value_error("the number is far outside 0 to 4294967295");
        }
        return false;
    }
    static handle cast(std::uint32_t number, return_value_policy /*policy*/, handle /*parent*/) {
        return PyLong_FromUnsignedLong(number);
    }
};
