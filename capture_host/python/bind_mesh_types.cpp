#include <fmt/format.h>
#include <fmt/ranges.h>

#include "capture_host/python/bindings.h"
#include "pianola_host/mesh_error.h"

namespace pianola::python {
namespace {

namespace py = pybind11;
using host::MeshCoordinate;
using host::MeshCoordinateRange;
using host::MeshCoordinateRangeSet;
using host::MeshShape;
using tensor::ComposerConfig;
using tensor::MapperConfig;
using tensor::Placement;
using tensor::Topology;

using Numbers = std::vector<std::uint32_t>;

// From a sequence, or from one to three numbers.
template <typename Numbered>
void bind_numbered(py::class_<Numbered>& type, const char* sequence, const char* first, const char* second,
                   const char* third) {
    using Number = std::uint32_t;
    type.def(py::init<Numbers>(), py::arg(sequence))
        .def(py::init([](Number a) { return Numbered{Numbers{a}}; }), py::arg(first))
        .def(py::init([](Number a, Number b) { return Numbered{Numbers{a, b}}; }), py::arg(first), py::arg(second))
        .def(py::init([](Number a, Number b, Number c) { return Numbered{Numbers{a, b, c}}; }), py::arg(first),
             py::arg(second), py::arg(third))
        .def("dims", &Numbered::dims)
        .def("__len__", &Numbered::dims)
        .def("__eq__", [](const Numbered& left, const Numbered& right) { return left == right; });
    py::implicitly_convertible<py::tuple, Numbered>();
    py::implicitly_convertible<py::list, Numbered>();
}

// Counted as Python counts.
[[nodiscard]] std::uint32_t item(const Numbers& numbers, std::int64_t index) {
    const auto size = static_cast<std::int64_t>(numbers.size());
    if ((index < -size) || (index >= size)) {
        throw py::index_error{"a mesh has " + std::to_string(size) + " dimensions"};
    }
    return numbers.at(static_cast<std::size_t>((index < 0) ? (index + size) : index));
}

void bind_shapes(py::module_& module) {
    py::class_<MeshShape> shape{module, "MeshShape", "How many devices a mesh has in each dimension."};
    bind_numbered(shape, "sizes", "rows", "columns", "depth");
    shape.def("mesh_size", &MeshShape::mesh_size, "How many devices.")
        .def("__getitem__", [](const MeshShape& self, std::int64_t index) { return item(self.sizes(), index); })
        .def("__hash__", [](const MeshShape& self) { return py::hash(py::tuple(py::cast(self.sizes()))); })
        .def("__repr__",
             [](const MeshShape& self) { return fmt::format("MeshShape([{}])", fmt::join(self.sizes(), ", ")); });
    py::class_<MeshCoordinate> coordinate{module, "MeshCoordinate", "The place of a device in a mesh, from 0."};
    bind_numbered(coordinate, "values", "row", "column", "layer");
    coordinate
        .def("__getitem__", [](const MeshCoordinate& self, std::int64_t index) { return item(self.values(), index); })
        .def("__hash__", [](const MeshCoordinate& self) { return py::hash(py::tuple(py::cast(self.values()))); })
        .def("__repr__", [](const MeshCoordinate& self) { return "MeshCoordinate" + host::to_string(self); });
}

void bind_ranges(py::module_& module) {
    py::class_<MeshCoordinateRange> range{module, "MeshCoordinateRange", "A box of a mesh; `end` belongs to it."};
    range.def(py::init<MeshCoordinate, MeshCoordinate>(), py::arg("start"), py::arg("end"))
        .def(py::init<const MeshShape&>(), py::arg("mesh_shape"))
        .def_property_readonly("start", &MeshCoordinateRange::start)
        .def_property_readonly("end", &MeshCoordinateRange::end)
        .def_property_readonly("shape", &MeshCoordinateRange::shape)
        .def("coords", &MeshCoordinateRange::coordinates, "Row-major.")
        .def(
            "contains",
            [](const MeshCoordinateRange& self, const MeshCoordinate& place) { return self.contains(place); },
            py::arg("coordinate"))
        .def("intersects", &MeshCoordinateRange::intersects, py::arg("range"))
        .def("__len__", [](const MeshCoordinateRange& self) { return self.shape().mesh_size(); })
        .def("__getitem__",
             [](const MeshCoordinateRange& self, std::int64_t index) {
                 const std::vector<MeshCoordinate> all = self.coordinates();
                 if ((index < 0) || (index >= static_cast<std::int64_t>(all.size()))) {
                     throw py::index_error{"the range ends"};
                 }
                 return all.at(static_cast<std::size_t>(index));
             })
        .def("__eq__", [](const MeshCoordinateRange& left, const MeshCoordinateRange& right) { return left == right; })
        .def("__hash__", [](const MeshCoordinateRange& self) { return py::hash(py::cast(host::to_string(self))); })
        .def("__repr__", [](const MeshCoordinateRange& self) {
            return fmt::format("MeshCoordinateRange({})", host::to_string(self));
        });
    py::class_<MeshCoordinateRangeSet>(module, "MeshCoordinateRangeSet", "Boxes of a mesh that do not overlap.")
        .def(py::init<const std::vector<MeshCoordinateRange>&>(),
             py::arg("ranges") = std::vector<MeshCoordinateRange>{})
        .def("merge", &MeshCoordinateRangeSet::merge, py::arg("range"))
        .def("ranges", &MeshCoordinateRangeSet::ranges)
        .def("coords", &MeshCoordinateRangeSet::coordinates, "Range by range.")
        .def("__len__", [](const MeshCoordinateRangeSet& self) { return self.ranges().size(); })
        .def("__eq__",
             [](const MeshCoordinateRangeSet& left, const MeshCoordinateRangeSet& right) { return left == right; });
}

void bind_distribution(py::module_& module) {
    py::class_<Placement>(module, "MeshPlacement", "What a dimension of a mesh does with a tensor.")
        .def("__eq__", [](const Placement& left, const Placement& right) { return left == right; })
        .def("__repr__", [](const Placement& self) {
            return self.dimension.has_value() ? fmt::format("PlacementShard({})", *self.dimension)
                                              : std::string{"PlacementReplicate()"};
        });
    module.def(
        "PlacementShard", [](std::int32_t dim) { return Placement{dim}; }, "Cuts a dimension of the tensor.",
        py::arg("dim"));
    module.def("PlacementReplicate", [] { return Placement{}; }, "Repeats the tensor.");
    py::class_<MapperConfig>(module, "MeshMapperConfig", "A placement for each dimension of the mesh.")
        .def(py::init([](std::vector<Placement> placements, std::optional<MeshShape> shape) {
                 return MapperConfig{std::move(placements), std::move(shape)};
             }),
             py::arg("placements"), py::arg("mesh_shape_override") = py::none())
        .def_readonly("placements", &MapperConfig::placements);
    py::class_<ComposerConfig>(module, "MeshComposerConfig", "A dimension of the tensor for each one of the mesh.")
        .def(py::init([](std::vector<std::int32_t> dims, std::optional<MeshShape> shape) {
                 return ComposerConfig{std::move(dims), std::move(shape)};
             }),
             py::arg("dims"), py::arg("mesh_shape_override") = py::none())
        .def_readonly("dims", &ComposerConfig::dimensions);
    const py::class_<TensorToMesh> mapper{module, "TensorToMesh", "Distributes a tensor over a mesh."};
    const py::class_<MeshToTensor> composer{module, "MeshToTensor", "Puts the shards of a tensor together."};
    py::class_<Topology>(module, "TensorTopology", "Where the shards of a tensor are.")
        .def("distribution_shape", [](const Topology& self) { return self.shape; })
        .def("placements", [](const Topology& self) { return self.placements; })
        .def("mesh_coords", [](const Topology& self) { return self.coordinates; })
        .def("get_neighbor", &Topology::neighbour,
             "The device of the shard so many steps on in a dimension, as in a ring.", py::arg("coord"),
             py::arg("offset"), py::arg("dim"))
        .def(
            "get_next_neighbor",
            [](const Topology& self, const MeshCoordinate& place, std::uint32_t dim) {
                return self.neighbour(place, 1, dim);
            },
            py::arg("coord"), py::arg("dim"))
        .def(
            "get_prev_neighbor",
            [](const Topology& self, const MeshCoordinate& place, std::uint32_t dim) {
                return self.neighbour(place, -1, dim);
            },
            py::arg("coord"), py::arg("dim"));
}

}  // namespace

void bind_mesh_types(py::module_& module) {
    bind_shapes(module);
    bind_ranges(module);
    bind_distribution(module);
    // Named by annotations before it is bound in full.
    const py::class_<host::MeshDevice, host::MeshPtr> mesh{module, "MeshDevice", "Devices that are used as one."};
}

}  // namespace pianola::python
