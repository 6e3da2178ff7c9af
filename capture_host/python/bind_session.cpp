#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>

#include "capture_host/python/bindings.h"
#include "capture_host/python/player.h"
#include "capture_host/python/records.h"
#include "pianola_host/files.h"
#include "pianola_host/tensor.h"

namespace pianola::python {
namespace {

namespace py = pybind11;

constexpr auto kFileType = py::detail::const_name("Union[bytes, str, os.PathLike[str]]");
using File = Typed<kFileType>;
// The same without names, in the binary's order.
constexpr auto kInputListType = py::detail::const_name("Sequence[numpy.ndarray]");
constexpr auto kOutputListType = py::detail::const_name("List[numpy.ndarray]");
using InputList = Typed<kInputListType, py::sequence>;
using OutputList = Typed<kOutputListType, py::list>;

[[nodiscard]] Outputs named_outputs(const Player::Tensors& record,
                                    const std::vector<capture::ManifestTensor>& tensors) {
    py::dict named;
    for (std::size_t i = 0U; i < tensors.size(); ++i) {
        named[tensors[i].name.c_str()] = array_of(tensors[i].type, tensors[i].shape, record[i]);
    }
    return {std::move(named)};
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

[[nodiscard]] targets::Targets targets_with(const std::optional<Path>& plugin) {
    try {
        return plugin.has_value() ? targets::Targets{path_from(plugin->object)} : targets::Targets{};
    } catch (const targets::PluginError& error) {
        throw PlayerError{"PLAYER-TARGET", error.what()};
    }
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

}  // namespace

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

std::vector<Outputs> named_records(const std::vector<Player::Tensors>& records,
                                   const std::vector<capture::ManifestTensor>& tensors, const char* what) {
    require_distinct_names(what, tensors);
    std::vector<Outputs> named;
    for (const Player::Tensors& record : records) {
        named.push_back(named_outputs(record, tensors));
    }
    return named;
}

void bind_session(py::module_& module) {
    py::class_<Player>(module, "Session", "A trace binary on a device of its own, as the runtime on target replays it.")
        .def(py::init(
                 [](const File& file, bool threaded, const std::string& executor, const std::optional<Path>& plugin) {
                     const targets::Targets targets = targets_with(plugin);
                     return std::make_unique<Player>(contents_of(file.object), threaded,
                                                     executor_from(executor, targets), targets);
                 }),
             py::arg("file"), py::kw_only(), py::arg("threaded") = false, py::arg("executor") = kSimulator,
             py::arg("plugin") = py::none())
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
        .def("run", &run_named,
             "One dictionary of arrays by name for every inference; gives as many. In a binary with state the first "
             "record "
             "goes on from the last one of the run() before; it is a first one after construction, reset_state() and "
             "self_test() with vectors, and always where the binary is pipelined or has an epilogue. After an "
             "interrupt outputs are lost, and the state is that after the last whole record.",
             py::arg("inputs"))
        .def("run", &run_listed,
             "One list of arrays for every inference, in the order of `inputs`; gives as many, in the order of "
             "`outputs`.",
             py::arg("inputs"))
        .def("reset_state", &Player::reset_state,
             "Gives what the binary keeps from step to step its first contents again: the next record of run() is a "
             "first one. Declared parameters keep their values. Does nothing where there is no state.")
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

}  // namespace pianola::python
