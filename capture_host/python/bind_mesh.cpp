#include <fmt/format.h>

#include "capture_host/python/bindings.h"
#include "pianola_host/mesh_error.h"

namespace pianola::python {
namespace {

namespace py = pybind11;
using host::MeshCoordinate;
using host::MeshDevice;
using host::MeshPtr;
using host::MeshShape;
using tensor::ComposerConfig;
using tensor::MapperConfig;
using tensor::Placement;
using tensor::Tensor;
using tensor::Topology;

constexpr std::uint32_t kUsualDevices = 8U;  // that programs are told of; a mesh opens as many as it asks for

void bind_mesh_members(py::module_& module) {
    auto mesh = module.attr("MeshDevice").cast<py::class_<MeshDevice, MeshPtr>>();
    mesh.def("is_open", &MeshDevice::is_open)
        .def("id", &MeshDevice::id)
        .def_property_readonly("shape", [](const MeshDevice& self) { return self.shape(); })
        .def("get_num_devices", [](const MeshDevice& self) { return self.shape().mesh_size(); })
        .def(
            "get_device_ids", [](const MeshDevice& self) { return self.device_ids(); }, "Row-major.")
        .def("get_device_id", &MeshDevice::device_id, py::arg("coordinate"))
        .def("create_submesh", &MeshDevice::create_submesh,
             "A part of the mesh, on the same devices, memory and queues.", py::arg("submesh_shape"),
             py::arg("offset") = py::none())
        .def("create_submeshes", &MeshDevice::create_submeshes, "Equal parts that cover the mesh, row-major.",
             py::arg("submesh_shape"))
        .def("get_submeshes", &MeshDevice::submeshes)
        .def("reshape", &MeshDevice::reshape, "The same devices in the same order.", py::arg("new_shape"))
        .def("failed", &MeshDevice::failed, "Devices that have failed.")
        .def("remaining", &MeshDevice::remaining, "The devices that have not failed, as a mesh of one row.")
        .def_property_readonly("num_command_queues",
                               [](const MeshDevice& self) { return self.options().num_command_queues; })
        .def_property_readonly("core_grid",
                               [](const MeshDevice& self) {
                                   const DeviceDescription& spec = self.options().spec;
                                   return CoreGrid{spec.grid_columns, spec.grid_rows};
                               })
        .def("num_program_cache_entries",
             [](const MeshDevice& self) { return self.device(self.coordinates().front())->program_cache_entries(); })
        .def(
            "warnings",
            [](const MeshDevice& self) {
                std::vector<std::string> all;
                for (const MeshCoordinate& place : self.coordinates()) {
                    for (const std::string& each : self.device(place)->warnings()) {
                        all.push_back(fmt::format("device {}: {}", host::to_string(place), each));
                    }
                }
                return all;
            },
            "What was allowed although it has consequences.")
        .def("__repr__", [](const MeshDevice& self) {
            return fmt::format("MeshDevice(id={}, {}, {} devices)", self.id(), host::to_string(self.shape()),
                               self.shape().mesh_size());
        });
}

void bind_mesh_functions(py::module_& module) {
    const auto closed = [](const MeshPtr& self) { self->close(); };
    module.def("close_mesh_device", closed, "Waits for what is under way, and frees everything, also of sub-meshes.",
               py::arg("mesh_device").none(false));
    module.def("close_device", closed, py::arg("device").none(false));
    module.def(
        "get_num_devices", [] { return kUsualDevices; },
        "How many devices programs are told of. A mesh opens as many as it has.");
    module.def(
        "get_device_ids",
        [] {
            std::vector<std::uint32_t> ids;
            for (std::uint32_t id = 0U; id < kUsualDevices; ++id) {
                ids.push_back(id);
            }
            return ids;
        },
        "The ids 0 to 7, as many as get_num_devices() says.");
    module.def("_visualize", [](const MeshPtr& self) { return host::visualize(*self); }, py::arg("mesh_device"));
}

void bind_mesh_events(py::module_& module) {
    module.def(
        "record_event",
        [](const MeshPtr& self, std::uint32_t queue, const host::MeshRange& range) {
            const Event event{self, self->create_event()};
            self->record_event(queue, event.id, range);
            return event;
        },
        "A new event, recorded on the devices of a range.", py::arg("mesh_device").none(false), py::arg("cq_id") = 0U,
        py::arg("device_range") = py::none());
    module.def(
        "record_event",
        [](std::uint32_t queue, const Event& event, const host::MeshCoordinateRange& range) {
            const auto* const mesh = std::get_if<MeshPtr>(&event.device);
            if (mesh == nullptr) {
                throw host::MeshError{host::MeshRule::kForeign, "a range of devices is named, the event is of one"};
            }
            (*mesh)->record_event(queue, event.id, range);
        },
        py::arg("cq_id"), py::arg("event"), py::arg("device_range"));
    module.def(
        "wait_for_event",
        [](const MeshPtr& self, std::uint32_t queue, const Event& event) { self->wait_for_event(queue, event.id); },
        "The devices of this mesh wait, as far as they have recorded the event.", py::arg("mesh_device").none(false),
        py::arg("cq_id"), py::arg("event"));
    module.def(
        "execute_trace",
        [](const MeshPtr& self, host::TraceId trace, std::uint32_t queue, bool blocking,
           const host::MeshCoordinateRange& range) { self->execute_trace(queue, trace, blocking, range); },
        "On the devices of a range only.", py::arg("mesh_device").none(false), py::arg("trace_id"),
        py::arg("cq_id") = 0U, py::arg("blocking") = false, py::kw_only(), py::arg("device_range"));
}

// The shards of tensors as what the devices know of them.
[[nodiscard]] std::map<MeshCoordinate, std::vector<host::NamedBuffer>> named_by_device(
    const std::map<std::string, Tensor>& tensors) {
    std::map<MeshCoordinate, std::vector<host::NamedBuffer>> names;
    for (const auto& [name, each] : tensors) {
        for (std::size_t i = 0U; i < each.shards().size(); ++i) {
            names[each.topology().coordinates[i]].push_back({name, each.shards()[i].buffer()});
        }
    }
    return names;
}

[[nodiscard]] std::map<std::string, Tensor> trace_tensors(const MeshPtr& self, host::TraceId trace) {
    std::map<std::string, std::pair<std::vector<Tensor>, Topology>> found;
    for (const MeshCoordinate& place : self->coordinates()) {
        for (const host::NamedBuffer& each : self->trace_buffers(trace, place)) {
            auto& [shards, topology] = found[each.name];
            shards.push_back(Tensor::on_buffer(each.buffer));
            topology.coordinates.push_back(place);
        }
    }
    std::map<std::string, Tensor> tensors;
    for (auto& [name, parts] : found) {
        auto& [shards, topology] = parts;
        const bool is_whole = shards.size() == self->shape().mesh_size();
        topology.shape = is_whole ? self->shape() : MeshShape{static_cast<std::uint32_t>(shards.size())};
        topology.placements.resize(topology.shape.dims());
        tensors.emplace(name, Tensor::of_shards(shards, topology, self));
    }
    return tensors;
}

void bind_mesh_trace_blobs(py::module_& module) {
    const auto mesh = py::arg("mesh_device").none(false);
    module.def(
        "collect_trace",
        [](const MeshPtr& self, host::TraceId trace, const std::map<std::string, Tensor>& tensors) {
            return bytes_of(self->collect_trace(trace, named_by_device(tensors)));
        },
        "The traces of all devices as bytes, for load_trace() on a mesh like this one.", mesh, py::arg("trace_id"),
        py::arg("tensors") = std::map<std::string, Tensor>{});
    module.def(
        "load_trace",
        [](const MeshPtr& self, const py::bytes& blob, std::uint32_t queue) {
            const std::string_view text = blob;
            const std::vector<std::uint8_t> bytes{text.begin(), text.end()};
            return self->load_trace(queue, ByteSpan{bytes.data(), bytes.size()});
        },
        "Traces from bytes. Their memory must be free.", mesh, py::arg("blob"), py::arg("cq_id") = 0U);
    module.def("trace_tensors", &trace_tensors, "The tensors that load_trace() has allocated, by name.", mesh,
               py::arg("trace_id"));
}

void bind_mappers(py::module_& module) {
    const auto mesh = py::arg("mesh_device").none(false);
    const auto replicate = [](const MeshPtr& self) {
        return TensorToMesh{self->shape(), tensor::replicate_all(self->shape())};
    };
    const auto shard = [](const MeshPtr& self, std::int32_t dim) {
        return TensorToMesh{self->shape(), tensor::shard_all(self->shape(), dim)};
    };
    module.def(
        "create_mesh_mapper",
        [](const MeshPtr& self, const MapperConfig& config) {
            static_cast<void>(tensor::topology_for(self->shape(), config));
            return TensorToMesh{self->shape(), config};
        },
        "A mapper with a placement for each dimension of the mesh.", mesh, py::arg("config"));
    module.def("replicate_tensor_to_mesh_mapper", replicate, "Every device gets all of a tensor.", mesh);
    module.def("ReplicateTensorToMesh", replicate, "replicate_tensor_to_mesh_mapper() under its older name.", mesh);
    module.def("shard_tensor_to_mesh_mapper", shard, "A dimension is cut into a part for each device, row-major.", mesh,
               py::arg("dim"));
    module.def("ShardTensorToMesh", shard, "shard_tensor_to_mesh_mapper() under its older name.", mesh, py::arg("dim"));
    module.def(
        "ShardTensor2dMesh",
        [](const MeshPtr& self, const MeshShape& shape,
           const std::pair<std::optional<std::int32_t>, std::optional<std::int32_t>>& dims) {
            const MapperConfig config{{Placement{dims.first}, Placement{dims.second}}, shape};
            static_cast<void>(tensor::topology_for(self->shape(), config));
            return TensorToMesh{self->shape(), config};
        },
        "A dimension of the tensor for mesh rows, and one for mesh columns; None repeats it.", mesh,
        py::arg("mesh_shape"), py::arg("dims"));
}

void bind_composers(py::module_& module) {
    const auto mesh = py::arg("mesh_device").none(false);
    const auto concat = [](const MeshPtr& /*self*/, std::int32_t dim) {
        return MeshToTensor{ComposerConfig{{dim}, std::nullopt}, true};
    };
    module.def(
        "create_mesh_composer",
        [](const MeshPtr& self, const ComposerConfig& config) {
            return MeshToTensor{ComposerConfig{config.dimensions, config.shape.value_or(self->shape())}};
        },
        "A composer with a dimension of the tensor for each dimension of the mesh.", mesh, py::arg("config"));
    module.def("concat_mesh_to_tensor_composer", concat, "All shards in a row along a dimension, replicas as well.",
               mesh, py::arg("dim"));
    module.def("ConcatMeshToTensor", concat, "concat_mesh_to_tensor_composer() under its older name.", mesh,
               py::arg("dim"));
    module.def(
        "ConcatMesh2dToTensor",
        [](const MeshPtr& /*self*/, const MeshShape& shape, const std::pair<std::int32_t, std::int32_t>& dims) {
            return MeshToTensor{ComposerConfig{{dims.first, dims.second}, shape}};
        },
        "Mesh rows along one dimension of the tensor, mesh columns along another.", mesh, py::arg("mesh_shape"),
        py::arg("dims"));
}

void bind_tensors(py::module_& module) {
    module.def(
        "distribute_tensor",
        [](const Tensor& whole, const TensorToMesh& mapper, const std::optional<MeshPtr>& mesh) {
            const Tensor spread = tensor::distribute(whole, mapper.mesh, mapper.config);
            return mesh.has_value() ? spread.to(*mesh, tensor::kDramInterleaved) : spread;
        },
        "The shards of a host tensor, on the host or on a mesh.", py::arg("tensor"), py::arg("mapper"),
        py::arg("mesh_device") = py::none());
    module.def(
        "aggregate_tensor",
        [](const Tensor& spread, const MeshToTensor& composer) { return composed(spread.cpu(), composer); },
        "One host tensor of all shards.", py::arg("tensor"), py::arg("composer"));
    module.def("get_device_tensors", &tensor::device_tensors, "One for each shard, on the same memory.",
               py::arg("tensor"));
    module.def("combine_device_tensors", &tensor::combine_device_tensors,
               "Tensors of different devices of one mesh, which lie at one address, as one.", py::arg("tensors"));
    module.def(
        "from_host_shards",
        [](const std::vector<Tensor>& shards, const MeshShape& shape) {
            const Topology topology{shape, std::vector<Placement>(shape.dims(), Placement{0}),
                                    host::MeshCoordinateRange{shape}.coordinates()};
            return Tensor::of_shards(shards, topology);
        },
        "A distributed host tensor: one shard for each device of a mesh of that shape.", py::arg("tensors"),
        py::arg("mesh_shape"));
}

}  // namespace

Tensor composed(const Tensor& tensor, const std::optional<MeshToTensor>& composer) {
    if (!composer.has_value()) {
        return tensor;
    }
    if (tensor.is_on_device()) {
        return composed(tensor.cpu(), composer);
    }
    ComposerConfig config = composer->config;
    if (composer->is_line) {
        config.shape = MeshShape{static_cast<std::uint32_t>(tensor.shards().size())};
    }
    return tensor::aggregate(tensor, config);
}

void bind_mesh(py::module_& module) {
    bind_mesh_members(module);
    bind_mesh_functions(module);
    bind_mesh_events(module);
    bind_mesh_trace_blobs(module);
    bind_mappers(module);
    bind_composers(module);
    bind_tensors(module);
}

}  // namespace pianola::python
