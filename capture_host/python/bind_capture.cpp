#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>

#include "capture_host/files/files.h"
#include "capture_host/python/bindings.h"
#include "capture_host/python/player.h"
#include "capture_host/tensor/tensor.h"
#include "capture_host/workload/workload_capture.h"
#include "hal/devices/device_numbers.h"

namespace pianola::python {
namespace {

namespace py = pybind11;
using host::CapturedWorkload;
using host::TensorDeclaration;
using host::WorkloadCapture;
using tensor::Tensor;

constexpr auto kFileType = py::detail::const_name("Union[bytes, str, os.PathLike[str]]");
constexpr auto kInputsType = py::detail::const_name("Mapping[str, numpy.ndarray]");
constexpr auto kOutputsType = py::detail::const_name("Dict[str, numpy.ndarray]");
using File = Typed<kFileType>;
using Inputs = Typed<kInputsType, py::dict>;
using Outputs = Typed<kOutputsType, py::dict>;
// The same without names, in the binary's order.
constexpr auto kInputListType = py::detail::const_name("Sequence[numpy.ndarray]");
constexpr auto kOutputListType = py::detail::const_name("List[numpy.ndarray]");
using InputList = Typed<kInputListType, py::sequence>;
using OutputList = Typed<kOutputListType, py::list>;

[[nodiscard]] TensorDeclaration declaration(const Tensor& tensor, const std::string& name, float scale,
                                            std::int32_t zero_point) {
    return TensorDeclaration{name, tensor.type(), tensor.storage().shape(), scale, zero_point};
}

[[nodiscard]] Entry device_entry(const CapturedWorkload& workload) {
    const capture::ManifestTarget& target = workload.manifest.target;
    py::dict entry;
    entry["profile"] = workload.profile;
    for_each_size([&entry](const char* name, std::uint32_t value) { entry[name] = value; }, target);
    return {std::move(entry)};
}

// Dictionaries have one array for each name.
void require_distinct_names(const char* what, const std::vector<capture::ManifestTensor>& tensors) {
    std::set<std::string> names;
    for (const capture::ManifestTensor& each : tensors) {
        if (!names.insert(each.name).second) {
            throw PlayerError{"PLAYER-NAMES",
                              fmt::format("the name '{}' is that of two {}s of the binary, which a dictionary can not "
                                          "tell apart: Session.run() takes and gives lists too, in the order of "
                                          "Session.inputs and Session.outputs",
                                          each.name, what)};
        }
    }
}

[[nodiscard]] Outputs named_outputs(const Player::Tensors& record,
                                    const std::vector<capture::ManifestTensor>& tensors) {
    py::dict named;
    for (std::size_t i = 0U; i < tensors.size(); ++i) {
        named[tensors[i].name.c_str()] = array_of(tensors[i].type, tensors[i].shape, record[i]);
    }
    return {std::move(named)};
}

[[nodiscard]] std::vector<Outputs> named_records(const std::vector<Player::Tensors>& records,
                                                 const std::vector<capture::ManifestTensor>& tensors,
                                                 const char* what) {
    require_distinct_names(what, tensors);
    std::vector<Outputs> named;
    for (const Player::Tensors& record : records) {
        named.push_back(named_outputs(record, tensors));
    }
    return named;
}

// On a device of its own, as the runtime on target replays it.
void compare_to_capture(const CapturedWorkload& self) {
    Player player{self.file};
    host::compare_to_golden(player.run(self.inputs), self.outputs);
}

[[nodiscard]] std::vector<std::uint8_t> array_bytes(const py::handle& value) {
    const py::array array = dense_of(value);
    const auto* const data = static_cast<const std::uint8_t*>(array.data());
    return {data, data + array.nbytes()};
}

// The tensors in the order of golden's names.
void compare_records(const std::vector<Inputs>& outputs, const std::vector<Inputs>& golden) {
    std::vector<Player::Tensors> is(outputs.size());
    std::vector<Player::Tensors> should(golden.size());
    for (std::size_t i = 0U; i < golden.size(); ++i) {
        for (const auto& [name, right] : golden[i].object) {
            should[i].push_back(array_bytes(right));
            if ((i < outputs.size()) && outputs[i].object.contains(name)) {
                is[i].push_back(array_bytes(outputs[i].object[name]));
            }
        }
    }
    host::compare_to_golden(is, should);
}

void bind_compares(py::module_& module) {
    module.def("compare_to_golden", &compare_records,
               "Raises API-COMPARE, which names inference, output, byte and both values at the first difference. What "
               "`golden` does not name is not compared.",
               py::arg("outputs"), py::arg("golden"));
    module.def(
        "recording_enabled", [] { return PIANOLA_RECORDING != 0; },
        "Whether this package captures workloads: the CMake option PIANOLA_RECORDING.");
}

void bind_workloads(py::module_& module) {
    py::class_<CapturedWorkload>(module, "CapturedWorkload", "A trace binary, with what is known of it.")
        .def_property_readonly("file", [](const CapturedWorkload& self) { return bytes_of(self.file); })
        .def_property_readonly(
            "device", [](const CapturedWorkload& self) { return device_entry(self); },
            "The device that it was captured on, as `pianola run --device` takes it.")
        .def_property_readonly(
            "inputs",
            [](const CapturedWorkload& self) { return named_records(self.inputs, self.manifest.inputs, "input"); },
            "Of the captured run, one dictionary of arrays for every inference.")
        .def_property_readonly(
            "outputs",
            [](const CapturedWorkload& self) { return named_records(self.outputs, self.manifest.outputs, "output"); },
            "What the captured run has read.")
        .def("compare_to_capture", &compare_to_capture,
             "Replays the inputs of the captured run, and raises API-COMPARE where an output differs from what that "
             "run has read.")
        .def_readonly("steps", &CapturedWorkload::steps, "Steps that were captured and are one now.")
        .def_property_readonly("steps_in_flight",
                               [](const CapturedWorkload& self) { return self.manifest.steps_in_flight; })
        .def_readonly("warnings", &CapturedWorkload::warnings, "What the binary does not do, and why.")
        .def(
            "save",
            [](const CapturedWorkload& self, const Path& path) {
                files::store_file(path_from(path.object), self.file);
            },
            "Writes the .ptb, whole or not at all.", py::arg("path"));
}

// What a tensor has on each device.
[[nodiscard]] std::vector<host::BufferPtr> buffers_of(const Tensor& tensor) {
    std::vector<host::BufferPtr> buffers;
    for (const Tensor& shard : tensor.is_distributed() ? tensor.shards() : std::vector<Tensor>{tensor}) {
        buffers.push_back(shard.buffer());
    }
    return buffers;
}

[[nodiscard]] host::DeviceGrid grid_of(const AnyDevice& device) {
    const auto* const mesh = std::get_if<host::MeshPtr>(&device);
    return (mesh != nullptr) ? (*mesh)->grid() : host::DeviceGrid{{std::get<0>(device)}, 1U, 1U};
}

void bind_captures(py::module_& module) {
    py::class_<WorkloadCapture>(module, "WorkloadCapture",
                                "Records the calls on a device, or on those of a mesh; pianola.capture() begins one.")
        .def(py::init([](const AnyDevice& device, const std::string& name, std::int64_t step_deadline_us,
                         std::int64_t steps_in_flight, bool self_tests, const std::optional<Path>& refused_file) {
                 host::CaptureOptions options;
                 options.source_name = name;
                 options.step_deadline_us = unsigned_from(step_deadline_us, "step_deadline_us");
                 options.steps_in_flight = unsigned_from(steps_in_flight, "steps_in_flight");
                 options.self_tests = self_tests;
                 if (refused_file.has_value()) {
                     options.refused_file = path_from(refused_file->object);
                 }
                 return std::make_unique<WorkloadCapture>(grid_of(device), options);
             }),
             py::arg("device").none(false), py::kw_only(), py::arg("name") = "host program",
             py::arg("step_deadline_us") = 0, py::arg("steps_in_flight") = 0, py::arg("self_tests") = true,
             py::arg("refused_file") = py::none())
        .def(
            "declare_input",
            [](WorkloadCapture& self, const Tensor& tensor, const std::string& name, float scale,
               std::int32_t zero_point) {
                self.declare_input(buffers_of(tensor), declaration(tensor, name, scale, zero_point));
            },
            "What every step is given; in the order of declaration.", py::arg("tensor"), py::arg("name"),
            py::arg("scale") = 0.0F, py::arg("zero_point") = 0)
        .def(
            "declare_output",
            [](WorkloadCapture& self, const Tensor& tensor, const std::string& name, float scale,
               std::int32_t zero_point) {
                self.declare_output(buffers_of(tensor), declaration(tensor, name, scale, zero_point));
            },
            "What every step gives; in the order of declaration.", py::arg("tensor"), py::arg("name"),
            py::arg("scale") = 0.0F, py::arg("zero_point") = 0)
        .def(
            "declare_constant",
            [](WorkloadCapture& self, const Tensor& tensor, const std::string& name) {
                self.declare_constant(buffers_of(tensor), name);
            },
            "Written before the first step, and never again.", py::arg("tensor"), py::arg("name") = "constant")
        .def(
            "declare_parameter",
            [](WorkloadCapture& self, host::TraceId trace, const std::string& name,
               const std::vector<std::uint32_t>& words, std::int64_t minimum, std::int64_t maximum,
               std::int64_t alignment, bool is_address) {
                self.declare_parameter(trace, trace_parameter(name, words, minimum, maximum, alignment, is_address));
            },
            "Words of an executed trace that the binary's user may set between steps.", py::arg("trace_id"),
            py::arg("name"), py::arg("words"), py::kw_only(), py::arg("minimum"), py::arg("maximum"),
            py::arg("alignment") = 1, py::arg("is_address") = false)
        .def("begin_prologue", &WorkloadCapture::begin_prologue, "What follows fills the pipeline.")
        .def("begin_step", &WorkloadCapture::begin_step,
             "What follows is a step, or the next one; equal steps become one.")
        .def("begin_epilogue", &WorkloadCapture::begin_epilogue, "What follows empties the pipeline.")
        .def("end", &WorkloadCapture::end, "Ends recording, and makes, proves and replays the binary.")
        .def("discard", &WorkloadCapture::discard, "Ends recording without a result.")
        .def("is_active", &WorkloadCapture::is_active);
}

[[nodiscard]] Entry tensor_entry(const capture::ManifestTensor& tensor) {
    py::dict entry;
    entry["name"] = tensor.name;
    entry["dtype"] = tensor.type;
    entry["shape"] = py::tuple(py::cast(tensor.shape));
    entry["scale"] = tensor.scale;
    entry["zero_point"] = tensor.zero_point;
    return {std::move(entry)};
}

[[nodiscard]] std::vector<Entry> tensor_entries(const std::vector<capture::ManifestTensor>& tensors) {
    std::vector<Entry> entries;
    for (const capture::ManifestTensor& each : tensors) {
        entries.push_back(tensor_entry(each));
    }
    return entries;
}

[[nodiscard]] std::vector<std::uint8_t> contents_of(const py::object& file) {
    if (py::isinstance<py::bytes>(file)) {
        const auto contents = py::cast<py::bytes>(file);
        const std::string_view text = contents;
        return {text.begin(), text.end()};
    }
    return files::load_file(path_from(file));
}

// The bytes of one input, which must be what the binary says it is.
[[nodiscard]] std::vector<std::uint8_t> input_bytes(const py::handle& value, const capture::ManifestTensor& tensor) {
    const py::array array = dense_of(value);
    const py::dtype wanted = dtype_of(tensor.type);
    const std::vector<std::uint32_t> shape{array.shape(), array.shape() + array.ndim()};
    if ((array.dtype().char_() != wanted.char_()) || (array.dtype().byteorder() == '>') || (shape != tensor.shape)) {
        throw PlayerError{
            "PLAYER-INPUT",
            fmt::format("input {} is {} of {}, and an array of shape {} and type {} was given", tensor.name,
                        tensor::to_string(tensor.shape), tensor::type_name(tensor.type), tensor::to_string(shape),
                        py::str(static_cast<py::handle>(array.dtype())).cast<std::string>())};
    }
    return elements_of(tensor.type, array);
}

[[nodiscard]] Player::Tensors record_of(const py::dict& named, const std::vector<capture::ManifestTensor>& tensors) {
    Player::Tensors record;
    for (const capture::ManifestTensor& each : tensors) {
        if (!named.contains(each.name.c_str())) {
            throw PlayerError{"PLAYER-INPUT", fmt::format("input {} is missing", each.name)};
        }
        record.push_back(input_bytes(named[each.name.c_str()], each));
    }
    if (named.size() != tensors.size()) {
        throw PlayerError{"PLAYER-INPUT",
                          fmt::format("the binary has {} inputs, and {} were given", tensors.size(), named.size())};
    }
    return record;
}

[[nodiscard]] Player::Tensors record_of(const py::sequence& listed,
                                        const std::vector<capture::ManifestTensor>& tensors) {
    if (listed.size() != tensors.size()) {
        throw PlayerError{"PLAYER-INPUT",
                          fmt::format("the binary has {} inputs, and {} were given", tensors.size(), listed.size())};
    }
    Player::Tensors record;
    for (std::size_t i = 0U; i < tensors.size(); ++i) {
        record.push_back(input_bytes(py::object{listed[i]}, tensors[i]));
    }
    return record;
}

[[nodiscard]] std::vector<Outputs> run_named(Player& self, const std::vector<Inputs>& inputs) {
    const capture::Manifest& manifest = self.manifest();
    if (inputs.empty()) {  // of either form
        return {};
    }
    require_distinct_names("input", manifest.inputs);
    require_distinct_names("output", manifest.outputs);
    std::vector<Player::Tensors> records;
    for (const Inputs& named : inputs) {
        records.push_back(record_of(named.object, manifest.inputs));
    }
    return named_records(self.run(records), manifest.outputs, "output");
}

[[nodiscard]] std::vector<OutputList> run_listed(Player& self, const std::vector<InputList>& inputs) {
    const capture::Manifest& manifest = self.manifest();
    std::vector<Player::Tensors> records;
    for (const InputList& listed : inputs) {
        records.push_back(record_of(listed.object, manifest.inputs));
    }
    std::vector<OutputList> outputs;
    for (const Player::Tensors& record : self.run(records)) {
        py::list list;
        for (std::size_t i = 0U; i < manifest.outputs.size(); ++i) {
            list.append(array_of(manifest.outputs[i].type, manifest.outputs[i].shape, record[i]));
        }
        outputs.push_back({std::move(list)});
    }
    return outputs;
}

[[nodiscard]] Entry performance_entry(const timeline::Performance& performance) {
    const auto note = [&performance](py::dict& entry, const timeline::TimeSpent& spent) {
        for (const timeline::TimeColumn& column : timeline::kTimeColumns) {
            entry[column.name] = performance.per_step(spent.*column.cycles);
        }
    };
    py::dict entry;
    py::list operations;
    for (const timeline::OperationTime& each : performance.operations) {
        py::dict operation;
        operation["name"] = each.name;
        note(operation, each.spent);
        operations.append(operation);
    }
    entry["mode"] = performance.mode;
    entry["device"] = py::make_tuple(performance.device.row, performance.device.column);
    entry["cycles_per_step"] = performance.steady.cycles_per_step.value();
    entry["gain"] = performance.gain;
    note(entry, performance.total());
    entry["operations"] = operations;
    return {std::move(entry)};
}

[[nodiscard]] std::vector<Entry> performance_of(const Player& self, std::int64_t dispatch_ns, std::int64_t replay_ns) {
    const HostCost cost{unsigned_from(dispatch_ns, "dispatch_ns"), unsigned_from(replay_ns, "replay_ns")};
    std::vector<Entry> entries;
    for (const timeline::Performance& each : self.performance(cost)) {
        entries.push_back(performance_entry(each));
    }
    return entries;
}

void bind_session(py::module_& module) {
    py::class_<Player>(module, "Session", "A trace binary on a device of its own, as the runtime on target replays it.")
        .def(py::init([](const File& file, bool threaded, const std::string& executor) {
                 return std::make_unique<Player>(contents_of(file.object), threaded, vulkan_from(executor));
             }),
             py::arg("file"), py::kw_only(), py::arg("threaded") = false, py::arg("executor") = kSimulator)
        .def_property_readonly("inputs", [](const Player& self) { return tensor_entries(self.manifest().inputs); })
        .def_property_readonly("outputs", [](const Player& self) { return tensor_entries(self.manifest().outputs); })
        .def_property_readonly("parameters",
                               [](const Player& self) {
                                   std::vector<Entry> entries;
                                   for (const capture::ManifestParameter& each : self.manifest().parameters) {
                                       py::dict entry;
                                       entry["name"] = each.name;
                                       entry["minimum"] = each.minimum;
                                       entry["maximum"] = each.maximum;
                                       entry["alignment"] = each.alignment;
                                       entries.push_back({std::move(entry)});
                                   }
                                   return entries;
                               })
        .def_property_readonly("step_cycles", [](const Player& self) { return self.manifest().step_cycles; })
        .def("run", &run_named, "One dictionary of arrays by name for every inference; gives as many.",
             py::arg("inputs"))
        .def("run", &run_listed,
             "One list of arrays for every inference, in the order of `inputs`; gives as many, in the order of "
             "`outputs`.",
             py::arg("inputs"))
        .def(
            "set_parameter",
            [](Player& self, const std::string& name, std::int64_t value) {
                self.set_parameter(name, unsigned_from(value, "value"));
            },
            py::arg("name"), py::arg("value"))
        .def("performance", &performance_of,
             "Cycles of each step, operation by operation, in every mode and on every device: what `pianola perf` "
             "shows.",
             py::kw_only(), py::arg("dispatch_ns") = kDefaultHostCost.dispatch_ns,
             py::arg("replay_ns") = kDefaultHostCost.replay_ns)
        .def("self_test", &Player::self_test, "Replays the binary's own self-test vectors; gives their number.");
}

}  // namespace

std::string path_from(const py::object& path) {
    const py::object name = py::module_::import("os").attr("fsencode")(path);  // the very bytes, UTF-8 or not
    std::string text = name.cast<std::string>();
    if (text.find('\0') != std::string::npos) {
        throw py::value_error{"the name of the file holds a NUL"};
    }
    return text;
}

void bind_capture(py::module_& module) {
    bind_workloads(module);
    bind_compares(module);
    bind_captures(module);
    bind_session(module);
}

}  // namespace pianola::python
