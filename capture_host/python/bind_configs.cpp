#include <fmt/format.h>

#include "capture_host/python/bindings.h"

namespace pianola::python {
namespace {

namespace py = pybind11;
using host::CoreCoord;
using host::CoreRange;
using host::Layout;
using host::ShardSpec;
using tensor::MemoryConfig;
using tensor::TensorSpec;

constexpr auto kRangesType = py::detail::const_name("Iterable[CoreRange]");
using CoreRanges = Typed<kRangesType, py::iterable>;

enum class Orientation : std::uint8_t { kRowMajor };

void bind_names(py::module_& module) {
    py::enum_<ElementType>(module, "DataType", "Element types of tensors.")
        .value("INT8", ElementType::kInt8)
        .value("UINT8", ElementType::kUint8)
        .value("INT16", ElementType::kInt16, "Activations of layers with int8 weights.")
        .value("INT32", ElementType::kInt32)
        .value("FLOAT32", ElementType::kFloat32, "Can be moved, not computed with.")
        .value("UINT16", ElementType::kUint16, "Can be moved and cast, not computed with.")
        .value("UINT32", ElementType::kUint32)
        .value("BFLOAT16", ElementType::kBfloat16, "Can be moved, and cast to FLOAT32, not computed with.");
    py::enum_<ElementLayout>(module, "Layout", "Order of elements in memory: rows, or tiles of 32 x 32.")
        .value("ROW_MAJOR", ElementLayout::kRowMajor)
        .value("TILE", ElementLayout::kTile);
    py::enum_<Layout>(module, "TensorMemoryLayout", "How a tensor is spread over banks or cores.")
        .value("INTERLEAVED", Layout::kInterleaved)
        .value("HEIGHT_SHARDED", Layout::kHeightSharded)
        .value("WIDTH_SHARDED", Layout::kWidthSharded)
        .value("BLOCK_SHARDED", Layout::kBlockSharded);
    py::enum_<host::Memory>(module, "BufferType", "Memories.")
        .value("DRAM", host::Memory::kDram)
        .value("L1", host::Memory::kL1);
    py::enum_<Orientation>(module, "ShardOrientation", "Order in which shards are dealt out to cores.")
        .value("ROW_MAJOR", Orientation::kRowMajor);
}

void bind_cores(py::module_& module) {
    py::class_<CoreCoord>(module, "CoreCoord", "A core: column x, row y, from 0.")
        .def(py::init([](std::int64_t x, std::int64_t y) {
                 return CoreCoord{unsigned_from(x, "x"), unsigned_from(y, "y")};
             }),
             py::arg("x"), py::arg("y"))
        .def_readonly("x", &CoreCoord::x)
        .def_readonly("y", &CoreCoord::y)
        .def("__eq__", [](CoreCoord left, CoreCoord right) { return left == right; })
        .def("__hash__", [](CoreCoord core) { return py::hash(py::make_tuple(core.x, core.y)); })
        .def("__repr__", [](CoreCoord core) { return fmt::format("CoreCoord(x={}, y={})", core.x, core.y); });
    py::class_<CoreRange>(module, "CoreRange", "A rectangle of cores; `end` belongs to it.")
        .def(py::init([](CoreCoord start, CoreCoord end) { return CoreRange{start, end}; }), py::arg("start"),
             py::arg("end"))
        .def_readonly("start", &CoreRange::first)
        .def_readonly("end", &CoreRange::last)
        .def("__eq__", [](const CoreRange& left,
                          const CoreRange& right) { return (left.first == right.first) && (left.last == right.last); })
        .def("__hash__",
             [](const CoreRange& range) {
                 return py::hash(py::make_tuple(range.first.x, range.first.y, range.last.x, range.last.y));
             })
        .def("__repr__", [](const CoreRange& range) {
            return fmt::format("CoreRange(CoreCoord(x={}, y={}), CoreCoord(x={}, y={}))", range.first.x, range.first.y,
                               range.last.x, range.last.y);
        });
    py::class_<CoreSet>(module, "CoreRangeSet", "Rectangles of cores, in the order in which shards are dealt out.")
        .def(py::init([](const CoreRanges& ranges) {
                 CoreSet set;
                 for (const py::handle range : ranges.object) {
                     set.ranges.push_back(range.cast<CoreRange>());
                 }
                 return set;
             }),
             py::arg("ranges"))
        .def("ranges", [](const CoreSet& set) { return set.ranges; })
        .def("num_cores", [](const CoreSet& set) { return host::cores_of(set.ranges).size(); });
    py::class_<CoreGrid>(module, "CoreGrid", "The cores of a rectangle at the origin: y rows of x.")
        .def(py::init([](std::int64_t y, std::int64_t x) {
                 if ((x < 1) || (y < 1)) {
                     throw py::value_error("a grid has at least one row and one column");
                 }
                 return CoreGrid{unsigned_from(x, "x"), unsigned_from(y, "y")};
             }),
             py::kw_only(), py::arg("y"), py::arg("x"))
        .def_readonly("x", &CoreGrid::x)
        .def_readonly("y", &CoreGrid::y)
        .def_property_readonly("num_cores", [](CoreGrid grid) { return grid.x * grid.y; })
        .def("__repr__", [](CoreGrid grid) { return fmt::format("CoreGrid(y={}, x={})", grid.y, grid.x); });
}

void bind_memory(py::module_& module) {
    py::class_<ShardSpec>(module, "ShardSpec", "Cores, and rows and columns of one shard, in elements.")
        .def(py::init([](const Cores& grid, const Shape& shape, Orientation) {
                 const tensor::Shape shard = shape_from(shape.object);
                 if (shard.size() != 2U) {
                     throw py::value_error("a shard has two dimensions: rows and columns");
                 }
                 return ShardSpec{cores_from(grid.object), shard[0], shard[1]};
             }),
             py::arg("grid"), py::arg("shape"), py::arg("orientation") = Orientation::kRowMajor)
        .def_property_readonly("grid", [](const ShardSpec& shard) { return CoreSet{shard.cores}; })
        .def_property_readonly("shape", [](const ShardSpec& shard) { return std::pair{shard.rows, shard.columns}; });
    py::class_<MemoryConfig>(module, "MemoryConfig", "Where a tensor lies on a device.")
        .def(py::init([](Layout layout, host::Memory memory, std::optional<ShardSpec> shard) {
                 if (shard.has_value() && (memory == host::Memory::kDram)) {
                     shard->cores.clear();  // shards in DRAM lie in banks
                 }
                 return MemoryConfig{layout, memory, std::move(shard)};
             }),
             py::arg("memory_layout") = Layout::kInterleaved, py::arg("buffer_type") = host::Memory::kDram,
             py::arg("shard_spec") = py::none())
        .def_readonly("memory_layout", &MemoryConfig::layout)
        .def_readonly("buffer_type", &MemoryConfig::memory)
        .def_readonly("shard_spec", &MemoryConfig::shard)
        .def("is_sharded", [](const MemoryConfig& config) { return config.layout != Layout::kInterleaved; })
        .def("__eq__", [](const MemoryConfig& left, const MemoryConfig& right) { return left == right; })
        .def("__repr__", [](const MemoryConfig& config) { return "MemoryConfig(" + tensor::to_string(config) + ")"; });
    module.attr("DRAM_MEMORY_CONFIG") = tensor::kDramInterleaved;
    module.attr("L1_MEMORY_CONFIG") = tensor::l1_interleaved();
    for (const auto& [place, memory] : {std::pair{"DRAM", host::Memory::kDram}, std::pair{"L1", host::Memory::kL1}}) {
        for (const auto& [name, layout] :
             {std::pair{"HEIGHT", Layout::kHeightSharded}, std::pair{"WIDTH", Layout::kWidthSharded},
              std::pair{"BLOCK", Layout::kBlockSharded}}) {
            module.attr(fmt::format("{}_{}_SHARDED_MEMORY_CONFIG", place, name).c_str()) =
                MemoryConfig{layout, memory, std::nullopt};
        }
    }
}

void bind_sharding(py::module_& module) {
    module.def(
        "create_sharded_memory_config",
        [](const Shape& shape, const Cores& core_grid, Layout strategy, Orientation, bool shape_is_the_shards,
           host::Memory memory) {
            const tensor::Shape dimensions = shape_from(shape.object);
            const host::CoreRangeSet cores = cores_from(core_grid.object);
            if (!shape_is_the_shards) {
                return tensor::sharded(dimensions, cores, strategy, memory);
            }
            if (dimensions.empty()) {
                throw py::value_error("a shard has rows and columns");
            }
            ShardSpec shard{
                {}, static_cast<std::uint32_t>(tensor::rows_of(dimensions)), tensor::columns_of(dimensions)};
            if (memory == host::Memory::kL1) {
                shard.cores = cores;
            }
            return MemoryConfig{strategy, memory, shard};
        },
        "A configuration whose shards share a shape among cores as evenly as rows and columns allow.", py::arg("shape"),
        py::arg("core_grid"), py::arg("strategy"), py::arg("orientation") = Orientation::kRowMajor,
        py::arg("use_height_and_width_as_shard_shape") = false, py::kw_only(),
        py::arg("buffer_type") = host::Memory::kL1);
}

}  // namespace

void bind_configs(py::module_& module) {
    bind_names(module);
    bind_cores(module);
    bind_memory(module);
    bind_sharding(module);
    py::class_<TensorSpec>(module, "TensorSpec", "Shape, element type and place of a tensor.")
        .def(py::init([](const Shape& shape, ElementType dtype, ElementLayout layout, const MemoryConfig& memory) {
                 TensorSpec spec{shape_from(shape.object), dtype, memory, layout};
                 tensor::check_spec(spec);
                 return spec;
             }),
             py::arg("shape"), py::arg("dtype"), py::arg("layout") = ElementLayout::kRowMajor,
             py::arg("memory_config") = tensor::kDramInterleaved)
        .def_property_readonly("shape", [](const TensorSpec& spec) { return ShapeTuple{py::cast(spec.shape)}; })
        .def_readonly("dtype", &TensorSpec::type)
        .def_readonly("layout", &TensorSpec::layout)
        .def_readonly("memory_config", &TensorSpec::memory)
        .def("__eq__",
             [](const TensorSpec& left, const TensorSpec& right) {
                 return (left.shape == right.shape) && (left.type == right.type) && (left.memory == right.memory) &&
                        (left.layout == right.layout);
             })
        .def("__repr__", [](const TensorSpec& spec) {
            return fmt::format("TensorSpec({}, {}, {}{})", tensor::to_string(spec.shape), tensor::type_name(spec.type),
                               tensor::to_string(spec.memory), (spec.layout == ElementLayout::kTile) ? ", tiles" : "");
        });
}

}  // namespace pianola::python
